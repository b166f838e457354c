package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

var operator = engine.Writer{Actor: "root", Trust: record.Operator}

// aging is a board with a clock of its own.
type aging struct {
	*testing.T
	*clock
	fs *disk.Mem
	b  *engine.Board
}

func newAging(t *testing.T) *aging {
	a := &aging{T: t, clock: newClock(), fs: disk.NewMem()}
	a.open()
	return a
}

func (a *aging) open() {
	o := small(a.fs)
	o.Clock = a.Now
	a.b = openWith(a.T, "data", o)
}

func (a *aging) put(w engine.Writer, body memory.Body) {
	a.Helper()
	must(a.T)(a.b.Put(ctx, w, "acme", body, engine.AnyVersion()))
}

func (a *aging) append(w engine.Writer, evs ...*hmx.Event) {
	a.Helper()
	res, err := a.b.AppendEvents(ctx, w, evs)
	if err != nil || res.Accepted != len(evs) {
		a.Fatalf("append: %+v, %v", res, err)
	}
}

// expire expires at the time of the clock and compares the counts.
func (a *aging) expire(things, events int) {
	a.Helper()
	got, err := a.b.Expire(ctx, engine.Writer{Actor: "janitor", Trust: record.External}, "acme", a.Now())
	if err != nil || got.Things != things || got.Events != events {
		a.Fatalf("expired %+v, not %d things and %d events: %v", got, things, events, err)
	}
}

// state returns live, expired, forgotten or erased.
func (a *aging) state(kind record.Kind, id string) string {
	a.Helper()
	thing, err := a.b.Get(ctx, engine.Ref{Tenant: "acme", Kind: kind, ID: id}, engine.View{})
	switch {
	case fault.CodeOf(err) == fault.Erased:
		return "erased"
	case err != nil:
		a.Fatal(err)
	}
	return string(thing.State)
}

func (a *aging) is(kind record.Kind, want string, ids ...string) {
	a.Helper()
	for _, id := range ids {
		if got := a.state(kind, id); got != want {
			a.Errorf("%s %s is %s, not %s", kind, id, got, want)
		}
	}
}

// events compares the ids of the remaining events.
func (a *aging) events(want ...string) {
	a.Helper()
	page, err := a.b.Events(ctx, engine.EventQuery{Tenant: "acme", Session: "s1"})
	if err != nil {
		a.Fatal(err)
	}
	var got []string
	for _, e := range page.Events {
		got = append(got, e.Event.EventID)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		a.Errorf("events %q are left, not %q", got, want)
	}
}

// retain returns a policy that removes records after a minute.
func retain(id string, action memory.RetentionAction, scope memory.Scope, kinds ...record.Kind) *memory.Policy {
	return &memory.Policy{
		ID: id, PolicyKind: memory.PolicyRetention, Scope: scope,
		Retention: memory.Retention{Kinds: kinds, MaxAgeSeconds: 60, Action: action},
	}
}

