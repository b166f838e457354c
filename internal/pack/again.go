package pack

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/tokens"
)

// A pack states the request it was made for, so that a reader can check that its id belongs to
// that request and can compose it again. Most of a request has a field in the protocol; the
// rest is in the metadata, as far as it differs from the defaults.

// requestMember is the metadata member that holds the rest of the request.
const requestMember = "request"

// rest holds the parts of a request that have no field of their own in a pack.
type rest struct {
	SectionWeights map[hmx.Section]float64 `json:"section_weights,omitempty"`
	MinRelevance   *float64                `json:"min_relevance,omitempty"`
	Sections       []hmx.Section           `json:"sections,omitempty"`
	Weights        map[string]float64      `json:"weights,omitempty"` // where the pack shows rounded ones
	Priors         json.RawMessage         `json:"priors,omitempty"`  // priors that had no influence
	Now            string                  `json:"now,omitempty"`
	Passed         string                  `json:"passed,omitempty"`
	Scope          string                  `json:"scope,omitempty"`
	Model          string                  `json:"model,omitempty"`
	Conditions     []string                `json:"conditions,omitempty"`
}

// rest returns the parts of a normalised request that have no field in a pack, as a canonical
// JSON object, or nothing if all of them are defaults. guided says that the pack shows the
// priors.
func (r *Request) rest(guided bool) (hmx.Raw, error) {
	x := rest{Sections: r.Sections, Scope: r.Scope, Model: r.Model, Conditions: r.Conditions}
	if !maps.Equal(r.SectionWeights, DefaultSectionWeights()) {
		x.SectionWeights = r.SectionWeights
	}
	if r.MinRelevance.Value != DefaultMinRelevance {
		x.MinRelevance = &r.MinRelevance.Value
	}
	if !maps.Equal(r.Weights, roundAll(r.Weights)) {
		x.Weights = r.Weights
	}
	if !guided {
		x.Priors = json.RawMessage(r.Priors)
	}
	if r.Now.Set {
		x.Now = r.Now.Value.String()
	}
	if r.Passed.Set {
		x.Passed = r.Passed.Value.String()
	}
	data, err := json.Marshal(x)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err)
	}
	if data, err = canon.Append(nil, data); err != nil || string(data) == "{}" {
		return "", err
	}
	return hmx.Raw(data), nil
}

// RequestOf returns the normalised request that a pack says it was made for. It refuses a
// request that is not valid.
func RequestOf(p *hmx.Pack) (Request, error) {
	var m struct {
		Counter string `json:"counter"`
		Request rest   `json:"request"`
	}
	wrong := func(err error) error {
		return fault.New(fault.InvalidDocument, "metadata: it does not say what the pack was asked for, or not as a request does").WithCause(err).
			WithFix("use a pack as it was made")
	}
	if err := json.Unmarshal([]byte(p.Metadata), &m); err != nil {
		return Request{}, wrong(err)
	}
	x := &m.Request
	r := Request{
		Query: p.QueryContext, Budget: int(min(p.TokenBudget.TotalBudget, MaxBudget+1)), Strategy: p.AssemblyMetadata.AssemblyStrategy, Counter: m.Counter,
		Weights: p.AssemblyMetadata.RankingWeights, SectionWeights: x.SectionWeights, Sections: x.Sections, Tags: p.Tags,
		Agent: p.AgentID.Value, Session: p.SessionID.Value, Priors: p.FingerprintPriors.Value, Scope: x.Scope, Model: x.Model, Conditions: x.Conditions,
	}
	if x.MinRelevance != nil {
		r.MinRelevance = hmx.Some(*x.MinRelevance)
	}
	if x.Weights != nil {
		r.Weights = x.Weights
	}
	if x.Priors != nil {
		r.Priors = hmx.Raw(x.Priors)
	}
	for _, t := range []struct {
		text string
		to   *hmx.Opt[hmx.Time]
	}{{x.Now, &r.Now}, {x.Passed, &r.Passed}} {
		if t.text != "" {
			at, err := hmx.ParseTime(t.text)
			if err != nil {
				return Request{}, wrong(err)
			}
			*t.to = hmx.Some(at)
		}
	}
	whole, err := r.Normalize()
	if err != nil {
		return Request{}, wrong(err)
	}
	if whole.Budget != r.Budget || whole.Query != r.Query || whole.Counter != r.Counter || !slices.Equal(whole.Sections, r.Sections) {
		return Request{}, wrong(nil)
	}
	return whole, nil
}

