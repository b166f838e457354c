package learn

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/sessions"
	"lukasa.dev/internal/stated"
	"lukasa.dev/internal/statement"
)

// Statements of users become memories. Each compile determines what holds from all
// statements, from the first to the last, and compares it with what is on record; so it
// does not matter when compiles ran, or what is cached. Statements for a limited time, such
// as "for this task", are not kept: they stay in their session.

// SaidKey begins the keys of such memories.
const SaidKey = "said"

// Limits of the comparison of statements.
const (
	maxSaid  = 5000 // statements of a speaker that hold; further ones are not kept
	maxAkin  = 1000 // statements that a correction may refer to, the newest
	maxDeeds = 256  // rules that may be about the same action in other words, the newest
	maxTitle = 120  // bytes of a quote in a report

	maxAmended = 4 << 10 // bytes of a rule with all its exceptions
)

// saidOp is the effect of one message on a memory.
type saidOp struct {
	event    string
	position uint64
	body     *memory.Memory // nil if it no longer holds
}

// saidThing is a memory of statements, and its history.
type saidThing struct {
	stated.Known
	whose
	strength memory.Strength
	polarity memory.Polarity
	topic    string
	base     string          // its text without exceptions, for comparison
	squashed string          // its text, for comparison
	who      stated.Identity // whom it identifies, if it does
	when     int64           // when it was said, in milliseconds
	born     uint64          // position of the message that started it
	session  string          // the session that said it last
	events   []string        // the events that say it, the last one last
	ops      []saidOp
}

// whose is the speaker of a statement, and the project it holds in: all projects if empty.
type whose struct {
	Voice
	project string
}

// saying determines which statements hold.
type saying struct {
	tenant string
	voices *voices
	things []*saidThing           // all, in order
	done   []*saidThing           // the changed ones, in order and with repetitions
	live   map[whose][]*saidThing // by speaker and project, the most recently changed last
}

func newSaying(tenant string) *saying {
	return &saying{tenant: tenant, voices: newVoices(), live: make(map[whose][]*saidThing)}
}

// holding returns the result of statements in journal order.
func holding(tenant string, list []sessions.Said) *saying {
	s := newSaying(tenant)
	for i := range list {
		s.hear(&list[i])
	}
	return s
}

// hear processes a message.
func (s *saying) hear(m *sessions.Said) {
	for j := range m.Statements {
		if x := &m.Statements[j]; !x.Temporary() {
			s.take(m, x, s.voices.hear(m, x))
		}
	}
}

// take processes one statement of a speaker. Rules, tastes, goals and facts hold in the
// project that they were said in, unless they were said for all; what users say about
// themselves holds in all projects. A reference to an earlier statement means one of the
// project before one that holds everywhere, and prefers what was said in the same session.
func (s *saying) take(m *sessions.Said, x *statement.Statement, by Voice) {
	here, everywhere := whose{by, m.Project}, whose{by, ""}
	if !pointsBack(x) {
		if x.Everywhere || x.Type == memory.TypeFact && x.Personal() {
			here = everywhere
		}
		if here == everywhere || !s.keeps(everywhere, x) {
			s.takeIn(here, m, x, nil)
		}
		return
	}
	places := []whose{here, everywhere}
	if here == everywhere {
		places = places[:1]
	} else if x.Everywhere {
		places[0], places[1] = everywhere, here
	}
	if x.Anaphoric {
		inSession := func(k *saidThing) bool { return k.session == m.Session }
		for _, place := range places {
			if s.takeIn(place, m, x, inSession) {
				return
			}
		}
	}
	for _, place := range places {
		if s.takeIn(place, m, x, nil) {
			return
		}
	}
}

// pointsBack reports whether a statement refers to an earlier one.
func pointsBack(x *statement.Statement) bool { return x.Retraction || x.Exception || x.Anaphoric }

// keeps reports whether a statement is known already.
func (s *saying) keeps(own whose, x *statement.Statement) bool {
	squashed := squash(x.Text)
	who, named := x.Identity()
	return slices.ContainsFunc(s.live[own], func(k *saidThing) bool {
		return k.Type == x.Type && (k.squashed == squashed || k.base == squashed || named && k.Subject == x.Subject && k.who == who)
	})
}

