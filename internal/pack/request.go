package pack

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/tokens"
)

// Defaults and limits of a request.
const (
	DefaultBudget       = 4096    // tokens, if no budget is given
	MaxBudget           = 100_000 // higher budgets are lowered to this
	MaxQuery            = 32 << 10
	DefaultMinRelevance = 0.1
)

// Counters lists the names of the counters, the default first.
func Counters() []string { return []string{tokens.O200k().Name(), tokens.Estimate().Name()} }

// Weights are the weights of the parts of a score.
type Weights struct {
	Relevance, Recency, Provenance, Salience float64
}

// WeightNames lists the parts in their order.
func WeightNames() []string { return []string{"relevance", "recency", "provenance", "salience"} }

// DefaultWeights returns the weights of a strategy.
func DefaultWeights(s hmx.Strategy) Weights {
	if s == hmx.StrategyRecencyBiased {
		return Weights{0.25, 0.55, 0.1, 0.1}
	}
	return Weights{0.4, 0.2, 0.2, 0.2}
}

// ParseWeights reads weights by name. Missing names count 0. It normalises the weights to a sum
// of 1, unless they are within a billionth of it.
func ParseWeights(named map[string]float64) (Weights, error) {
	var list [4]float64
	if err := checkWeights("weights", named, WeightNames()); err != nil {
		return Weights{}, err
	}
	sum := 0.0
	for i, name := range WeightNames() {
		list[i] = named[name]
		sum += list[i]
	}
	if math.Abs(sum-1) > 1e-9 { // otherwise they stay as written
		for i := range list {
			list[i] /= sum
		}
	}
	return Weights{list[0], list[1], list[2], list[3]}, nil
}

// Map returns the weights by name, as a pack reports them.
func (w Weights) Map() map[string]float64 {
	return map[string]float64{"relevance": w.Relevance, "recency": w.Recency, "provenance": w.Provenance, "salience": w.Salience}
}

// mostWeight is the largest weight. Sums of a few do not overflow.
const mostWeight = 1e6

// checkWeights refuses unknown names, values that are no weights, and weights whose sum is 0.
func checkWeights(field string, named map[string]float64, allowed []string) error {
	given := make([]string, 0, len(named))
	for name := range named {
		given = append(given, name)
	}
	slices.Sort(given)
	sum := 0.0
	for _, name := range given {
		x := named[name]
		if !slices.Contains(allowed, name) {
			return fault.Newf(fault.InvalidArgument, "%s: %s is not one", field, quote.Name(name)).WithFix("use " + listed(allowed))
		}
		if !(x >= 0 && x <= mostWeight) {
			return fault.Newf(fault.InvalidArgument, "%s: %s is %v", field, name, x).WithFix("give a number from 0 to 1000000")
		}
		sum += x
	}
	if sum < 1e-9 {
		return fault.Newf(fault.InvalidArgument, "%s: they sum to nothing", field).WithFix("give one that is more than 0, or leave all out for the defaults")
	}
	return nil
}

// DefaultSectionWeights returns the shares of the sections in a budget.
func DefaultSectionWeights() map[hmx.Section]float64 {
	return map[hmx.Section]float64{
		hmx.SectionCore: 0.10, hmx.SectionConstraints: 0.10, hmx.SectionGoals: 0.05, hmx.SectionProcedures: 0.15, hmx.SectionFacts: 0.20,
		hmx.SectionEpisodes: 0.25, hmx.SectionGraphRelations: 0.05, hmx.SectionWorkflow: 0.04, hmx.SectionConflicts: 0.03, hmx.SectionEvidence: 0.03,
	}
}

// Priors are the usefulness of sections and sources according to an imported fingerprint, from
// 0 to 1.
type Priors struct {
	Sections map[hmx.Section]float64
	Sources  map[string]float64 // by source id
}

