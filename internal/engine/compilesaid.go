package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/statement"
)

// What users state becomes memories. What holds of all that was ever said is found out
// anew each time, from the first statement to the last, and compared with what is on
// record; so it does not matter when a compile ran, or what is kept beside the index.
// What was said for a while only, such as "for this task", is not kept: it stands in
// the session that it was said in.

// saidKey is what the keys of such memories begin with.
const saidKey = "said"

// Bounds of what is held against each other.
const (
	maxSaid  = 5000 // statements of a speaker that hold; further ones are not kept
	maxAkin  = 1000 // statements that a correction may mean, the newest
	maxTitle = 120  // bytes of what a report quotes
)

// saidOp is what one statement did to a memory.
type saidOp struct {
	event    string
	position uint64
	body     *memory.Memory // nil if it no longer holds
}

// saidThing is a memory of what users said, and how it came about.
type saidThing struct {
	statement.Known
	squashed string             // what it says, for comparing
	who      statement.Identity // who it says that somebody is, if it does
	when     int64              // it was said, in milliseconds
	ops      []saidOp
}

// saying finds out what holds of what was said.
type saying struct {
	tenant string
	voices *voices
	things []*saidThing           // all there ever were, in order
	live   map[voice][]*saidThing // by whose words they are, the one that changed last behind
}

// holding returns what became of statements, in the order of the journal.
func holding(tenant string, list []said) *saying {
	s := &saying{tenant: tenant, voices: newVoices(), live: make(map[voice][]*saidThing)}
	for i := range list {
		for j := range list[i].Statements {
			if x := &list[i].Statements[j]; !x.Temporary() {
				s.take(&list[i], x, s.voices.hear(&list[i], x))
			}
		}
	}
	return s
}

// take takes in one statement, with whose words it is.
func (s *saying) take(m *said, x *statement.Statement, by voice) {
	live := s.live[by]
	squashed := squash(x.Text)
	who, named := x.Identity()
	var known []statement.Known
	for i, k := range live {
		if k.Type == x.Type && !x.Retraction && (k.squashed == squashed || named && k.Subject == x.Subject && k.who == who) {
			return // it is kept already
		}
		if k.Subject == x.Subject || k.Subject == x.Replaces || k.squashed == squashed ||
			(x.Correction || x.Retraction) && i >= len(live)-maxAkin {
			known = append(known, k.Known)
		}
	}
	act := statement.Merge(known, *x, record.User, m.Position)
	if act.Verdict == statement.Same || act.Verdict == statement.Stand || act.Verdict == statement.New && len(live) >= maxSaid {
		return
	}
	thing := &saidThing{}
	if act.Verdict == statement.New {
		thing.ID = saidID(s.tenant, m.Event, x.From)
		s.things = append(s.things, thing)
	} else {
		at := slices.IndexFunc(live, func(k *saidThing) bool { return k.ID == act.ID })
		if thing = live[at]; m.Time < thing.when {
			return // what was said before is brought in late, such as by an import, and changes nothing
		}
		live = slices.Delete(live, at, at+1)
	}
	op := saidOp{event: m.Event, position: m.Position}
	if act.Verdict != statement.Retract {
		thing.Known = statement.Known{ID: thing.ID, Type: x.Type, Subject: x.Subject, Text: x.Text, Trust: record.User, Position: m.Position}
		thing.squashed, thing.who, thing.when = squashed, who, m.Time
		op.body = s.body(thing, m, x, by, live)
		live = append(live, thing)
	}
	thing.ops = append(thing.ops, op)
	s.live[by] = live
}

// saidID returns the id of the memory that a statement begins.
func saidID(tenant, event string, from int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "said\x00%s\x00%s\x00%d", tenant, event, from))
	return saidKey + "-" + hex.EncodeToString(sum[:16])
}

// body returns the memory of a statement. Of two that are about the same, the one that
// was there first has the key.
func (s *saying) body(thing *saidThing, m *said, x *statement.Statement, by voice, others []*saidThing) *memory.Memory {
	b := &memory.Memory{
		ID: thing.ID, Type: x.Type, Text: x.Text, Tags: []string{saidKey},
		Sources:  []memory.URI{{Tenant: s.tenant, Kind: record.Event, ID: m.Event}},
		Data:     dataOf(x),
		Metadata: by.metadata(),
	}
	key := saidKey + "/" + by.path() + x.Subject
	taken := slices.ContainsFunc(others, func(k *saidThing) bool { return k.Subject == x.Subject })
	if x.Subject != "" && !taken && memory.CheckKey(key) == nil {
		b.Key = key
	}
	return b
}

// dataOf returns what a memory of a statement says beside its text.
func dataOf(x *statement.Statement) memory.Data {
	switch x.Type {
	case memory.TypeConstraint:
		return &memory.Constraint{Strength: x.Strength}
	case memory.TypePreference:
		return &memory.Preference{Polarity: x.Polarity, Strength: x.Strength}
	}
	return memory.NewData(x.Type)
}