// takeIn adds a statement to those of one owner. meant, if not nil, selects which of them
// it may refer to. It reports whether the statement is settled.
func (s *saying) takeIn(own whose, m *sessions.Said, x *statement.Statement, meant func(*saidThing) bool) bool {
	live := s.live[own]
	if !pointsBack(x) && s.keeps(own, x) {
		return true
	}
	squashed := squash(x.Text)
	akin := maxAkin
	if !x.Correction && !pointsBack(x) {
		if akin = 0; x.Type == memory.TypeConstraint {
			akin = maxDeeds
		}
	}
	var known []stated.Known
	for i, k := range live {
		if meant != nil && !meant(k) {
			continue
		}
		if k.Subject == x.Subject || k.Subject == x.Replaces || k.squashed == squashed || i >= len(live)-akin {
			known = append(known, k.Known)
		}
	}
	act := stated.Merge(known, *x, record.User, m.Position)
	switch {
	case act.Verdict == stated.Same, act.Verdict == stated.New && len(live) >= maxSaid:
		return true
	case act.Verdict == stated.Stand:
		return act.ID != ""
	}
	thing := &saidThing{whose: own, born: m.Position}
	if act.Verdict == stated.New {
		thing.ID = saidID(s.tenant, m.Event, x.From)
		s.things = append(s.things, thing)
	} else {
		at := slices.IndexFunc(live, func(k *saidThing) bool { return k.ID == act.ID })
		if thing = live[at]; m.Time < thing.when {
			return true // an older statement that arrives late, for example by an import, changes nothing
		}
		if act.Verdict == stated.Amend && (strings.Contains(thing.squashed, squashed) || len(thing.Text)+len(x.Text) >= maxAmended) {
			return true
		}
		live = slices.Delete(live, at, at+1)
	}
	op := saidOp{event: m.Event, position: m.Position}
	if act.Verdict != stated.Retract {
		thing.say(m, x, act.Verdict == stated.Amend)
		op.body = s.body(thing, live)
		live = append(live, thing)
	}
	thing.did(op)
	s.done = append(s.done, thing)
	s.live[own] = live
	return true
}

// say sets the text of a memory to a statement, or appends it.
func (k *saidThing) say(m *sessions.Said, x *statement.Statement, besides bool) {
	k.Position, k.when, k.session = m.Position, m.Time, m.Session
	if besides {
		k.Text += " " + x.Text
		k.squashed = squash(k.Text)
		k.events = append(slices.DeleteFunc(k.events, func(e string) bool { return e == m.Event }), m.Event)
		return
	}
	k.Known = stated.Known{ID: k.ID, Type: x.Type, Subject: x.Subject, Text: x.Text, Trust: record.User, Position: m.Position}
	k.strength, k.polarity, k.topic = x.Strength, x.Polarity, x.Topic
	k.squashed, k.events = squash(x.Text), []string{m.Event}
	k.base = k.squashed
	k.who, _ = x.Identity()
}

// did records the effect of a message. Only its last effect is written.
func (k *saidThing) did(op saidOp) {
	if n := len(k.ops); n > 0 && k.ops[n-1].event == op.event {
		k.ops = k.ops[:n-1]
	}
	k.ops = append(k.ops, op)
}

// saidID returns the id of the memory that a statement starts.
func saidID(tenant, event string, from int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "said\x00%s\x00%s\x00%d", tenant, event, from))
	return SaidKey + "-" + hex.EncodeToString(sum[:16])
}

// body returns the memory of a statement. Of two on the same topic, the first one has the
// key.
func (s *saying) body(k *saidThing, others []*saidThing) *memory.Memory {
	b := &memory.Memory{ID: k.ID, Type: k.Type, Text: k.Text, Tags: []string{SaidKey}, Data: k.data(), Metadata: k.metadata(k.topic)}
	for _, event := range k.events {
		b.Sources = append(b.Sources, memory.URI{Tenant: s.tenant, Kind: record.Event, ID: event})
	}
	if k.project != "" {
		b.ValidityScope.Conditions = []string{sessions.ProjectCondition(k.project)}
	}
	key := SaidKey + "/" + k.path() + k.projectPath() + k.Subject
	taken := slices.ContainsFunc(others, func(o *saidThing) bool { return o.Subject == k.Subject })
	if k.Subject != "" && !taken && memory.CheckKey(key) == nil {
		b.Key = key
	}
	return b
}

