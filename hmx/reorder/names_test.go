package reorder

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
)

// Ids may be nearly as long as an event. The memory for idle sessions is bounded in bytes and
// not only in number.
func TestLongIdsAreForgotten(t *testing.T) {
	b, err := New(Options{MaxNameBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	for i := range 200 {
		ev := &hmx.Event{TenantID: "t", SessionID: fmt.Sprint(i, strings.Repeat("s", 1<<20)), EventID: "e"}
		if got := b.Push(now, ev); len(got) != 1 || got[0].Disposition != InOrder {
			t.Fatalf("%+v", got)
		}
		if s := b.Stats(); s.Names > 4<<20 || s.Sessions > 4 {
			t.Fatalf("%d sessions with %d bytes of ids are remembered", s.Sessions, s.Names)
		}
	}
	// Short ones are remembered again, and the counts are right.
	for i := range 1000 {
		b.Push(now, &hmx.Event{TenantID: "t", SessionID: fmt.Sprint(i), EventID: "e"})
	}
	want := 0
	for k, s := range b.sessions {
		if s.idle {
			want += k.len()
		}
	}
	if s := b.Stats(); s.Names != want || s.Sessions < 1000 {
		t.Errorf("%+v, want %d bytes of ids", s, want)
	}
}

// The ids of waiting sessions count with their events: they cannot displace other sessions.
func TestWaitingSessionsPushNobodyOut(t *testing.T) {
	b, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	for i := range 100 {
		for seq := range int64(5) {
			b.Push(now, &hmx.Event{TenantID: "good", SessionID: fmt.Sprint(i), Sequence: seq})
		}
	}
	for i := range 40 {
		b.Push(now, &hmx.Event{TenantID: "evil", SessionID: fmt.Sprint(i, strings.Repeat("s", 1<<20)), Sequence: 5})
	}
	for i := range 100 {
		session := fmt.Sprint(i)
		if got := b.Push(now, &hmx.Event{TenantID: "good", SessionID: session, Sequence: 2}); len(got) != 1 || got[0].Disposition != Late {
			t.Fatalf("session %s was forgotten: %+v", session, got)
		}
		if got := b.Push(now, &hmx.Event{TenantID: "good", SessionID: session, Sequence: 5}); len(got) != 1 || got[0].Disposition != InOrder {
			t.Fatalf("session %s was forgotten: %+v", session, got)
		}
	}
}
