package pack

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// composer makes one pack.
type composer struct {
	in       *Input
	scorer   scorer
	prices   *prices
	keywords []string     // of the question, in lower case
	byIndex  []*contender // by the index of the candidate, nil if there is none
	all      []*contender // best first
	rules    int          // number of candidates that are rules

	pack      *hmx.Pack // under construction
	asked     hmx.Raw   // the rest of the request, for the metadata
	hints     string    // what the text says about them
	byteLimit int       // for the JSON of entries and drops

	// State of one run.
	total, reserved, used int
	deep                  int
	sections              [10]section
	texts                 kin
	squeezed              bool
	drops                 []*contender // the drops that are listed
	scribe                *scribe      // writes the entries that are kept
	text                  string
	count                 int // of text
}

// Compose makes a pack of candidates: it scores and ranks them, drops those that no longer
// hold, spends the budget on the best of the rest, and records a verdict for each.
func Compose(in Input) (*Result, error) {
	k := &composer{in: &in, prices: newPrices(in.Counter, fenceSeed(in.State.Tenant, in.Request.Agent)), total: in.Request.Budget}
	priors, err := in.Request.priors()
	if err != nil {
		return nil, err
	}
	k.scorer = newScorer(&in, priors)
	for _, word := range in.Class.Keywords {
		k.keywords = append(k.keywords, strings.ToLower(word))
	}
	if err := k.begin(); err != nil {
		return nil, err
	}
	if err := k.enter(); err != nil {
		return nil, err
	}
	// The last text read may show that the contender for which another was dropped is no entry.
	// Then the run is repeated. Nothing is read twice, and each contender causes at most one
	// repetition.
	for again := true; again; {
		if err := k.run(); err != nil {
			k.scribe.stop()
			return nil, err
		}
		if again = slices.ContainsFunc(k.all, func(x *contender) bool { return x.of != nil && x.of.unfit() }); again {
			k.scribe.stop()
		}
	}
	return k.result()
}

// enter makes contenders of the candidates.
func (k *composer) enter() error {
	active := ""
	if h := k.pack.WorkflowHints; h.Set && k.in.Request.Includes(hmx.SectionWorkflow) {
		active = h.Value.ActiveTaskSchema.Value
	}
	for i := range k.in.Candidates {
		c := &k.in.Candidates[i]
		if c.Kind == record.Artifact && c.Section == hmx.SectionProcedures && active != "" && c.Thing == active {
			c.Section = hmx.SectionWorkflow // the source of the hints
		}
		if c.isRule() {
			k.rules++
		}
		if !slices.Contains(c.Section.SourceTypes(), c.Source) {
			return fault.Newf(fault.Internal, "pack: %s is no source of section %s", quote.Name(string(c.Source)), quote.Name(string(c.Section)))
		}
	}
	k.all, k.byIndex = contenders(k.in, &k.scorer)
	return nil
}

// run decides about all contenders with what is known of them.
func (k *composer) run() error {
	number(k.all)
	k.used, k.squeezed, k.texts = 0, false, nil
	for i, name := range hmx.Sections() {
		k.sections[i] = section{name: name}
	}
	for _, x := range k.all {
		x.reject("", nil, "")
		x.kept, x.pass, x.cut, x.most, x.tokens, x.guess = false, 0, false, 0, 0, 0
	}
	k.settle()
	for _, x := range k.all {
		if x.open() {
			s := &k.sections[x.section]
			s.list = append(s.list, x)
		}
	}
	k.deep = k.deepest()
	k.share()
	if err := k.spend(); err != nil {
		return err
	}
	if err := k.limit(); err != nil {
		return err
	}
	return k.render()
}

// render writes and counts the text while another goroutine writes the entries. It removes
// entries until the text is within the budget.
func (k *composer) render() error {
	seed := fenceSeed(k.in.State.Tenant, k.in.Request.Agent)
	for {
		k.scribe = newScribe(k.entries())
		var items []placed
		for _, x := range k.all {
			if x.kept {
				items = append(items, placed{Item: &x.item, lines: x.lines, tokens: x.tokens})
			}
		}
		entries := len(items)
		var t *tally
		if tokens.ByLines(k.in.Counter) { // most of it is counted by now
			t = &tally{counter: k.in.Counter}
		}
		k.text = layout(items, noteWithin(k.total), k.hints, seed, t)
		if t != nil {
			k.count = t.count
		} else {
			k.count = k.in.Counter.Count(k.text)
		}
		if k.count <= k.total || entries == 0 {
			return nil
		}
		k.scribe.stop()
		k.remove(k.leaving()[0])
		if err := k.list(); err != nil {
			return err
		}
	}
}

