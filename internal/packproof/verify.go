package packproof

import (
	"context"
	"encoding/hex"
	"fmt"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/tokens"
)

// VerifyPackOptions configures the verification of a pack.
type VerifyPackOptions struct {
	// Warn is called if the witness outside the directory could not be used.
	Warn func(error)
	// Scope is the token that the pack was made under, and Embedder the one that it used.
	// Without them such a pack is not made again.
	Scope    string
	Embedder embed.Provider
	// Far allows making the pack again even if the replay of its state takes long. Progress
	// receives its progress; it may be nil.
	Far      bool
	Progress func(done, total uint64)
}

// PackProof is the result of verifying a pack.
type PackProof struct {
	Checkpoint string // a signed note about Size and Root
	Size       uint64
	Root       merkle.Hash
	Digest     string
	Records    int // records that were proven
	Entries    []EntryProof
	// Problems are those of hints, constraints, drops and figures, in words that begin with
	// the field.
	Problems []string
	// Remade says whether a repetition with the same root and request gave the same pack.
	// It covers what no record shows, such as scores and what is missing from the pack.
	Remade Remade
	// Unchecked says, in words, why the pack was not made again; empty if it was. Then the
	// content is proven, but not that nothing was removed: entries, drops, hints, and
	// constraints that are not hard.
	Unchecked string
}

// EntryProof is the proof of one entry.
type EntryProof struct {
	SourceID string
	URI      string
	Position uint64
	Leaf     merkle.Hash
	Path     []merkle.Hash // from the leaf to the root
	Sources  int           // its source records, which were proven as well
	OK       bool
	Problem  string // in words, empty if it is proven
}

// VerifyPack proves the content of a pack, entry by entry, down to the journal: that its
// record is in the tree with the pack's root, that salt and payload match the commitment of
// the record, that it was the current version in that state, and that the entry describes
// it correctly: its words, section, type, trust, time and speaker. The first 64 sources of
// an entry are proven as well. Hints and constraints must come from records, valid hard
// constraints must be present, ranks and figures must agree, and the id must match the
// stated request.
//
// If possible, the pack is also made again, and must be the same. Otherwise the proof says
// why not: nothing else shows whether anything is missing.
//
// The pack may come from a file. If something does not hold, the error has the code
// not_proven, and the result is returned with it; a pack that breaks the rules of the
// protocol is an invalid_document.
func (b *Prover) VerifyPack(ctx context.Context, tenant string, p *hmx.Pack, o VerifyPackOptions) (*PackProof, error) {
	if p == nil {
		return nil, fault.New(fault.InvalidArgument, "pack: there is none").WithFix("give what Pack returned")
	}
	m, err := packer.MetadataOf(p)
	if err != nil {
		return nil, err
	}
	if _, err := p.Validate(); err != nil {
		return nil, fault.Newf(fault.InvalidDocument, "pack: %w", err).WithFix("use a pack as it was made; `lukasa validate` lists what is wrong with it")
	}
	if p.TenantID.Value != tenant {
		return nil, fault.Newf(fault.InvalidArgument, "tenant_id: the pack is of tenant %q", p.TenantID.Value).WithFix("verify it with the tenant that it was made for")
	}
	if err := pack.CheckDigest(p); err != nil {
		return nil, err
	}
	v := &verifying{p: p, size: m.Size, proven: make(map[uint64]bool), counter: packer.CounterOf(m.Counter)}
	if v.request, err = pack.RequestOf(p); err != nil {
		return nil, err
	}
	proof := &PackProof{Size: m.Size, Root: merkle.EmptyRoot(), Digest: m.Digest, Remade: RemadeNotPossible, Unchecked: "it is not proven"}
	erased := false
	if m.Size == 0 {
		err = emptyProof(p, &m)
	} else {
		erased, err = b.verifyPack(ctx, tenant, v, &m, o, proof)
	}
	if err != nil {
		return nil, err
	}
	if err := v.identity(tenant, &m, proof); err != nil {
		return nil, err
	}
	if err := proof.verdict(); err != nil {
		return proof, err
	}
	if proof.Remade, proof.Unchecked, err = b.repack(ctx, tenant, v.request, &m, o, erased); err != nil {
		return nil, err
	}
	if proof.Remade == RemadeNo && !erased && m.Size > 0 {
		// Something may have been erased while it was made again.
		err := b.core.Read(ctx, tenant, func(s board.State) (err error) {
			erased, err = erasedSince(ctx, s, m.Size)
			return err
		})
		if err != nil {
			return nil, err
		}
		if erased {
			proof.Remade, proof.Unchecked = RemadeNotPossible, erasedWhy
		}
	}
	if proof.Remade == RemadeNo {
		return proof, fault.New(fault.NotProven, "metadata.digest: the same root and request give another pack").
			WithFix("the pack was changed, or made by another version of the program; ask for it again as of its position")
	}
	return proof, nil
}

