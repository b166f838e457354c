package engine

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
)

// VerifyPackOptions says how a pack is verified.
type VerifyPackOptions struct {
	// Warn is told when the memory outside the directory could not be used.
	Warn func(error)
}

// PackProof says what was found of what a pack states.
type PackProof struct {
	Checkpoint string // a signed note about Size and Root
	Size       uint64
	Root       merkle.Hash
	Digest     string
	Records    int // that were proven
	Entries    []EntryProof
}

// EntryProof is what was found of one entry.
type EntryProof struct {
	SourceID string
	URI      string
	Position uint64
	Leaf     merkle.Hash
	Path     []merkle.Hash // from the leaf to the root
	Sources  int           // records that stand behind it, and were proven as well
	OK       bool
	Problem  string // in words, empty if it is proven
}

// VerifyPack proves what a pack says, entry by entry, down to the journal: that the
// record behind it is in the tree with the root that the pack names, that its salt and
// payload are those that the record commits to, and that the entry's words stand in it.
// What an entry was derived from is proven as well, the first 64 records of it. The pack
// may come from a file. If something does not hold, the error has the code not_proven,
// and what was found is returned with it.
func (b *Board) VerifyPack(ctx context.Context, tenant string, p *hmx.Pack, o VerifyPackOptions) (*PackProof, error) {
	if p == nil {
		return nil, fault.New(fault.InvalidArgument, "pack: there is none").WithFix("give what Pack returned")
	}
	if p.TenantID.Or(tenant) != tenant {
		return nil, fault.Newf(fault.InvalidArgument, "pack: it is of tenant %q", p.TenantID.Value).WithFix("verify it with the tenant that it was made for")
	}
	m, err := metadataOf(p)
	if err != nil {
		return nil, err
	}
	if err := pack.CheckDigest(p); err != nil {
		return nil, err
	}
	proof := &PackProof{Size: m.Size, Root: merkle.EmptyRoot(), Digest: m.Digest}
	if m.Size == 0 {
		return proof, emptyProof(p, &m)
	}
	err = b.read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) error {
		if m.Size > t.Size {
			return notProven("metadata.size: it is %d, but tenant %q has %d records", m.Size, tenant, t.Size)
		}
		v := &verifying{nodes: ledger.Nodes(r, t.Number), size: m.Size, proven: make(map[uint64]bool)}
		if v.root, err = rootAt(r, t, m.Size); err != nil {
			return err
		}
		if hex.EncodeToString(v.root[:]) != m.Root {
			return notProven("metadata.root: it is %q, but the first %d records of tenant %q have the root %x", m.Root, m.Size, tenant, v.root)
		}
		// Who proves sees everything, and what no longer holds was said all the same.
		v.packing = packing{asking: asking{
			ctx: ctx, b: b, r: r, t: t, over: true, now: t.Time, records: make(map[uint64]*index.Record), keep: packRecords,
		}}
		for i := range p.Entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			e, err := v.entry(&p.Entries[i])
			if err != nil {
				return err
			}
			proof.Entries = append(proof.Entries, e)
		}
		proof.Root, proof.Records = v.root, len(v.proven)
		signed, err := b.notary.SignAt(tenant, b.tree(r, t), m.Size)
		if err != nil {
			return err
		}
		if signed.Warning != nil && o.Warn != nil {
			o.Warn(signed.Warning)
		}
		proof.Checkpoint = string(signed.Note)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return proof, proof.verdict()
}

// emptyProof proves that a pack of nothing says nothing.
func emptyProof(p *hmx.Pack, m *packMetadata) error {
	if root := merkle.EmptyRoot(); m.Root != hex.EncodeToString(root[:]) {
		return notProven("metadata.root: it is %q, which is not the root of no records", m.Root)
	}
	if len(p.Entries) > 0 {
		return notProven("entries: there are %d, but there are no records", len(p.Entries))
	}
	return nil
}

// verdict is the error for entries that are not proven.
func (p *PackProof) verdict() error {
	bad, first := 0, ""
	for i := range p.Entries {
		if e := &p.Entries[i]; !e.OK {
			if bad++; first == "" {
				first = fmt.Sprintf("entries[%d] (%s): %s", i, e.SourceID, e.Problem)
			}
		}
	}
	if bad == 0 {
		return nil
	}
	return notProven("%d of %d entries are not proven; %s", bad, len(p.Entries), first)
}

func notProven(format string, args ...any) error {
	return fault.Newf(fault.NotProven, format, args...).WithFix("use a pack as it was made; `lukasa verify --deep` says whether the directory is in order")
}

// verifying is the proof of one pack.
type verifying struct {
	packing
	nodes  merkle.Nodes
	size   uint64
	root   merkle.Hash
	proven map[uint64]bool // positions
}