// begin makes the pack without what comes from candidates, and computes how many bytes are left
// for them.
func (k *composer) begin() error {
	r := &k.in.Request
	id, err := r.ID(&k.in.State)
	if err != nil {
		return err
	}
	p := &hmx.Pack{
		HMXVersion: hmx.Version, PackID: id, QueryContext: r.Query, Entries: []hmx.Entry{},
		TokenBudget: hmx.TokenBudget{TotalBudget: int64(r.Budget), SectionBudgets: map[hmx.Section]hmx.SectionBudget{}},
		AssemblyMetadata: hmx.AssemblyMetadata{
			AssemblyStrategy: r.Strategy, RankingWeights: roundAll(r.Weights), RetrievalSources: []string{}, QueryClassification: k.in.Class,
		},
		CreatedAt: hmx.TimeOf(time.Unix(0, k.in.Now)), TenantID: some(k.in.State.Tenant), AgentID: some(r.Agent), SessionID: some(r.Session), Tags: r.Tags,
	}
	if q := &p.AssemblyMetadata.QueryClassification; q.Keywords == nil || q.Entities == nil {
		q.Keywords, q.Entities = append([]string{}, q.Keywords...), append([]string{}, q.Entities...)
	}
	if k.scorer.guided {
		canonical, err := r.Priors.Canonical()
		if err != nil {
			return fault.Wrap(fault.InvalidArgument, err)
		}
		p.FingerprintPriors = hmx.Some(hmx.Raw(canonical))
	}
	if k.asked, err = r.rest(k.scorer.guided); err != nil {
		return err
	}
	p.Metadata = k.metadata("")
	k.pack = p
	return k.measure()
}

// roundAll returns weights as a pack shows them.
func roundAll(weights map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(weights))
	for name, x := range weights {
		out[name] = round(x)
	}
	return out
}

// some returns an option that is set unless the text is empty.
func some(s string) hmx.Opt[string] { return hmx.Opt[string]{Value: s, Set: s != ""} }

// metadata returns the metadata of a pack: its counter, digest, time and state, and the rest of
// the request.
func (k *composer) metadata(digest string) hmx.Raw {
	s := &k.in.State
	b := append([]byte(`{"counter":`), quoted(k.in.Counter.Name())...)
	if digest != "" {
		b = append(b, `,"digest":"`+digest+`"`...)
	}
	if k.in.Request.Strategy == hmx.StrategyFingerprintGuided && !k.scorer.guided {
		b = append(b, `,"note":"no fingerprint priors"`...)
	}
	b = append(b, `,"now":"`+hmx.TimeOf(time.Unix(0, k.in.Now)).String()+`"`...)
	if s.Size > 0 {
		b = append(b, `,"position":`+strconv.FormatUint(s.Size-1, 10)...)
	}
	if k.asked != "" {
		b = append(append(b, `,"`+requestMember+`":`...), k.asked...)
	}
	b = append(b, `,"root":"`+hex.EncodeToString(s.Root[:])+`","size":`+strconv.FormatUint(s.Size, 10)+`}`...)
	return hmx.Raw(b)
}

// result completes the pack.
func (k *composer) result() (*Result, error) {
	p, kept := k.pack, k.scribe.kept
	p.TokenBudget.Truncated = slices.ContainsFunc(kept, func(x *contender) bool { return x.cut })
	for _, x := range k.drops {
		p.DroppedEntries = append(p.DroppedEntries, x.dropped())
	}
	res := &Result{Pack: p, Text: k.text, Verdicts: make([]Verdict, 0, len(k.all))}
	for _, x := range k.all {
		if !x.gone {
			res.Verdicts = append(res.Verdicts, x.verdict())
		}
	}
	p.TokenBudget.Used, p.TokenBudget.Remaining = int64(k.count), int64(k.total-k.count)
	p.TokenBudget.SectionBudgets = k.budgets()
	p.TokenBudget.DroppedCount = int64(len(res.Verdicts) - len(kept))
	p.AssemblyMetadata.CandidateCount, p.AssemblyMetadata.IncludedCount = int64(len(res.Verdicts)), int64(len(kept))
	if p.AssemblyMetadata.RetrievalSources = origins(k.all); k.scorer.guided {
		p.AssemblyMetadata.RetrievalSources = append(p.AssemblyMetadata.RetrievalSources, SourcePriors)
	}
	digest, err := k.scribe.finish(p)
	if err != nil {
		return nil, err
	}
	p.Metadata = k.metadata(digest)
	return res, nil
}

// Origins of entries, in the order in which a pack lists them.
const (
	OriginEpisodic = "episodic"
	OriginSemantic = "semantic"
	OriginGraph    = "graph"
	OriginCompiler = "compiler"
	OriginPolicy   = "policy"
	OriginConflict = "conflict"
)

// OriginOf returns the origin of records of a kind.
func OriginOf(kind record.Kind) string {
	switch kind {
	case record.Event:
		return OriginEpisodic
	case record.Entity, record.Relation:
		return OriginGraph
	case record.Artifact:
		return OriginCompiler
	case record.Policy:
		return OriginPolicy
	case record.Conflict:
		return OriginConflict
	}
	return OriginSemantic
}

// origins lists the origins of the candidates.
func origins(all []*contender) []string {
	list := []string{}
	for _, origin := range Origins() {
		if slices.ContainsFunc(all, func(x *contender) bool { return !x.gone && OriginOf(x.c.Kind) == origin }) {
			list = append(list, origin)
		}
	}
	return list
}

// entries returns the kept contenders in the order of a pack.
func (k *composer) entries() []*contender {
	var kept []*contender
	for _, x := range k.all {
		if x.kept {
			kept = append(kept, x)
		}
	}
	slices.SortStableFunc(kept, inPack)
	return kept
}

// verdict returns the verdict on x.
func (x *contender) verdict() Verdict {
	v := Verdict{
		Candidate: x.c, Source: x.source, Rank: x.rank, Score: x.score, Parts: x.parts, Tokens: x.size(),
		Reason: x.reason, Detail: x.detail, Pass: x.pass, Truncated: x.kept && x.cut,
	}
	if x.of != nil {
		v.Of = x.of.rank
	}
	return v
}