// TestRetentionScope has one record inside each member of a scope and some
// outside, which stay.
func TestRetentionScope(t *testing.T) {
	agent := engine.Writer{Actor: "coder", Trust: record.Agent}
	for _, tc := range []struct {
		name  string
		scope memory.Scope
		gone  []string
	}{
		{"everything", memory.Scope{}, []string{"tagged", "typed", "keyed", "below", "beside", "plain", "written"}},
		{"agents", memory.Scope{Agents: []string{"coder", "nobody"}}, []string{"written"}},
		{"types", memory.Scope{Types: []memory.Type{memory.TypeGoal}}, []string{"typed"}},
		{"tags", memory.Scope{Tags: []string{"scratch", "other"}}, []string{"tagged"}},
		{"key prefix", memory.Scope{KeyPrefix: "release"}, []string{"keyed", "below"}},
		{"together", memory.Scope{KeyPrefix: "release", Tags: []string{"scratch"}}, nil},
		{"all of them", memory.Scope{
			KeyPrefix: "release", Agents: []string{"tester"}, Types: []memory.Type{memory.TypeFact}, Tags: []string{"draft"},
		}, []string{"below"}},
	} {
		for _, action := range memory.RetentionActions() {
			t.Run(tc.name+" "+string(action), func(t *testing.T) {
				a := newAging(t)
				all := []*memory.Memory{
					{ID: "tagged", Type: memory.TypeFact, Text: "tagged", Tags: []string{"more", "scratch"}},
					{ID: "typed", Type: memory.TypeGoal, Text: "typed"},
					{ID: "keyed", Type: memory.TypeFact, Text: "keyed", Key: "release"},
					{ID: "below", Type: memory.TypeFact, Text: "below", Key: "release/cadence", Tags: []string{"draft"}},
					{ID: "beside", Type: memory.TypeFact, Text: "beside", Key: "releases/cadence"},
					{ID: "plain", Type: memory.TypeFact, Text: "plain"},
				}
				for _, m := range all {
					a.put(user, m)
				}
				a.put(agent, fact("written", "", "written"))
				a.put(operator, retain("p", action, tc.scope, record.Memory))
				a.Move(60 * time.Second)
				a.expire(0, 0)
				a.put(user, fact("young", "release/young", "young"))
				a.Move(time.Second)
				a.expire(len(tc.gone), 0)
				a.expire(0, 0)
				after := map[memory.RetentionAction]string{memory.RetainErase: "erased", memory.RetainTombstone: "expired"}[action]
				for _, id := range []string{"tagged", "typed", "keyed", "below", "beside", "plain", "written", "young"} {
					want := "live"
					for _, gone := range tc.gone {
						if gone == id {
							want = after
						}
					}
					a.is(record.Memory, want, id)
				}
				sound(t, a.b)
			})
		}
	}
}

// TestRetentionAgent: a record belongs to the agent that it names, not to its
// writer.
func TestRetentionAgent(t *testing.T) {
	a := newAging(t)
	for _, id := range []string{"coder", "tester"} {
		a.put(user, &memory.Feedback{ID: id, AgentID: id, Outcome: memory.OutcomeSuccess})
	}
	a.put(operator, retain("p", "", memory.Scope{Agents: []string{"coder"}}, record.Feedback))
	a.Move(time.Hour)
	a.expire(1, 0)
	a.is(record.Feedback, "expired", "coder")
	a.is(record.Feedback, "live", "tester")
	sound(t, a.b)
}

// TestRetentionEvents removes events by their age, agent and tags.
func TestRetentionEvents(t *testing.T) {
	for _, tc := range []struct {
		name  string
		scope memory.Scope
		left  []string
	}{
		{"everything", memory.Scope{}, []string{"trusted", "young"}},
		{"tags", memory.Scope{Tags: []string{"noise"}}, []string{"plain", "trusted", "young"}},
		{"agents", memory.Scope{Agents: []string{"a1"}}, []string{"trusted", "young"}},
		{"other agents", memory.Scope{Agents: []string{"tester", "a2"}}, []string{"plain", "noisy", "trusted", "young"}},
		{"together", memory.Scope{Agents: []string{"a2"}, Tags: []string{"noise"}}, []string{"plain", "noisy", "trusted", "young"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newAging(t)
			a.append(user, event(t, "acme", "plain", 0, "plain"), eventWith(t, "acme", "noisy", "s1", 1, "noisy", `,"tags":["debug","noise"]`))
			// The policy does not apply to what an operator said.
			trusted := eventWith(t, "acme", "trusted", "s1", 2, "trusted", `,"tags":["noise"]`)
			trusted.Content = `{"role":"system","text":"trusted"}`
			a.append(operator, trusted)
			p := retain("p", "", tc.scope, record.Event)
			a.put(user, p)
			if p.Retention.Action != memory.RetainErase {
				t.Errorf("events are to be let go by %s", p.Retention.Action)
			}
			a.Move(61 * time.Second)
			a.append(user, event(t, "acme", "young", 3, "young"))
			a.expire(0, 4-len(tc.left))
			a.expire(0, 0)
			a.events(tc.left...)
			sound(t, a.b)
		})
	}
}

