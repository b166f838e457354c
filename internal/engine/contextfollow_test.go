package engine_test

import (
	"fmt"
	"slices"
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

// says fails unless a text has all words, in order, and none of those after an
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

// TestContextWhatFollowed: an edit is quoted with the verdicts on it, at most three
// and in order, and with a report only if there is none.
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

// TestContextWhatFollowedStops: at the next attempt, after sixteen events, and at
// the end of the session.
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

// TestContextWhatFollowedACall: the result of a call is quoted with it, and not by
// itself.
func TestContextWhatFollowedACall(t *testing.T) {
	d := newDesk(t)
	d.happen("s", `c1 tool_call {"tool_name":"search_code","arguments":{"query":"round"},"call_id":"c"}`,
		`r1 tool_result {"tool_name":"search_code","call_id":"c","result":{"matches":3},"success":true}`, "t1 "+tests(1, 9))
	o := engine.ContextOptions{Verb: memory.VerbFind, Objects: map[string]string{"tool": "search_code"}}
	says(t, d.told(o, "c1"), "search_code", " -> ", "search_code", "!9 failed")
	if b := d.tell(o); len(b.Outcomes) != 1 || b.Outcomes[0].Status != string(memory.OutcomeSuccess) {
		t.Errorf("the result of a call is told twice: %+v", b.Outcomes)
	}
}

// edits returns a call that edits a.go, runs one that runs a command, and cameOf
// the result of a call.
func edits(call string) string {
	return fmt.Sprintf(`tool_call {"tool_name":"Edit","arguments":{"file_path":"a.go"},"call_id":%q}`, call)
}

func runs(call, command string) string {
	return fmt.Sprintf(`tool_call {"tool_name":"Bash","arguments":{"command":%q},"call_id":%q}`, command, call)
}

func cameOf(tool, call, said string, well bool) string {
	return fmt.Sprintf(`tool_result {"tool_name":%q,"call_id":%q,"success":%v,"result":{"text":%q}}`, tool, call, well, said)
}

// TestContextOwnResult: the outcome of a call is its own result, wherever it is
// among the following events, and no other. If it failed, nothing else is quoted.
func TestContextOwnResult(t *testing.T) {
	d := newDesk(t)
	d.happen("s", "c1 "+edits("1"), "c2 "+edits("2"), "r2 "+cameOf("Edit", "2", "not found", false), "r1 "+cameOf("Edit", "1", "updated", true),
		"c3 "+runs("3", "go test ./..."), "r3 "+cameOf("Bash", "3", "--- FAIL: TestA", false), "f1 "+thanks)
	says(t, d.told(about("a.go"), "c2"), "called Edit on a.go -> Edit failed", "not found", "!FAIL", "!well done")
	// The second did nothing, so that the tests are about the first.
	says(t, d.told(about("a.go"), "c1"), "called Edit on a.go -> succeeded -> ran `go test ./...`: failed", "FAIL: TestA", " -> ", "well done", "!not found")
	b := d.tell(about("a.go"))
	if b.Outcomes[0].Status != string(memory.OutcomeFailure) || b.Outcomes[1].Status != string(memory.OutcomeSuccess) {
		t.Errorf("%+v", b.Outcomes)
	}

	d = newDesk(t)
	d.happen("s", "c1 "+edits("1"), "r2 "+cameOf("Edit", "2", "of another", true))
	says(t, d.told(about("a.go"), "c1"), "! -> ")

	// By the parent, if the result has no call_id.
	d = newDesk(t)
	d.happen("s", "c1 "+edits("1"), `r2 tool_result {"tool_name":"Edit","success":true} "parent_event_id":"c0"`, `r1 tool_result {"tool_name":"Edit","success":false} "parent_event_id":"c1"`, "t1 "+tests(11, 0))
	says(t, d.told(about("a.go"), "c1"), " -> Edit failed", "!passed", "!succeeded")

	// By the tool, if neither names anything.
	const call, result = `tool_call {"tool_name":"Edit","arguments":{"path":"a.go"}}`, `tool_result {"tool_name":"Edit","success":false}`
	d = newDesk(t)
	d.happen("s", "c1 "+call, `x1 tool_result {"tool_name":"Read","success":true}`, "r1 "+result, "t1 "+tests(11, 0))
	says(t, d.told(about("a.go"), "c1"), " -> Edit failed", "!Read", "!passed")
	d = newDesk(t)
	d.happen("s", "c1 "+call, "c2 "+call, "r2 "+result)
	says(t, d.told(about("a.go"), "c1"), "! -> ")
	says(t, d.told(about("a.go"), "c2"), " -> Edit failed")
}

// TestContextChecks: commands that check are verdicts, for every caller, and a
// failed one is always quoted.
func TestContextChecks(t *testing.T) {
	d := newDesk(t)
	d.happen("s", "e1 "+edit, `v1 command_exec {"command":"git diff","exit_code":0}`, `v2 command_exec {"command":"npm run lint","exit_code":1,"stderr":"no semicolon"}`)
	says(t, d.told(about("a.go"), "e1"), " -> ran `npm run lint`: exit 1", "!git diff")

	d = newDesk(t)
	d.happen("s", "e1 "+edit, "c1 "+runs("1", "cat a.go"), "r1 "+cameOf("Bash", "1", "package a", true), "c2 "+runs("2", "cd x && go build ./... && go test ./..."),
		"r0 "+cameOf("Bash", "0", "of another", false), "r2 "+cameOf("Bash", "2", "--- FAIL: TestA", false))
	says(t, d.told(about("a.go"), "e1"), " -> ran `cd x && go build ./... && go test ./...`: failed", "FAIL: TestA", "!package a", "!of another")

	// Failures take precedence over successes.
	d = newDesk(t)
	d.happen("s", "e1 "+edit)
	for i := range 4 {
		d.happen("s", fmt.Sprintf("t%d %s", i, tests(21+i, 0)))
	}
	d.happen("s", "v1 "+vet, "t9 "+tests(9, 7), "f1 "+thanks)
	says(t, d.told(about("a.go"), "e1"), "21 passed", "22 passed", "7 failed", "!23 passed", "!vet", "!well done")

	// In the short form as well.
	o := about("a.go")
	o.Form = memory.FormShort
	says(t, d.told(o, "e1"), "7 failed")
}

// TestContextLooking: a lookup is quoted only with its answer.
func TestContextLooking(t *testing.T) {
	d := newDesk(t)
	d.happen("s", `b1 browser_action {"action":"navigate","url":"https://a.b"}`, `c1 tool_call {"tool_name":"WebFetch","arguments":{"url":"https://a.b"},"call_id":"1"}`,
		"r1 "+cameOf("WebFetch", "1", "a page", true), "v1 "+vet, "t1 "+tests(11, 1), "f1 "+thanks)
	o := engine.ContextOptions{Verb: memory.VerbFind, Objects: map[string]string{"url": "https://a.b"}}
	says(t, d.told(o, "b1"), "https://a.b", "! -> ")
	says(t, d.told(o, "c1"), "called WebFetch on https://a.b -> WebFetch succeeded", "a page", "!passed", "!well done", "!vet")
}

// TestContextFeedbackOn: feedback that names an event is about that one, its result
// or its call; feedback on a message of the agent is about what it did before.
func TestContextFeedbackOn(t *testing.T) {
	for target, want := range map[string]string{"c1": "c1", "r1": "c1", "c2": "c2", "r2": "c2", "m1": "c1 c2", "m0": "", "c0": "", "": "c1 c2"} {
		d := newDesk(t)
		named := ""
		if target != "" {
			named = fmt.Sprintf(`,"target_event_id":%q`, target)
		}
		d.happen("s", `m0 message {"role":"user","text":"do it"}`, "c1 "+edits("1"), "r1 "+cameOf("Edit", "1", "ok", true),
			`c2 tool_call {"tool_name":"Edit","arguments":{"file_path":"b.go"},"call_id":"2"}`, "r2 "+cameOf("Edit", "2", "ok", true),
			`m1 message {"role":"assistant","text":"done"}`, `f1 feedback {"signal":"negative","comment":"wrong"`+named+`}`)
		var told []string
		for id, file := range map[string]string{"c1": "a.go", "c2": "b.go"} {
			if strings.Contains(d.told(about(file), id), "wrong") {
				told = append(told, id)
			}
		}
		slices.Sort(told)
		if got := strings.Join(told, " "); got != want {
			t.Errorf("feedback on %q is told with %q, want %q", target, got, want)
		}
	}
}

// TestContextWhatFollowedIsShown: erased and expired events are not quoted, and the
// whole has the trust of its least trusted part.
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

// TestContextWhatFollowedFits: the whole fits its form, the outcome is always
// included, and quoted text stays within its quotes.
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

// TestContextTellingTypes: exactly the event types that package kind marks as
// having outcomes are read.
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
