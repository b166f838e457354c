package pack

import (
	"encoding/json"
	"maps"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/tokens"
)

// A pack says what it was asked for, so that whoever has it can tell whether its id is
// that of the request, and make it again. Most of a request stands where the protocol has
// a place for it; what does not is in the metadata, as far as it is not the usual.

// requestMember is the member of a pack's metadata for the rest of the request.
const requestMember = "request"

// rest is what of a request has no other place in a pack.
type rest struct {
	SectionWeights map[hmx.Section]float64 `json:"section_weights,omitempty"`
	MinRelevance   *float64                `json:"min_relevance,omitempty"`
	Sections       []hmx.Section           `json:"sections,omitempty"`
	Weights        map[string]float64      `json:"weights,omitempty"` // where those that are shown are rounded
	Priors         json.RawMessage         `json:"priors,omitempty"`  // that had no influence
	Now            string                  `json:"now,omitempty"`
	Scope          string                  `json:"scope,omitempty"`
	Model          string                  `json:"model,omitempty"`
}

// rest returns what of a normalised request has no other place, as an object in
// canonical form, or nothing if that is the usual. Guided says that the pack shows the
// priors.
func (r *Request) rest(guided bool) (hmx.Raw, error) {
	x := rest{Sections: r.Sections, Scope: r.Scope, Model: r.Model}
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
	data, err := json.Marshal(x)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err)
	}
	if data, err = canon.Append(nil, data); err != nil || string(data) == "{}" {
		return "", err
	}
	return hmx.Raw(data), nil
}

// RequestOf returns the request that a pack says it was made for, normalised. One that
// makes no sense is refused.
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
		Agent: p.AgentID.Value, Session: p.SessionID.Value, Priors: p.FingerprintPriors.Value, Scope: x.Scope, Model: x.Model,
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
	if x.Now != "" {
		now, err := hmx.ParseTime(x.Now)
		if err != nil {
			return Request{}, wrong(err)
		}
		r.Now = hmx.Some(now)
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

// Constraint returns a rule as a pack tells it.
func Constraint(r Rule) hmx.DecisionConstraint { return constraints([]Rule{r})[0] }

// Hints returns what a pack says of a task of which so many steps are done.
func (s *Schema) Hints(done int) *hmx.WorkflowHints {
	h := new(hmx.WorkflowHints)
	s.tell(h, done)
	return h
}

// Blockers returns what failed of a session, as a pack tells it, whether it was mended
// or not.
func Blockers(deeds []Deed) []string {
	var list []string
	for i := range deeds {
		one := Task{Deeds: deeds[i : i+1]}
		list = append(list, one.blockers()...)
	}
	return list
}

// Origins lists where candidates come from, in the order in which a pack does.
func Origins() []string {
	return []string{OriginEpisodic, OriginSemantic, OriginGraph, OriginCompiler, OriginPolicy, OriginConflict}
}

// Label returns who says something as a pack has it.
func Label(by string) string { return clip(by, labelBytes) }

// Rounded returns a number between 0 and 1 as a pack shows it.
func Rounded(x float64) float64 { return round(unit(x)) }

// EntryTokens returns what an entry counts in the text of a pack.
func EntryTokens(c tokens.Counter, e *hmx.Entry) int {
	it := itemOf(e)
	return it.cost(c)
}