// TestRetentionTrust has policies with less trust than what they name.
func TestRetentionTrust(t *testing.T) {
	a := newAging(t)
	agent := engine.Writer{Actor: "coder", Trust: record.Agent}
	a.put(agent, retain("low", memory.RetainErase, memory.Scope{}, record.Memory))
	a.put(user, fact("of-user", "", "A user's."))
	a.put(operator, fact("of-operator", "", "An operator's."))
	a.put(operator, fact("mixed", "", "It was an operator's once."))
	a.Move(time.Hour)
	a.expire(0, 0)

	// An erasure removes the whole history, so the policy must cover all of it.
	a.put(user, retain("p", memory.RetainErase, memory.Scope{}, record.Memory))
	a.put(operator, &memory.Memory{ID: "mixed", Type: memory.TypeFact, Text: "Now derived.", Sources: []memory.URI{{Tenant: "acme", Kind: record.Memory, ID: "of-user"}}})
	a.Move(time.Hour)
	a.expire(1, 0)
	a.is(record.Memory, "erased", "of-user")
	a.is(record.Memory, "live", "of-operator", "mixed")

	a.put(operator, retain("p2", memory.RetainTombstone, memory.Scope{}, record.Memory))
	a.Move(time.Hour)
	a.expire(2, 0)
	a.is(record.Memory, "expired", "of-operator", "mixed")
	_, changes, err := a.b.History(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "of-operator"}, engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	if last := changes[len(changes)-1]; last.Actor != "janitor" || last.Trust != record.Operator || last.Note != "retention" {
		t.Errorf("the expiry is recorded as %+v", last)
	}
	sound(t, a.b)
}

// TestRetentionErasesHistory erases ended records that are still on the disk.
func TestRetentionErasesHistory(t *testing.T) {
	a := newAging(t)
	a.put(user, fact("forgotten", "", "canary-forgotten"))
	must(t)(a.b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "forgotten"}, "", engine.AnyVersion()))
	a.put(user, &memory.Memory{ID: "ended", Type: memory.TypeFact, Text: "canary-ended", TTLSeconds: 5})
	a.Move(10 * time.Second)
	a.expire(1, 0)
	a.put(user, retain("p", memory.RetainErase, memory.Scope{}, record.Memory))
	a.Move(time.Hour)
	a.expire(2, 0)
	a.is(record.Memory, "erased", "forgotten", "ended")
	if err := a.b.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	if path, word, err := grep(a.fs, "data", "canary-forgotten", "canary-ended"); err != nil || path != "" {
		t.Errorf("%s is in %s: %v", word, path, err)
	}
	// It was removed for its age alone: it may be sent again.
	a.put(user, fact("again", "", "canary-forgotten"))
	sound(t, a.b)
}

// TestRetentionInactive has an inactive policy.
func TestRetentionInactive(t *testing.T) {
	a := newAging(t)
	a.put(user, fact("m", "", "It stays."))
	p := retain("p", "", memory.Scope{}, record.Memory)
	p.Active = hmx.Some(false)
	a.put(user, p)
	a.Move(time.Hour)
	a.expire(0, 0)
	sound(t, a.b)
}

// TestExpireNow refuses times that would expire records early, or that are
// invalid.
func TestExpireNow(t *testing.T) {
	a := newAging(t)
	a.put(operator, &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "It has a year.", TTLSeconds: 365 * 24 * 3600})
	a.put(operator, retain("p", memory.RetainErase, memory.Scope{}, record.Memory))
	a.append(user, eventWith(t, "acme", "e", "s1", 0, "It has a minute.", `,"ttl_seconds":60`))
	before, err := a.b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []time.Time{
		a.Now().Add(1), a.Now().AddDate(50, 0, 0), {}, time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt64, 0),
	} {
		_, err := a.b.Expire(ctx, operator, "acme", now)
		var e *fault.Error
		if fault.CodeOf(err) != fault.InvalidArgument || !errors.As(err, &e) || e.Fix == "" || !strings.Contains(err.Error(), "now: ") {
			t.Errorf("%v: %v", now, err)
		}
	}
	if _, err := a.b.Expire(ctx, engine.Writer{Trust: record.Operator}, "acme", a.Now()); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("without an actor: %v", err)
	}
	// Early times are accepted, and expire nothing.
	for _, now := range []time.Time{time.Unix(0, math.MinInt64), time.Unix(0, math.MinInt64+1), time.Unix(0, 0)} {
		if got, err := a.b.Expire(ctx, operator, "acme", now); err != nil || *got != (engine.Expired{}) {
			t.Errorf("%v: %+v, %v", now, got, err)
		}
	}
	if after, err := a.b.Root(ctx, "acme"); err != nil || after.Size != before.Size {
		t.Errorf("%d records became %d: %v", before.Size, after.Size, err)
	}
	a.is(record.Memory, "live", "m")
	a.events("e")

	// A clock that runs behind the tenant does not keep records alive.
	a.Move(61 * time.Second)
	a.put(user, fact("later", "", "Recorded later."))
	late := a.Now()
	a.Move(-time.Hour)
	if got, err := a.b.Expire(ctx, operator, "acme", late); err != nil || got.Events != 1 || got.Things != 1 {
		t.Errorf("by the tenant's own time: %+v, %v", got, err)
	}
	a.is(record.Memory, "erased", "m")
	sound(t, a.b)
}

