package review

import (
	"cmp"
	"context"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// maxChain is how many versions of an artifact are followed.
const maxChain = 10_000

// ArtifactVersion is an artifact of a chain, with its transitions.
type ArtifactVersion struct {
	StoredArtifact
	// Changes are its transitions, oldest first; the first is its creation.
	Changes []ArtifactChange
}

// ArtifactChain returns the versions of an artifact, oldest first: what it supersedes,
// what supersedes it or would, as drafts that name it, and so on. Erased, forgotten and
// hidden versions are left out.
func (b *Reviewer) ArtifactChain(ctx context.Context, tenant, id string, v board.View) ([]*ArtifactVersion, error) {
	var out []*ArtifactVersion
	err := b.core.ReadAs(ctx, tenant, v, func(s board.State) error {
		h, err := findArtifact(s, id)
		if err != nil {
			return err
		}
		heads, err := chainOf(ctx, s, h, func(h *catalog.Head) bool { return access.Sees(s.View, h) })
		if err != nil {
			return err
		}
		for _, h := range heads {
			x, err := b.artifactOf(s, h)
			if fault.CodeOf(err) == fault.Erased {
				continue // erased since the snapshot was taken
			}
			if err != nil {
				return err
			}
			changes, err := b.artifactChanges(s, h)
			if err != nil {
				return err
			}
			out = append(out, &ArtifactVersion{*x, changes})
		}
		slices.SortFunc(out, func(a, b *ArtifactVersion) int {
			return cmp.Or(cmp.Compare(a.Artifact.Version, b.Artifact.Version), cmp.Compare(a.Position, b.Position))
		})
		return nil
	})
	return out, err
}

// chainOf returns the heads of the live artifacts that supersede each other or would,
// starting with one of them, as far as they are visible.
func chainOf(ctx context.Context, s board.State, h *catalog.Head, shows func(*catalog.Head) bool) ([]*catalog.Head, error) {
	list, known := []*catalog.Head{h}, map[string]bool{h.ID: true}
	add := func(d catalog.Thing) error {
		next, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Artifact, d)
		if err == nil && ok && next.State == catalog.Live && !known[next.ID] && shows(next) {
			known[next.ID] = true
			list = append(list, next)
		}
		return err
	}
	for i := 0; i < len(list) && len(list) < maxChain; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, rel := range []string{"supersedes", "superseded_by"} {
			if id := learn.Linked(list[i], rel); id != "" {
				if err := add(catalog.ThingOf(s.Tenant.Name, record.Artifact, id)); err != nil {
					return nil, err
				}
			}
		}
		u := memory.URI{Tenant: s.Tenant.Name, Kind: record.Artifact, ID: list[i].ID}
		var failed error
		err := catalog.ReferrersOf(s.Reader, s.Tenant.Number, u.String(), record.Artifact, func(ref catalog.Referrer) bool {
			if ref.Rel == "supersedes" || ref.Rel == "superseded_by" {
				failed = add(ref.Thing)
			}
			return failed == nil && len(list) < maxChain
		})
		if err := fault.First(failed, err); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// checkChain refuses a change that would break a rule of chains. Faults that the chain
// had before do not count.
func checkChain(g *board.Group, w board.Writer, t *ledger.Tenant, heads []*catalog.Head, changed ...*hmx.Artifact) error {
	var before, after []*hmx.Artifact
	for _, h := range heads {
		a, err := artifactIn(g, t, h)
		if err != nil {
			return err
		}
		if a == nil {
			continue
		}
		before = append(before, a)
		if !slices.ContainsFunc(changed, func(x *hmx.Artifact) bool { return x.ArtifactID == a.ArtifactID }) {
			after = append(after, a)
		}
	}
	for _, a := range changed {
		own := *a
		after = append(after, &own)
	}
	for _, a := range slices.Concat(before, after) {
		if !a.TenantID.Set {
			a.TenantID = hmx.Some(t.Name) // it belongs to this tenant
		}
	}
	_, had := hmx.NewChain(before)
	_, faults := hmx.NewChain(after)
	for _, f := range faults {
		if !slices.ContainsFunc(had, func(x *hmx.ChainFault) bool { return x.Detail == f.Detail }) {
			return brokenChain(w, f)
		}
	}
	return nil
}

// brokenChain is the error for a change that breaks a rule of chains. Under a scope it
// reveals nothing about other artifacts of the chain.
func brokenChain(w board.Writer, f *hmx.ChainFault) error {
	fix := "write it as a draft that supersedes the active version and has a higher version, then approve it: `lukasa artifacts approve`"
	if f.Rule == "HMX-A/7.5" {
		fix = "each of the two must name the other: write a draft whose supersedes names the newest version of the chain, and approve that"
	}
	if board.Scoped(w) {
		return fault.Newf(fault.InvalidArgument, "chain: the versions of the artifact would break a rule (%s)", f.Rule).WithFix(fix)
	}
	return fault.Newf(fault.InvalidArgument, "chain: %w", f).WithFix(fix)
}

// artifactRule enforces the rules of chains.
func artifactRule() board.Rule {
	return board.Rule{
		Admit: func(g *board.Group, w board.Writer, t *ledger.Tenant, body memory.Body) error {
			return fitsChain(g, w, t, &body.(*memory.Artifact).HMX)
		},
		Transition: fitsTurn,
	}
}

// artifactIn reads the current state of an artifact, nil if it is unreadable.
func artifactIn(g *board.Group, t *ledger.Tenant, h *catalog.Head) (*hmx.Artifact, error) {
	payload, erased, err := g.PayloadAt(t, h.Position)
	if fault.CodeOf(err) == fault.Damaged || erased {
		return nil, nil
	}
	if err != nil {
		return nil, g.Stop(err)
	}
	body, err := memory.Decode(record.Artifact, payload)
	if err != nil {
		return nil, nil
	}
	return standing(t, h, &body.(*memory.Artifact).HMX).Artifact, nil
}

// fitsChain refuses an artifact that would break a rule of chains on its creation. A
// draft breaks none: it only proposes.
func fitsChain(g *board.Group, w board.Writer, t *ledger.Tenant, a *hmx.Artifact) error {
	if a.Status == hmx.StatusDraft {
		return nil
	}
	link := func(rel string, id hmx.Opt[string]) catalog.Link {
		return catalog.Link{Rel: rel, To: memory.URI{Tenant: t.Name, Kind: record.Artifact, ID: id.Value}.String()}
	}
	h := &catalog.Head{Kind: record.Artifact, ID: a.ArtifactID}
	if a.Supersedes.Set {
		h.Links = append(h.Links, link("supersedes", a.Supersedes))
	}
	if a.SupersededBy.Set {
		h.Links = append(h.Links, link("superseded_by", a.SupersededBy))
	}
	heads, err := chainOf(context.Background(), g.State(t), h, everything)
	if err != nil {
		return g.Stop(err)
	}
	return checkChain(g, w, t, heads[1:], a)
}

// fitsTurn refuses a transition that would break a rule of chains. Transitions that HMX-A
// does not have are refused elsewhere.
func fitsTurn(g *board.Group, w board.Writer, t *ledger.Tenant, h *catalog.Head, to hmx.Status, supersededBy string) error {
	if to != hmx.StatusActive && to != hmx.StatusSuperseded || hmx.Status(h.Status).Transition(to) != nil {
		return nil
	}
	a, err := artifactIn(g, t, h)
	if err != nil || a == nil {
		return err
	}
	heads, err := chainOf(context.Background(), g.State(t), h, everything)
	if err != nil {
		return g.Stop(err)
	}
	if supersededBy != "" && !slices.ContainsFunc(heads, func(x *catalog.Head) bool { return x.ID == supersededBy }) {
		next, ok, err := catalog.HeadOf(g.Tx(), t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, supersededBy))
		if err != nil {
			return g.Stop(err)
		}
		if ok && next.State == catalog.Live {
			heads = append(heads, next)
		}
	}
	a.Status = to
	if supersededBy != "" {
		a.SupersededBy = hmx.Some(supersededBy)
	}
	return checkChain(g, w, t, heads, a)
}

// everything shows every artifact.
func everything(*catalog.Head) bool { return true }