// Constraint returns a rule as the decision constraint of a pack.
func Constraint(r Rule) hmx.DecisionConstraint { return constraints([]Rule{r})[0] }

// Hints returns the workflow hints of a pack for a task of which done steps are done.
func (s *Schema) Hints(done int) *hmx.WorkflowHints {
	h := new(hmx.WorkflowHints)
	s.tell(h, done)
	return h
}

// Blockers returns the failures of a session in the form of a pack, fixed or not.
func Blockers(deeds []Deed) []string {
	var list []string
	for i := range deeds {
		one := Task{Deeds: deeds[i : i+1]}
		list = append(list, one.blockers()...)
	}
	return list
}

// Origins lists the origins of candidates in the order of a pack.
func Origins() []string {
	return []string{OriginEpisodic, OriginSemantic, OriginGraph, OriginCompiler, OriginPolicy, OriginConflict}
}

// SourcePriors is the last item of retrieval_sources in a pack that priors influenced.
const SourcePriors = "fingerprint_priors"

// Label returns the label of a speaker in the form of a pack.
func Label(by string) string { return clip(by, labelBytes) }

// Rounded returns a number clamped to 0..1 and rounded as a pack shows it.
func Rounded(x float64) float64 { return round(unit(x)) }

// EntryTokens returns how many tokens an entry has in the text of a pack.
func EntryTokens(c tokens.Counter, e *hmx.Entry) int {
	it := itemOf(e)
	return it.cost(c)
}

// Quoted returns a text as the JSON string of a pack.
func Quoted(text string) hmx.Raw { return quoted(text) }

// Saying returns a function that reports whether a text nearly repeats one of texts, by the
// same test that finds duplicates.
func Saying(texts []string) func(text string) bool {
	said := make([]*words, len(texts))
	for i, text := range texts {
		said[i] = wordsOf(text)
	}
	return func(text string) bool {
		w := wordsOf(text)
		return slices.ContainsFunc(said, func(x *words) bool { return x.same(w) })
	}
}

// DropLists lists the possible lengths of a list of drops that is not complete.
func DropLists() []int { return []int{hmx.MaxDroppedEntries, fewDrops, 0} }

// Uses returns how many tokens each section of a pack uses, including its heading, fence and
// day lines. Sections without entries are left out.
func Uses(c tokens.Counter, p *hmx.Pack) map[hmx.Section]int {
	k := &composer{prices: newPrices(c, fenceSeed(p.TenantID.Value, p.AgentID.Value))}
	for i, name := range hmx.Sections() {
		k.sections[i] = section{name: name}
	}
	for i := range p.Entries {
		it := itemOf(&p.Entries[i])
		if at := it.Section.Priority(); at >= 0 {
			k.add(&k.sections[at], &it, it.cost(c))
		}
	}
	uses := make(map[hmx.Section]int)
	for i := range k.sections {
		if s := &k.sections[i]; s.entries > 0 {
			uses[s.name] = s.used
		}
	}
	return uses
}

// Untold reports whether a rule is missing from the constraints of a pack that must have it:
// the rule is absent, though neither stricter rules nor the byte limit displaced it.
func Untold(p *hmx.Pack, r Rule) bool {
	c := Constraint(r)
	last, bytes := len(p.DecisionConstraints)-1, 0
	for i := range p.DecisionConstraints {
		x := &p.DecisionConstraints[i]
		if x.ArtifactID == c.ArtifactID && x.Extra["source_type"] == c.Extra["source_type"] {
			return false
		}
		n, err := sizeOf(x)
		if err != nil {
			return false
		}
		bytes += n
	}
	n, err := sizeOf(c)
	if err != nil || bytes+n > constraintRoom(p) {
		return false
	}
	if last+1 < hmx.MaxDecisionConstraints {
		return true
	}
	end := &p.DecisionConstraints[last]
	return end.OverrideAllowed || cmp.Or(cmp.Compare(end.Confidence, c.Confidence), cmp.Compare(c.ArtifactID, end.ArtifactID)) < 0
}

// constraintRoom returns a lower bound of the bytes that the constraints of a pack could use.
func constraintRoom(p *hmx.Pack) int {
	bare := *p
	bare.Entries, bare.DroppedEntries, bare.DecisionConstraints, bare.WorkflowHints = []hmx.Entry{}, nil, nil, hmx.Opt[hmx.WorkflowHints]{}
	n, err := sizeOf(&bare)
	if err != nil {
		return 0
	}
	return (hmx.MaxPackBytes - n - 2*slackBytes) / 4
}
