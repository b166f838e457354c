package trace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
	"pgregory.net/rapid"
)

// drawEvent draws an event of any type, with content of the names that are read and
// values that are usual, hostile or of the wrong kind.
func drawEvent(t *rapid.T, i int) Event {
	names := []string{
		"role", "text", "tool_name", "arguments", "call_id", "result", "success", "is_error", "exit_code", "command", "stderr", "stdout", "url", "method", "status_code", "response", "path", "operation",
		"action", "selector", "value", "question", "chosen_option", "alternatives", "reasoning", "error_type", "message", "stack", "signal", "target_event_id", "subject", "to", "reason", "failures",
		"passed", "failed", "duration_ms", "error",
	}
	values := []string{
		`"user"`, `"assistant"`, `"a"`, `"b"`, `"Bash"`, `"1"`, `"e1"`, `"e2"`, `true`, `false`, `0`, `1`, `-7`, `1e300`, `null`, `""`, `"go test ./..."`, `"positive"`, `"negative"`, `"correction"`, `"task"`, `"done"`, `"started"`,
		`"Thanks!"`, `"It works now"`, `"book a flight to SEA for mia_li_3668"`, `"Error: order 17 not found"`, `"What is the next task?"`, `{"command":"ls -la | wc"}`, `{"user_id":"mia_li_3668","n":12345,"l":["A1B2","C3D4"]}`,
		`["A1B2","C3D4","E5F6"]`, `{"text":"[{\"id\":\"A1B2\"},{\"id\":\"C3D4\"}]"}`, `{"error":{"message":"boom","code":"E1"}}`, `[[[[{"a":[]}]]]]`, `"{\"a\":\"b\"}"`, `"\u0000\ud83d\ude00\u202e\\\"'` + "`" + `"`,
		`"https://u:p@h:1/a/17?b=c#d"`, `"` + strings.Repeat("x", 700) + `"`, `"` + strings.Repeat("word ", 300) + `"`, `"<<<>>>&&||;;\n#"`, `"thread 'main' panicked at a.rs:1:\nboom"`,
	}
	content := "{"
	for k, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 7, rapid.ID).Draw(t, "names") {
		if k > 0 {
			content += ","
		}
		content += `"` + name + `":` + rapid.SampledFrom(values).Draw(t, name)
	}
	content += "}"
	if rapid.IntRange(0, 20).Draw(t, "odd") == 0 {
		content = rapid.SampledFrom([]string{"", "[]", "null", "{", `"x"`}).Draw(t, "content")
	}
	ev := &hmx.Event{
		EventID: fmt.Sprintf("e%d", i), EventType: rapid.SampledFrom(append(hmx.EventTypes(), hmx.TypeMessage, hmx.TypeToolCall, hmx.TypeToolResult, "x-a-b")).Draw(t, "type"),
		AgentID: "agent", SessionID: "s", Content: hmx.Raw(content), Metadata: hmx.Raw(rapid.SampledFrom([]string{"{}", `{"exit_code":1}`, "x"}).Draw(t, "metadata")),
	}
	if link := rapid.IntRange(-3, i).Draw(t, "link"); link >= 0 {
		ev.ParentEventID = hmx.Some(fmt.Sprintf("e%d", link))
	}
	return Event{ev, uint64(i), trustOf(ev)}
}

func drawEvents(t *rapid.T, most int) []Event {
	events := make([]Event, rapid.IntRange(0, most).Draw(t, "events"))
	for i := range events {
		events[i] = drawEvent(t, i)
	}
	return events
}

// checkBounds fails if a trace is larger than it may be, or says what cannot be.
func checkBounds(t interface{ Fatalf(string, ...any) }, tr *Trace) {
	if len(tr.Tasks) > MaxTasks || len(tr.Abroad) > MaxAbroad {
		t.Fatalf("%d tasks, %d verdicts on others", len(tr.Tasks), len(tr.Abroad))
	}
	for i := range tr.Tasks {
		task := &tr.Tasks[i]
		if len(task.Goal) > MaxGoal || len(task.Words) > MaxWords || !slices.IsSorted(task.Words) || len(task.Steps) > MaxSteps || len(task.Choices) > MaxChoices {
			t.Fatalf("task %d is too large", i)
		}
		if (task.Outcome == Unknown) != (task.By == ByNothing) || (task.By == ByNothing) != (task.Judge == Ref{}) {
			t.Fatalf("task %d ended %d by %d, %v", i, task.Outcome, task.By, task.Judge)
		}
		checkTalk(t, task.Said, task.Asked)
		for k := range task.Steps {
			s := &task.Steps[k]
			if s.Tool == "" || len(s.Tool) > shapes.MaxName || len(s.Shape) > shapes.MaxShape || len(s.Error) > shapes.MaxError || len(s.Args) > shapes.MaxArgs || s.Times == 0 || s.Open > provenance.MaxOpen || s.Left > provenance.MaxOpen {
				t.Fatalf("step %d is too large: %+v", k, s)
			}
			if s.State == Unanswered && (s.Known || s.Result.ID != "" || s.Error != "") || s.State == Broken && !s.Known || s.Error != "" && s.State != Broken || s.Cost < 0 {
				t.Fatalf("step %d cannot be: %+v", k, s)
			}
			checkTalk(t, s.Said, s.Asked)
		}
		for _, c := range task.Choices {
			if c.Step >= len(task.Steps) || c.Step >= 0 && task.Steps[c.Step].Tool != ToolDecision {
				t.Fatalf("a choice is of step %d of %d", c.Step, len(task.Steps))
			}
		}
	}
}