// projectPath returns a project as a part of a key: the last part of its name, and a suffix
// that distinguishes it from others of that name.
func (w whose) projectPath() string {
	if w.project == "" {
		return ""
	}
	name := strings.TrimRight(strings.ReplaceAll(w.project, "\\", "/"), "/")
	sum := sha256.Sum256([]byte(w.project))
	return strings.TrimSpace(name[strings.LastIndexByte(name, '/')+1:]) + "-" + hex.EncodeToString(sum[:4]) + "/"
}

// data returns the data of a statement's memory.
func (k *saidThing) data() memory.Data {
	switch k.Type {
	case memory.TypeConstraint:
		return &memory.Constraint{Strength: k.strength}
	case memory.TypePreference:
		return &memory.Preference{Polarity: k.polarity, Strength: k.strength}
	}
	return memory.NewData(k.Type)
}

// squash returns the letters and digits of a text, in lower case.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// statedHead is a memory of statements as it is on record.
type statedHead struct {
	head *catalog.Head
	// source is the event of the compiler's last change, and spoken its position; ok is
	// false if they are unknown.
	source string
	spoken uint64
	ok     bool
	// other is the position of a later change by another writer, if there is one.
	other   uint64
	touched bool
}

// gatherSaid determines which statements hold, and reads what is on record of them.
func (c *compilation) gatherSaid(s board.State) error {
	c.said, c.statings = holding(c.tenant, c.traced.Statements()), make(map[string]*statedHead)
	for _, thing := range c.said.things {
		d := catalog.ThingOf(s.Tenant.Name, record.Memory, thing.ID)
		if err := c.stated(s, d); err != nil {
			return err
		}
		h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Memory, d)
		if err != nil {
			return err
		}
		if ok && h.State == catalog.Redacted {
			thing.ops = nil // it stays erased, whatever is said
		}
	}
	var failed error
	err := catalog.List(s.Reader, s.Tenant.Number, catalog.Tagged(record.Memory, SaidKey), nil, func(_ []byte, d catalog.Thing) bool {
		failed = c.stated(s, d)
		return failed == nil
	})
	return fault.First(failed, err)
}

// stated reads who changed a memory of statements last.
func (c *compilation) stated(s board.State, d catalog.Thing) error {
	h, ok, err := catalog.HeadOf(s.Reader, s.Tenant.Number, record.Memory, d)
	if err != nil || !ok || h.State == catalog.Redacted || c.statings[h.ID] != nil {
		return err
	}
	x := &statedHead{head: h}
	entries, err := catalog.Entries(s.Reader, s.Tenant.Number, record.Memory, d)
	if err != nil {
		return err
	}
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if e.Actor != Compiler {
			if !x.touched {
				x.other, x.touched = e.Position, true
			}
			continue
		}
		sources, err := c.sourcesOf(s, &e)
		if err != nil {
			return err
		}
		if x.source, x.spoken, x.ok, err = lastSaid(s, sources); err != nil {
			return err
		}
		c.statings[h.ID] = x
		return nil
	}
	return nil // it is not from a compile
}

// retracted begins the reason of a tombstone; the event that withdrew the statement
// follows.
const retracted = "taken back in event "

// sourcesOf returns the source events of a memory's entry.
func (c *compilation) sourcesOf(s board.State, e *catalog.Entry) ([]string, error) {
	if e.Op != catalog.Put {
		event, _ := strings.CutPrefix(e.Note, retracted)
		return []string{event}, nil
	}
	body, err := c.b.core.BodyAt(s, record.Memory, e.Position)
	if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
		return nil, nil
	}
	return eventsOf(body), err
}

// eventsOf returns the source events of a memory of statements.
func eventsOf(body memory.Body) (list []string) {
	if m, ok := body.(*memory.Memory); ok {
		for _, u := range m.Sources {
			if u.Kind == record.Event {
				list = append(list, u.ID)
			}
		}
	}
	return list
}

