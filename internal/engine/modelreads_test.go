package engine_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// compare runs all queries.
func (m *model) compare() {
	m.t.Helper()
	root, err := m.b.Root(ctx, "acme")
	m.want(err, "", "root")
	if root.Size != m.size {
		m.fatalf("size %d, want %d", root.Size, m.size)
	}
	if m.size == 0 {
		return
	}
	m.compareThings()
	m.compareEvents()
	m.compareSearch()
	if _, err := soundness(m.b); err != nil {
		m.fatalf("%v", err)
	}
}

// now returns the time by which reads judge what has expired.
func (m *model) now() int64 { return max(m.time, m.clock.nanos.Load()) }

// compareSearch: a search by a word that all documents have finds exactly the current
// documents.
func (m *model) compareSearch() {
	m.t.Helper()
	want := make(map[string]string)
	for _, x := range m.things {
		if _, c := x.content(); x.state == "live" && (x.expires == 0 || x.expires > m.now()) {
			want[x.id] = c.text
		}
	}
	for _, e := range m.events {
		if !e.erased && (e.end == 0 || e.end > m.now()) {
			want[e.ev.EventID] = "number"
		}
	}
	found, err := m.b.Search(ctx, engine.SearchOptions{Tenant: "acme", Query: "Which number has this text?", TopK: 1000})
	m.want(err, "", "search")
	for _, h := range found.Hits {
		text, ok := want[h.URI.ID]
		if !ok || !strings.Contains(h.Text, text) {
			m.fatalf("search: %s says %q, want %q", h.URI, h.Text, text)
		}
		delete(want, h.URI.ID)
	}
	if len(want) > 0 {
		m.fatalf("search does not find %v", want)
	}
}

func (m *model) compareThings() {
	m.t.Helper()
	listed := make(map[string][]*modelThing)
	referrers := make(map[string][]string)
	for _, x := range m.things {
		ref := engine.Ref{Tenant: "acme", Kind: record.Memory, ID: x.id}
		got, err := m.b.Get(ctx, ref, engine.View{})
		if x.state == "redacted" {
			m.want(err, fault.Erased, "get "+x.id)
			_, err = m.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: x.key}, engine.View{})
			m.want(err, fault.NotFound, "get by key "+x.key)
			continue
		}
		m.want(err, "", "get "+x.id)
		version, c := x.content()
		last := x.changes[len(x.changes)-1]
		state, note := x.state, last.note
		if state == "live" && x.expires != 0 && x.expires <= m.now() {
			state, note = "expired", "ttl"
		}
		body := got.Body.(*memory.Memory)
		is := fmt.Sprintf("%s %d %d %d %d %d %q %q %v", got.State, got.Version, got.Content, got.Position, got.Created.UnixNano(), got.Updated.UnixNano(), got.Note, body.Text, body.Tags)
		should := fmt.Sprintf("%s %d %d %d %d %d %q %q %v", state, len(x.changes), version, c.position, x.created, last.time, note, c.text, []string{x.tag})
		if is != should {
			m.fatalf("get %s:\n%s\nwant\n%s", x.id, is, should)
		}
		byKey, err := m.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: x.key}, engine.View{})
		m.want(err, "", "get "+x.key)
		if showThings(byKey) != showThings(got) {
			m.fatalf("by key %s: %s", x.key, showThings(byKey))
		}
		_, changes, err := m.b.History(ctx, ref, engine.View{})
		m.want(err, "", "history "+x.id)
		if len(changes) != len(x.changes) {
			m.fatalf("history of %s: %d changes, want %d", x.id, len(changes), len(x.changes))
		}
		for i, c := range changes {
			w, text := x.changes[i], ""
			if c.Body != nil {
				text = c.Body.(*memory.Memory).Text
			}
			if string(c.Op) != w.op || c.Position != w.position || c.Time.UnixNano() != w.time || text != w.text || c.Note != w.note || int(c.Version) != i+1 {
				m.fatalf("history of %s at %d: %+v %q, want %+v", x.id, i+1, c, text, w)
			}
		}
		switch {
		case x.state != "live":
			listed[x.state] = append(listed[x.state], x)
		case state == "live":
			listed["live"] = append(listed["live"], x)
			listed["tag "+x.tag] = append(listed["tag "+x.tag], x)
		}
		if x.state == "live" && x.refersTo != "" {
			referrers[x.refersTo] = append(referrers[x.refersTo], x.id)
		}
	}
	for _, way := range []string{"live", "forgotten", "expired", "tag g0", "tag g1", "tag g2"} {
		list := listed[way]
		slices.SortFunc(list, func(a, b *modelThing) int {
			return cmp.Or(cmp.Compare(b.created, a.created), bytes.Compare(b.digest(), a.digest()))
		})
		o := engine.ListOptions{Tenant: "acme", Limit: 1 + m.rng.IntN(5)}
		if tag, ok := strings.CutPrefix(way, "tag "); ok {
			o.Tag = tag
		} else {
			o.State = catalog.State(way)
		}
		var ids, want []string
		for _, x := range list {
			want = append(want, x.id)
		}
		for {
			page, err := m.b.List(ctx, o)
			m.want(err, "", "list "+way)
			for _, x := range page.Things {
				ids = append(ids, x.URI.ID)
			}
			if o.After = page.Next; o.After == "" {
				break
			}
		}
		if !slices.Equal(ids, want) {
			m.fatalf("list %s: %v, want %v", way, ids, want)
		}
	}
	for target, want := range referrers {
		things, err := m.b.Referrers(ctx, memory.URI{Tenant: "acme", Kind: record.Event, ID: target}, engine.View{})
		m.want(err, "", "referrers")
		var got []string
		for _, x := range things {
			got = append(got, x.URI.ID)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			m.fatalf("referrers of %s: %v, want %v", target, got, want)
		}
	}
}

