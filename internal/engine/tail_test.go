package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// tailAll follows a tail to its end.
func tailAll(t *testing.T, b *engine.Board, q engine.TailQuery) (ids []string, parts int) {
	t.Helper()
	for {
		part, err := b.Tail(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		parts++
		for _, ev := range part.Events {
			ids = append(ids, ev.Event.EventID)
		}
		if part.Next >= part.Size {
			return ids, parts
		}
		if part.Next <= q.From {
			t.Fatalf("stands still at %d of %d", part.Next, part.Size)
		}
		q.From = part.Next
	}
}

// TestTail reads events in the order of recording, whatever is between them, and
// compares with everything that was appended.
func TestTail(t *testing.T) {
	clock := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now})
	if part, err := b.Tail(ctx, engine.TailQuery{Tenant: "acme"}); err != nil || len(part.Events) != 0 || part.Size != 0 {
		t.Fatalf("without records: %+v, %v", part, err)
	}
	var all []*hmx.Event
	for i := range 700 {
		ev := event(t, "acme", fmt.Sprintf("e%03d", i), int64(1000-i), "said")
		ev.SessionID, ev.AgentID = fmt.Sprintf("s%d", i%3), fmt.Sprintf("a%d", i%5)
		all = append(all, ev)
	}
	for i := 0; i < len(all); i += 100 {
		if _, err := b.AppendEvents(ctx, user, all[i:i+100]); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Put(ctx, user, "acme", fact(fmt.Sprintf("m%d", i), "", "Something between."), engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "other", fmt.Sprintf("o%d", i), int64(i), "of another tenant")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "e100"}}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []engine.TailQuery{{}, {Session: "s1"}, {Agent: "a2"}, {Session: "s2", Agent: "a4"}, {Type: hmx.TypeMessage}, {Type: hmx.TypeToolCall}, {Session: "none"}} {
		q.Tenant = "acme"
		var want []string
		for _, ev := range all {
			if ev.EventID != "e100" && (q.Session == "" || q.Session == ev.SessionID) && (q.Agent == "" || q.Agent == ev.AgentID) && (q.Type == "" || q.Type == ev.EventType) {
				want = append(want, ev.EventID)
			}
		}
		got, parts := tailAll(t, b, q)
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%+v: got %d events, want %d", q, len(got), len(want))
		}
		if q.Session == "" && q.Agent == "" && q.Type == "" && parts < 3 {
			t.Errorf("%d events came in %d parts", len(got), parts)
		}
	}
	token := mint(t, b, clock, func(g *scope.Grant) { g.Include.Sessions = []string{"s1"} })
	scoped, _ := tailAll(t, b, engine.TailQuery{Tenant: "acme", View: engine.View{Scope: token}})
	plain, _ := tailAll(t, b, engine.TailQuery{Tenant: "acme", Session: "s1"})
	if len(plain) == 0 || strings.Join(scoped, " ") != strings.Join(plain, " ") {
		t.Errorf("under a scope %d events, want %d", len(scoped), len(plain))
	}
	sound(t, b)
}

// TestWatch notifies of records after the call, of the tenant alone.
func TestWatch(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	grew, stop := b.Watch("acme")
	again, end := b.Watch("acme")
	none := func(what string) {
		t.Helper()
		select {
		case <-grew:
			t.Errorf("told of %s", what)
		default:
		}
	}
	write := func(tenant, id string) {
		t.Helper()
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, tenant, id, 1, "said")}); err != nil {
			t.Fatal(err)
		}
	}
	none("nothing")
	write("other", "o1")
	none("another tenant")
	write("acme", "e1")
	for _, c := range []<-chan struct{}{grew, again} {
		select {
		case <-c:
		case <-time.After(time.Minute):
			t.Fatal("not told of an event that is recorded")
		}
	}
	write("acme", "e1")
	none("a duplicate")
	write("acme", "e2")
	write("acme", "e3")
	<-grew
	none("what it was told of")
	stop()
	stop()
	write("acme", "e4")
	none("what came after the end")
	end()
	if n := engine.Watched(b); n != 0 {
		t.Errorf("%d tenants are still watched", n)
	}
}