// Request is the request for a pack. The zero value of every field except Query works.
type Request struct {
	Query          string
	Budget         int                     // tokens; zero means DefaultBudget
	Strategy       hmx.Strategy            // empty means ranked
	Counter        string                  // empty means the first of Counters
	Weights        map[string]float64      // nil means those of the strategy
	SectionWeights map[hmx.Section]float64 // nil means the defaults; missing sections count 0
	MinRelevance   hmx.Opt[float64]        // relative to the best; lower candidates are dropped; DefaultMinRelevance unless set
	Sections       []hmx.Section           // the wanted sections; none means all
	Tags           []string
	Agent, Session string
	Priors         hmx.Raw           // an object {"sections": {…}, "sources": {…}}; empty for none
	Now            hmx.Opt[hmx.Time] // set by the caller; otherwise the time of the state, or Passed
	// Passed is the newest time that the clock had passed at which something expires, or becomes
	// valid or invalid, if that is later than the state.
	Passed hmx.Opt[hmx.Time]
	// Scope names the scope under which the candidates are visible, so that packs of two scopes
	// have two ids; empty for none.
	Scope string
	// Model names the model that embedded the query; empty for the built-in one alone.
	Model string
	// Conditions are the conditions that hold for the caller, sorted; see hmx.ValidityScope.
	Conditions []string
}

// Normalize returns the request with defaults filled in and values above their limit lowered to
// it. It refuses invalid values. It is idempotent.
func (r Request) Normalize() (Request, error) {
	switch {
	case strings.TrimSpace(r.Query) == "":
		return r, fault.New(fault.InvalidArgument, "query: it is empty").WithFix("say what the context is for, in a few words")
	case len(r.Query) > MaxQuery:
		return r, fault.Newf(fault.InvalidArgument, "query: it has %d bytes", len(r.Query)).WithFix(fmt.Sprintf("give %d at most", MaxQuery))
	case r.Budget < 0:
		return r, fault.Newf(fault.InvalidArgument, "budget: %d is less than nothing", r.Budget).
			WithFix(fmt.Sprintf("give 1 to %d tokens, or 0 for the default %d", MaxBudget, DefaultBudget))
	case len(r.Tags) > hmx.MaxTags:
		return r, fault.Newf(fault.InvalidArgument, "tags: there are %d", len(r.Tags)).WithFix(fmt.Sprintf("give %d at most", hmx.MaxTags))
	}
	r.Query = strings.ToValidUTF8(r.Query, "\uFFFD")
	if len(r.Conditions) > 0 {
		r.Conditions = slices.Compact(slices.Sorted(slices.Values(r.Conditions)))
	}
	if r.Strategy == "" {
		r.Strategy = hmx.StrategyRanked
	}
	if !slices.Contains(hmx.Strategies(), r.Strategy) {
		return r, unknown("strategy", string(r.Strategy), texts(hmx.Strategies()))
	}
	if r.Counter == "" {
		r.Counter = Counters()[0]
	}
	if !slices.Contains(Counters(), r.Counter) {
		return r, unknown("counter", r.Counter, Counters())
	}
	if r.Budget == 0 {
		r.Budget = DefaultBudget
	}
	r.Budget = min(r.Budget, MaxBudget)
	if !r.MinRelevance.Set {
		r.MinRelevance = hmx.Some(DefaultMinRelevance)
	}
	if x := r.MinRelevance.Value; !(x >= 0 && x <= 1) {
		return r, fault.Newf(fault.InvalidArgument, "min_relevance: it is %v", x).WithFix("give a number from 0 to 1")
	}
	for _, s := range r.Sections {
		if s.Priority() < 0 {
			return r, unknown("sections", string(s), texts(hmx.Sections()))
		}
	}
	if len(r.Sections) > 0 {
		r.Sections = slices.DeleteFunc(hmx.Sections(), func(s hmx.Section) bool { return !slices.Contains(r.Sections, s) })
	}
	return r.weighed()
}

// weighed fills in and checks all weights, and checks the priors.
func (r Request) weighed() (Request, error) {
	if r.Weights == nil {
		r.Weights = DefaultWeights(r.Strategy).Map()
	}
	w, err := ParseWeights(r.Weights)
	if err != nil {
		return r, err
	}
	if r.Weights = w.Map(); r.SectionWeights == nil {
		r.SectionWeights = DefaultSectionWeights()
	}
	named := make(map[string]float64, len(r.SectionWeights))
	for s, x := range r.SectionWeights {
		named[string(s)] = x
	}
	if err := checkWeights("section_weights", named, texts(hmx.Sections())); err != nil {
		return r, err
	}
	_, err = r.priors()
	return r, err
}

