package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/testsize"
)

// longEvents returns events of one session: a task every so often, which is a deploy that
// fails first, a statement of a user, and many lookups.
func longEvents(t testing.TB, every, from, to int) []*hmx.Event {
	t.Helper()
	list := make([]*hmx.Event, 0, to-from)
	for i := from; i < to; i++ {
		kind, content := "tool_call", fmt.Sprintf(`{"tool_name":"look","arguments":{"row":%d}}`, i)
		switch i % every {
		case 0:
			kind, content = "message", fmt.Sprintf(`{"role":"user","text":"Please deploy the billing service, build %d."}`, i)
		case 1, 3:
			content = fmt.Sprintf(`{"tool_name":"deploy","arguments":{"build":%d},"call_id":"c%d"}`, i, i)
		case 2:
			kind, content = "tool_result", fmt.Sprintf(`{"tool_name":"deploy","call_id":"c%d","success":false,"error":"registry is locked by build %d"}`, i-1, i)
		case 4:
			kind, content = "tool_result", fmt.Sprintf(`{"tool_name":"deploy","call_id":"c%d","success":true,"result":{"text":"done"}}`, i-1)
		case 5:
			kind, content = "feedback", `{"signal":"positive"}`
		case 7:
			kind, content = "feedback", fmt.Sprintf(`{"signal":"negative","target_event_id":"long-%d"}`, i/2)
		case 6:
			kind, content = "message", fmt.Sprintf(`{"role":"user","text":"Always sign commit %d."}`, i)
		}
		list = append(list, longEvent(t, fmt.Sprint("long-", i), int64(i)+1, kind, content))
	}
	return list
}

func longEvent(t testing.TB, id string, sequence int64, kind, content string) *hmx.Event {
	t.Helper()
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":%q,"event_type":%q,"agent_id":"a1","tenant_id":"acme","session_id":"long","timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":%s,"metadata":{}}`,
		id, kind, sequence, content))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// TestLongSessionGrows lets one session grow over several parts. Each compile reads the new
// events and at most one old part, and everything only after an insertion; all find the
// same as one compile of everything.
func TestLongSessionGrows(t *testing.T) {
	const part = 700
	fs := disk.NewMem()
	board := func(fs disk.FS) *engine.Board {
		b := open(t, fs, "data")
		engine.ReadParts(b, part, part)
		return b
	}
	b := board(fs)
	grow := func(b *engine.Board, from, to int) {
		store(t, b, longEvents(t, 170, from, to)...)
	}
	have := 0
	for _, to := range []int{100, part - 1, part, part + 1, 2*part + 50, 2*part + 60, 3*part + 7} {
		grow(b, have, to)
		r := compileNow(t, b, engine.CompileOptions{})
		if most := to - have + part; r.Events > most || r.Sessions != 1 {
			t.Errorf("from %d to %d events: %d of %d sessions were read, at most %d are to be", have, to, r.Events, r.Sessions, most)
		}
		if again := compileNow(t, b, engine.CompileOptions{}); again.Events != 0 || len(again.Changes) > 0 {
			t.Errorf("at %d events it read %d again, and changed %v", to, again.Events, again.Changes)
		}
		if have = to; have == part {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			b = board(fs)
		}
	}
	// A late event shifts all that follow.
	late := longEvent(t, "late", 0, "message", `{"role":"user","text":"Always sign commit 999999."}`)
	store(t, b, late)
	if r := compileNow(t, b, engine.CompileOptions{}); len(r.Changes) == 0 {
		t.Error("what came late changes nothing")
	}
	if r := compileNow(t, b, engine.CompileOptions{Full: true}); r.Events != have+1 || len(r.Changes) > 0 {
		t.Errorf("all %d events read as one give something else: %v", r.Events, r.Changes)
	}
	known := knowledge(t, b, true)
	for i := 6; i < have; i += 170 {
		if want := fmt.Sprintf("Always sign commit %d.", i); !strings.Contains(known, want) {
			t.Errorf("%q is forgotten", want)
		}
	}
	if !strings.Contains(known, "Always sign commit 999999.") {
		t.Error("what came late is not known")
	}

	twin := board(disk.NewMem())
	grow(twin, 0, have)
	store(t, twin, late)
	compileNow(t, twin, engine.CompileOptions{})
	if got := knowledge(t, twin, true); got != known {
		t.Errorf("compiled at once, it is\n%s\nand not\n%s", got, known)
	}
}

// TestLongSessionSoFar asks for the next step in a session that grows beyond the length up
// to which it is read completely, and compares with a board with empty caches.
func TestLongSessionSoFar(t *testing.T) {
	testsize.Long(t, "it has a session of thousands of events")
	const length = 300
	short := func(b *engine.Board) *engine.Board {
		engine.ReadParts(b, length, length)
		return b
	}
	fs := disk.NewMem()
	b := short(open(t, fs, "data"))
	for i := range 9 {
		store(t, b, worked(t, i)...)
	}
	compileNow(t, b, engine.CompileOptions{})
	have := 0
	for _, to := range []int{length - 1, 2*length - 1, 2 * length, 2*length + 1, 3*length - 3, 3*length + 5} {
		store(t, b, longEvents(t, 1<<20, have, to)...)
		have = to
		if have > 3*length {
			store(t, b, longEvent(t, "late", 0, "tool_call", `{"tool_name":"look","arguments":{"row":1}}`))
		}
		got := fmt.Sprintf("%+v", foreseen(t, b, "long"))
		if want := fmt.Sprintf("%+v", foreseen(t, short(uncached(t, b)), "long")); got != want {
			t.Errorf("with %d events it says %s, and read anew %s", have, got, want)
		}
	}
}

// TestFeedbackOnEarlierPart has feedback in the second part of a session: about an event of
// the first, and about the latest task.
func TestFeedbackOnEarlierPart(t *testing.T) {
	for name, feedback := range map[string]string{
		"by its event": `{"signal":"negative","target_event_id":"e3"}`,
		"the latest":   `{"signal":"negative"}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, disk.NewMem(), "data")
			engine.ReadParts(b, 3, 100)
			deploy := func() fingerprint.Tool {
				f, err := b.Fingerprint(ctx, engine.FingerprintOptions{Tenant: "acme"})
				if err != nil || len(f.Behaviour.Tools) != 1 {
					t.Fatalf("%+v %v", f, err)
				}
				return f.Behaviour.Tools[0]
			}
			store(t, b,
				longEvent(t, "e1", 1, "message", `{"role":"user","text":"Please deploy the billing service."}`),
				longEvent(t, "e2", 2, "tool_call", `{"tool_name":"deploy","arguments":{"build":1},"call_id":"c"}`),
				longEvent(t, "e3", 3, "tool_result", `{"tool_name":"deploy","call_id":"c","success":true,"result":{"text":"done"}}`))
			compileNow(t, b, engine.CompileOptions{})
			if tool := deploy(); tool.Judged != 1 || tool.Succeeded != 1 {
				t.Fatalf("before: %+v", tool)
			}
			store(t, b, longEvent(t, "e4", 4, "feedback", feedback))
			for range 2 {
				if tool := deploy(); tool.Judged != 1 || tool.Succeeded != 0 {
					t.Errorf("with feedback: %+v", tool)
				}
				compileNow(t, b, engine.CompileOptions{})
			}
		})
	}
}