// squash returns the letters and digits of a text, in small letters.
func squash(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// statedHead is a memory of what users said, as it is on record.
type statedHead struct {
	head *catalog.Head
	// source is the event that the compiler's last word on it is from, and spoken its
	// position; ok is false if that is not known.
	source string
	spoken uint64
	ok     bool
	// other is the position of somebody else's word after that, if there is one.
	other   uint64
	touched bool
}

// gatherSaid finds out what holds of what users said, and reads what is on record of it.
func (c *compilation) gatherSaid(r kv.Reader, t *ledger.Tenant) error {
	c.said, c.statings = holding(c.tenant, c.traced.statements()), make(map[string]*statedHead)
	for _, thing := range c.said.things {
		d := catalog.ThingOf(t.Name, record.Memory, thing.ID)
		if err := c.stated(r, t, d); err != nil {
			return err
		}
		h, ok, err := catalog.HeadOf(r, t.Number, record.Memory, d)
		if err != nil {
			return err
		}
		if ok && h.State == catalog.Redacted {
			thing.ops = nil // it stays erased, whatever is said
		}
	}
	var failed error
	err := catalog.List(r, t.Number, catalog.Tagged(record.Memory, saidKey), nil, func(_ []byte, d catalog.Thing) bool {
		failed = c.stated(r, t, d)
		return failed == nil
	})
	return first(failed, err)
}

// stated reads who had the last word on a memory of what users said.
func (c *compilation) stated(r kv.Reader, t *ledger.Tenant, d catalog.Thing) error {
	h, ok, err := catalog.HeadOf(r, t.Number, record.Memory, d)
	if err != nil || !ok || h.State == catalog.Redacted || c.statings[h.ID] != nil {
		return err
	}
	x := &statedHead{head: h}
	entries, err := catalog.Entries(r, t.Number, record.Memory, d)
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
		if x.source, err = c.sourceOf(r, t, &e); err != nil {
			return err
		}
		id := record.ID(t.Name, record.Event, x.source)
		if x.spoken, x.ok, err = ledger.Find(r, t.Number, &id); err != nil {
			return err
		}
		c.statings[h.ID] = x
		return nil
	}
	return nil // it is nothing of ours
}

// retracted is what the reason of a tombstone says before the event in which something
// was taken back.
const retracted = "taken back in event "

// sourceOf returns the event that an entry of a memory is from.
func (c *compilation) sourceOf(r kv.Reader, t *ledger.Tenant, e *catalog.Entry) (string, error) {
	if e.Op != catalog.Put {
		event, _ := strings.CutPrefix(e.Note, retracted)
		return event, nil
	}
	body, err := c.b.bodyAt(r, t, record.Memory, e.Position)
	if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
		return "", nil
	}
	if m, ok := body.(*memory.Memory); ok && len(m.Sources) > 0 {
		return m.Sources[0].ID, nil
	}
	return "", err
}

// state plans what becomes of what users said.
func (c *compilation) state() {
	known := make(map[string]bool)
	type step struct {
		*saidThing
		saidOp
	}
	var steps []step
	for _, thing := range c.said.things {
		known[thing.ID] = true
		for _, op := range c.statings[thing.ID].missing(thing.ops) {
			steps = append(steps, step{thing, op})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.position, b.position) })
	written := make(map[string]bool)
	for _, x := range steps {
		c.say(x.saidThing, x.saidOp, written[x.ID] || c.statings[x.ID] != nil)
		written[x.ID] = true
	}
	// What is on record and was never said, as far as is known now: what said it is erased.
	for _, id := range slices.Sorted(maps.Keys(c.statings)) {
		if x := c.statings[id]; !known[id] && x.head.State == catalog.Live && !x.touched {
			c.unsay(x.head, "what said it is no longer on record")
		}
	}
}

// missing returns what is to be done to a memory that is not done yet.
func (x *statedHead) missing(ops []saidOp) []saidOp {
	if x == nil || len(ops) == 0 {
		return ops
	}
	last := ops[len(ops)-1]
	if x.touched {
		// Whoever changed it knew what had been said until then.
		return slices.DeleteFunc(slices.Clone(ops), func(op saidOp) bool { return op.position <= x.other })
	}
	if at := slices.IndexFunc(ops, func(op saidOp) bool { return op.event == x.source }); at >= 0 && x.ok {
		return slices.DeleteFunc(slices.Clone(ops), func(op saidOp) bool { return op.position <= x.spoken })
	}
	// What it is from is erased, or no longer read so: what holds is said again.
	if last.body == nil && x.head.State != catalog.Live {
		return nil
	}
	return []saidOp{last}
}

// say plans one version of a memory, or its end.
func (c *compilation) say(thing *saidThing, op saidOp, there bool) {
	w := write{trust: record.User, change: CompileChange{
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