// Includes reports whether a section is wanted.
func (r *Request) Includes(s hmx.Section) bool {
	return len(r.Sections) == 0 || slices.Contains(r.Sections, s)
}

// Capped returns a normalised request with a budget of at most tokens; 0 means no limit.
func (r Request) Capped(tokens int) Request {
	if tokens > 0 {
		r.Budget = min(r.Budget, tokens)
	}
	return r
}

// priors parses the priors.
func (r *Request) priors() (p Priors, err error) {
	if len(r.Priors) == 0 {
		return p, nil
	}
	const fix = `give {"sections": {"facts": 0.8}, "sources": {"id": 1}} with numbers from 0 to 1`
	wrong := fault.New(fault.InvalidArgument, "priors: they are no such object").WithFix(fix)
	bad := func(format string, args ...any) error {
		return fault.Newf(fault.InvalidArgument, "priors: "+format, args...).WithFix(fix)
	}
	data, err := r.Priors.Canonical()
	if err != nil {
		return p, wrong.WithCause(err)
	}
	var doc map[string]map[string]float64 // exact names, unlike a struct
	if err := json.Unmarshal(data, &doc); err != nil {
		return p, wrong.WithCause(err)
	}
	for _, part := range slices.Sorted(maps.Keys(doc)) {
		if part != "sections" && part != "sources" {
			return p, bad("%s is neither sections nor sources", quote.Name(part))
		}
		for _, name := range slices.Sorted(maps.Keys(doc[part])) {
			if part == "sections" && hmx.Section(name).Priority() < 0 {
				return p, bad("%s is no section", quote.Name(name))
			}
			if x := doc[part][name]; !(x >= 0 && x <= 1) {
				return p, bad("%s of %s is %v, but must be from 0 to 1", quote.Name(name), quote.Name(part), x)
			}
		}
	}
	if values := doc["sections"]; values != nil {
		p.Sections = make(map[hmx.Section]float64, len(values))
		for name, x := range values {
			p.Sections[hmx.Section(name)] = x
		}
	}
	p.Sources = doc["sources"]
	return p, nil
}

// Canonical returns a normalised request in the canonical form of RFC 8785.
func (r *Request) Canonical() ([]byte, error) {
	doc := map[string]any{
		"query": r.Query, "budget": r.Budget, "strategy": r.Strategy, "counter": r.Counter, "weights": r.Weights,
		"section_weights": r.SectionWeights, "min_relevance": r.MinRelevance.Value,
	}
	for name, text := range map[string]string{"agent_id": r.Agent, "session_id": r.Session, "scope": r.Scope, "model": r.Model} {
		if text != "" {
			doc[name] = text
		}
	}
	if len(r.Sections) > 0 {
		doc["sections"] = r.Sections
	}
	if len(r.Tags) > 0 {
		doc["tags"] = r.Tags
	}
	if len(r.Priors) > 0 {
		doc["priors"] = json.RawMessage(r.Priors)
	}
	if r.Now.Set {
		doc["now"] = r.Now.Value.String()
	}
	if r.Passed.Set {
		doc["passed"] = r.Passed.Value.String()
	}
	if len(r.Conditions) > 0 {
		doc["conditions"] = r.Conditions
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, fault.Wrap(fault.InvalidArgument, err)
	}
	return canon.Append(nil, data)
}

// ID returns the pack_id of a normalised request on a state.
func (r *Request) ID(s *State) (string, error) {
	canonical, err := r.Canonical()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write([]byte("lukasa/pack/1\x00" + s.Tenant + "\x00"))
	h.Write(s.Root[:])
	h.Write(binary.BigEndian.AppendUint64(nil, s.Size))
	h.Write(canonical)
	return "pack-" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// State names the state that a pack was made of.
type State struct {
	Tenant string
	Size   uint64
	Root   merkle.Hash
}

// round leaves six decimals: a pack shows and orders by these.
func round(x float64) float64 { return math.Round(x*1e6)/1e6 + 0 } // and no -0

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}

func unknown(field, name string, allowed []string) error {
	return fault.Newf(fault.InvalidArgument, "%s: %s is not one", field, quote.Name(name)).WithFix("use " + listed(allowed))
}

func listed(names []string) string {
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
