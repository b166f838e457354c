package engine_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/relevance"
	"lukasa.dev/internal/salience"
	"lukasa.dev/internal/scope"
)

// known is a record or an event as the full scan sees it.
type known struct {
	uri              memory.URI // without a version
	state            catalog.State
	class, status    string
	key, actor       string
	agents           []string
	session          string
	tags             []string
	frames           []memory.Frame
	created, updated time.Time
	ordered          time.Time // the time it is ordered by
	from, until      int64     // of validity
	ends             time.Time // zero for never
	trust            record.Trust
	importance       float64
	confidence       float64
	private          bool
	words            []string // text first
	fields           map[string]any
	thing            *engine.Thing
	text             string
}

// everything reads all records, of any state.
func (f *finds) everything() []*known {
	var all []*known
	for _, u := range f.uris {
		if k := f.one(u); k != nil {
			all = append(all, k)
		}
	}
	return all
}

func (f *finds) one(u memory.URI) *known {
	if u.Kind == record.Event {
		ev, err := f.b.Event(ctx, "acme", u.ID, engine.View{})
		if fault.CodeOf(err) == fault.Erased {
			return nil
		}
		if err != nil {
			f.t.Fatal(err)
		}
		facets := kind.Read(ev.Event)
		k := &known{
			uri: u, state: catalog.Live, class: string(ev.Event.EventType), status: string(facets.Outcome), actor: ev.Actor,
			agents: []string{ev.Event.AgentID}, session: ev.Event.SessionID, tags: ev.Event.Tags, frames: facets.Frames,
			created: ev.Event.Timestamp.Time(), updated: ev.Event.Timestamp.Time(), ordered: ev.Event.Timestamp.Time(),
			from: math.MinInt64, until: math.MaxInt64, trust: ev.Trust, importance: facets.Importance, confidence: -1,
			words: append([]string{kind.Full(ev.Event)}, ev.Event.Tags...), text: facets.Text,
		}
		if ev.Recorded.Before(k.ordered) {
			k.ordered = ev.Recorded
		}
		if ev.Event.TTLSeconds.Set {
			k.ends = ev.Recorded.Add(time.Duration(ev.Event.TTLSeconds.Value) * time.Second)
		}
		k.fields = map[string]any{"metadata.n": 7.0}
		return k
	}
	// Long ago nothing had expired by itself, so the state is that of the
	// records.
	thing, err := f.b.Get(ctx, engine.RefOf(u), engine.View{Now: time.Unix(1, 0)})
	if fault.CodeOf(err) == fault.Erased {
		return nil
	}
	if err != nil {
		f.t.Fatal(err)
	}
	x := thing.Body.Facets()
	_, key := thing.Body.Identity()
	k := &known{
		uri: u, state: thing.State, class: x.Class, status: thing.Status, key: key, actor: thing.Actor,
		agents: []string{thing.Actor}, session: x.Session, tags: x.Tags, frames: x.Frames, created: thing.Created, updated: thing.Updated,
		ordered: thing.Created, from: x.ValidFrom, until: x.ValidUntil, ends: thing.Expires, trust: thing.Trust,
		importance: x.Importance, confidence: x.Confidence, private: x.Visibility == memory.VisiblePrivate,
		words: append([]string{"", key}, x.Tags...), thing: thing, fields: map[string]any{},
	}
	if x.Agent != "" {
		k.agents = append(k.agents, x.Agent)
	}
	switch b := thing.Body.(type) {
	case *memory.Memory:
		k.words[0], k.text = b.Text, b.Forms.Medium
		switch d := b.Data.(type) {
		case *memory.Pattern:
			k.fields["data.trigger"] = d.Trigger
			if d.Support > 0 {
				k.fields["data.support"] = float64(d.Support)
			}
		case *memory.Goal:
			k.fields["data.due"] = d.Due.Time()
		case *memory.Fact:
			k.fields["data.subject"] = d.Subject
		}
		for raw, fields := range map[string]map[string]any{
			`{"n":2}`:                                {"metadata.n": 2.0},
			`{"n":10,"list":["x","y"]}`:              {"metadata.n": 10.0, "metadata.list": []any{"x", "y"}},
			`{"n":"2","yes":true}`:                   {"metadata.n": "2", "metadata.yes": true},
			`{"at":"2026-01-02T03:04:20Z","n":null}`: {"metadata.at": time.Date(2026, 1, 2, 3, 4, 20, 0, time.UTC)},
		} {
			if string(b.Metadata) == raw {
				for name, v := range fields {
					k.fields[name] = v
				}
			}
		}
	case *memory.Entity:
		k.words[0], k.words = b.Description, append(append(k.words, b.Name), b.Aliases...)
		k.fields["data.n"] = 3.0
	case *memory.Policy:
		k.words[0], k.text = b.Text, memory.MakeForms(b.Text, nil, estimateForms{}).Medium
	case *memory.Relation:
		k.words[0], k.text = b.Predicate, b.From+" "+b.Predicate+" "+b.To
	case *memory.Feedback:
		k.words[0] = b.Note
	}
	return k
}

