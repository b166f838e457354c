package packproof

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/access"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
)

// stated are the further members of an entry.
type stated struct {
	At        string `json:"at"`
	By        string `json:"by"`
	Parts     *parts `json:"parts"`
	Position  uint64 `json:"position"`
	Trust     string `json:"trust"`
	Truncated bool   `json:"truncated"`
	Type      string `json:"type"`
	URI       string `json:"uri"`
}

// parts are the stated parts of an entry's score.
type parts struct {
	Relevance  float64 `json:"relevance"`
	Recency    float64 `json:"recency"`
	Provenance float64 `json:"provenance"`
	Salience   float64 `json:"salience"`
}

// statedOf reads the further members of an entry. A missing or unknown member is the
// problem.
func statedOf(x hmx.Extra) (s stated, problem string) {
	into := map[string]any{
		"at": &s.At, "by": &s.By, "parts": &s.Parts, "position": &s.Position, "trust": &s.Trust, "truncated": &s.Truncated, "type": &s.Type, "uri": &s.URI,
	}
	for _, name := range sortedKeys(x) {
		value, known := into[name]
		if !known {
			return s, name + ": a pack has no such member"
		}
		if json.Unmarshal([]byte(x[name]), value) != nil {
			return s, name + ": it is no such value"
		}
	}
	for _, name := range []string{"at", "parts", "position", "trust", "type", "uri"} {
		if _, there := x[name]; !there {
			return s, name + ": it is missing"
		}
	}
	if s.Parts == nil {
		return s, "parts: it is missing"
	}
	return s, ""
}