func (m *model) compareEvents() {
	m.t.Helper()
	type asked struct{ Session, Agent, Trace, Correlation, ChildrenOf string }
	lists := make(map[asked][]*modelEvent)
	for _, q := range []asked{{Session: "s0"}, {Session: "s1"}, {Session: "s2"}, {Agent: "a0"}, {Agent: "a1"}, {Trace: "t0"}, {Trace: "t1"}, {Trace: "t2"}, {Correlation: "c0"}, {Correlation: "c1"}} {
		lists[q] = nil
	}
	counts := make(map[string]uint64)
	for _, e := range m.events {
		got, err := m.b.Event(ctx, "acme", e.ev.EventID, engine.View{})
		if e.erased {
			m.want(err, fault.Erased, "event "+e.ev.EventID)
			continue
		}
		m.want(err, "", "event "+e.ev.EventID)
		a, _ := got.Event.AppendJSON(nil)
		b, _ := e.ev.AppendJSON(nil)
		if got.Position != e.position || !bytes.Equal(a, b) {
			m.fatalf("event %s: %d %s", e.ev.EventID, got.Position, a)
		}
		counts[e.ev.SessionID]++
		add := func(q asked) { lists[q] = append(lists[q], e) }
		add(asked{Session: e.ev.SessionID})
		add(asked{Agent: e.ev.AgentID})
		if e.ev.TraceID.Set {
			add(asked{Trace: e.ev.TraceID.Value})
		}
		if e.ev.CorrelationID.Set {
			add(asked{Correlation: e.ev.CorrelationID.Value})
		}
		if e.ev.ParentEventID.Set {
			add(asked{ChildrenOf: e.ev.ParentEventID.Value})
		}
	}
	for by, list := range lists {
		q := engine.EventQuery{Session: by.Session, Agent: by.Agent, Trace: by.Trace, Correlation: by.Correlation, ChildrenOf: by.ChildrenOf}
		slices.SortFunc(list, func(a, b *modelEvent) int {
			at, bt := a.ev.Timestamp.Time(), b.ev.Timestamp.Time()
			switch {
			case q.Session != "":
				return cmp.Or(cmp.Compare(a.ev.Sequence, b.ev.Sequence), at.Compare(bt), strings.Compare(a.ev.EventID, b.ev.EventID))
			case q.ChildrenOf != "":
				return cmp.Compare(a.position, b.position)
			}
			return cmp.Or(at.Compare(bt), cmp.Compare(a.position, b.position))
		})
		var got, want []string
		for _, e := range list {
			want = append(want, e.ev.EventID)
		}
		q.Tenant, q.Limit = "acme", 1+m.rng.IntN(6)
		for {
			page, err := m.b.Events(ctx, q)
			m.want(err, "", fmt.Sprintf("%+v", q))
			for _, e := range page.Events {
				got = append(got, e.Event.EventID)
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			m.fatalf("%+v: %v, want %v", q, got, want)
		}
	}
	sessions, err := m.b.Sessions(ctx, "acme", engine.View{})
	m.want(err, "", "sessions")
	if len(sessions) != len(counts) {
		m.fatalf("sessions: %+v, want %v", sessions, counts)
	}
	for _, s := range sessions {
		if s.Events != counts[s.ID] {
			m.fatalf("session %s: %d events, want %d", s.ID, s.Events, counts[s.ID])
		}
	}
}