// estimateForms counts a word as a token, so that the short texts of the model
// fit any form.
type estimateForms struct{}

func (estimateForms) Name() string       { return "words" }
func (estimateForms) Count(s string) int { return len(strings.Fields(s)) }

// gate is a scope that the model can judge by itself.
type gate struct {
	types, tags, without []string
	budget               int
	token                string
}

func (g *gate) shows(k *known) bool {
	if g == nil {
		return true
	}
	class := k.uri.Kind.String()
	if k.uri.Kind == record.Memory || k.uri.Kind == record.Policy {
		class = k.class
	}
	meets := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
	}
	return (g.types == nil || slices.Contains(g.types, class)) && (g.tags == nil || meets(g.tags, k.tags)) && !meets(g.without, k.tags)
}

func (f *finds) gate() *gate {
	t := f.t
	g := &gate{}
	grant := scope.Grant{To: "bob", Mode: scope.Read, Expires: f.clock.Now().Add(time.Hour), Trust: record.Agent}
	switch rapid.IntRange(0, 9).Draw(t, "scope") {
	case 0:
		g.types = []string{"fact", "event", "edge"}
		grant.Include.Types = g.types
	case 1:
		g.tags = []string{"red"}
		grant.Include.Tags = g.tags
	case 2:
		g.without, g.budget = []string{"blue"}, 40
		grant.Include.All, grant.Exclude.Tags, grant.BudgetTokens = true, g.without, g.budget
	default:
		return nil
	}
	token, err := f.b.MintScope(ctx, findWriters[0], "acme", grant)
	if err != nil {
		t.Fatal(err)
	}
	g.token = token
	return g
}

// there reports whether it is visible at all.
func (f *finds) there(k *known, o *engine.FindOptions, g *gate) bool {
	now, at := f.now(o), f.now(o)
	if !o.HeldAt.IsZero() {
		at = o.HeldAt
		if k.created.After(at) {
			return false
		}
	}
	if k.state == catalog.Live && !k.ends.IsZero() && !k.ends.After(now) {
		return false
	}
	if k.state == catalog.Live || !o.HeldAt.IsZero() {
		if at.UnixNano() < k.from || at.UnixNano() >= k.until {
			return false
		}
	}
	agent := o.View.Agent
	if g != nil {
		agent = "bob"
	}
	return (!k.private || agent == "" || agent == k.actor) && g.shows(k)
}

// now returns the time of a read: its own, or the later of that of the newest record and the
// newest time that the clock has passed at which something expires, or becomes valid or invalid.
func (f *finds) now(o *engine.FindOptions) time.Time {
	if !o.View.Now.IsZero() {
		return o.View.Now
	}
	root, err := f.b.Root(ctx, "acme")
	if err != nil {
		f.t.Fatal(err)
	}
	now := root.Time.UnixNano()
	turn := func(at int64) {
		if at <= f.clock.Now().UnixNano() {
			now = max(now, at)
		}
	}
	for _, k := range f.everything() {
		if k.state != catalog.Live {
			continue
		}
		turn(k.from)
		turn(k.until)
		if !k.ends.IsZero() {
			turn(k.ends.UnixNano())
		}
	}
	return time.Unix(0, now).UTC()
}

