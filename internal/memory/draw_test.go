package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// nasty are valid names that have caused trouble elsewhere.
var nasty = []string{
	"a", "../..", "a/b", "%2F", "#1", "?x=1", "a b", "日本語", "👩‍👩‍👧", "e\u0301", "\u00a0x", "\"quoted\"", `back\slash`, "<script>", "\u2028", "x=y:z", "\uFFFD",
}

func ident() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(nasty),
		rapid.StringMatching(`[a-zA-Z0-9/%#._~:@ -]{1,40}`),
	)
}

// label is a name without white space around it.
func label() *rapid.Generator[string] {
	return rapid.Map(ident(), func(s string) string {
		if s = strings.TrimSpace(s); s == "" {
			return "x"
		}
		return s
	})
}

func key() *rapid.Generator[string] {
	segment := rapid.StringMatching(`[a-z0-9._%#-]{1,12}`)
	return rapid.Map(rapid.SliceOfN(segment, 1, 4), func(s []string) string { return strings.Join(s, "/") })
}

func prose() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "line\nbreak\ttab", "\x00\x1f\u202e", "It is so. It was so."}))
}

func text() *rapid.Generator[string] {
	return rapid.Map(prose(), func(s string) string { return s + "." })
}

func uri() *rapid.Generator[memory.URI] {
	return rapid.Custom(func(t *rapid.T) memory.URI {
		return memory.URI{
			Tenant:  label().Draw(t, "tenant"),
			Kind:    rapid.SampledFrom(record.Kinds()).Draw(t, "kind"),
			ID:      ident().Draw(t, "id"),
			Version: rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, "version"),
		}
	})
}

func ratio() *rapid.Generator[hmx.Opt[float64]] {
	return rapid.Custom(func(t *rapid.T) hmx.Opt[float64] {
		if rapid.Bool().Draw(t, "unset") {
			return hmx.Opt[float64]{}
		}
		return hmx.Some(rapid.Float64Range(0, 1).Draw(t, "ratio"))
	})
}

func raw() *rapid.Generator[hmx.Raw] {
	return rapid.SampledFrom([]hmx.Raw{"", "{}", `{ "b" : [1, 2.50, "x"], "a": null }`, `{"n":{"deep":[{}]},"big":9007199254740993}`})
}

func moment() *rapid.Generator[hmx.Time] {
	return rapid.Custom(func(t *rapid.T) hmx.Time {
		if rapid.Bool().Draw(t, "unset") {
			return hmx.Time{}
		}
		return hmx.TimeOf(time.Unix(rapid.Int64Range(-60_000_000_000, 200_000_000_000).Draw(t, "sec"), rapid.Int64Range(0, 999_999_999).Draw(t, "nsec")))
	})
}

func frame() *rapid.Generator[memory.Frame] {
	return rapid.Custom(func(t *rapid.T) memory.Frame {
		return memory.Frame{
			Verb: rapid.SampledFrom(memory.Verbs()).Draw(t, "verb"),
			Kind: rapid.SampledFrom(memory.ObjectKinds()).Draw(t, "kind"),
			Ref:  ident().Draw(t, "ref"),
		}
	})
}

func pick[T any](t *rapid.T, name string, from []T) T {
	var none T
	return rapid.SampledFrom(append([]T{none}, from...)).Draw(t, name)
}