func sortedKeys(x hmx.Extra) []string {
	names := make([]string, 0, len(x))
	for name := range x {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// truth is what an entry must say according to its record.
type truth struct {
	kind       record.Kind
	places     []excerpt.Place // one of them
	texts      []string        // one of them, or a part
	time       int64
	trust      record.Trust
	class      string
	label      string
	uri        memory.URI
	confidence float64
	least      int // minimum evidence
	most       int
}

// entry proves an entry. The error is for what kept it from looking.
func (v *verifying) entry(ctx context.Context, e *hmx.Entry) (EntryProof, error) {
	out := EntryProof{SourceID: e.SourceID}
	said, problem := statedOf(e.Extra)
	out.URI, out.Position = said.URI, said.Position
	u, err := memory.ParseURI(said.URI)
	switch {
	case problem != "":
	case err != nil || u.Tenant != v.Tenant.Name || u.ID != e.SourceID:
		problem = "uri: it does not name the source of this tenant"
	case out.Position >= v.size:
		problem = fmt.Sprintf("position: %d is not among the %d records of the pack's state", out.Position, v.size)
	}
	if problem != "" {
		out.Problem = problem
		return out, nil
	}
	rec, problem, err := v.record1(out.Position, &out)
	if err != nil || problem != "" {
		out.Problem = problem
		return out, err
	}
	t, problem, err := v.truthOf(ctx, u, out.Position, rec, &out)
	if err == nil && problem == "" {
		problem = v.compare(e, &said, t)
	}
	out.Problem, out.OK = problem, err == nil && problem == ""
	return out, err
}

// truthOf returns what the record at a position makes an entry say that names it.
func (v *verifying) truthOf(ctx context.Context, u memory.URI, position uint64, rec *index.Record, out *EntryProof) (t *truth, problem string, err error) {
	another := fmt.Sprintf("position: %d is another record than %s", position, out.URI)
	if u.Kind == record.Event {
		if rec.Event == nil || rec.Event.EventID != u.ID {
			return nil, another, nil
		}
		if end, ok := index.EndOfLife(rec.Header.Time, rec.Event); ok && end <= v.Now {
			return nil, "its time to live was over in the state of the pack", nil
		}
		return v.eventTruth(rec), "", nil
	}
	x, problem, err := v.then(u.Kind, u.ID)
	switch {
	case err != nil || problem != "":
		return nil, problem, err
	case x.Head.Position != position:
		return nil, fmt.Sprintf("position: %s was recorded at %d in the state of the pack, not at %d", u.Head(), x.Head.Position, position), nil
	case uint64(x.Head.Version) != u.Version:
		return nil, fmt.Sprintf("uri: version %d was the current one in the state of the pack, not %d", x.Head.Version, u.Version), nil
	case v.holds1(x) != "":
		return nil, v.holds1(x), nil
	}
	t = &truth{
		kind: u.Kind, time: rec.Header.Time, trust: rec.Header.Trust, class: x.Head.Class, uri: excerpt.URIOf(v.Tenant.Name, x.Head),
		confidence: x.Head.Confidence, least: 1, most: 1,
	}
	if t.places, err = v.placesOf(ctx, x); err != nil {
		return nil, "", err
	}
	if t.texts, err = v.textsOf(x); err != nil {
		return nil, "", err
	}
	problem, err = v.sources(x.Body, t, out)
	return t, problem, err
}

// eventTruth returns what an entry of an event must say.
func (v *verifying) eventTruth(rec *index.Record) *truth {
	var s pack.Source
	excerpt.QuoteEvent(rec.Event, v.Tenant.Name, &s)
	return &truth{
		kind: record.Event, places: []excerpt.Place{excerpt.EventPlace(roster.ClassOf(string(rec.Event.EventType)))}, texts: []string{s.Text},
		time: index.Nanos(rec.Event.Timestamp.Time()), trust: rec.Header.Trust, class: s.Type, label: s.Label, uri: s.URI,
		confidence: 1, least: 1, most: 1,
	}
}

// compare returns where an entry differs from its record, or "".
func (v *verifying) compare(e *hmx.Entry, said *stated, t *truth) string {
	wants := func(field, is, want string) string {
		return fmt.Sprintf("%s: it is %q, but the record makes it %q", field, is, want)
	}
	here := func(p excerpt.Place) bool { return p.Section == e.Section && p.Source == e.SourceType }
	clean := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	switch at := hmx.TimeOf(board.TimeOf(t.time)).String(); {
	case !slices.ContainsFunc(t.places, here):
		return fmt.Sprintf("section, source_type: they are %s and %s, but the record belongs to %s as %s", e.Section, e.SourceType, t.places[0].Section, t.places[0].Source)
	case said.At != at:
		return wants("at", said.At, at)
	case said.Trust != t.trust.String():
		return wants("trust", said.Trust, t.trust.String())
	case said.Type != clean(t.class):
		return wants("type", said.Type, t.class)
	case said.By != pack.Label(t.label):
		return wants("by", said.By, pack.Label(t.label))
	case said.URI != t.uri.String():
		return wants("uri", said.URI, t.uri.String())
	case e.Provenance.Origin != pack.OriginOf(t.kind) || len(e.Provenance.Extra) > 0:
		return wants("provenance.origin", e.Provenance.Origin, pack.OriginOf(t.kind))
	case e.Provenance.Confidence != pack.Rounded(t.confidence):
		return fmt.Sprintf("provenance.confidence: it is %v, but the record makes it %v", e.Provenance.Confidence, pack.Rounded(t.confidence))
	case e.Provenance.EvidenceCount < int64(t.least) || e.Provenance.EvidenceCount > int64(t.most):
		return fmt.Sprintf("provenance.evidence_count: it is %d, but it has from %d to %d records as evidence", e.Provenance.EvidenceCount, t.least, t.most)
	}
	quoted := slices.ContainsFunc(t.texts, func(text string) bool {
		cut, ok := quote.Check(clean(text), e.Content)
		return ok && cut == said.Truncated
	})
	if !quoted {
		return "content: it is not what the record says, or not marked as a part of it"
	}
	if len(t.texts) == 1 {
		v.said = append(v.said, t.texts[0])
	}
	if n := int64(pack.EntryTokens(v.counter, e)); e.TokenEstimate != n {
		return fmt.Sprintf("token_estimate: it is %d, but the entry has %d tokens", e.TokenEstimate, n)
	}
	return v.score(e, said.Parts, t)
}

// score returns where the score of an entry is not the sum of its parts, or "". Parts have
// four digits.
func (v *verifying) score(e *hmx.Entry, p *parts, t *truth) string {
	const near = 1e-4
	provenance := float64(min(t.trust, record.Operator)) / float64(record.Operator) * pack.Rounded(t.confidence)
	if math.Abs(p.Provenance-provenance) > near {
		return fmt.Sprintf("parts.provenance: it is %v, but the record makes it %.4f", p.Provenance, provenance)
	}
	w := v.request.Weights
	sum := float64(w["relevance"]*p.Relevance) + float64(w["recency"]*p.Recency)
	sum += float64(w["provenance"] * p.Provenance)
	sum += float64(w["salience"] * p.Salience)
	if !v.p.FingerprintPriors.Set && math.Abs(sum-e.RelevanceScore) > near {
		return fmt.Sprintf("relevance_score: it is %v, but its parts make it %.4f", e.RelevanceScore, sum)
	}
	return ""
}

// placesOf returns where a thing may be in a pack. A strategy is among the goals if what
// it is for was one then, which is not looked up; a procedure that the hints are of may
// be in the workflow.
func (v *verifying) placesOf(ctx context.Context, x excerpt.Item) (list []excerpt.Place, err error) {
	v.SetGoals()
	usual, err := v.PlaceOf(ctx, x.Head, x.Body)
	if err != nil {
		return nil, err
	}
	list = append(list, usual)
	a, ok := x.Body.(*memory.Artifact)
	if !ok {
		return list, nil
	}
	if s, ok := a.HMX.StrategyTemplate(); ok {
		v.SetGoals(s.Goal)
		goal, err := v.PlaceOf(ctx, x.Head, x.Body)
		return append(list, goal), err
	}
	if usual.Section == hmx.SectionProcedures && v.p.WorkflowHints.Value.ActiveTaskSchema.Value == x.Head.ID {
		list = append(list, excerpt.Place{Section: hmx.SectionWorkflow, Source: usual.Source})
	}
	return list, nil
}

// textsOf returns the possible quotes of a record: one text, except for records that name
// others, which a scope may have hidden.
func (v *verifying) textsOf(x excerpt.Item) ([]string, error) {
	switch b := x.Body.(type) {
	case *memory.Relation:
		from, err := v.namesOf(b.From)
		if err != nil {
			return nil, err
		}
		to, err := v.namesOf(b.To)
		var list []string
		for _, f := range from {
			for _, t := range to {
				list = append(list, f+" "+b.Predicate+" "+t)
			}
		}
		return list, err
	case *memory.Conflict:
		if b.Summary == "" {
			return v.sidesThen(b), nil
		}
	}
	text, err := v.Text(x)
	return []string{text}, err
}

// namesOf returns the possible names of an end of a relation: its name in the state of the
// pack, or its id if it was hidden.
func (v *verifying) namesOf(id string) ([]string, error) {
	x, problem, err := v.then(record.Entity, id)
	if err != nil || problem != "" || x.Head.State != catalog.Live || !access.Sees(v.View, x.Head) || len(x.Head.Names) == 0 {
		return []string{id}, err
	}
	hidden, err := v.hiddenSince(memory.URI{Kind: record.Entity, ID: id})
	if hidden || v.request.Scope != "" {
		return []string{x.Head.Names[0], id}, err
	}
	return []string{x.Head.Names[0]}, err
}

// hiddenSince reports whether a record is hidden now from the caller of the pack. It has no
// part in a pack that was requested later as of that state.
func (v *verifying) hiddenSince(u memory.URI) (bool, error) {
	if u.Kind == record.Event || v.View.Agent == "" {
		return false, nil
	}
	h, ok, err := catalog.HeadOf(v.Reader, v.Tenant.Number, u.Kind, catalog.ThingOf(v.Tenant.Name, u.Kind, u.ID))
	return ok && h.State != catalog.Redacted && !access.Sees(v.View, h), err
}

// sidesThen returns the possible texts of a conflict without words of its own: two or more
// of its sides, with the text of all sides first.
func (v *verifying) sidesThen(c *memory.Conflict) []string {
	names := make([]string, len(c.Between))
	for i, u := range c.Between {
		names[i] = u.Kind.String() + " " + u.ID
	}
	list := []string{strings.Join(names, " and ")}
	const most = 8 // sides, each of which may have been hidden
	if len(names) > most {
		return list
	}
	for set := 1; set < 1<<len(names)-1; set++ {
		var some []string
		for i, name := range names {
			if set>>i&1 != 0 {
				some = append(some, name)
			}
		}
		list = append(list, strings.Join(some, " and "))
	}
	return list
}

// sources proves the sources of an entry: those that are in the state of the pack and still
// exist. At least one of the named ones must be. It sets in t how many can have supported
// the entry.
func (v *verifying) sources(body memory.Body, t *truth, out *EntryProof) (problem string, err error) {
	if a, ok := body.(*memory.Artifact); ok {
		if hash, err := hmx.ContentHash(a.HMX.Content); err != nil || hash != a.HMX.ContentHash {
			return "content_hash: it is not that of the content", nil
		}
	}
	list, all := excerpt.SourcesOf(body, excerpt.MaxSources)
	if all == 0 {
		return "", nil
	}
	t.least, t.most = 0, 0
	for _, u := range list {
		if u.Tenant != "" && u.Tenant != v.Tenant.Name {
			continue
		}
		there, gone, problem, err := v.sourceThen(u)
		if err != nil {
			return "", err
		}
		if problem != "" {
			return "its source " + u.Kind.String() + " " + u.ID + ": " + problem, nil
		}
		hidden, err := v.hiddenSince(u)
		if err != nil {
			return "", err
		}
		if there {
			out.Sources++
		}
		if there && !hidden {
			t.least++
		}
		if there || gone {
			t.most++
		}
	}
	if v.request.Scope != "" {
		t.least = 1 // the scope may have hidden the others
	}
	if out.Sources == 0 {
		return fmt.Sprintf("none of its %d sources is on record", all), nil
	}
	return "", nil
}

// sourceThen proves a source. It reports whether it existed and was visible in the state of
// the pack, or may have been and is gone since.
func (v *verifying) sourceThen(u memory.URI) (there, gone bool, problem string, err error) {
	if u.Kind != record.Event {
		h, ok, err := catalog.HeadOf(v.Reader, v.Tenant.Number, u.Kind, catalog.ThingOf(v.Tenant.Name, u.Kind, u.ID))
		if err != nil || !ok || h.State == catalog.Redacted {
			return false, ok && h.Position >= v.size, "", err
		}
		if _, content, err := v.history(u.Kind, u.ID); err != nil || content < 0 {
			return false, false, "", err
		}
		x, problem, err := v.then(u.Kind, u.ID)
		if err != nil || problem != "" {
			return false, false, problem, err
		}
		return access.Sees(v.View, x.Head), false, "", nil
	}
	id := record.ID(v.Tenant.Name, record.Event, u.ID)
	position, ok, err := ledger.Find(v.Reader, v.Tenant.Number, &id)
	if err != nil || !ok || position >= v.size {
		return false, false, "", err
	}
	if by, erased, err := ledger.Erased(v.Reader, v.Tenant.Number, position); err != nil || erased {
		return false, by >= v.size, "", err
	}
	_, problem, err = v.record1(position, nil)
	return problem == "", false, problem, err
}