func checkTalk(t interface{ Fatalf(string, ...any) }, words []string, asked uint8) {
	if int(asked) > len(words) || asked > MaxSaid || len(words)-int(asked) > MaxSaid {
		t.Fatalf("%d words, %d of the user", len(words), asked)
	}
}

// TestReadKeepsItsPromises holds for any events: bounds, that the same events give the
// same trace whether read at once, with looks in between or after another session, and
// that a trace comes back from its encoding.
func TestReadKeepsItsPromises(t *testing.T) {
	var used Reader
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t, 40)
		var plain, looked Reader
		used.Reset()
		for _, e := range events {
			plain.Add(e)
			looked.Add(e)
			looked.Trace()
			used.Add(e)
		}
		want := plain.Trace()
		checkBounds(t, want)
		for name, got := range map[string]*Trace{"looked at": looked.Trace(), "of a used reader": used.Trace(), "again": plain.Trace()} {
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s it is\n%s, and otherwise\n%s", name, dump(got), dump(want))
			}
		}
		got, err := Decode(Append(nil, []*Trace{want}), nil)
		if err != nil || !reflect.DeepEqual(got[0], want) {
			t.Fatalf("it comes back as\n%v, %v", got, err)
		}
	})
}

// TestSessionsAreApart holds that how sessions are mixed in a stream makes no
// difference, and that a look at a trace is not changed by what follows.
func TestSessionsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawEvents(t, 15), drawEvents(t, 15)
		var alone, first, second Reader
		for _, e := range a {
			alone.Add(e)
		}
		i, k := 0, 0
		for i < len(a) || k < len(b) {
			if k == len(b) || i < len(a) && rapid.Bool().Draw(t, "turn") {
				first.Add(a[i])
				i++
			} else {
				second.Add(b[k])
				k++
			}
		}
		if got, want := first.Trace(), alone.Trace(); !reflect.DeepEqual(got, want) {
			t.Fatalf("beside another session it is\n%s, and alone\n%s", dump(got), dump(want))
		}
		early := alone.Trace()
		before := dump(early)
		for _, e := range b {
			alone.Add(e)
		}
		if dump(early) != before {
			t.Fatalf("what was returned changed")
		}
	})
}

// TestLongSessions holds the bounds for sessions of a hundred thousand events.
func TestLongSessions(t *testing.T) {
	testsize.OneGoroutine(t)
	const n = 100_000
	random := rand.New(rand.NewPCG(1, 2))
	for name, content := range map[string]func(i int) (hmx.EventType, string){
		"one tool": func(i int) (hmx.EventType, string) {
			if i%2 == 0 {
				return hmx.TypeToolCall, fmt.Sprintf(`{"tool_name":"a","call_id":"%d"}`, i)
			}
			return hmx.TypeToolResult, fmt.Sprintf(`{"tool_name":"a","call_id":"%d","success":true}`, i-1)
		},
		"two tools in turn": func(i int) (hmx.EventType, string) {
			return hmx.TypeCommandExec, fmt.Sprintf(`{"command":"x%d","exit_code":0}`, i%2)
		},
		"calls without results": func(i int) (hmx.EventType, string) {
			return hmx.TypeToolCall, fmt.Sprintf(`{"tool_name":"t%d","arguments":{"id":"A%d"}}`, i, i)
		},
		"results without calls": func(i int) (hmx.EventType, string) {
			return hmx.TypeToolResult, fmt.Sprintf(`{"tool_name":"t","call_id":"%d","result":["A%d","B%d"]}`, i, i, i)
		},
		"a task each": func(i int) (hmx.EventType, string) {
			switch i % 3 {
			case 0:
				return hmx.TypeMessage, `{"role":"user","text":"please fix the next bug"}`
			case 1:
				return hmx.TypeDecision, `{"question":"how?","chosen_option":"so"}`
			}
			return hmx.TypeFeedback, `{"signal":"positive"}`
		},
		"anything": func(i int) (hmx.EventType, string) {
			types := hmx.EventTypes()
			return types[random.IntN(len(types))], fmt.Sprintf(`{"role":"user","text":"word%c thing","tool_name":"t%d","signal":"negative","target_event_id":"x%d","success":%v}`, 'a'+rune(i%26), random.IntN(9), i, i%3 == 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(&Strings{})
			calls := 0
			for i := range n {
				typ, c := content(i)
				ev := &hmx.Event{EventID: fmt.Sprintf("e%d", i), EventType: typ, SessionID: "s", AgentID: "a", Content: hmx.Raw(c), Metadata: "{}"}
				r.Add(Event{ev, uint64(i), trustOf(ev)})
			}
			tr := r.Trace()
			checkBounds(t, tr)
			for _, task := range tr.Tasks {
				calls += task.Dropped
				for _, s := range task.Steps {
					calls += int(s.Times)
				}
			}
			if name == "two tools in turn" && calls != n || name == "one tool" && calls != n/2 {
				t.Errorf("%d steps are told of", calls)
			}
			if tr.Events != n {
				t.Errorf("%d events were read", tr.Events)
			}
		})
	}
}