// TestAdmit refuses unwanted events, each by itself.
func TestAdmit(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	var lines strings.Builder
	for i := range 10 {
		line, err := event(t, []string{"acme", "other"}[i%2], fmt.Sprintf("e%d", i), int64(i), "said").AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	lines.WriteString("no event\n")
	var rejected []engine.Rejection
	report, err := b.Ingest(ctx, io.Reader(strings.NewReader(lines.String())), engine.IngestOptions{
		Writer: user,
		Reject: func(r engine.Rejection) { rejected = append(rejected, r) },
		Admit: func(ev *hmx.Event) error {
			if ev.TenantID != "acme" {
				return fault.New(fault.NotPermitted, "not yours")
			}
			return nil
		},
	})
	if err != nil || report.Accepted != 5 || report.Rejected != 6 || len(report.Tenants) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	for i, r := range rejected[:5] {
		if r.Index != 2*i+1 || r.Line != 2*i+2 || r.Fault.Code != fault.NotPermitted {
			t.Errorf("rejected %+v", r)
		}
	}
	sound(t, b)
}

// TestTailOfNothing searches for a rare event: other events are skipped without being
// read, so that one part covers many positions.
func TestTailOfNothing(t *testing.T) {
	b := openWith(t, "data", engine.Options{FS: disk.NewMem()})
	var all []*hmx.Event
	for i := range 5000 {
		ev := event(t, "acme", fmt.Sprintf("e%04d", i), int64(i), "said")
		ev.AgentID = fmt.Sprintf("a%d", i/4900)
		all = append(all, ev)
	}
	must(t)(b.AppendEvents(ctx, user, all))
	for _, q := range []engine.TailQuery{{Type: hmx.TypeError}, {Session: "nowhere"}, {Agent: "nobody"}, {Type: "message", Agent: "nobody"}} {
		q.Tenant = "acme"
		if ids, parts := tailAll(t, b, q); len(ids) != 0 || parts != 1 {
			t.Errorf("%+v: %q in %d parts", q, ids, parts)
		}
	}
	ids, parts := tailAll(t, b, engine.TailQuery{Tenant: "acme", Agent: "a1"})
	if len(ids) != 100 || ids[0] != "e4900" || parts != 2 {
		t.Errorf("%d from %q on in %d parts", len(ids), ids[0], parts)
	}
	for _, q := range []engine.TailQuery{{Until: 10}, {Until: 10, Agent: "a0"}, {From: 4, Until: 10, Agent: "a1"}} {
		q.Tenant = "acme"
		part, err := b.Tail(ctx, q)
		want := int(10 - q.From)
		if q.Agent == "a1" {
			want = 0
		}
		if err != nil || part.Next != 10 || len(part.Events) != want {
			t.Errorf("%+v: %+v, %v", q, part, err)
		}
	}
}

// TestTailPassesDamage damages the body of one event, and reads all others.
func TestTailPassesDamage(t *testing.T) {
	fs := disk.NewMem()
	b := open(t, fs, "data")
	for i := range 9 {
		text := fmt.Sprint("number ", i)
		if i == 4 {
			text = "canarybird"
		}
		store(t, b, eventWith(t, "acme", fmt.Sprint("e", i), "s", int64(i), text, ""))
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	list, err := files(fs, "data/journal")
	if err != nil {
		t.Fatal(err)
	}
	hit := false
	for _, path := range list {
		data, err := disk.ReadFile(fs, path)
		if err != nil {
			t.Fatal(err)
		}
		if at := bytes.Index(data, []byte("canarybird")); at >= 0 {
			data[at] ^= 1
			hit = true
			if err := disk.WriteFile(fs, path, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !hit {
		t.Fatal("the event is not in the journal as text")
	}
	b = open(t, fs, "data")
	part, err := b.Tail(ctx, engine.TailQuery{Tenant: "acme"})
	if err != nil || len(part.Events) != 8 || part.Damaged != 1 || part.Next != part.Size {
		t.Errorf("%+v, %v", part, err)
	}
}
