package find

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
)

// Limits of one find.
const (
	maxFindWords = 64      // items of a list
	maxFindWhere = 16      // comparisons
	maxFindText  = 4 << 10 // bytes of the text, and of a value
)

// query is a validated find: defaults are filled in, times are numbers, and names are
// as the indexes have them.
type query struct {
	FindOptions
	where       []comparison
	frame       memory.Frame // zero without a verb; any reference if it has none
	from, until int64        // of creation
	events      bool         // events are searched
	memories    bool         // only memories are searched
}

// knowledge lists the kinds that are searched by default.
func knowledge() []record.Kind {
	return []record.Kind{record.Memory, record.Entity, record.Relation, record.Conflict, record.Policy, record.Artifact}
}

// compile validates the options, reports all problems at once, and returns the query.
func (o *FindOptions) compile() (*query, error) {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return nil, err
	}
	q := &query{FindOptions: *o}
	var p problems
	q.checkKinds(&p)
	q.checkWords(&p)
	q.checkTimes(&p)
	q.checkFrame(&p)
	q.checkWhere(&p)
	q.checkFollow(&p)
	q.checkShape(&p)
	if err := p.err(); err != nil {
		return nil, err
	}
	if err := retrieval.CheckAsOf(q.AsOf); err != nil {
		return nil, err
	}
	return q, q.bounded()
}

// problems collects the problems of a request.
type problems []document.Problem

func (p *problems) add(field, rule, fix string) {
	*p = append(*p, document.Problem{Field: field, Rule: rule, Fix: fix})
}