// TestExpireWhoever: any writer can expire what has ended.
func TestExpireWhoever(t *testing.T) {
	a := newAging(t)
	a.put(operator, &memory.Memory{ID: "m", Type: memory.TypeFact, Text: "An operator's.", TTLSeconds: 60})
	a.append(operator, eventWith(t, "acme", "e", "s1", 0, "An operator's.", `,"ttl_seconds":60`))
	a.Move(61 * time.Second)
	a.expire(1, 1)
	a.is(record.Memory, "expired", "m")
	a.events()
	sound(t, a.b)
}

// TestExpireDamaged has unreadable records, which do not keep the rest alive.
// When they are readable again, they expire too.
func TestExpireDamaged(t *testing.T) {
	a := newAging(t)
	for i := range 3 {
		a.put(user, &memory.Memory{ID: fmt.Sprintf("ttl-%d", i), Type: memory.TypeFact, Text: fmt.Sprintf("needle-ttl-%d", i), TTLSeconds: 60})
		a.put(user, &memory.Entity{ID: fmt.Sprintf("old-%d", i), Name: fmt.Sprintf("needle-old-%d", i), Type: "thing"})
		a.append(user, event(t, "acme", fmt.Sprintf("old-%d", i), int64(2*i), fmt.Sprintf("needle-event-%d", i)),
			eventWith(t, "acme", fmt.Sprintf("ttl-%d", i), "s1", int64(2*i+1), fmt.Sprintf("needle-own-%d", i), `,"ttl_seconds":60`))
	}
	broken := retain("broken", "", memory.Scope{}, record.Edge)
	broken.Text = "needle-policy-1"
	a.put(user, broken)
	a.put(user, retain("events", "", memory.Scope{Agents: []string{"a1"}}, record.Event))
	a.put(user, retain("entities", "", memory.Scope{}, record.Entity))
	if err := a.b.Close(); err != nil {
		t.Fatal(err)
	}
	flip := func() {
		t.Helper()
		all, err := files(a.fs, "data/journal")
		if err != nil {
			t.Fatal(err)
		}
		hurt := 0
		for _, name := range all {
			data, err := disk.ReadFile(a.fs, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"needle-ttl-1", "needle-old-1", "needle-event-1", "needle-own-1", "needle-policy-1"} {
				for at := 0; ; at++ {
					i := bytes.Index(data[at:], []byte(word[1:]))
					if i < 0 {
						break
					}
					at += i
					data[at-1] ^= 1
					hurt++
				}
			}
			put(t, a.fs, name, data)
		}
		if hurt < 5 {
			t.Fatalf("%d places were found", hurt)
		}
	}
	flip()
	a.open()
	a.Move(time.Hour)
	a.expire(4, 4)
	a.expire(0, 0)
	a.is(record.Memory, "expired", "ttl-0", "ttl-2")
	a.is(record.Entity, "expired", "old-0", "old-2")
	if err := a.b.Close(); err != nil {
		t.Fatal(err)
	}
	flip()
	a.open()
	a.expire(2, 2)
	a.events()
	a.is(record.Memory, "expired", "ttl-1")
	a.is(record.Entity, "expired", "old-1")
	sound(t, a.b)
}