func data(t *rapid.T) memory.Data {
	words := rapid.SliceOfN(prose(), 0, 4)
	switch typ := pick(t, "type", memory.Types()); typ {
	case memory.TypeIdentity:
		return &memory.Identity{Name: prose().Draw(t, "name"), Role: prose().Draw(t, "role")}
	case memory.TypeFact:
		return &memory.Fact{Subject: prose().Draw(t, "subject"), Predicate: prose().Draw(t, "predicate"), Object: prose().Draw(t, "object")}
	case memory.TypePreference:
		return &memory.Preference{Subject: prose().Draw(t, "subject"), Polarity: pick(t, "polarity", memory.Polarities()), Strength: pick(t, "strength", memory.Strengths())}
	case memory.TypeBelief:
		return &memory.Belief{Evidence: words.Draw(t, "evidence"), Stance: pick(t, "stance", memory.Stances())}
	case memory.TypeEvent:
		return &memory.Event{Verb: pick(t, "verb", memory.Verbs()), Outcome: pick(t, "outcome", memory.Outcomes()), OccurredAt: moment().Draw(t, "occurred")}
	case memory.TypeGoal:
		return &memory.Goal{Status: pick(t, "status", memory.GoalStatuses()), Due: moment().Draw(t, "due"), Success: prose().Draw(t, "success")}
	case memory.TypeConstraint:
		return &memory.Constraint{Strength: pick(t, "strength", memory.Strengths()), Rule: prose().Draw(t, "rule")}
	case memory.TypeCapability:
		return &memory.Capability{Name: prose().Draw(t, "name"), Level: pick(t, "level", memory.Levels()), Limits: words.Draw(t, "limits")}
	case memory.TypePattern:
		return &memory.Pattern{Trigger: prose().Draw(t, "trigger"), Action: prose().Draw(t, "action"), Support: rapid.Int64Range(0, 1<<40).Draw(t, "support")}
	default:
		return nil
	}
}

// validity returns times of which the second is after the first.
func validity(t *rapid.T) (from, until hmx.Time) {
	from, until = moment().Draw(t, "from"), moment().Draw(t, "until")
	if !from.IsZero() && !until.IsZero() && from.Compare(until) >= 0 {
		until = hmx.Time{}
	}
	return from, until
}

func uris(t *rapid.T, name string, least, most int) []memory.URI {
	return rapid.SliceOfNDistinct(uri(), least, most, memory.URI.String).Draw(t, name)
}