// TestReadHoldsNoEvent holds that no string of a trace is a part of an event, which
// would keep all of it.
func TestReadHoldsNoEvent(t *testing.T) {
	for _, events := range sessionsOf(t, "../../examples/parcels.ndjson") {
		tr := traceOf(t, events)
		for _, e := range events {
			for _, whole := range []string{string(e.Content), e.EventID, e.SessionID, e.AgentID} {
				walkStrings(reflect.ValueOf(tr), func(s string) {
					if within(s, whole) {
						t.Errorf("%q is a part of event %s", s, e.EventID)
					}
				})
			}
		}
	}
}

// within reports whether part is a piece of the memory of whole.
func within(part, whole string) bool {
	if part == "" || whole == "" {
		return false
	}
	p, w := uintptr(unsafe.Pointer(unsafe.StringData(part))), uintptr(unsafe.Pointer(unsafe.StringData(whole)))
	return p >= w && p < w+uintptr(len(whole))
}

// walkStrings calls f for every string below v.
func walkStrings(v reflect.Value, f func(string)) {
	switch v.Kind() {
	case reflect.String:
		f(v.String())
	case reflect.Pointer:
		walkStrings(v.Elem(), f)
	case reflect.Slice:
		for i := range v.Len() {
			walkStrings(v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walkStrings(v.Field(i), f)
		}
	}
}

func TestReadPassesErrorsOn(t *testing.T) {
	want := errors.New("cannot read on")
	tr, err := Read(func(yield func(Event, error) bool) {
		if yield(newSession().user("x").events[0], nil) {
			yield(Event{}, want)
		}
	})
	if tr != nil || err != want {
		t.Errorf("Read returned %v, %v", tr, err)
	}
	tr, err = Read(func(yield func(Event, error) bool) { yield(Event{}, nil) })
	if err != nil || tr.Events != 0 || len(tr.Tasks) != 0 {
		t.Errorf("no event is read as %v, %v", tr, err)
	}
}

// FuzzRead reads events, one a line, and as content of every type whatever is no event.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"tool_name":"Bash","arguments":{"command":"cd x && go test ./... | tee a.txt"},"call_id":"1"}` + "\n" + `{"call_id":"1","result":{"text":"{\"a\":[\"B1\",\"C2\"]}"},"success":false}`))
	f.Add([]byte(`{"role":"user","text":"thanks"}` + "\n" + `{"message":"panic: x\n\tat y","stack":"","signal":"positive","question":"next task","to":"done","subject":"task"}`))
	f.Add([]byte(`{"url":"https://u:p@h/1/2?x=y","method":"get","status_code":500,"response":["\u001b[0m"],"command":["sh","-c","'"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Reader
		i := uint64(0)
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if ev, _, err := hmx.DecodeEvent([]byte(line)); err == nil {
				r.Add(Event{ev, i, trustOf(ev)})
				i++
				continue
			}
			for _, typ := range hmx.EventTypes() {
				ev := &hmx.Event{EventID: fmt.Sprint("e", i), EventType: typ, SessionID: "s", AgentID: line, Content: hmx.Raw(line), Metadata: hmx.Raw(line), Source: hmx.Some(line), ParentEventID: hmx.Some(line)}
				r.Add(Event{ev, i, trustOf(ev)})
				i++
			}
		}
		tr := r.Trace()
		checkBounds(t, tr)
		got, err := Decode(Append(nil, []*Trace{tr}), nil)
		if err != nil || !reflect.DeepEqual(got[0], tr) {
			t.Fatalf("it comes back as %v, %v", got, err)
		}
	})
}