// verifyPack proves the parts of a pack of a tenant with records. It reports whether
// something was erased since.
func (b *Prover) verifyPack(ctx context.Context, tenant string, v *verifying, m *packer.Metadata, o VerifyPackOptions, proof *PackProof) (erased bool, err error) {
	err = b.core.Read(ctx, tenant, func(s board.State) error {
		if m.Size > s.Tenant.Size {
			return notProven("metadata.size: it is %d, but tenant %q has %d records", m.Size, tenant, s.Tenant.Size)
		}
		v.nodes = ledger.Nodes(s.Reader, s.Tenant.Number)
		if v.root, err = board.RootWhen(s, m.Size); err != nil {
			return err
		}
		if hex.EncodeToString(v.root[:]) != m.Root {
			return notProven("metadata.root: it is %q, but the first %d records of tenant %q have the root %x", m.Root, m.Size, tenant, v.root)
		}
		now := v.p.CreatedAt.Time()
		v.Reading = excerpt.Reading{Tags: v.request.Tags, Question: retrieval.Question{
			From: b.retrieval, Reader: s.Reader, Tenant: s.Tenant, View: board.View{Agent: v.p.AgentID.Value, Conditions: v.request.Conditions}, IncludeExpired: true, Now: index.Nanos(now), Records: make(map[uint64]*index.Record), Keep: excerpt.KeptRecords,
		}}
		if err = v.all(ctx, proof); err != nil {
			return err
		}
		proof.Root, proof.Records = v.root, len(v.proven)
		signed, err := b.core.Notary().SignAt(tenant, b.core.TreeIn(s), m.Size)
		if err != nil {
			return err
		}
		if signed.Warning != nil && o.Warn != nil {
			o.Warn(signed.Warning)
		}
		proof.Checkpoint = string(signed.Note)
		erased, err = erasedSince(ctx, s, m.Size)
		return err
	})
	return erased, err
}

// emptyProof proves that a pack of a tenant without records is empty.
func emptyProof(p *hmx.Pack, m *packer.Metadata) error {
	if root := merkle.EmptyRoot(); m.Root != hex.EncodeToString(root[:]) {
		return notProven("metadata.root: it is %q, which is not the root of no records", m.Root)
	}
	if n := len(p.Entries) + len(p.DroppedEntries) + len(p.DecisionConstraints); n > 0 || p.WorkflowHints.Set {
		return notProven("entries: there are some, or constraints or hints, but there are no records")
	}
	return nil
}

// verdict is the error for an unproven pack.
func (p *PackProof) verdict() error {
	bad, first := 0, ""
	for i := range p.Entries {
		if e := &p.Entries[i]; !e.OK {
			if bad++; first == "" {
				first = fmt.Sprintf("entries[%d] (%s): %s", i, e.SourceID, e.Problem)
			}
		}
	}
	switch {
	case bad > 0:
		return notProven("%d of %d entries are not proven; %s", bad, len(p.Entries), first)
	case len(p.Problems) > 0:
		return notProven("%s", p.Problems[0])
	}
	return nil
}

func notProven(format string, args ...any) error {
	return fault.Newf(fault.NotProven, format, args...).WithFix("use a pack as it was made; `lukasa verify --deep` says whether the directory is in order")
}

// verifying is the proof of one pack.
type verifying struct {
	excerpt.Reading
	p       *hmx.Pack
	request pack.Request
	counter tokens.Counter
	nodes   merkle.Nodes
	size    uint64
	root    merkle.Hash
	proven  map[uint64]bool // positions
	said    []string        // the whole texts of entries
	alike   func(text string) bool
}

// all proves all parts of a pack.
func (v *verifying) all(ctx context.Context, proof *PackProof) error {
	for i := range v.p.Entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := v.entry(ctx, &v.p.Entries[i])
		if err != nil {
			return err
		}
		proof.Entries = append(proof.Entries, e)
	}
	for _, part := range []func(context.Context) (string, error){v.hints, v.constraints, v.drops, v.rules} {
		problem, err := part(ctx)
		if err != nil {
			return err
		}
		if problem != "" {
			proof.Problems = append(proof.Problems, problem)
		}
	}
	return nil
}