// entry proves an entry. The error is for what kept it from looking.
func (v *verifying) entry(e *hmx.Entry) (EntryProof, error) {
	out := EntryProof{SourceID: e.SourceID}
	fail := func(format string, args ...any) (EntryProof, error) {
		out.Problem = fmt.Sprintf(format, args...)
		return out, nil
	}
	if !extra(e.Extra, "uri", &out.URI) {
		return fail("uri: it names none")
	}
	u, err := memory.ParseURI(out.URI)
	if err != nil || u.Tenant != v.t.Name || u.ID != e.SourceID {
		return fail("uri: it does not name the source of this tenant")
	}
	if !extra(e.Extra, "position", &out.Position) {
		return fail("position: it names none")
	}
	if out.Position >= v.size {
		return fail("position: %d is not among the %d records of the pack's state", out.Position, v.size)
	}
	rec, problem, err := v.record1(out.Position, &out)
	if err != nil || problem != "" {
		out.Problem = problem
		return out, err
	}
	var s pack.Source
	if u.Kind == record.Event {
		if rec.Event == nil || rec.Event.EventID != u.ID {
			return fail("position: %d is another record than %s", out.Position, out.URI)
		}
		quoteEvent(rec.Event, v.t.Name, &s)
	} else {
		if rec.Body == nil || rec.Body.Kind() != u.Kind {
			return fail("position: %d is another record than %s", out.Position, out.URI)
		}
		if id, _ := rec.Body.Identity(); id != u.ID {
			return fail("position: %d is another record than %s", out.Position, out.URI)
		}
		if s.Text, err = v.textOf(seen{body: rec.Body}); err != nil {
			return out, err
		}
	}
	said := quotes(s.Text, e.Content)
	if r, ok := rec.Body.(*memory.Relation); ok {
		// The names of its ends are those of now, and may have been others.
		said = said || strings.Contains(e.Content, r.Predicate)
	}
	if !said {
		return fail("content: it is not what the record says")
	}
	return v.sources(rec.Body, out)
}

// record1 proves a record and reads it. What does not hold is told in words.
func (v *verifying) record1(position uint64, out *EntryProof) (rec *index.Record, problem string, err error) {
	f, err := v.b.frameAt(v.r, v.t, position)
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
	rec, err = v.record(position)
	if fault.CodeOf(err) == fault.Damaged {
		return nil, fault.From(err).Error(), nil
	}
	if err == nil && rec == nil {
		problem = fmt.Sprintf("position %d was erased since", position)
	}
	v.proven[position] = true
	return rec, problem, err
}

// sources proves what an entry was derived from: what is in the state of the pack and is
// there still. Of those that it names one at least must be.
func (v *verifying) sources(body memory.Body, out EntryProof) (EntryProof, error) {
	if a, ok := body.(*memory.Artifact); ok {
		if hash, err := hmx.ContentHash(a.HMX.Content); err != nil || hash != a.HMX.ContentHash {
			out.Problem = "content_hash: it is not that of the content"
			return out, nil
		}
	}
	list, all := sourcesOf(body)
	for _, u := range list {
		position, ok, err := v.sourceAt(u)
		if err == nil && ok && position >= v.size {
			position, ok, err = v.sourceThen(u)
		}
		if err != nil {
			return out, err
		}
		if !ok {
			continue
		}
		_, problem, err := v.record1(position, nil)
		if err != nil {
			return out, err
		}
		if problem != "" {
			out.Problem = "its source " + u.Kind.String() + " " + u.ID + ": " + problem
			return out, nil
		}
		out.Sources++
	}
	if out.OK = all == 0 || out.Sources > 0; !out.OK {
		out.Problem = fmt.Sprintf("none of its %d sources is on record", all)
	}
	return out, nil
}

// sourceThen returns where the record was that said what a thing was in the state of the
// pack.
func (v *verifying) sourceThen(u memory.URI) (position uint64, ok bool, err error) {
	if u.Kind == record.Event {
		return 0, false, nil
	}
	entries, err := catalog.Entries(v.r, v.t.Number, u.Kind, catalog.ThingOf(v.t.Name, u.Kind, u.ID))
	for _, e := range entries {
		if e.Op == catalog.Put && e.Position < v.size {
			position, ok = e.Position, true
		}
	}
	return position, ok, err
}

// cutMark stands where an entry's text is cut.
const cutMark = "[truncated]"

// quotes reports whether a content is a text, or a part of it between marks where it was
// cut.
func quotes(text, content string) bool {
	if content == text {
		return true
	}
	content = strings.TrimSuffix(strings.TrimPrefix(content, cutMark), cutMark)
	return strings.Contains(text, strings.TrimSpace(content))
}

// extra reads a further member of an entry, and reports whether it is there.
func extra(x hmx.Extra, name string, into any) bool {
	raw, ok := x[name]
	return ok && json.Unmarshal([]byte(raw), into) == nil
}
