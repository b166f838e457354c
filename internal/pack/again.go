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
	Conditions     []string                `json:"conditions,omitempty"`
}

// rest returns what of a normalised request has no other place, as an object in
// canonical form, or nothing if that is the usual. Guided says that the pack shows the
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

// SourcePriors is what retrieval_sources end with in a pack that priors had a part in.
const SourcePriors = "fingerprint_priors"

// Label returns who says something as a pack has it.
func Label(by string) string { return clip(by, labelBytes) }

// Rounded returns a number between 0 and 1 as a pack shows it.
func Rounded(x float64) float64 { return round(unit(x)) }

// EntryTokens returns what an entry counts in the text of a pack.
func EntryTokens(c tokens.Counter, e *hmx.Entry) int {
	it := itemOf(e)
	return it.cost(c)
}

// Quoted returns a text as JSON, as a pack has it.
func Quoted(text string) hmx.Raw { return quoted(text) }

// Saying returns what reports whether one of some texts says nearly what another says, as
// duplicates are told.
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

// DropLists lists how many drops a pack lists that does not list all.
func DropLists() []int { return []int{hmx.MaxDroppedEntries, fewDrops, 0} }

// Uses returns how many tokens each section of a pack uses, with its heading, its fence and
// its days. Sections without entries use none.
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

// Untold reports whether a rule is missing among the constraints of a pack that has to tell
// it: it is not there, though neither a stricter one nor too many bytes keep it out.
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

// constraintRoom returns how many bytes the constraints of a pack may have had, or less.
func constraintRoom(p *hmx.Pack) int {
	bare := *p
	bare.Entries, bare.DroppedEntries, bare.DecisionConstraints, bare.WorkflowHints = []hmx.Entry{}, nil, nil, hmx.Opt[hmx.WorkflowHints]{}
	n, err := sizeOf(&bare)
	if err != nil {
		return 0
	}
	return (hmx.MaxPackBytes - n - 2*slackBytes) / 4
}