// name adds a violation of the rules of names.
func (p *problems) name(err error) {
	if bad, ok := errors.AsType[*document.InvalidError](err); ok {
		*p = append(*p, bad.Problems...)
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	const most = 32
	e := &document.InvalidError{What: "find", Problems: p[:min(len(p), most)], Omitted: max(0, len(p)-most)}
	return fault.New(fault.InvalidArgument, e.Error()).WithCause(e)
}

// itemOf names an item of a list.
func itemOf(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// few adds a problem if a list has too many items.
func (p *problems) few(field string, n, most int) bool {
	if n > most {
		p.add(field, fmt.Sprintf("has %d items, but may have at most %d", n, most), "leave some out")
	}
	return n <= most
}

func (q *query) checkKinds(p *problems) {
	if len(q.Kinds) == 0 {
		q.Kinds = knowledge()
		if q.Session != "" {
			q.Kinds = []record.Kind{record.Event, record.Feedback}
		}
	}
	allowed := append([]record.Kind{record.Event}, memory.BodyKinds()...)
	var names []string
	for _, k := range allowed {
		names = append(names, k.String())
	}
	if p.few("kinds", len(q.Kinds), maxFindWords) {
		for i, k := range q.Kinds {
			if !slices.Contains(allowed, k) {
				p.add(itemOf("kinds", i), "is "+k.String()+", which cannot be looked for", "use one of "+retrieval.Words(names))
			}
		}
	}
	q.Kinds = slices.Compact(slices.Sorted(slices.Values(q.Kinds)))
	q.memories = len(q.Kinds) == 1 && q.Kinds[0] == record.Memory
	q.events = slices.Contains(q.Kinds, record.Event)
	q.Kinds = slices.DeleteFunc(q.Kinds, func(k record.Kind) bool { return k == record.Event })
	switch q.State {
	case "":
		q.State = catalog.Live
	case catalog.Live:
	case catalog.Forgotten, catalog.Expired:
		q.events = false
	default:
		p.add("state", "is "+retrieval.Quoted(string(q.State))+", in which nothing can be found",
			"use one of "+retrieval.Words([]catalog.State{catalog.Live, catalog.Forgotten, catalog.Expired}))
	}
}

func (q *query) checkWords(p *problems) {
	if p.few("types", len(q.Types), maxFindWords) {
		for i, w := range q.Types {
			p.name(memory.CheckID(itemOf("types", i), w))
			if q.memories && !slices.Contains(memory.Types(), memory.Type(w)) {
				p.add(itemOf("types", i), "is "+retrieval.Quoted(w)+", which is not a type of memory", "use one of "+retrieval.Words(memory.Types()))
			}
		}
	}
	if p.few("tags", len(q.Tags), maxFindWords) {
		for i, w := range q.Tags {
			p.name(memory.CheckID(itemOf("tags", i), w))
		}
	}
	if q.KeyPrefix != "" {
		if bad, ok := errors.AsType[*document.InvalidError](memory.CheckKey(q.KeyPrefix)); ok {
			p.add("key_prefix", bad.Problems[0].Rule, bad.Problems[0].Fix)
		}
		q.events = false // an event has no key
	}
	for _, n := range []struct{ field, name string }{{"agent", q.Agent}, {"session", q.Session}, {"status", q.Status}} {
		if n.name != "" {
			p.name(memory.CheckID(n.field, n.name))
		}
	}
	if len(q.Text) > maxFindText {
		p.add("text", fmt.Sprintf("has %d bytes, but may have at most %d", len(q.Text), maxFindText), "shorten it to the words that matter")
	} else if !utf8.ValidString(q.Text) {
		p.add("text", "is not UTF-8", "encode it as UTF-8")
	}
}

func (q *query) checkTimes(p *problems) {
	q.from, q.until = math.MinInt64, math.MaxInt64
	if !q.After.IsZero() {
		q.from = index.Nanos(q.After)
	}
	if !q.Before.IsZero() {
		q.until = index.Nanos(q.Before)
	}
	if q.from >= q.until {
		p.add("before", "is not later than after, so that nothing lies between them", "give a later time, or leave one of them out")
	}
	if !q.HeldAt.IsZero() {
		if end := index.Nanos(q.HeldAt); end < math.MaxInt64 {
			q.until = min(q.until, end+1)
		}
	}
}

func (q *query) checkFrame(p *problems) {
	if q.Frame == "" {
		return
	}
	if !strings.Contains(q.Frame, "=") {
		verb, object, ok := strings.Cut(q.Frame, ":")
		if !ok {
			p.add("frame", "is "+retrieval.Quoted(q.Frame)+", which is not of the form verb:kind=ref", "write it such as modify:file=internal/pack/pack.go, or modify:file for any file")
			return
		}
		q.frame = memory.Frame{Verb: memory.Verb(verb), Kind: memory.ObjectKind(object), Ref: "any"}
		p.frame(q.frame.Validate())
		q.frame.Ref = ""
		return
	}
	f, err := memory.ParseFrame(q.Frame)
	if err != nil {
		p.frame(err)
		return
	}
	if f.Ref = kind.CleanRef(f.Kind, f.Ref); f.Ref == "" {
		p.add("frame", "has a reference that names nothing", "give the path, name or address of the object")
	}
	q.frame = f
}

// frame adds the problems of a frame, by part. The causes stay: callers tell an unknown
// verb from an unknown object kind.
func (p *problems) frame(err error) {
	if bad, ok := errors.AsType[*document.InvalidError](err); ok {
		for _, one := range bad.Problems {
			if one.Field != "frame" {
				one.Field = "frame." + one.Field
			}
			*p = append(*p, one)
		}
	}
}

func (q *query) checkWhere(p *problems) {
	if !p.few("where", len(q.Where), maxFindWhere) {
		return
	}
	for i, c := range q.Where {
		one, ok := compileCompare(c, itemOf("where", i), p)
		if ok {
			q.where = append(q.where, one)
		}
	}
}

func (q *query) checkFollow(p *problems) {
	if len(q.Follow) == 0 {
		return
	}
	if q.State != catalog.Live {
		p.add("follow", "is given, but only what is live is followed", "leave it out, or leave out state")
	}
	if !p.few("follow", len(q.Follow), MaxFindHops) {
		return
	}
	q.Follow = slices.Clone(q.Follow)
	total := 0
	for i := range q.Follow {
		step, field := &q.Follow[i], itemOf("follow", i)
		if step.Direction == "" {
			step.Direction = Outward
		}
		if !slices.Contains(Directions(), step.Direction) {
			p.add(field+".direction", "is "+retrieval.Quoted(string(step.Direction))+", which is not a direction", "use one of "+retrieval.Words(Directions()))
		}
		if len(step.Kinds) == 0 {
			p.add(field+".kinds", "is empty, so that no edge is followed", "name the kinds of edges to follow: "+retrieval.Words(memory.EdgeKinds())+", or x-{vendor}-{kind}")
		}
		if p.few(field+".kinds", len(step.Kinds), maxFindWords) {
			for j, k := range step.Kinds {
				if !slices.Contains(memory.EdgeKinds(), k) && (!hmx.CustomType(string(k)) || len(k) > memory.MaxTag) {
					p.add(itemOf(field+".kinds", j), "is "+retrieval.Quoted(string(k))+", which is not a kind of edge", "use one of "+retrieval.Words(memory.EdgeKinds())+", or x-{vendor}-{kind}")
				}
			}
		}
		if step.Hops < 1 || step.Hops > MaxFindHops {
			p.add(field+".hops", fmt.Sprintf("is %d, but must be from 1 to %d", step.Hops, MaxFindHops), "give a number in that range")
			continue
		}
		total += step.Hops
	}
	if total > MaxFindHops {
		p.add("follow", fmt.Sprintf("goes %d hops in all, but may go at most %d", total, MaxFindHops), "take fewer hops")
	}
}

func (q *query) checkShape(p *problems) {
	if q.Limit == 0 {
		q.Limit = DefaultFindLimit
	}
	if q.Limit < 1 || q.Limit > MaxFindLimit {
		p.add("limit", fmt.Sprintf("is %d, but must be from 1 to %d", q.Limit, MaxFindLimit), "give a number in that range")
	}
	switch {
	case q.Seeds != 0 && len(q.Follow) == 0:
		p.add("seeds", "is given, but there is no step that would begin there", "leave it out, or give follow")
	case q.Seeds < 0 || q.Seeds > max(q.Limit, 0):
		p.add("seeds", fmt.Sprintf("is %d, but must be from 1 to limit, which is %d", q.Seeds, q.Limit), "give a number in that range, or leave it out")
	case q.Seeds == 0:
		q.Seeds = (q.Limit + 1) / 2
	}
	if q.BudgetTokens < 0 {
		p.add("budget_tokens", fmt.Sprintf("is %d, but cannot be negative", q.BudgetTokens), "give how many tokens there are room for, or leave it out")
	}
	if q.Form == "" {
		q.Form = memory.FormMedium
	}
	if !slices.Contains(memory.FormList(), q.Form) {
		p.add("form", "is "+retrieval.Quoted(string(q.Form))+", which is not a form", "use one of "+retrieval.Words(memory.FormList()))
	}
	if q.Order == "" {
		q.Order = BySalience
		if q.Text != "" {
			q.Order = ByRelevance
		}
	}
	if !slices.Contains(FindOrders(), q.Order) {
		p.add("order", "is "+retrieval.Quoted(string(q.Order))+", which is not an order", "use one of "+retrieval.Words(FindOrders()))
	} else if q.Order == ByRelevance && q.Text == "" {
		p.add("order", "is relevance, but there is no text to compare with", "give text, or another order")
	}
}

// bounded refuses a find without a narrowing predicate.
func (q *query) bounded() error {
	located := q.frame.Ref != "" || q.Session != "" || q.Agent != ""
	if q.events && !located {
		return fault.New(fault.InvalidArgument, "find: no filter narrows the events to read").
			WithFix("add session or agent, or frame with its reference; or leave event out of kinds")
	}
	if len(q.Kinds) == 0 || located || q.KeyPrefix != "" || len(q.Types)+len(q.Tags) > 0 || !q.After.IsZero() || !q.Before.IsZero() {
		return nil
	}
	return fault.New(fault.InvalidArgument, "find: no filter narrows the records to read").WithFix("give at least one of " + retrieval.Words(narrowing()))
}

// narrowing lists the predicates that narrow the search.
func narrowing() []string {
	return []string{"types", "tags", "key_prefix", "agent", "session", "frame with its reference", "after", "before"}
}

// asksInactive reports whether artifacts are selected by status, so that inactive ones
// are wanted.
func (q *query) asksInactive() bool {
	return q.Status != "" || q.State != catalog.Live || slices.ContainsFunc(q.Where, func(c Compare) bool { return c.Field == "status" })
}
