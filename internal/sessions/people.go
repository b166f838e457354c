package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/deeds"
	"lukasa.dev/internal/index/roster"
	"lukasa.dev/internal/index/timeline"
	"lukasa.dev/internal/trace"
)

// eventTypeNames maps the classes in rows to the standard event types.
var eventTypeNames = sync.OnceValue(func() map[roster.Class]string {
	names := make(map[roster.Class]string)
	for _, t := range hmx.EventTypes() {
		names[roster.ClassOf(string(t))] = string(t)
	}
	return names
})

// people counts the events of sessions and agents by rows. It is used only if something
// is hidden: otherwise the timeline has the counts.
type people struct {
	sessions map[index.Digest]*attended
	agents   map[roster.Agent]*attended
}

// attended is the count of a session or an agent by rows.
type attended struct {
	events      uint64
	first, last attendedAt
}

// attendedAt is the place of an event in its session, or the time of an agent's event.
type attendedAt struct{ sequence, time int64 }

func (p attendedAt) before(q attendedAt) bool {
	return p.sequence < q.sequence || p.sequence == q.sequence && p.time < q.time
}

func newPeople(count bool) *people {
	if !count {
		return &people{}
	}
	return &people{sessions: make(map[index.Digest]*attended), agents: make(map[roster.Agent]*attended)}
}

// met counts the row of an event.
func (p *people) met(row *roster.Row) {
	if p.sessions == nil {
		return
	}
	attend(p.sessions, row.Session, attendedAt{row.Sequence, row.Time})
	attend(p.agents, row.Agent, attendedAt{0, row.Time})
}

// attend counts an event at a place.
func attend[K comparable](all map[K]*attended, key K, at attendedAt) {
	x := all[key]
	if x == nil {
		all[key] = &attended{1, at, at}
		return
	}
	x.events++
	if at.before(x.first) {
		x.first = at
	}
	if x.last.before(at) {
		x.last = at
	}
}

// info returns the count under a name, and false if there is none.
func (x *attended) info(name string) (browse.SessionInfo, bool) {
	if x == nil {
		return browse.SessionInfo{}, false
	}
	return browse.SessionInfo{ID: name, Events: x.events, First: board.TimeOf(x.first.time), Last: board.TimeOf(x.last.time)}, true
}

// infoOf converts a summary of the timeline.
func infoOf(s *timeline.Summary) browse.SessionInfo {
	return browse.SessionInfo{ID: s.ID, Events: s.Events, First: board.TimeOf(s.First.Timestamp), Last: board.TimeOf(s.Last.Timestamp)}
}

// sessions tells of the sessions as a whole.
func (s *survey) sessions(ctx context.Context, p *people) error {
	var failed error
	err := timeline.Sessions(s.state.Reader, s.state.Tenant.Number, nil, func(_ []byte, x *timeline.Summary) bool {
		info, ok := infoOf(x), true
		if p.sessions != nil {
			info, ok = p.sessions[index.DigestOf(x.ID)].info(x.ID)
		}
		if !ok {
			return true
		}
		s.out.Sessions++
		if n := s.out.Newest; n == nil || cmp.Or(n.Last.Compare(info.Last), strings.Compare(info.ID, n.ID)) < 0 {
			s.out.Newest = &info
		}
		if l := s.out.Longest; l == nil || cmp.Or(cmp.Compare(l.Events, info.Events), strings.Compare(info.ID, l.ID)) < 0 {
			s.out.Longest = &info
		}
		failed = ctx.Err()
		return failed == nil
	})
	return fault.First(failed, err)
}

// agents tells which agents did most.
func (s *survey) agents(ctx context.Context, p *people) error {
	order := func(a, b browse.SessionInfo) int {
		return cmp.Or(cmp.Compare(b.Events, a.Events), strings.Compare(a.ID, b.ID))
	}
	var failed error
	err := timeline.Agents(s.state.Reader, s.state.Tenant.Number, nil, func(_ []byte, x *timeline.Summary) bool {
		info, ok := infoOf(x), true
		if p.agents != nil {
			info, ok = p.agents[roster.AgentOf(x.ID)].info(x.ID)
		}
		if ok {
			s.out.AgentCount++
			s.out.Agents = topped(s.out.Agents, info, s.q.Top, order)
		}
		failed = ctx.Err()
		return failed == nil
	})
	return fault.First(failed, err)
}