// record1 proves a record and reads it. The problem describes what does not hold.
func (v *verifying) record1(position uint64, out *EntryProof) (rec *index.Record, problem string, err error) {
	f, err := v.From.Core().FrameAt(v.State(), position)
	if fault.CodeOf(err) == fault.Damaged {
		return nil, fault.From(err).Error(), nil
	}
	if err != nil {
		return nil, "", err
	}
	leaf := merkle.LeafHash(f.Header)
	path, err := merkle.Inclusion(v.nodes, position, v.size)
	if err != nil {
		return nil, "", err
	}
	if out != nil {
		out.Leaf, out.Path = leaf, path
	}
	if err := merkle.VerifyInclusion(leaf, position, v.size, path, v.root); err != nil {
		return nil, err.Error(), nil
	}
	header, err := record.ParseHeader(f.Header)
	switch {
	case err != nil:
		return nil, err.Error(), nil
	case f.Erased:
		return nil, fmt.Sprintf("position %d was erased since", position), nil
	case record.Commit(f.Body) != header.Commitment:
		return nil, fmt.Sprintf("position %d does not match its commitment", position), nil
	}
	rec, err = v.Record(position)
	if fault.CodeOf(err) == fault.Damaged {
		return nil, fault.From(err).Error(), nil
	}
	if err == nil && rec == nil {
		problem = fmt.Sprintf("position %d was erased since", position)
	}
	v.proven[position] = true
	return rec, problem, err
}

// history returns the entries of a record in the state of the pack, and the index of the
// one with its content, -1 if it did not exist.
func (v *verifying) history(k record.Kind, id string) (entries []catalog.Entry, content int, err error) {
	entries, err = catalog.Entries(v.Reader, v.Tenant.Number, k, catalog.ThingOf(v.Tenant.Name, k, id))
	n, content := 0, -1
	for ; n < len(entries) && entries[n].Position < v.size; n++ {
		if entries[n].Op == catalog.Put {
			content = n
		}
	}
	return entries[:n], content, err
}

// then returns a record as it was in the state of the pack, from its proven version. The
// problem says why it is unknown.
func (v *verifying) then(k record.Kind, id string) (x excerpt.Item, problem string, err error) {
	entries, content, err := v.history(k, id)
	if err != nil {
		return x, "", err
	}
	if content < 0 {
		return x, fmt.Sprintf("%s %s was not there in the state of the pack, or was erased since", k, id), nil
	}
	rec, problem, err := v.record1(entries[content].Position, nil)
	if err != nil || problem != "" {
		return x, problem, err
	}
	if rec.Body == nil || rec.Body.Kind() != k {
		return x, fmt.Sprintf("position %d is another record than %s %s", entries[content].Position, k, id), nil
	}
	if named, _ := rec.Body.Identity(); named != id {
		return x, fmt.Sprintf("position %d is another record than %s %s", entries[content].Position, k, id), nil
	}
	// What is in the tree counts, not what an index says about it.
	put := &entries[content]
	put.Time, put.Trust, put.Actor = rec.Header.Time, rec.Header.Trust, rec.Header.Actor
	return excerpt.Item{Head: catalog.Past(v.Tenant.Name, k, entries, content, rec.Body), Body: rec.Body}, "", nil
}

// holds1 returns why a record was not shown to the caller in the state of the pack, or "".
func (v *verifying) holds1(x excerpt.Item) string {
	switch h := x.Head; {
	case h.State != catalog.Live:
		return fmt.Sprintf("%s %s was %s in the state of the pack", h.Kind, h.ID, h.State)
	case v.WhyOver(h) != "":
		return fmt.Sprintf("%s %s: %s, in the state of the pack", h.Kind, h.ID, v.WhyOver(h))
	case !access.Sees(v.View, h):
		return fmt.Sprintf("%s %s was not shown to the agent of the pack", h.Kind, h.ID)
	}
	if policy, ok := x.Body.(*memory.Policy); ok && v.View.Agent != "" && len(policy.Scope.Agents) > 0 && !access.Addressed(policy.Scope.Agents, v.View.Agent) {
		return fmt.Sprintf("policy %s is for other agents", x.Head.ID)
	}
	if !v.Applies(x.Body) {
		return fmt.Sprintf("%s %s does not hold where the pack was asked for", x.Head.Kind, x.Head.ID)
	}
	return ""
}