// drawBody returns a valid body that is not normalised, of any kind except artifact.
func drawBody(t *rapid.T, kind record.Kind) memory.Body {
	id := rapid.OneOf(rapid.Just(""), ident()).Draw(t, "id")
	meta := raw().Draw(t, "metadata")
	tags := rapid.SliceOfN(label(), 0, 5).Draw(t, "tags")
	switch kind {
	case record.Memory:
		d := data(t)
		typ := memory.TypeFact
		if d != nil {
			typ = d.Type()
		}
		from, until := validity(t)
		return &memory.Memory{
			ID: id, Type: typ, Key: rapid.OneOf(rapid.Just(""), key()).Draw(t, "key"), Text: text().Draw(t, "text"), Data: d,
			Tags: tags, Frames: rapid.SliceOfN(frame(), 0, 4).Draw(t, "frames"),
			Importance: ratio().Draw(t, "importance"), Confidence: ratio().Draw(t, "confidence"),
			ValidFrom: from, ValidUntil: until, TTLSeconds: rapid.Int64Range(0, memory.MaxTTL).Draw(t, "ttl"),
			Visibility: pick(t, "visibility", memory.Visibilities()), ValidityScope: validityScope(t),
			Forms:   memory.Forms{Short: prose().Draw(t, "short"), Medium: prose().Draw(t, "medium")},
			Sources: uris(t, "sources", 0, 4), Metadata: meta,
		}
	case record.Edge:
		ends := uris(t, "ends", 2, 2)
		return &memory.Edge{
			ID: id, From: ends[0], To: ends[1], EdgeKind: rapid.SampledFrom(append(memory.EdgeKinds(), "x-acme-likes")).Draw(t, "kind"),
			Weight: ratio().Draw(t, "weight"), Sources: uris(t, "sources", 0, 3), Metadata: meta,
		}
	case record.Entity:
		return &memory.Entity{
			ID: id, Name: label().Draw(t, "name"), Type: label().Draw(t, "type"), Aliases: rapid.SliceOfN(label(), 0, 4).Draw(t, "aliases"),
			Description: prose().Draw(t, "description"), Attributes: raw().Draw(t, "attributes"), Tags: tags,
			Importance: ratio().Draw(t, "importance"), Confidence: ratio().Draw(t, "confidence"), Sources: uris(t, "sources", 0, 3), Metadata: meta,
		}
	case record.Relation:
		from, until := validity(t)
		return &memory.Relation{
			ID: id, From: ident().Draw(t, "one"), To: ident().Draw(t, "other"), Predicate: label().Draw(t, "predicate"),
			Weight: ratio().Draw(t, "weight"), Confidence: ratio().Draw(t, "confidence"), ValidFrom: from, ValidUntil: until,
			Sources: uris(t, "sources", 0, 3), Metadata: meta,
		}
	case record.Conflict:
		x := &memory.Conflict{ID: id, Between: uris(t, "between", 2, 4), Summary: prose().Draw(t, "summary"), Status: pick(t, "status", memory.ConflictStatuses()), Metadata: meta}
		if x.Status == memory.ConflictResolved {
			x.Winner = rapid.SampledFrom(append(x.Between, memory.URI{})).Draw(t, "winner")
			x.Resolution = prose().Draw(t, "resolution")
		}
		return x
	case record.Policy:
		p := &memory.Policy{
			ID: id, Key: rapid.OneOf(rapid.Just(""), key()).Draw(t, "key"), PolicyKind: rapid.SampledFrom(memory.PolicyKinds()).Draw(t, "kind"), Text: text().Draw(t, "text"),
			Strength: pick(t, "strength", memory.Strengths()), Priority: rapid.Int64Range(-memory.MaxPriority, memory.MaxPriority).Draw(t, "priority"),
			Scope: memory.Scope{
				Agents: rapid.SliceOfN(ident(), 0, 3).Draw(t, "agents"), Types: rapid.SliceOfN(rapid.SampledFrom(memory.Types()), 0, 3).Draw(t, "types"),
				Tags: tags, KeyPrefix: rapid.OneOf(rapid.Just(""), key()).Draw(t, "prefix"),
			},
			Metadata: meta,
		}
		if rapid.Bool().Draw(t, "say active") {
			p.Active = hmx.Some(rapid.Bool().Draw(t, "active"))
		}
		if p.PolicyKind == memory.PolicyRetention {
			p.Retention = memory.Retention{
				Kinds:         rapid.SliceOfN(rapid.SampledFrom(aging()), 1, 4).Draw(t, "kinds"),
				MaxAgeSeconds: rapid.Int64Range(1, memory.MaxTTL).Draw(t, "age"), Action: pick(t, "action", memory.RetentionActions()),
			}
			honourable(p)
		}
		return p
	case record.Feedback:
		b := &memory.Feedback{
			ID: id, AgentID: ident().Draw(t, "agent"), SessionID: rapid.OneOf(rapid.Just(""), ident()).Draw(t, "session"),
			Outcome: rapid.SampledFrom(memory.FeedbackOutcomes()).Draw(t, "outcome"), Cited: uris(t, "cited", 0, 4), Note: prose().Draw(t, "note"), Metadata: meta,
		}
		if rapid.Bool().Draw(t, "scored") {
			// A success has no score below 0, and a failure none above; both may have 0.
			least, most := -1.0, 1.0
			switch b.Outcome {
			case memory.OutcomeSuccess:
				least = 0
			case memory.OutcomeFailure:
				most = 0
			}
			b.Score = hmx.Some(rapid.Float64Range(least, most).Draw(t, "score"))
		}
		if rapid.Bool().Draw(t, "profiled") {
			factor := func(name string) float64 { return rapid.Float64Range(0, 1).Draw(t, name) }
			b.Profile = hmx.Some(memory.Profile{Recency: factor("recency"), Access: factor("access"), Citations: factor("citations"), Importance: factor("importance")})
		}
		return b
	}
	if kind == record.Violation {
		v := memory.NewViolation(ident().Draw(t, "scope"), ident().Draw(t, "agent"), rapid.SampledFrom(memory.ViolationOps()).Draw(t, "op"),
			text().Draw(t, "target"), rapid.SampledFrom(memory.ViolationRules()).Draw(t, "rule"))
		v.ID = id
		return v
	}
	if kind == record.Embedding {
		vector := rapid.SliceOfN(rapid.Float32Range(0.5, 2), 1, 8).Draw(t, "vector")
		e := memory.NewEmbedding(ident().Draw(t, "model"), uris(t, "target", 1, 1)[0], rapid.Uint64().Draw(t, "position"), vector)
		e.ID = id
		return e
	}
	if kind == record.Refinement {
		target := memory.URI{Tenant: "acme", Kind: record.Artifact, ID: ident().Draw(t, "artifact")}
		seen := rapid.StringMatching(`[A-Za-zäß日]([ -~äß日]{0,40}[a-z.])?`)
		x := memory.NewRefinement(ident().Draw(t, "model"), target, rapid.Uint64().Draw(t, "position"), seen.Draw(t, "title"), seen.Draw(t, "summary"))
		x.ID = id
		return x
	}
	if kind == record.Fingerprint {
		b := memory.NewFingerprint([]byte(fingerprint(fmt.Sprintf(`"n":%d`, rapid.IntRange(0, 9).Draw(t, "n")))))
		b.ID, b.Visibility = id, pick(t, "visibility", memory.Visibilities())
		return b
	}
	t.Fatalf("there is no generator for %v", kind)
	return nil
}

