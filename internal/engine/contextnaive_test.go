package engine_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/salience"
	"lukasa.dev/internal/scope"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

// scribe composes a bundle by the specification, naively: it reads everything
// through lists, sessions and histories, never through the index of frames, and
// runs the steps one after the other.
type scribe struct {
	d   *desk
	o   engine.ContextOptions
	now time.Time

	things   []*engine.Thing         // memories and policies that the view shows
	sessions [][]*engine.StoredEvent // in order
	feedback []*engine.Thing
	frames   []memory.Frame
}

// leaf is a candidate of the bundle.
type leaf struct {
	bundle.Entry
	tier   bundle.Tier
	rank   int
	score  float64
	frames []memory.Frame
	thing  *engine.Thing
	event  *engine.StoredEvent
	known  int
}

func (l *leaf) digest() string {
	sum := record.ID("acme", l.Kind, l.ID)
	return string(sum[:16])
}

// have returns a value, or fails.
func have[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// now returns the later of the time of the newest record and the newest time that the clock has
// passed at which something expires, or becomes valid or invalid.
func (d *desk) now() time.Time {
	d.t.Helper()
	head := have(d.Root(ctx, "acme"))(d.t).Time
	s, v, now := &scribe{d: d}, engine.View{Now: head}, head.UnixNano()
	turn := func(at int64) {
		if at <= d.clock.Now().UnixNano() {
			now = max(now, at)
		}
	}
	for _, k := range memory.BodyKinds() {
		for _, thing := range s.list(k, v) {
			f := thing.Body.Facets()
			turn(f.ValidFrom)
			turn(f.ValidUntil)
			if f.TTL > 0 {
				turn(thing.Updated.Add(f.TTL).UnixNano())
			}
		}
	}
	for _, session := range have(d.Sessions(ctx, "acme", v))(d.t) {
		for _, ev := range have(d.Events(ctx, engine.EventQuery{Tenant: "acme", Session: session.ID, Limit: 10_000, View: v}))(d.t).Events {
			if end, ok := index.EndOfLife(ev.Recorded.UnixNano(), ev.Event); ok {
				turn(end)
			}
		}
	}
	return time.Unix(0, now)
}

// write composes the bundle.
func (d *desk) write(o engine.ContextOptions) *bundle.Bundle {
	d.t.Helper()
	s := &scribe{d: d, o: o, now: o.View.Now}
	most := 4000
	if o.View.Scope != "" {
		grant := have(scope.Parse(o.View.Scope))(d.t).Grants()[0]
		s.o.View.Agent = grant.To
		if grant.BudgetTokens > 0 {
			most = min(most, grant.BudgetTokens)
		}
	}
	if s.now.IsZero() {
		s.now = d.now()
	}
	s.read()
	var pinned, outcomes, relevant []*leaf
	if s.wants(bundle.TierPinned) {
		pinned = s.pinned()
	}
	tries := make(map[string][]string)
	if s.wants(bundle.TierOutcomes) {
		outcomes = s.outcomes(tries)
	}
	if s.wants(bundle.TierFrameRelevant) {
		relevant = s.relevant()
	}

	// Dedup, pinned first.
	var all []*leaf
	has := func(l *leaf) bool { return slices.ContainsFunc(all, func(x *leaf) bool { return x.URI == l.URI }) }
	for _, l := range pinned {
		l.tier, l.score = bundle.TierPinned, max(l.score, salience.PinnedFloor)
		all = append(all, l)
	}
	limit := o.OutcomeLimit
	if limit == 0 {
		limit = 3
	}
	sort.Slice(outcomes, func(i, j int) bool { return newer(outcomes[i], outcomes[j]) })
	for _, l := range outcomes {
		if limit > 0 && !has(l) {
			l.tier = bundle.TierOutcomes
			all = append(all, l)
			limit--
		}
	}
	for _, l := range relevant {
		if !has(l) {
			l.tier = bundle.TierFrameRelevant
			all = append(all, l)
		}
	}
	// Render and count everything.
	for _, l := range all {
		s.render(l, tries)
	}
	// Drop the lowest until it fits.
	sort.Slice(all, func(i, j int) bool { return before(all[i], all[j]) })
	budget := o.BudgetTokens
	if budget == 0 {
		budget = 3000
	}
	budget = min(budget, most)
	var dropped []*leaf
	for len(all) > 1 && sumOf(all) > budget {
		dropped = append(dropped, all[len(all)-1])
		all = all[:len(all)-1]
	}
	slices.Reverse(dropped)
	root := have(d.Root(ctx, "acme"))(d.t)
	b := &bundle.Bundle{
		Rendered: map[string]string{}, Tokens: map[string]int{}, Scores: map[string]float32{}, TotalTokens: sumOf(all), Trimmed: len(dropped),
		Form: s.form(), Budget: budget, Counter: "o200k", Tenant: "acme", Size: root.Size, Root: root.Hash,
	}
	dropped = dropped[:min(64, len(dropped))]
	told := append(slices.Clone(all), dropped...)
	for _, l := range told {
		l.Name = l.ID
		for _, x := range told {
			if x.ID == l.ID && x.Kind != l.Kind && l.Kind != record.Memory {
				l.Name = l.URI.String()
			}
		}
		l.Score = float32(l.score)
		b.Scores[l.Name] = l.Score
	}
	var last []*leaf
	for _, l := range all {
		b.Rendered[l.Name], b.Tokens[l.Name] = l.Text, l.Tokens
		switch l.tier {
		case bundle.TierPinned:
			b.Pinned = append(b.Pinned, &l.Entry)
		case bundle.TierFrameRelevant:
			b.FrameRelevant = append(b.FrameRelevant, &l.Entry)
		default:
			last = append(last, l)
		}
	}
	sort.Slice(last, func(i, j int) bool { return newer(last[i], last[j]) })
	for _, l := range last {
		b.Outcomes = append(b.Outcomes, &l.Entry)
	}
	for i, l := range dropped {
		b.ReachableURIs = append(b.ReachableURIs, l.URI)
		// Known without rendering, or rendered to see that it does not fit.
		if l.known > 0 || i == 0 {
			b.Tokens[l.Name] = l.Tokens
		}
	}
	return b
}

func sumOf(all []*leaf) (sum int) {
	for _, l := range all {
		sum += l.Tokens
	}
	return sum
}

// newer reports whether a comes before b among outcomes.
func newer(a, b *leaf) bool {
	switch {
	case !a.Created.Equal(b.Created):
		return a.Created.After(b.Created)
	case a.score != b.score:
		return a.score > b.score
	case a.Kind != b.Kind:
		return a.Kind < b.Kind
	}
	return a.ID < b.ID
}

// before reports whether a outlasts b.
func before(a, b *leaf) bool {
	rank := func(l *leaf) int {
		if l.tier == bundle.TierPinned {
			return l.rank
		}
		return 9
	}
	switch {
	case a.score != b.score:
		return a.score > b.score
	case rank(a) != rank(b):
		return rank(a) < rank(b)
	case !a.Created.Equal(b.Created):
		return a.Created.After(b.Created)
	case a.Kind != b.Kind:
		return a.Kind < b.Kind
	}
	return a.ID < b.ID
}

func (s *scribe) wants(t bundle.Tier) bool {
	return len(s.o.IncludeTiers) == 0 || slices.Contains(s.o.IncludeTiers, t)
}

func (s *scribe) form() memory.Form {
	if s.o.Form == "" {
		return memory.FormMedium
	}
	return s.o.Form
}

// list returns all records of a kind that a view shows.
func (s *scribe) list(k record.Kind, v engine.View) (things []*engine.Thing) {
	for after := ""; ; {
		page := have(s.d.List(ctx, engine.ListOptions{Tenant: "acme", Kind: k, AnyTime: s.o.Tenant == "", View: v, After: after, Limit: 1000}))(s.d.t)
		things = append(things, page.Things...)
		if after = page.Next; after == "" {
			return things
		}
	}
}

// read reads everything that the view shows.
func (s *scribe) read() {
	v := s.o.View
	v.Now = s.now
	for _, thing := range append(s.list(record.Memory, v), s.list(record.Policy, v)...) {
		if p, ok := thing.Body.(*memory.Policy); ok && v.Agent != "" && !p.Scope.CoversAgent(v.Agent) && !p.Scope.CoversAgent(strings.Split(v.Agent, "/")[0]) {
			continue
		}
		s.things = append(s.things, thing)
	}
	s.feedback = s.list(record.Feedback, engine.View{})
	sort.Slice(s.feedback, func(i, j int) bool { return s.feedback[i].Position < s.feedback[j].Position })
	for _, session := range have(s.d.Sessions(ctx, "acme", engine.View{Scope: v.Scope}))(s.d.t) {
		page := have(s.d.Events(ctx, engine.EventQuery{Tenant: "acme", Session: session.ID, Limit: 10_000, View: engine.View{Scope: v.Scope}}))(s.d.t)
		s.sessions = append(s.sessions, page.Events)
	}
	if s.o.Verb == "" {
		return
	}
	for _, k := range memory.ObjectKinds() {
		if ref, ok := s.o.Objects[string(k)]; ok {
			s.frames = append(s.frames, memory.Frame{Verb: s.o.Verb, Kind: k, Ref: kind.CleanRef(k, ref)})
		}
	}
}

// over reports whether an event has expired by its own time.
func (s *scribe) over(ev *engine.StoredEvent) bool {
	end, ok := index.EndOfLife(ev.Recorded.UnixNano(), ev.Event)
	return ok && end <= s.now.UnixNano()
}

// usage counts the feedback that cites a record.
func (s *scribe) usage(u memory.URI) (uses, wins, losses uint64) {
	for _, f := range s.feedback {
		body := f.Body.(*memory.Feedback)
		if f.Trust < record.Agent || !slices.ContainsFunc(body.Cited, func(c memory.URI) bool { return c.Head() == u }) {
			continue
		}
		uses++
		switch body.Outcome {
		case memory.OutcomeSuccess:
			wins++
		case memory.OutcomeFailure:
			losses++
		}
	}
	return uses, wins, losses
}

// weights computes the learned weights of the caller.
func (s *scribe) weights() salience.Weights {
	w := salience.Cold()
	for _, f := range s.feedback {
		body := f.Body.(*memory.Feedback)
		if body.AgentID != s.o.View.Agent || !body.Profile.Set || f.Trust < record.User && (f.Trust < record.Agent || f.Actor != body.AgentID) {
			continue
		}
		signal := map[memory.Outcome]float64{memory.OutcomeSuccess: 1, memory.OutcomePartial: 0.25, memory.OutcomeFailure: -1}[body.Outcome]
		w = w.Learn(body.Score.Or(signal), salience.Profile(body.Profile.Value))
	}
	return w
}

func (s *scribe) score(l *leaf, importance float64) {
	f := salience.Factors{Recency: salience.Recency(s.now.Sub(l.Updated)), Importance: importance}
	uses, wins, losses := s.usage(l.URI)
	f.Access, f.Citations = salience.Access(uses), salience.Citations(wins, losses)
	if l.Kind == record.Event && l.Trust == record.External {
		f.Importance = min(importance, 0.3)
	}
	l.score = s.weights().Score(f)
	if l.Trust < record.User {
		l.score = min(l.score, 0.69)
	}
}

// ofThing makes a leaf of a memory or policy.
func (s *scribe) ofThing(x *engine.Thing) *leaf {
	l := &leaf{thing: x}
	facets := x.Body.Facets()
	id, key := x.Body.Identity()
	l.Entry = bundle.Entry{
		URI: x.URI.Head(), ID: id, Kind: x.URI.Kind, Type: facets.Class, Key: key, Status: facets.State, Version: x.Version, Trust: x.Trust,
		Actor: x.Actor, Tags: facets.Tags, Created: x.Created, Updated: x.Updated,
	}
	for _, f := range facets.Frames {
		f.Ref = kind.CleanRef(f.Kind, f.Ref)
		l.frames = append(l.frames, f)
	}
	s.score(l, facets.Importance)
	return l
}

// ofEvent makes a leaf of an event.
func (s *scribe) ofEvent(ev *engine.StoredEvent) *leaf {
	l := &leaf{event: ev}
	facets := kind.Read(ev.Event)
	when := ev.Event.Timestamp.Time().UTC()
	if ev.Recorded.Before(when) {
		when = ev.Recorded
	}
	l.Entry = bundle.Entry{
		URI: memory.URI{Tenant: "acme", Kind: record.Event, ID: ev.Event.EventID}, ID: ev.Event.EventID, Kind: record.Event,
		Type: string(ev.Event.EventType), Status: string(facets.Outcome), Trust: ev.Trust, Actor: ev.Actor, Agent: ev.Event.AgentID,
		Session: ev.Event.SessionID, Tags: ev.Event.Tags, Created: when, Updated: when,
	}
	l.frames = facets.Frames
	s.score(l, facets.Importance)
	return l
}

// pinned is tier 1.
func (s *scribe) pinned() (leaves []*leaf) {
	for _, x := range s.things {
		if x.Trust < record.User {
			continue
		}
		rank := -1
		switch body := x.Body.(type) {
		case *memory.Memory:
			switch data := body.Data.(type) {
			case *memory.Identity:
				rank = 0
			case *memory.Constraint:
				if data.Strength == memory.StrengthHard {
					rank = 1
				}
			case *memory.Goal:
				if data.Status == memory.GoalActive {
					rank = 2
				}
			}
		case *memory.Policy:
			if body.Active.Or(true) && body.Strength == memory.StrengthHard && body.PolicyKind != memory.PolicyRetention {
				rank = 1
			}
		}
		if rank >= 0 {
			l := s.ofThing(x)
			l.rank = rank
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// everything returns all memories and events that have not expired.
func (s *scribe) everything() (leaves []*leaf) {
	for _, x := range s.things {
		if x.URI.Kind == record.Memory {
			leaves = append(leaves, s.ofThing(x))
		}
	}
	for _, session := range s.sessions {
		for _, ev := range session {
			if !s.over(ev) {
				leaves = append(leaves, s.ofEvent(ev))
			}
		}
	}
	return leaves
}

// outcomes is tier 2 before the limit. It adds to tries what was found with each,
// by the ids of events.
func (s *scribe) outcomes(tries map[string][]string) (leaves []*leaf) {
	limit := s.o.OutcomeLimit
	if limit == 0 {
		limit = 3
	}
	for _, f := range s.frames {
		var here []*leaf
		for _, l := range s.everything() {
			if (l.event != nil || l.Type == string(memory.TypeEvent)) &&
				slices.ContainsFunc(l.frames, func(x memory.Frame) bool { return x.Verb == f.Verb && x.Ref == f.Ref }) {
				here = append(here, l)
			}
		}
		sort.Slice(here, func(i, j int) bool { return here[i].Created.After(here[j].Created) })
		for len(here) > limit && here[len(here)-1].Created.Before(here[limit-1].Created) {
			here = here[:len(here)-1]
		}
		var ids []string
		for _, l := range here {
			if l.event != nil {
				ids = append(ids, l.ID)
			}
		}
		for _, id := range ids {
			if tries[id] == nil {
				tries[id] = ids
			}
		}
		leaves = append(leaves, here...)
	}
	return leaves
}

// relevant is tier 3.
func (s *scribe) relevant() (leaves []*leaf) {
	for _, f := range s.frames {
		var events []*leaf
		for _, l := range s.everything() {
			if !slices.Contains(l.frames, f) {
				continue
			}
			if l.event != nil {
				events = append(events, l)
			} else {
				leaves = append(leaves, l)
			}
		}
		sort.Slice(events, func(i, j int) bool {
			if !events[i].Created.Equal(events[j].Created) {
				return events[i].Created.After(events[j].Created)
			}
			return events[i].digest() > events[j].digest()
		})
		leaves = append(leaves, events[:min(len(events), 64)]...)
	}
	return leaves
}

// render sets the text and count of a leaf.
func (s *scribe) render(l *leaf, tries map[string][]string) {
	full := s.form() == memory.FormFull
	switch {
	case l.event != nil && full:
		l.Text = kind.Full(l.event.Event)
	case l.event != nil:
		l.Text = kind.Read(l.event.Event).Text
	case full && l.Kind == record.Policy:
		l.Text = "(" + string(l.thing.Body.(*memory.Policy).Strength) + ") " + l.thing.Body.(*memory.Policy).Text
	case l.Kind == record.Policy:
		p := l.thing.Body.(*memory.Policy)
		forms := memory.MakeForms(p.Text, &memory.Constraint{Strength: p.Strength}, counter)
		l.Text = map[memory.Form]string{memory.FormShort: forms.Short, memory.FormMedium: forms.Medium}[s.form()]
	default:
		l.Text = l.thing.Body.(*memory.Memory).Render(s.form())
	}
	if !full {
		l.known = counter.Count(l.Text)
	}
	if l.event != nil && l.tier == bundle.TierOutcomes {
		l.known = 0
		if l.Status == string(memory.OutcomeUnknown) {
			came, outcome := s.followed(l, tries[l.ID])
			for _, p := range came {
				l.Trust = min(l.Trust, p.trust)
			}
			l.Text = s.together(l.Text, came)
			if outcome != "" {
				l.Status = string(outcome)
			}
		}
	}
	l.Tokens = counter.Count(l.Text)
}

// together appends the outcome to an event. If the form has no room for all of it,
// it drops the last part that is not a failed check, else the last; of a single
// part it keeps what fits, with half of the room for the event.
func (s *scribe) together(text string, came []sequel) string {
	limit := map[memory.Form]int{memory.FormShort: memory.ShortTokens, memory.FormMedium: memory.MediumTokens}[s.form()]
	for {
		longer := text
		for _, p := range came {
			if s.form() == memory.FormFull {
				longer += "\n-> " + p.text
			} else {
				longer += " -> " + p.text
			}
		}
		if limit == 0 || counter.Count(longer) <= limit {
			return longer
		}
		if len(came) == 1 {
			return fitted(fitted(text, limit/2)+" -> "+came[0].text, limit)
		}
		drop := len(came) - 1
		for i, p := range came {
			if !p.failed {
				drop = i
			}
		}
		came = append(slices.Clone(came[:drop]), came[drop+1:]...)
	}
}

// fitted returns as much of a text as fits into limit tokens, with its quotes
// closed.
func fitted(text string, limit int) string {
	if counter.Count(text) <= limit {
		return text
	}
	for room := limit; ; room-- {
		if cut := kind.Closed(tokens.Truncate(counter, text, room, "…")); counter.Count(cut) <= limit {
			return cut
		}
	}
}

// sequel is a part of the outcome of an event.
type sequel struct {
	text   string
	trust  record.Trust
	failed bool
	weak   bool
}

// resultOf returns the result of an event among those after it.
func (s *scribe) resultOf(ev *engine.StoredEvent, behind []*engine.StoredEvent) *engine.StoredEvent {
	of := kind.Read(ev.Event)
	for i, r := range behind {
		if r.Event.EventType != hmx.TypeToolResult || s.over(r) {
			continue
		}
		got := kind.Read(r.Event)
		if ev.Event.EventType == hmx.TypeToolCall && of.Call != "" && got.Call != "" {
			if of.Call == got.Call {
				return r
			}
			continue
		}
		if parent := r.Event.ParentEventID.Value; parent != "" {
			if parent == ev.Event.EventID {
				return r
			}
			continue
		}
		if ev.Event.EventType != hmx.TypeToolCall || of.Call != "" || got.Call != "" {
			continue
		}
		call, _ := ev.Event.ToolCall()
		result, _ := r.Event.ToolResult()
		again := slices.ContainsFunc(behind[:i], func(e *engine.StoredEvent) bool {
			other, ok := e.Event.ToolCall()
			return ok && !s.over(e) && other.ToolName == call.ToolName
		})
		if !again && result.ToolName == call.ToolName {
			return r
		}
	}
	return nil
}

// followed returns the outcome of an event, and that of its own result.
func (s *scribe) followed(l *leaf, tries []string) (came []sequel, outcome memory.Outcome) {
	var window []*engine.StoredEvent
	for _, session := range s.sessions {
		if at := slices.IndexFunc(session, func(ev *engine.StoredEvent) bool { return ev == l.event }); at >= 0 {
			window = session[at+1 : min(len(session), at+17)]
		}
	}
	failed := func(ev *engine.StoredEvent) bool { return kind.Read(ev.Event).Outcome == memory.OutcomeFailure }
	own := s.resultOf(l.event, window)
	ownText := func() []sequel { return []sequel{{text: kind.Read(own.Event).Text, trust: own.Trust}} }
	if own != nil {
		outcome = kind.Read(own.Event).Outcome
	}
	looks := slices.Contains([]memory.Verb{memory.VerbFind, memory.VerbAnalyze, memory.VerbMonitor}, s.o.Verb)
	if looks || own != nil && failed(own) {
		if own != nil {
			came = ownText()
		}
		return came, outcome
	}
	end := len(window)
	for i, ev := range window {
		if !slices.Contains(tries, ev.Event.EventID) {
			continue
		}
		if ev.Event.EventType == hmx.TypeToolCall && !s.over(ev) {
			if r := s.resultOf(ev, window[i+1:]); r != nil && failed(r) {
				continue
			}
		}
		end = i + 1
		break
	}
	var all []sequel
	for i, ev := range window {
		if s.over(ev) {
			continue
		}
		facets := kind.Read(ev.Event)
		judges := false
		v := sequel{text: facets.Text, trust: ev.Trust}
		switch ev.Event.EventType {
		case hmx.TypeTestRun:
			judges, v.failed = true, failed(ev)
		case hmx.TypeError:
			judges = true
		case hmx.TypeFeedback:
			judges = facets.Target == "" || facets.Target == l.ID || own != nil && facets.Target == own.Event.EventID ||
				l.event.Event.EventType == hmx.TypeToolResult && facets.Target == l.event.Event.ParentEventID.Value ||
				slices.ContainsFunc(window[:i], func(e *engine.StoredEvent) bool {
					return e.Event.EventType == hmx.TypeMessage && !s.over(e) && e.Event.EventID == facets.Target
				})
		case hmx.TypeCommandExec:
			judges, v.failed, v.weak = facets.Checks && facets.Tells, failed(ev), !failed(ev)
		}
		if judges && i < end {
			all = append(all, v)
		}
		if ev.Event.EventType != hmx.TypeToolResult {
			continue
		}
		for j := min(i, end) - 1; j >= 0; j-- {
			call := window[j]
			if call.Event.EventType == hmx.TypeToolCall && !s.over(call) && kind.Read(call.Event).Checks && s.resultOf(call, window[j+1:]) == ev {
				all = append(all, sequel{kind.Ran(call.Event, ev.Event), min(call.Trust, ev.Trust), failed(ev), !failed(ev)})
				break
			}
		}
	}
	for len(all) > 3 {
		i := slices.IndexFunc(all, func(v sequel) bool { return v.weak })
		if i < 0 {
			break
		}
		all = append(all[:i:i], all[i+1:]...)
	}
	told := slices.Clone(all[:min(len(all), 3)])
	isFailed := func(v sequel) bool { return v.failed }
	if i := slices.IndexFunc(all, isFailed); i > 2 {
		told[2] = all[i]
	}
	switch {
	case len(told) > 0:
		if own != nil {
			word := map[memory.Outcome]string{memory.OutcomeSuccess: "succeeded", memory.OutcomeUnknown: "answered"}[outcome]
			came = []sequel{{text: word, trust: own.Trust}}
		}
		return append(came, told...), outcome
	case own != nil:
		return ownText(), outcome
	}
	for _, ev := range window[:end] {
		typ := ev.Event.EventType
		if (typ == hmx.TypeCommandExec || typ == hmx.TypeAPIResult) && kind.Read(ev.Event).Tells && !s.over(ev) {
			return []sequel{{text: kind.Read(ev.Event).Text, trust: ev.Trust}}, ""
		}
	}
	return nil, ""
}

// compare compares the board's bundle with the scribe's, and returns it.
func (d *desk) compare(what string, o engine.ContextOptions) *bundle.Bundle {
	d.t.Helper()
	o.Tenant = "acme"
	got, want := d.tell(o), d.write(o)
	got.LatencyMS = 0
	for _, tier := range [][2][]*bundle.Entry{{got.Pinned, want.Pinned}, {got.FrameRelevant, want.FrameRelevant}, {got.Outcomes, want.Outcomes}} {
		if len(tier[0]) != len(tier[1]) {
			break // reported below
		}
		for i := range tier[0] {
			if !reflect.DeepEqual(tier[0][i], tier[1][i]) {
				d.t.Fatalf("%s, %+v:\ngot  %+v\nwant %+v", what, o, tier[0][i], tier[1][i])
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		d.t.Fatalf("%s, %+v:\ngot  %+v\nwant %+v\n%s | %s | %s\n%s | %s | %s", what, o, got, want, named(got.Pinned), named(got.FrameRelevant), named(got.Outcomes),
			named(want.Pinned), named(want.FrameRelevant), named(want.Outcomes))
	}
	return got
}

// chaos writes at random.
type chaos struct {
	*desk
	rng    *rand.Rand
	ids    []memory.URI // of written memories and policies
	events []memory.URI
	serial int
}

func pickOf[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

// refs are few, so that records share them.
var refs = []string{"modify:file=a.go", "modify:file=./a.go", "modify:file=b.go", "modify:url=a.go", "find:tool=grep", "find:file=a.go", "analyze:tool=go", "modify:project=shop"}

func (c *chaos) writer() engine.Writer {
	return engine.Writer{Actor: pickOf(c.rng, "coder", "tester", "dana"), Trust: pickOf(c.rng, record.Trusts()...)}
}

// id is that of a new record or, at times, of an existing one; kinds share some.
func (c *chaos) id(k record.Kind) string {
	if len(c.ids) > 0 && c.rng.IntN(4) == 0 {
		if u := pickOf(c.rng, c.ids...); u.Kind == k {
			return u.ID
		}
	}
	c.serial++
	if c.rng.IntN(4) == 0 {
		return fmt.Sprint("shared", c.rng.IntN(4))
	}
	return fmt.Sprint("m", c.serial)
}

func (c *chaos) memory() *memory.Memory {
	m := &memory.Memory{ID: c.id(record.Memory), Text: fmt.Sprintf("Number %d says %s.", c.serial, strings.Repeat("so ", c.rng.IntN(90)))}
	switch pickOf(c.rng, memory.Types()...) {
	case memory.TypeConstraint:
		m.Data = &memory.Constraint{Strength: pickOf(c.rng, memory.Strengths()...)}
	case memory.TypeGoal:
		m.Data = &memory.Goal{Status: pickOf(c.rng, memory.GoalStatuses()...)}
	case memory.TypeIdentity:
		m.Data = &memory.Identity{}
	case memory.TypeEvent, memory.TypePattern, memory.TypeCapability:
		m.Data = &memory.Event{Outcome: pickOf(c.rng, memory.Outcomes()...)}
	default:
		m.Data = &memory.Fact{}
	}
	for range c.rng.IntN(4) {
		m.Frames = append(m.Frames, frameOf(c.t, pickOf(c.rng, refs...)))
	}
	if c.rng.IntN(2) == 0 {
		m.Tags = []string{pickOf(c.rng, "red", "green")}
	}
	if c.rng.IntN(3) > 0 {
		m.Importance = hmx.Some(float64(c.rng.IntN(5)) / 4)
	}
	if c.rng.IntN(6) == 0 {
		m.Visibility = memory.VisiblePrivate
	}
	if c.rng.IntN(8) == 0 {
		m.TTLSeconds = 1 + c.rng.Int64N(100_000)
	}
	if c.rng.IntN(8) == 0 {
		m.ValidFrom = timeOf(c.t, c.clock.Now().Add(time.Duration(c.rng.IntN(100)-50)*time.Hour))
	}
	if c.rng.IntN(8) == 0 && m.ValidFrom.IsZero() {
		m.ValidUntil = timeOf(c.t, c.clock.Now().Add(time.Duration(c.rng.IntN(100)-10)*time.Hour))
	}
	return m
}

func (c *chaos) policy() *memory.Policy {
	p := &memory.Policy{ID: c.id(record.Policy), PolicyKind: pickOf(c.rng, memory.PolicyInstruction, memory.PolicyConstraint),
		Text: fmt.Sprintf("Law %d.", c.serial), Strength: pickOf(c.rng, memory.StrengthHard, memory.StrengthHard, memory.StrengthSoft), Active: hmx.Some(c.rng.IntN(5) > 0)}
	if c.rng.IntN(2) == 0 {
		p.Scope.Agents = []string{pickOf(c.rng, "coder", "tester")}
	}
	if c.rng.IntN(3) == 0 {
		p.Scope.Tags = []string{"red"}
	}
	return p
}

// scene writes typical events of a coding agent, with some left out.
func (c *chaos) scene() {
	lately := func() string { return c.events[len(c.events)-1].ID }
	call := fmt.Sprint("s", c.rng.IntN(3))
	c.event("s1", pickOf(c.rng, `file_edit {"path":"a.go","operation":"modify"}`, fmt.Sprintf(`tool_call {"tool_name":"Edit","arguments":{"file_path":"a.go"},"call_id":%q}`, call)))
	edited := lately()
	for _, text := range []string{
		fmt.Sprintf(`tool_result {"tool_name":"Edit","call_id":%q,"success":%v}`, call, c.rng.IntN(4) > 0),
		`command_exec {"command":"go vet ./...","exit_code":0}`,
		`tool_call {"tool_name":"Bash","arguments":{"command":"go test ./..."},"call_id":"t"}`,
		fmt.Sprintf(`tool_result {"tool_name":"Bash","call_id":"t","success":%v}`, c.rng.IntN(2) > 0),
		`message {"role":"assistant","text":"done"}`,
		"feedback",
	} {
		if c.rng.IntN(5) == 0 {
			continue
		}
		if text == "feedback" {
			text = fmt.Sprintf(`feedback {"signal":"negative","target_event_id":%q}`, pickOf(c.rng, edited, lately()))
		}
		c.event("s1", text)
	}
}

// event writes an event, or a random one if there is no text.
func (c *chaos) event(session, given string) {
	c.serial++
	id := fmt.Sprint("e", c.serial)
	if c.rng.IntN(4) == 0 {
		id = fmt.Sprint("shared", c.rng.IntN(4)) // the second one is refused, which is fine
	}
	text := pickOf(c.rng,
		`file_edit {"path":"a.go","operation":"modify","lines_added":3}`, `file_edit {"path":"./b.go","operation":"modify"}`,
		`file_edit {"path":"a.go","operation":"create"}`,
		`tool_call {"tool_name":"grep","arguments":{"path":"a.go"},"call_id":"c"}`, `tool_result {"tool_name":"grep","call_id":"c","result":{"found":0},"success":true}`,
		`test_run {"command":"go test ./...","passed":3,"failed":1,"success":false}`, `test_run {"command":"go test ./...","passed":4,"failed":0,"success":true}`,
		`message {"role":"user","text":"go on"}`, `command_exec {"command":"go vet ./...","exit_code":0}`,
		`error {"error_type":"Oops","message":"a.go:3: no"}`, `feedback {"signal":"positive","comment":"good"}`,
		`api_result {"method":"GET","url":"https://a.b","status_code":200}`, `command_exec {"command":"ls","exit_code":0}`,
	)
	if c.rng.IntN(3) == 0 {
		text = c.call()
	}
	if given != "" {
		text = given
	}
	if c.rng.IntN(6) == 0 {
		text = also(text, fmt.Sprintf(`"ttl_seconds":%d`, 1+c.rng.IntN(100_000)))
	}
	if c.rng.IntN(6) == 0 {
		text = also(text, `"salience":0.9`)
	}
	ev, _, err := hmx.DecodeEvent([]byte(c.desk.event(session, id+" "+text)))
	if err != nil {
		c.t.Fatal(err)
	}
	if given == "" && c.rng.IntN(8) == 0 { // late, or from the future, but at its own place
		ev.Sequence += 1_000_000_000 * c.rng.Int64N(2)
		ev.Timestamp = timeOf(c.t, c.clock.Now().Add(time.Duration(c.rng.IntN(40)-20)*time.Hour))
	}
	have(c.AppendEvents(ctx, c.writer(), []*hmx.Event{ev}))(c.t)
	c.events = append(c.events, memory.URI{Tenant: "acme", Kind: record.Event, ID: id})
	c.clock.Move(time.Second) // so that sequences differ
}

// also adds a member to the text of an event.
func also(text, member string) string {
	if strings.Contains(text, "} ") {
		return text + "," + member
	}
	return text + " " + member
}

// call makes a call, a result or feedback, which often belong together.
func (c *chaos) call() string {
	lately := "none"
	if n := len(c.events); n > 0 {
		lately = c.events[n-1-c.rng.IntN(min(n, 4))].ID
	}
	join, parent := "", ""
	if c.rng.IntN(5) > 0 {
		join = fmt.Sprintf(`,"call_id":"c%d"`, c.rng.IntN(2))
	}
	if c.rng.IntN(3) == 0 {
		parent = fmt.Sprintf(` "parent_event_id":%q`, lately)
	}
	tool, arguments := "Edit", `{"file_path":"a.go"}`
	if c.rng.IntN(2) == 0 {
		tool, arguments = "Bash", pickOf(c.rng, `{"command":"go test ./..."}`, `{"command":"go test ./..."}`, `{"command":"ls a.go"}`, `{"command":"sed -i s/a/b/ a.go"}`)
	}
	switch c.rng.IntN(5) {
	case 0:
		return fmt.Sprintf(`feedback {"signal":"negative","target_event_id":%q}`, lately)
	case 1, 2:
		return fmt.Sprintf(`tool_call {"tool_name":%q,"arguments":%s%s}`, tool, arguments, join)
	}
	return fmt.Sprintf(`tool_result {"tool_name":%q%s%s}%s`, tool, join, pickOf(c.rng, `,"success":true`, `,"success":false`, ``, `,"success":false,"result":{"stderr":"a.go:3: no"}`), parent)
}

// step writes something.
func (c *chaos) step() string {
	if c.rng.IntN(3) == 0 {
		c.clock.Move(time.Duration(c.rng.IntN(100_000)) * time.Second)
	}
	any := func() (memory.URI, bool) {
		all := append(slices.Clone(c.ids), c.events...)
		if len(all) == 0 {
			return memory.URI{}, false
		}
		return pickOf(c.rng, all...), true
	}
	var body memory.Body
	switch what := c.rng.IntN(20); {
	case what < 7:
		if c.rng.IntN(4) == 0 {
			c.scene()
			return "scene"
		}
		c.event(pickOf(c.rng, "s1", "s2"), "")
		return "event"
	case what < 12:
		body = c.memory()
	case what < 14:
		body = c.policy()
	case what < 16:
		f := &memory.Feedback{AgentID: pickOf(c.rng, "coder", "tester"), Outcome: pickOf(c.rng, memory.FeedbackOutcomes()...)}
		if c.rng.IntN(3) == 0 {
			f.Score = hmx.Some(float64(c.rng.IntN(9)-4) / 4)
		}
		for range c.rng.IntN(4) {
			if u, ok := any(); ok && !slices.Contains(f.Cited, u) {
				f.Cited = append(f.Cited, u)
			}
		}
		res, err := c.Put(ctx, c.writer(), "acme", f, engine.AnyVersion())
		if err == nil && c.rng.IntN(4) == 0 {
			c.ids = append(c.ids, res.URI.Head()) // so that it may be forgotten
		}
		return "feedback"
	case what < 17:
		if len(c.ids) > 0 {
			u := pickOf(c.rng, c.ids...)
			c.Forget(ctx, operator, engine.RefOf(u), "no", engine.AnyVersion())
		}
		return "forget"
	case what < 18:
		if len(c.ids) > 0 {
			u := pickOf(c.rng, c.ids...)
			ref := engine.RefOf(u)
			ref.Version = uint32(c.rng.IntN(3))
			c.Restore(ctx, c.writer(), ref, engine.AnyVersion())
		}
		return "restore"
	case what < 19:
		if u, ok := any(); ok && c.rng.IntN(2) == 0 {
			c.Redact(ctx, operator, []memory.URI{u})
		}
		return "redact"
	default:
		if c.rng.IntN(3) == 0 {
			c.Expire(ctx, operator, "acme", c.clock.Now())
		}
		return "expire"
	}
	w := c.writer()
	// Refusals are expected: too little trust, private to another, erased.
	if res, err := c.Put(ctx, w, "acme", body, engine.AnyVersion()); err == nil && !slices.Contains(c.ids, res.URI.Head()) {
		c.ids = append(c.ids, res.URI.Head())
	}
	return "put"
}

// options returns a random request.
func (c *chaos) options() engine.ContextOptions {
	o := engine.ContextOptions{
		BudgetTokens: pickOf(c.rng, 0, 0, 1, 40, 150, 400, 1_000_000_000), OutcomeLimit: c.rng.IntN(6),
		Form: pickOf(c.rng, "", memory.FormMedium, memory.FormShort, memory.FormShort, memory.FormFull), Objects: map[string]string{},
		View: engine.View{Agent: pickOf(c.rng, "", "coder", "coder", "coder/tests", "tester", "stranger")},
	}
	for range 1 + c.rng.IntN(4) {
		f := frameOf(c.t, pickOf(c.rng, refs...))
		o.Objects[string(f.Kind)] = f.Ref
		if o.Verb == "" || c.rng.IntN(3) == 0 {
			o.Verb = f.Verb
		}
	}
	if c.rng.IntN(12) == 0 {
		o.Verb = ""
	}
	if c.rng.IntN(4) == 0 {
		o.View.Scope = c.scope()
		o.View.Agent = pickOf(c.rng, "", "coder")
	}
	if c.rng.IntN(5) == 0 {
		for range 1 + c.rng.IntN(2) {
			o.IncludeTiers = append(o.IncludeTiers, pickOf(c.rng, bundle.Tiers()...))
		}
	}
	if c.rng.IntN(3) == 0 {
		o.View.Now = c.clock.Now().Add(time.Duration(c.rng.IntN(100)-30) * time.Hour)
	}
	return o
}

// scope mints a random token.
func (c *chaos) scope() string {
	selectors := func() (s scope.Selectors) {
		switch c.rng.IntN(6) {
		case 0:
			s.Types = []string{pickOf(c.rng, "event", "fact"), pickOf(c.rng, "goal", "identity", "constraint")}
		case 1:
			s.Tags = []string{pickOf(c.rng, "red", "green")}
		case 2:
			s.Sessions = []string{pickOf(c.rng, "s1", "s2")}
		case 3:
			s.Frames = []string{pickOf(c.rng, "modify:file=a.go", "modify:file=*", "find:tool", "modify:url")}
		case 4:
			s.Sections = []string{pickOf(c.rng, "episodes", "facts", "core"), "constraints"}
		case 5:
			s.IDs = []string{"shared0", "shared1", fmt.Sprint("m", c.serial), fmt.Sprint("e", c.serial-1)}
		}
		return s
	}
	g := scope.Grant{To: "coder", Mode: scope.Read, Expires: c.clock.Now().AddDate(0, 11, 0), Trust: record.Agent, BudgetTokens: pickOf(c.rng, 0, 0, 30, 100_000)}
	switch c.rng.IntN(3) {
	case 0:
		g.Include = selectors()
	case 1:
		g.Include.All, g.Exclude = true, selectors()
	default:
		g.Include, g.Exclude = selectors(), selectors()
	}
	return have(c.MintScope(ctx, operator, "acme", g))(c.t)
}

// TestContextNaive writes at random and compares, after each write, a bundle with
// that of the scribe.
func TestContextNaive(t *testing.T) {
	testsize.OneGoroutine(t)
	runs := testsize.Of(t, "bundles", 100, 500, 10_000)
	enough := runs >= 500
	seen := map[string]int{"pinned": 0, "relevant": 0, "outcomes": 0, "what followed": 0, "a result of its own": 0, "a check that a tool ran": 0, "feedback on something": 0, "trimmed": 0, "more than reachable": 0, "one over budget": 0, "named by URI": 0}
	defer func() {
		for what, n := range seen {
			if t.Logf("%s: %d", what, n); n == 0 && !t.Failed() && enough {
				t.Errorf("no bundle had %s", what)
			}
		}
	}()
	count := func(what string, yes bool) {
		if yes {
			seen[what]++
		}
	}
	const lifetime = 100 // writes to one board
	for seed := 0; runs > 0; seed++ {
		c := &chaos{desk: newDesk(t), rng: rand.New(rand.NewPCG(uint64(seed), 29))}
		c.put(user, &memory.Policy{ID: "first", PolicyKind: memory.PolicyInstruction, Text: "A tenant is there."})
		if seed%4 == 1 { // more of one record than can be reached
			for i := range 90 {
				c.put(user, c.in("modify:file=a.go", fact(fmt.Sprint("bulk", i), "", "One of many.")))
			}
		}
		for i := 0; i < lifetime && runs > 0; i++ {
			what := c.step()
			for range 1 + c.rng.IntN(2) {
				b := c.compare(fmt.Sprintf("seed %d, write %d (%s)", seed, i, what), c.options())
				runs--
				count("pinned", len(b.Pinned) > 0)
				count("relevant", len(b.FrameRelevant) > 0)
				count("outcomes", len(b.Outcomes) > 0)
				count("what followed", slices.ContainsFunc(b.Outcomes, func(e *bundle.Entry) bool { return strings.Contains(e.Text, "-> ") }))
				for what, words := range map[string]string{"a result of its own": "-> Edit", "a check that a tool ran": "-> ran `go test ./...`: failed", "feedback on something": "-> user feedback negative"} {
					count(what, slices.ContainsFunc(b.Outcomes, func(e *bundle.Entry) bool { return strings.Contains(e.Text, words) }))
				}
				count("trimmed", b.Trimmed > 0)
				count("more than reachable", b.Trimmed > bundle.MaxReachableURIs)
				count("one over budget", b.TotalTokens > b.Budget)
				for name := range b.Scores {
					if strings.HasPrefix(name, "lukasa://") {
						count("named by URI", true)
						break
					}
				}
			}
		}
		if seed == 0 {
			sound(t, c.Board)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
