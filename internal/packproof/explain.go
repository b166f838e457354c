package packproof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// Explanation says why a record is in a pack, or is not.
type Explanation struct {
	PackID string
	URI    memory.URI // zero if the name is unknown
	In     bool
	// Reason is one word: included, a reason of HMX-C/8, or why it was not a candidate.
	Reason string
	Detail string // in sentences
	// Verdict is the result for the candidate, nil if it was none.
	Verdict *pack.Verdict
}

// The reasons of an [Explanation] besides those of HMX-C/8.
const (
	ReasonIncluded  = "included"
	ReasonUnknown   = "unknown"   // no such record is visible to the caller
	ReasonForgotten = "forgotten" // it was forgotten, or has expired
	ReasonErased    = "erased"
	ReasonExcluded  = "excluded"  // its section, kind or status is not requested
	ReasonUntagged  = "untagged"  // it has none of the requested tags
	ReasonOutranked = "outranked" // it ranks behind the hits that are considered
	ReasonNotFound  = "not_found" // nothing connects it with the question
)

// ExplainPack says why a record is in the requested pack, or is not. what is its source
// id, its key or its URI.
func (b *Prover) ExplainPack(ctx context.Context, o packer.PackOptions, what string) (*Explanation, error) {
	if strings.TrimSpace(what) == "" {
		return nil, fault.New(fault.InvalidArgument, "what: it is empty").WithFix("give the id or the URI of what is to be explained")
	}
	var out *Explanation
	err := b.packer.Assemble(ctx, &o, func(p *packer.Assembly) error {
		res, err := p.Compose(ctx)
		if err != nil {
			return err
		}
		out, err = (&explaining{p}).explain(ctx, res, what)
		if err == nil {
			out.PackID = res.Pack.PackID
		}
		return err
	})
	return out, err
}

// explaining is a pack in progress for an explanation.
type explaining struct{ *packer.Assembly }

// meant is the record to explain.
type meant struct {
	uri      memory.URI
	position uint64
	head     *catalog.Head // of a versioned record
}

// explain finds out what became of something.
func (p *explaining) explain(ctx context.Context, res *pack.Result, what string) (*Explanation, error) {
	unknown := &Explanation{Reason: ReasonUnknown, Detail: "Nothing that you may see here has that name."}
	if p.Rows == nil {
		return unknown, nil
	}
	m, err := p.meant(what)
	if err != nil || m == nil {
		return unknown, err
	}
	out := &Explanation{URI: m.uri}
	for i := range res.Verdicts {
		if v := &res.Verdicts[i]; v.Candidate.Position == m.position {
			out.Verdict = v
			out.In, out.Reason = v.Reason == "", string(v.Reason)
			if out.In {
				out.Reason = ReasonIncluded
			}
			out.Detail = p.verdictText(res, v)
			return out, nil
		}
	}
	out.Reason, out.Detail, err = p.whyNone(ctx, m)
	if out.Reason == ReasonUnknown {
		return unknown, err
	}
	return out, err
}

// meant returns the record of a name, or nil if none is visible.
func (p *explaining) meant(what string) (*meant, error) {
	if strings.HasPrefix(what, "lukasa://") {
		u, err := memory.ParseURI(what)
		if err != nil {
			return nil, err
		}
		if u.Tenant != p.Tenant.Name {
			return nil, nil
		}
		return p.thingMeant(u.Kind, u.ID)
	}
	for _, k := range []record.Kind{record.Event, record.Memory, record.Policy, record.Artifact, record.Entity, record.Relation, record.Conflict} {
		if m, err := p.thingMeant(k, what); err != nil || m != nil {
			return m, err
		}
	}
	for _, k := range []record.Kind{record.Memory, record.Policy} {
		d, ok, err := catalog.Holder(p.Reader, p.Tenant.Number, k, what)
		if err != nil {
			return nil, err
		}
		if ok {
			h, _, err := catalog.HeadOf(p.Reader, p.Tenant.Number, k, d)
			if err != nil || h == nil {
				return nil, err
			}
			if shown, err := p.Shows(h); err != nil || shown {
				return p.headMeant(h), err
			}
		}
	}
	return nil, nil
}

func (p *explaining) headMeant(h *catalog.Head) *meant {
	if h == nil {
		return nil
	}
	return &meant{uri: excerpt.URIOf(p.Tenant.Name, h), position: h.Position, head: h}
}

// thingMeant returns the event or versioned record of an id, or nil if none is visible.
func (p *explaining) thingMeant(k record.Kind, id string) (*meant, error) {
	if k != record.Event {
		h, ok, err := catalog.HeadOf(p.Reader, p.Tenant.Number, k, catalog.ThingOf(p.Tenant.Name, k, id))
		switch {
		case err != nil || !ok:
			return nil, err
		case h.State == catalog.Redacted && (p.View.Scope != "" || p.View.Agent != ""):
			return nil, nil // nothing is left that would show whether it was visible
		case h.State == catalog.Redacted:
			return &meant{uri: memory.URI{Tenant: p.Tenant.Name, Kind: k, ID: id}, position: h.Position, head: h}, nil
		}
		if shown, err := p.Shows(h); err != nil || !shown {
			return nil, err
		}
		return p.headMeant(h), nil
	}
	digest := record.ID(p.Tenant.Name, record.Event, id)
	position, ok, err := ledger.Find(p.Reader, p.Tenant.Number, &digest)
	if err != nil || !ok {
		return nil, err
	}
	rec, err := p.Record(position)
	if err := p.Passed(err); err != nil {
		return nil, err
	}
	if rec == nil && p.View.Scope != "" || rec != nil && rec.Event != nil && !access.SeesEvent(p.View, rec.Event) {
		return nil, nil
	}
	return &meant{uri: memory.URI{Tenant: p.Tenant.Name, Kind: k, ID: id}, position: position}, nil
}