// matches applies the predicates, one after the other.
func matches(k *known, o *engine.FindOptions) bool {
	kinds := o.Kinds
	if kinds == nil {
		kinds = []record.Kind{record.Memory, record.Entity, record.Relation, record.Conflict, record.Policy, record.Artifact}
		if o.Session != "" {
			kinds = []record.Kind{record.Event, record.Feedback}
		}
	}
	state := o.State
	if state == "" {
		state = catalog.Live
	}
	if !slices.Contains(kinds, k.uri.Kind) || k.state != state {
		return false
	}
	if o.Types != nil && !slices.Contains(o.Types, k.class) {
		return false
	}
	if o.Tags != nil && !slices.ContainsFunc(o.Tags, func(t string) bool { return slices.Contains(k.tags, t) }) {
		return false
	}
	if o.KeyPrefix != "" && k.key != o.KeyPrefix && !strings.HasPrefix(k.key, o.KeyPrefix+"/") {
		return false
	}
	if o.Agent != "" && !slices.Contains(k.agents, o.Agent) || o.Session != "" && o.Session != k.session || o.Status != "" && o.Status != k.status {
		return false
	}
	if !o.After.IsZero() && k.created.Before(o.After) || !o.Before.IsZero() && !k.created.Before(o.Before) {
		return false
	}
	if o.Frame != "" {
		if !slices.ContainsFunc(k.frames, func(fr memory.Frame) bool {
			fr.Ref = strings.TrimPrefix(fr.Ref, "./")
			return fr.String() == o.Frame || string(fr.Verb)+":"+string(fr.Kind) == o.Frame
		}) {
			return false
		}
	}
	for _, c := range o.Where {
		if !naiveCompare(k, c) {
			return false
		}
	}
	return true
}

func naiveCompare(k *known, c engine.Compare) bool {
	var v any
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	switch c.Field {
	case "text":
		v = text(k.words[0])
	case "key":
		v = text(k.key)
	case "id":
		v = text(k.uri.ID)
	case "actor":
		v = text(k.actor)
	case "type":
		v = text(k.class)
	case "status":
		v = text(k.status)
	case "trust":
		tier, _ := record.ParseTrust(c.Value)
		return naiveOp(c.Op, cmp.Compare(k.trust, tier))
	case "importance":
		v = k.importance
	case "confidence":
		if k.confidence >= 0 {
			v = k.confidence
		}
	case "created":
		v = k.created
	case "updated":
		v = k.updated
	default:
		v = k.fields[c.Field]
	}
	return naiveValue(v, c)
}

func naiveValue(v any, c engine.Compare) bool {
	switch v := v.(type) {
	case string:
		switch c.Op {
		case "contains":
			return strings.Contains(strings.ToLower(v), strings.ToLower(c.Value))
		case "prefix":
			return strings.HasPrefix(v, c.Value)
		}
		return naiveOp(c.Op, strings.Compare(v, c.Value))
	case float64:
		var n float64
		if _, err := fmt.Sscan(c.Value, &n); err != nil {
			return c.Op == "!="
		}
		return naiveOp(c.Op, cmp.Compare(v, n))
	case time.Time:
		at, err := time.Parse(time.RFC3339, c.Value)
		if err != nil {
			return naiveValue(hmx.TimeOf(v).String(), c) // an ordinary text
		}
		return naiveOp(c.Op, v.Compare(at))
	case bool:
		return c.Op == "=" && c.Value == fmt.Sprint(v) || c.Op == "!=" && c.Value != fmt.Sprint(v)
	case []any:
		if c.Op == "!=" {
			return !naiveValue(v, engine.Compare{Op: "=", Value: c.Value})
		}
		return slices.ContainsFunc(v, func(one any) bool { return naiveValue(one, c) })
	}
	return false
}

func naiveOp(op string, n int) bool {
	return op == "=" && n == 0 || op == "!=" && n != 0 || op == "<" && n < 0 || op == "<=" && n <= 0 || op == ">" && n > 0 || op == ">=" && n >= 0
}

// answer is a hit of the model.
type answer struct {
	k       *known
	score   float64
	factors salience.Factors
	hops    int
	path    []string
}

