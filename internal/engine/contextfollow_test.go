package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

const (
	edit   = `file_edit {"path":"a.go","operation":"modify","lines_added":1,"lines_removed":1}`
	vet    = `command_exec {"command":"go vet ./...","exit_code":0}`
	thanks = `feedback {"signal":"positive","comment":"well done"}`
)

func tests(passed, failed int) string {
	return fmt.Sprintf(`test_run {"command":"go test ./...","passed":%d,"failed":%d,"success":%v}`, passed, failed, failed == 0)
}

// told returns the text of the outcome with an id.
func (d *desk) told(o engine.ContextOptions, id string) string {
	d.t.Helper()
	for _, e := range d.tell(o).Outcomes {
		if e.ID == id {
			return e.Text
		}
	}
	d.t.Fatalf("%s is no outcome", id)
	return ""
}

// says fails unless a text has all words, in their order, and none behind an
// exclamation mark.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	at := 0
	for _, w := range words {
		if not, ok := strings.CutPrefix(w, "!"); ok {
			if strings.Contains(text, not) {
				t.Errorf("%q says %q", text, not)
			}
			continue
		}
		i := strings.Index(text[at:], w)
		if i < 0 {
			t.Errorf("%q does not say %q there", text, w)
			return
		}
		at += i + len(w)
	}
}

// TestContextWhatFollowed: an edit is told with the verdicts on it, at most three
// and in their order, and with a report only if there is none.
func TestContextWhatFollowed(t *testing.T) {
	d := newDesk(t)
	d.happen("s", "e1 "+edit, "v1 "+vet, "t1 "+tests(11, 1), "t2 "+tests(12, 2), "f1 "+thanks, "t3 "+tests(13, 3))
	says(t, d.told(about("a.go"), "e1"), "a.go", " -> ", "11 passed", " -> ", "12 passed", " -> ", "well done", "!vet", "!13 passed")

	d = newDesk(t)
	d.happen("s", "e1 "+edit, `m1 message {"role":"assistant","text":"hm"}`, "v1 "+vet, `v2 command_exec {"command":"git push","exit_code":1}`)
	says(t, d.told(about("a.go"), "e1"), " -> ", "go vet", "!git push", "!hm")

	d = newDesk(t)
	d.happen("s", "e1 "+edit, `m1 message {"role":"assistant","text":"hm"}`)
	says(t, d.told(about("a.go"), "e1"), "a.go", "!hm", "! -> ")
}

// TestContextWhatFollowedStops: at the next try, behind sixteen events, and at the
// end of the session.
func TestContextWhatFollowedStops(t *testing.T) {
	d := newDesk(t)
	d.happen("s", "e1 "+edit, "e2 "+edit, "t1 "+tests(11, 0))
	says(t, d.told(about("a.go"), "e1"), "! -> ")
	says(t, d.told(about("a.go"), "e2"), " -> ", "11 passed")

	for _, between := range []int{14, 15, 16} {
		d = newDesk(t)
		d.happen("s", "e1 "+edit)
		for i := range between {
			d.happen("s", fmt.Sprintf(`m%d message {"role":"user","text":"go on"}`, i))
		}
		d.happen("s", "t1 "+tests(11, 0))
		if text := d.told(about("a.go"), "e1"); strings.Contains(text, "11 passed") != (between < 16) {
			t.Errorf("%d between: %q", between, text)
		}
	}

	d = newDesk(t)
	d.happen("s", "e1 "+edit)
	d.happen("another", "t1 "+tests(11, 0))
	says(t, d.told(about("a.go"), "e1"), "! -> ")
}

// TestContextWhatFollowedACall: the result of a call is the next with the same
// frame, and is told with it.
func TestContextWhatFollowedACall(t *testing.T) {
	d := newDesk(t)
	d.happen("s", `c1 tool_call {"tool_name":"search_code","arguments":{"query":"round"},"call_id":"c"}`,
		`r1 tool_result {"tool_name":"search_code","call_id":"c","result":{"matches":3},"success":true}`, "t1 "+tests(1, 9))
	o := engine.ContextOptions{Verb: memory.VerbFind, Objects: map[string]string{"tool": "search_code"}}
	says(t, d.told(o, "c1"), "search_code", " -> ", "search_code", "!9 failed")
	says(t, d.told(o, "r1"), "search_code", "! -> ") // says itself how it went
}