// lastSaid returns the last of some events and its position; ok is false if one of them is
// not on record.
func lastSaid(s board.State, events []string) (last string, at uint64, ok bool, err error) {
	for _, event := range events {
		id := record.ID(s.Tenant.Name, record.Event, event)
		position, found, err := ledger.Find(s.Reader, s.Tenant.Number, &id)
		if err != nil || !found {
			return "", 0, false, err
		}
		if _, erased, err := ledger.Erased(s.Reader, s.Tenant.Number, position); err != nil || erased {
			return "", 0, false, err
		}
		if !ok || position > at {
			last, at, ok = event, position, true
		}
	}
	return last, at, ok, nil
}

// state plans the changes of memories of statements.
func (c *compilation) state() {
	known := make(map[string]bool)
	type step struct {
		*saidThing
		saidOp
		at uint32 // the version that is corrected, or 0
	}
	var steps []step
	for _, thing := range c.said.things {
		known[thing.ID] = true
		ops, at := c.statings[thing.ID].missing(thing.ops)
		for _, op := range ops {
			steps = append(steps, step{thing, op, at})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.position, b.position) })
	written := make(map[string]bool)
	for _, x := range steps {
		there := written[x.ID] || c.statings[x.ID] != nil
		if !there && x.body == nil {
			continue // it was withdrawn in the message that said it
		}
		c.say(x.saidThing, x.saidOp, there, x.at)
		written[x.ID] = true
	}
	// On record without a known statement: its source is erased.
	for _, id := range slices.Sorted(maps.Keys(c.statings)) {
		if x := c.statings[id]; !known[id] && x.head.State == catalog.Live && !x.touched {
			c.unsay(x.head, "what said it is no longer on record")
		}
	}
}

// missing returns the changes of a memory that are not on record yet, and its version if
// that is no longer what was said.
func (x *statedHead) missing(ops []saidOp) (left []saidOp, at uint32) {
	if x == nil || len(ops) == 0 {
		return ops, 0
	}
	last := ops[len(ops)-1]
	if x.touched {
		// A writer who changed it knew what had been said until then.
		return slices.DeleteFunc(slices.Clone(ops), func(op saidOp) bool { return op.position <= x.other }), 0
	}
	if at := slices.IndexFunc(ops, func(op saidOp) bool { return op.event == x.source }); at >= 0 && x.ok {
		return slices.DeleteFunc(slices.Clone(ops), func(op saidOp) bool { return op.position <= x.spoken }), 0
	}
	if x.ok && ops[0].position > x.spoken {
		return ops, 0 // all of it is newer
	}
	// Its source is erased, or is no longer read as this statement: write what holds again.
	if last.body == nil && x.head.State != catalog.Live {
		return nil, 0
	}
	return []saidOp{last}, x.head.Version
}

// say plans a version of a memory, or its end. at is the version that it corrects, or 0.
func (c *compilation) say(thing *saidThing, op saidOp, there bool, at uint32) {
	w := write{trust: record.User, said: at == 0, spoken: op.position, at: at, change: CompileChange{
		Op: CompileCreate, URI: memory.URI{Tenant: c.tenant, Kind: record.Memory, ID: thing.ID},
		Reason: "said in event " + op.event,
	}}
	if op.body == nil {
		w.change.Op, w.change.Reason = CompileForget, retracted+op.event
		w.change.Class, w.change.Title = string(thing.Type), clipTitle(thing.Text)
		c.writes = append(c.writes, w)
		c.unclaim(thing.ID)
		return
	}
	if there {
		w.change.Op = CompileUpdate
	}
	w.body, w.change.Class, w.change.Title = op.body, string(op.body.Type), clipTitle(op.body.Text)
	c.writes = append(c.writes, w)
	c.claim(op.body, op.position)
}

// unsay plans the end of a memory.
func (c *compilation) unsay(h *catalog.Head, reason string) {
	c.writes = append(c.writes, write{trust: h.Trust, at: h.Version, change: CompileChange{
		Op: CompileForget, URI: memory.URI{Tenant: c.tenant, Kind: record.Memory, ID: h.ID}, Class: h.Class, Title: h.Key, Reason: reason,
	}})
	c.unclaim(h.ID)
}

// clipTitle returns the beginning of a text.
func clipTitle(text string) string {
	if len(text) <= maxTitle {
		return text
	}
	return strings.ToValidUTF8(text[:maxTitle], "") + "…"
}