// naive answers a find by a full scan.
func (f *finds) naive(o *engine.FindOptions, g *gate) (matched, answers []*answer) {
	now := f.now(o)
	ranking := relevance.Rank(o.Text)
	var numbers []int
	all := f.everything()
	for _, k := range all {
		if !matches(k, o) || !f.there(k, o, g) {
			continue
		}
		a := &answer{k: k}
		if o.Text != "" {
			n, ok := ranking.Add(k.words...)
			if !ok {
				continue
			}
			numbers = append(numbers, n)
		}
		matched = append(matched, a)
	}
	order := o.Order
	if order == "" {
		order = engine.BySalience
		if o.Text != "" {
			order = engine.ByRelevance
		}
	}
	rate := func(a *answer, similarity float64) {
		uses, wins, losses := f.usage(a.k.uri)
		base := a.k.updated
		if a.k.uri.Kind == record.Event {
			base = a.k.ordered
		}
		a.factors = salience.Factors{
			Recency: salience.Recency(now.Sub(base)), Access: salience.Access(uses), Citations: salience.Citations(wins, losses), Importance: a.k.importance,
		}
		if o.Text != "" {
			a.factors.Similarity, a.factors.Similar = similarity, true
		}
		a.score = salience.Cold().Score(a.factors)
		if order == engine.ByRelevance {
			a.score = similarity
		}
	}
	for i, a := range matched {
		similarity := 0.0
		if o.Text != "" {
			similarity = ranking.Score(numbers[i])
		}
		rate(a, similarity)
	}
	sorted := func(list []*answer) {
		slices.SortFunc(list, func(a, b *answer) int {
			c := cmp.Compare(b.score, a.score)
			if order == engine.ByTime {
				c = b.k.ordered.Compare(a.k.ordered)
			}
			return cmp.Or(cmp.Compare(a.hops, b.hops), c, strings.Compare(a.k.uri.String(), b.k.uri.String()))
		})
	}
	sorted(matched)
	answers = matched
	limit := o.Limit
	if limit == 0 {
		limit = engine.DefaultFindLimit
	}
	if len(o.Follow) > 0 {
		seeds := o.Seeds
		if seeds == 0 {
			seeds = (limit + 1) / 2
		}
		answers = slices.Clone(matched[:min(seeds, len(matched))])
		reached := f.naiveFollow(o, g, all, answers)
		for _, a := range reached {
			similarity := 0.0
			if o.Text != "" {
				similarity = ranking.Rate(a.k.words...)
			}
			rate(a, similarity)
		}
		sorted(reached)
		answers = append(answers, reached...)
	}
	return matched, answers[:min(limit, len(answers))]
}

// naiveFollow walks by reading all edges repeatedly.
func (f *finds) naiveFollow(o *engine.FindOptions, g *gate, all []*known, seeds []*answer) []*answer {
	best := map[memory.URI]*answer{}
	starts := map[memory.URI]*answer{}
	for _, a := range seeds {
		a.path = []string{a.k.uri.String()}
		best[a.k.uri], starts[a.k.uri] = a, a
	}
	visible := func(u memory.URI) *known {
		i := slices.IndexFunc(all, func(k *known) bool { return k.uri == u })
		if i < 0 || all[i].state != catalog.Live || !f.there(all[i], o, g) {
			return nil
		}
		return all[i]
	}
	for _, step := range o.Follow {
		led := map[memory.URI]*answer{}
		frontier := starts
		for range step.Hops {
			next := map[memory.URI]*answer{}
			for _, k := range all {
				if k.uri.Kind != record.Edge || visible(k.uri) == nil {
					continue
				}
				e := k.thing.Body.(*memory.Edge)
				if !slices.Contains(step.Kinds, e.EdgeKind) {
					continue
				}
				try := func(from, to memory.URI) {
					here := frontier[from]
					there := visible(to)
					if here == nil || there == nil || starts[to] != nil || led[to] != nil {
						return
					}
					one := &answer{k: there, hops: here.hops + 1, path: append(slices.Clone(here.path), to.String())}
					before := next[to]
					if before == nil || one.hops < before.hops || one.hops == before.hops && from.String() < before.path[len(before.path)-2] {
						next[to] = one
					}
				}
				if step.Direction != engine.Inward {
					try(e.From.Head(), e.To.Head())
				}
				if step.Direction == engine.Inward || step.Direction == engine.BothWay {
					try(e.To.Head(), e.From.Head())
				}
			}
			for u, a := range next {
				led[u] = a
			}
			frontier = next
		}
		for u, a := range led {
			if before := best[u]; before == nil || a.hops < before.hops {
				best[u] = a
			}
		}
		starts = led
	}
	var reached []*answer
	for _, a := range best {
		if a.hops > 0 {
			reached = append(reached, a)
		}
	}
	return reached
}