// TestContextWhatFollowedIsShown: what is erased or over is not told, and the
// whole is trusted no more than the least of its parts.
func TestContextWhatFollowedIsShown(t *testing.T) {
	d := newDesk(t)
	d.happen("s", "e1 "+edit, "t1 "+tests(11, 1), "t2 "+tests(12, 2)+` "ttl_seconds":3600`, "f1 "+thanks)
	says(t, d.told(about("a.go"), "e1"), "11 passed", "12 passed", "well done")
	o := about("a.go")
	o.View.Now = d.clock.Now().Add(2 * time.Hour)
	says(t, d.told(o, "e1"), "11 passed", "!12 passed", "well done")
	if _, err := d.Redact(ctx, operator, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "t1"}}); err != nil {
		t.Fatal(err)
	}
	says(t, d.told(about("a.go"), "e1"), "!11 passed", "12 passed", "well done")

	d = newDesk(t)
	d.happen("s", `c1 tool_call {"tool_name":"edit_file","arguments":{"path":"a.go"},"call_id":"c"}`)
	before := d.tell(about("a.go")).Outcomes[0].Trust
	d.happen("s", "t1 "+tests(11, 1))
	after := d.tell(about("a.go")).Outcomes[0]
	if before != record.Agent || after.Trust != record.Tool || after.Status != string(memory.OutcomeUnknown) {
		t.Errorf("trust %s became %s; %+v", before, after.Trust, after)
	}
	o = about("a.go")
	o.IncludeTiers = []bundle.Tier{bundle.TierFrameRelevant}
	if e := d.tell(o).FrameRelevant[0]; strings.Contains(e.Text, "11 passed") || e.Trust != record.Agent {
		t.Errorf("what followed is told outside the outcomes: %+v", e)
	}
}

// TestContextWhatFollowedFits: the whole is as long as its form allows, what came
// of it is told in any case, and nothing that was quoted leaves its quotes.
func TestContextWhatFollowedFits(t *testing.T) {
	d := newDesk(t)
	long := strings.Repeat("word and word, ", 60)
	d.happen("s", fmt.Sprintf(`c1 tool_call {"tool_name":"edit_file","arguments":{"path":"a.go","text":%q},"call_id":"c"}`, long),
		fmt.Sprintf(`f1 feedback {"signal":"negative","comment":%q}`, "never again "+long), fmt.Sprintf(`f2 feedback {"signal":"negative","comment":%q}`, long))
	for _, form := range memory.FormList() {
		o := about("a.go")
		o.Form = form
		b := d.tell(o)
		e := b.Outcomes[0]
		if n := counter.Count(e.Text); n != e.Tokens || b.Tokens[e.Name] != n || form == memory.FormShort && n > 50 || form == memory.FormMedium && n > 200 {
			t.Errorf("%s: %d tokens, told %d: %q", form, n, e.Tokens, e.Text)
		}
		says(t, e.Text, "edit_file", "-> ", "never again")
		if form != memory.FormFull && strings.Count(e.Text, `"`)%2 != 0 {
			t.Errorf("%s: a quote is left open: %q", form, e.Text)
		}
	}
}

// TestContextTellingTypes: every type of event of which package kind says that
// it tells how something went is looked at, and no other.
func TestContextTellingTypes(t *testing.T) {
	told := map[hmx.EventType]bool{
		hmx.TypeTestRun: true, hmx.TypeError: true, hmx.TypeFeedback: true, hmx.TypeToolResult: true, hmx.TypeCommandExec: true, hmx.TypeAPIResult: true,
	}
	contents := map[hmx.EventType]string{
		hmx.TypeMessage: `{"role":"user","text":"x"}`, hmx.TypeToolCall: `{"tool_name":"x","arguments":{},"call_id":"c"}`,
		hmx.TypeToolResult: `{"tool_name":"x","call_id":"c","result":{},"success":true}`, hmx.TypeFileEdit: `{"path":"a.go","operation":"modify"}`,
		hmx.TypeTestRun: `{"command":"go test","passed":1,"failed":0,"success":true}`, hmx.TypeCommandExec: `{"command":"ls","exit_code":0}`,
		hmx.TypeBrowserAction: `{"action":"click","url":"https://example.com","success":true}`, hmx.TypeAPIResult: `{"method":"GET","url":"https://example.com","status_code":200,"success":true}`,
		hmx.TypeDecision: `{"question":"q","chosen_option":"o"}`, hmx.TypeError: `{"error_type":"E","message":"m"}`,
		hmx.TypeObservation: `{"description":"d","text":"d"}`, hmx.TypeStateChange: `{"entity":"e","from_state":"a","to_state":"b"}`, hmx.TypeFeedback: `{"signal":"positive"}`,
	}
	for typ, content := range contents {
		ev := &hmx.Event{EventType: typ, Content: hmx.Raw(content), Metadata: hmx.Raw("{}")}
		if got := kind.Read(ev).Tells; got != told[typ] {
			t.Errorf("%s: tells %v", typ, got)
		}
	}
}