// topped adds an item to a sorted list of at most most items.
func topped[T any](list []T, x T, most int, order func(a, b T) int) []T {
	i, _ := slices.BinarySearchFunc(list, x, order)
	if i == most {
		return list
	}
	list = slices.Insert(list, i, x)
	return list[:min(len(list), most)]
}

const (
	// maxTools is how many tools are counted separately.
	maxTools = 1 << 16
	// maxWaiting is how many calls of a session wait for their results; older ones are
	// dropped.
	maxWaiting = 64
)

// toolbox counts the outcomes of tools.
type toolbox struct {
	tools   map[string]*ToolCount
	other   uint64
	session index.Digest
	waiting waitingCalls
}

// waitingCall is a call without a result so far.
type waitingCall struct {
	call, event uint64
	tool        string
	moment      int // in a timeline, the index of its moment
}

// waitingCalls are the latest calls of a session without a result.
type waitingCalls []waitingCall

// add adds a call.
func (w *waitingCalls) add(g *trace.Glance, moment int) {
	if len(*w) == maxWaiting {
		*w = slices.Delete(*w, 0, 1)
	}
	*w = append(*w, waitingCall{g.Call, g.Event, g.Tool, moment})
}

// answered removes and returns the call of a result: the one with its id, else the one
// that it names, else the first of its tool.
func (w *waitingCalls) answered(g *trace.Glance) (waitingCall, bool) {
	i := w.find(g)
	if i < 0 {
		return waitingCall{}, false
	}
	c := (*w)[i]
	*w = slices.Delete(*w, i, i+1)
	return c, true
}

func (w *waitingCalls) find(g *trace.Glance) int {
	if i := slices.IndexFunc(*w, func(c waitingCall) bool { return g.Call != 0 && c.call == g.Call }); i >= 0 {
		return i
	}
	for _, named := range [...]uint64{g.Parent, g.Correlation} {
		i := slices.IndexFunc(*w, func(c waitingCall) bool { return named != 0 && c.event == named && (g.Call == 0 || c.call == 0) })
		if i >= 0 {
			return i
		}
	}
	return slices.IndexFunc(*w, func(c waitingCall) bool {
		return (g.Call == 0 || c.call == 0) && (g.Tool == "" || g.Named && c.tool == g.Tool || c.tool == trace.ToolUnnamed)
	})
}

// tools counts how tools fared, by what the index of deeds has of each event.
func (s *survey) tools(ctx context.Context, _ *people) error {
	box := &toolbox{tools: make(map[string]*ToolCount)}
	var failed error
	err := deeds.All(s.state.Reader, s.state.Tenant.Number, func(p deeds.Place, g *trace.Glance) bool {
		if failed = s.step(ctx, 1); failed == nil && s.shown(p.Position) {
			box.take(p.Session, g)
		}
		return failed == nil
	})
	if err := fault.First(failed, err); err != nil {
		return err
	}
	s.out.ToolCount, s.out.OtherCalls = len(box.tools), box.other
	for _, x := range box.tools {
		s.out.Tools = append(s.out.Tools, *x)
	}
	slices.SortFunc(s.out.Tools, func(a, b ToolCount) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Tool, b.Tool))
	})
	s.out.Tools = slices.Clone(s.out.Tools[:min(len(s.out.Tools), s.q.Top)])
	return nil
}

// take counts the next event.
func (b *toolbox) take(session index.Digest, g *trace.Glance) {
	if session != b.session {
		b.session, b.waiting = session, b.waiting[:0]
	}
	switch g.Sort {
	case trace.GlanceCall:
		b.called(g.Tool)
		b.waiting.add(g, 0)
	case trace.GlanceDeed:
		b.went(b.called(g.Tool), g)
	case trace.GlanceResult:
		if c, ok := b.waiting.answered(g); ok {
			b.went(b.tools[c.tool], g)
			return
		}
		b.went(b.called(cmp.Or(g.Tool, trace.ToolUnnamed)), g)
	}
}

// called counts a call of a tool, and returns its counter, or nil if there are too many
// tools.
func (b *toolbox) called(tool string) *ToolCount {
	x := b.tools[tool]
	if x == nil {
		if len(b.tools) == maxTools {
			b.other++
			return nil
		}
		x = &ToolCount{Tool: tool}
		b.tools[tool] = x
	}
	x.Calls++
	return x
}

// went counts the outcome of a call.
func (b *toolbox) went(x *ToolCount, g *trace.Glance) {
	switch {
	case x == nil || !g.Known:
	case g.State == trace.Broken:
		x.Wrong++
	default:
		x.OK++
	}
}