// usage counts how often existing feedback cites a record.
func (f *finds) usage(u memory.URI) (uses, wins, losses uint64) {
	for _, fb := range f.fed {
		k := f.one(memory.URI{Tenant: "acme", Kind: record.Feedback, ID: fb.ID})
		if k == nil || k.state != catalog.Live {
			continue
		}
		for _, cited := range k.thing.Body.(*memory.Feedback).Cited {
			if cited.Head() != u {
				continue
			}
			uses++
			switch fb.Outcome {
			case memory.OutcomeSuccess:
				wins++
			case memory.OutcomeFailure:
				losses++
			}
		}
	}
	return uses, wins, losses
}

// compare runs the same find on the board and the model.
func (f *finds) compare(o engine.FindOptions, g *gate) {
	t := f.t
	matched, want := f.naive(&o, g)
	budget := 0
	if g != nil {
		budget = g.budget
	}
	show := func(uri string, score float64, factors salience.Factors, hops int, path []string) string {
		return fmt.Sprintf("%s %x %v %d %v", uri, score, factors, hops, path)
	}
	var wanted []string
	for _, a := range want {
		path := a.path
		if a.hops == 0 {
			path = nil
		}
		wanted = append(wanted, show(a.k.uri.String(), a.score, a.factors, a.hops, path))
	}
	found, err := f.b.Find(ctx, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	total := 0
	var got []string
	for _, h := range found.Hits {
		var path []string
		for _, u := range h.Path {
			path = append(path, u.String())
		}
		got = append(got, show(h.URI.Head().String(), h.Score, h.Factors, h.Hops, path))
		total += h.Tokens
		k := f.one(h.URI.Head())
		if k.text != "" && k.text != h.Text || (h.Event == nil) == (h.Thing == nil) {
			t.Fatalf("%s is shown as %q, want %q", h.URI, h.Text, k.text)
		}
		if h.Thing != nil && h.URI.Version != uint64(h.Thing.Version) {
			t.Fatalf("%s is version %d", h.URI, h.Thing.Version)
		}
	}
	if budget > 0 {
		if total > budget || len(got) > len(wanted) || found.Trimmed != len(wanted)-len(got) || found.BudgetTokens != budget {
			t.Fatalf("%d tokens in %d of %d hits with a budget of %d, %d trimmed", total, len(got), len(wanted), budget, found.Trimmed)
		}
		wanted = wanted[:len(got)]
	} else if found.Trimmed != 0 {
		t.Fatalf("%d hits were trimmed without a budget", found.Trimmed)
	}
	if !slices.Equal(got, wanted) || found.Matched != len(matched) || found.TotalTokens != total {
		t.Fatalf("%+v\nfound %d:\n%s\nwant %d:\n%s", o, found.Matched, strings.Join(got, "\n"), len(matched), strings.Join(wanted, "\n"))
	}
	f.trim(o, found, budget)
}

// trim runs it again with every smaller budget that makes a difference: the
// hits are the longest prefix that fits.
func (f *finds) trim(o engine.FindOptions, whole *engine.Found, most int) {
	if len(whole.Hits) == 0 {
		return
	}
	o.BudgetTokens = rapid.IntRange(1, whole.TotalTokens+1).Draw(f.t, "budget")
	cut, err := f.b.Find(ctx, o)
	if err != nil {
		f.t.Fatal(err)
	}
	keep, sum := 0, 0
	for keep < len(whole.Hits) && sum+whole.Hits[keep].Tokens <= o.BudgetTokens {
		sum += whole.Hits[keep].Tokens
		keep++
	}
	if len(cut.Hits) != keep || cut.TotalTokens != sum || cut.Trimmed != len(whole.Hits)+whole.Trimmed-keep {
		f.t.Fatalf("with a budget of %d (the scope's is %d): %d hits of %d tokens, %d trimmed; want %d of %d", o.BudgetTokens, most, len(cut.Hits), cut.TotalTokens, cut.Trimmed, keep, sum)
	}
	for i := range cut.Hits {
		if cut.Hits[i].URI != whole.Hits[i].URI || cut.Hits[i].Text != whole.Hits[i].Text {
			f.t.Fatalf("hit %d is %s with a budget, and %s without", i, cut.Hits[i].URI, whole.Hits[i].URI)
		}
	}
}