// verdictText describes the result for a candidate.
func (p *explaining) verdictText(res *pack.Result, v *pack.Verdict) string {
	rank := fmt.Sprintf("It is of section %s and has rank %d of %d, with a score of %.3f (relevance %.2f, recency %.2f, provenance %.2f, salience %.2f).",
		v.Candidate.Section, v.Rank, len(res.Verdicts), v.Score, v.Parts.Relevance, v.Parts.Recency, v.Parts.Provenance, v.Parts.Salience)
	why := ""
	switch v.Reason {
	case "":
		why = [...]string{"It is in, as the best of its section.", "It is in, by the share of its section.", "It is in, by what the sections left of the budget."}[min(max(v.Pass, 0), 2)]
		if v.Candidate.Pinned {
			why = "It is in: it is pinned, whatever the question is."
		}
		if v.Truncated {
			why += " Its text was too long and is cut."
		}
	case hmx.DropBudget:
		why = fmt.Sprintf("It is not in: it has about %d tokens, and better ones took the budget of %d.", v.Tokens, p.Request.Budget)
	case hmx.DropRelevance:
		why = fmt.Sprintf("It is not in: it has too little to do with the question, less than %.2f of the best.", p.Request.MinRelevance.Value)
	case hmx.DropDuplicate:
		why = fmt.Sprintf("It is not in: it says nearly the same as the one of rank %d.", v.Of)
	case hmx.DropDeprecated:
		why = "It is not in: " + v.Candidate.Deprecated + "."
	case hmx.DropConflict:
		why = fmt.Sprintf("It is not in: it contradicts the one of rank %d, which is better founded.", v.Of)
	case hmx.DropProvenance:
		why = "It is not in: its sources do not verify."
	}
	if v.Detail != "" && v.Reason != hmx.DropDeprecated {
		why += " (" + v.Detail + ")"
	}
	return why + " " + rank
}

// whyNone says why something is no candidate.
func (p *explaining) whyNone(ctx context.Context, m *meant) (reason, detail string, err error) {
	if h := m.head; h != nil {
		switch h.State {
		case catalog.Redacted:
			return ReasonErased, "It was erased for good.", nil
		case catalog.Forgotten, catalog.Expired:
			said := "It is " + string(h.State)
			if h.Note != "" {
				said += ": " + h.Note
			}
			return ReasonForgotten, said + ".", nil
		}
		if h.Kind == record.Artifact && h.Status == string(hmx.StatusDraft) {
			return ReasonExcluded, "It is a draft, and agents do not receive drafts.", nil
		}
		x, err := p.ItemAt(m.position)
		if err != nil {
			return "", "", err
		}
		where, err := p.PlaceOf(ctx, h, x.Body)
		if err != nil {
			return "", "", err
		}
		if where == (excerpt.Place{}) {
			return ReasonExcluded, "It is of a kind that agents do not receive.", nil
		}
		if !p.Applies(x.Body) {
			return ReasonExcluded, "It holds elsewhere: its validity_scope is " + access.ScopeText(x.Body) + ".", nil
		}
		return p.whyNotFound(ctx, m, where.Section, h.Tags)
	}
	rec, err := p.Record(m.position)
	if err := p.Passed(err); err != nil {
		return "", "", err
	}
	if rec == nil {
		return ReasonErased, "It was erased for good.", nil
	}
	row, ok, err := p.Rows.Row(m.position)
	if err != nil {
		return "", "", err
	}
	if !ok {
		return ReasonForgotten, "It has expired.", nil
	}
	var tags []string
	if rec.Event != nil {
		tags = rec.Event.Tags
	}
	return p.whyNotFound(ctx, m, excerpt.EventPlace(row.Class).Section, tags)
}

// whyNotFound says why a search did not bring something that belongs into a section and
// has tags.
func (p *explaining) whyNotFound(ctx context.Context, m *meant, section hmx.Section, tags []string) (reason, detail string, err error) {
	if !p.Request.Includes(section) {
		return ReasonExcluded, fmt.Sprintf("It is of section %s, which was not asked for.", section), nil
	}
	if !p.Tagged(tags) {
		return ReasonUntagged, "It has none of the tags that were asked for.", nil
	}
	there := func(h recall.Hit) bool { return h.Position == m.position }
	if place := slices.IndexFunc(p.Found, there); place >= 0 {
		return ReasonExcluded, fmt.Sprintf("The search found it at place %d, but it has too little to do with the question to be a rule for it, or is for others.", place+1), nil
	}
	looked, room := p.Options.TopK, p.Room
	p.Options.TopK, p.Room = retrieval.MaxSearchHits, 0
	answer, _, err := p.Answer(ctx)
	p.Options.TopK, p.Room = looked, room
	if err != nil {
		return "", "", err
	}
	if place := slices.IndexFunc(answer.Hits, there); place >= 0 {
		return ReasonOutranked, fmt.Sprintf("A longer search finds it at rank %d, and the best %d were considered.", place+1, len(p.Found)), nil
	}
	return ReasonNotFound, "Nothing connects it with the question: no word, no name, no likeness in meaning that others do not have more of.", nil
}