func drawHash(t *rapid.T, name string) (h record.Hash) {
	copy(h[:], rapid.SliceOfN(rapid.ByteRange(1, 255), len(h), len(h)).Draw(t, name))
	return h
}

// aging lists what a policy can retain: everything except embeddings and refinements, which end
// with their target.
func aging() []record.Kind {
	return slices.DeleteFunc(append(memory.BodyKinds(), record.Event), func(k record.Kind) bool { return k == record.Embedding || k == record.Refinement })
}

// honourable removes from a policy what its kinds do not have.
func honourable(p *memory.Policy) {
	for _, k := range p.Retention.Kinds {
		if k == record.Event {
			p.Retention.Action = memory.RetainErase
		}
		if k != record.Memory {
			p.Scope.Types = nil
		}
		if k != record.Memory && k != record.Policy {
			p.Scope.KeyPrefix = ""
		}
		switch k {
		case record.Edge, record.Relation, record.Conflict, record.Feedback, record.Violation, record.Fingerprint:
			p.Scope.Tags = nil
		}
	}
}

func drawPositions(t *rapid.T) []uint64 {
	return rapid.SliceOfNDistinct(rapid.Uint64(), 1, 5, rapid.ID[uint64]).Draw(t, "positions")
}

func drawControl(t *rapid.T, kind record.Kind) memory.Control {
	target := rapid.SampledFrom(memory.BodyKinds())
	switch kind {
	case record.Tombstone:
		return &memory.Tombstone{Target: target.Draw(t, "kind"), ID: ident().Draw(t, "id"), Version: rapid.Uint64Range(1, 1<<63).Draw(t, "version"), Reason: prose().Draw(t, "reason")}
	case record.Redaction:
		r := &memory.Redaction{}
		for _, position := range drawPositions(t) {
			one := memory.RedactionTarget{Kind: target.Draw(t, "kind"), Position: position, ID: drawHash(t, "id")}
			if rapid.Bool().Draw(t, "keyed") {
				one.Content = drawHash(t, "content")
				r.Key = []byte("0123456789abcdef")
			}
			r.Targets = append(r.Targets, one)
		}
		return r
	case record.Expiry:
		e := &memory.Expiry{Cause: rapid.SampledFrom(memory.ExpiryCauses()).Draw(t, "cause")}
		if e.Cause == memory.CauseRetention {
			e.Policy = ident().Draw(t, "policy")
		}
		for _, position := range drawPositions(t) {
			e.Targets = append(e.Targets, memory.ExpiryTarget{Kind: target.Draw(t, "kind"), Position: position})
		}
		return e
	default:
		x := &memory.Transition{ArtifactID: "a-1", From: hmx.StatusDraft, To: hmx.StatusActive, Reason: prose().Draw(t, "reason")}
		if rapid.Bool().Draw(t, "supersede") {
			x.From, x.To, x.SupersededBy = hmx.StatusActive, hmx.StatusSuperseded, "a-2"
		}
		return x
	}
}

// validityScope draws a validity scope, mostly an empty one.
func validityScope(t *rapid.T) (v hmx.ValidityScope) {
	if rapid.Bool().Draw(t, "everywhere") {
		return v
	}
	list := func(name string) []string { return rapid.SliceOfN(label(), 0, 3).Draw(t, name) }
	v = hmx.ValidityScope{AgentIDs: list("agent_ids"), Tags: list("tags"), Conditions: list("conditions")}
	if start, end := validity(t); rapid.Bool().Draw(t, "ranged") {
		v.TimeRange = hmx.Some(hmx.TimeRange{Start: hmx.Opt[hmx.Time]{Value: start, Set: !start.IsZero()}, End: hmx.Opt[hmx.Time]{Value: end, Set: !end.IsZero()}})
	}
	return v
}
