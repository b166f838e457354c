package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/tokens"
)

// An input that is no object with an event name is an error.
func TestDecodeRefuses(t *testing.T) {
	for _, input := range []string{"", " ", "nonsense", "null", "[]", `"x"`, "{", `{"hook_event_name":`, `{"hook_event_name":""}`, `{"hook_event_name":5e999}x`, "{}", `{} {}`, "\xff\xfe{"} {
		c, err := Decode(ClaudeCode, []byte(input), Options{Now: called})
		if fault.CodeOf(err) != fault.InvalidDocument {
			t.Errorf("%q becomes %+v, %v", input, c, err)
		}
	}
	if _, err := Decode(ClaudeDesktop, []byte(`{"hook_event_name":"Stop"}`), Options{Now: called}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("an agent without hooks: %v", err)
	}
}

// Every subscribed event is understood.
func TestSubscriptionsAreKnown(t *testing.T) {
	for _, agent := range Agents() {
		for _, s := range Events(agent) {
			if agent == OpenCode && s.Event == "event" {
				continue // it carries others
			}
			c, err := Decode(agent, []byte(`{"hook_event_name":"`+s.Event+`","prompt":"x","tool_name":"t"}`), Options{Now: called})
			if err != nil || c.Note != "" {
				t.Errorf("%s %s: %v, %v", agent, s.Event, c, err)
				continue
			}
			if c.Ask != Nothing && !s.Answers && c.Takes() {
				t.Errorf("%s %s is answered and says that it is not", agent, s.Event)
			}
			if s.Timeout < 1 || s.Timeout > 60 {
				t.Errorf("%s %s is given %d s", agent, s.Event, s.Timeout)
			}
		}
	}
	if Events(ClaudeDesktop) != nil || Events("other") != nil {
		t.Error("an agent without hooks has subscriptions")
	}
}

// A call and its result have the ids of the transcript, so that reading that later adds no
// duplicates.
func TestIDsOfTranscripts(t *testing.T) {
	in := `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"x","tool_use_id":"toolu_1"}`
	c, err := Decode(ClaudeCode, []byte(in), Options{Now: called})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range c.Events {
		got = append(got, e.EventID)
	}
	want := []string{foreign.EventID(foreign.ClaudeCode, "call", "toolu_1"), foreign.EventID(foreign.ClaudeCode, "result", "toolu_1")}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the ids are %v and not %v", got, want)
	}
}

// The same prompt twice in a session gives two events, and reading one twice gives one.
func TestPromptsAreTold(t *testing.T) {
	in := []byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"yes"}`)
	ids := map[string]bool{}
	for i := range 6 {
		c, err := Decode(ClaudeCode, in, Options{Now: called.Add(time.Duration(i/2) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		ids[c.Events[0].EventID] = true
	}
	if len(ids) != 3 {
		t.Errorf("three prompts, each read twice, become %d events", len(ids))
	}
}

// A text that is far too long is cut, the event says so, and the rest of the input is kept.
func TestHugeInput(t *testing.T) {
	testsize.OneGoroutine(t)
	long := strings.Repeat("wörter und Zeilen\\n", 1<<16)
	for _, tc := range []struct{ name, in, session string }{
		{"a text", `{"hook_event_name":"UserPromptSubmit","prompt":"Begin ` + long + `","session_id":"s-1"}`, "s-1"},
		{"a result", `{"hook_event_name":"PostToolUse","session_id":"s-1","tool_name":"Bash","tool_use_id":"t","tool_response":{"stdout":"` + long + `"}}`, "s-1"},
		{"a list", `{"session_id":"s-1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":[` + strings.Repeat(`{"type":"text","text":"x"},`, 100_000) + `{}]}`, "s-1"},
		{"a list before the rest", `{"tool_response":[[` + strings.Repeat(`{"type":"te]}xt","text":"x\\\""},`, 100_000) + `{}]],"session_id":"s-1","hook_event_name":"PostToolUse","tool_name":"Bash"}`, "s-1"},
		{"escapes", `{"hook_event_name":"UserPromptSubmit","prompt":"Begin ` + strings.Repeat(`\u00e4\\`, 1<<17) + `","session_id":"s-1"}`, "s-1"},
	} {
		in, err := Read(strings.NewReader(tc.in))
		if err != nil || !in.Cut || len(in.Text) > maxHeld || len(in.Rest) > 0 {
			t.Errorf("%s: %d bytes of %d are held, cut %v, rest %q, %v", tc.name, len(in.Text), len(tc.in), in.Cut, in.Rest, err)
		}
		for _, agent := range []string{ClaudeCode, Codex} {
			c, err := Decode(agent, in.Text, Options{Now: called, Cut: in.Cut})
			if err != nil {
				t.Errorf("%s: %v", tc.name, err)
				continue
			}
			if c.Session != tc.session || len(c.Events) == 0 {
				t.Errorf("%s: session %q has %d events", tc.name, c.Session, len(c.Events))
			}
			for _, e := range c.Events {
				if !strings.Contains(string(e.Metadata), `"cut":true`) {
					t.Errorf("%s: the event does not say that it was cut: %s", tc.name, e.Metadata)
				}
			}
		}
	}
}

// Short input is not changed, whatever it is.
func TestReadLeavesShortInput(t *testing.T) {
	for _, in := range []string{"", "x", `{"a":"b\"c\\","d":[1,{"e":null}]}`, "\x00\xff", `"`, `{"a":"\`, "]]]}"} {
		got, err := Read(strings.NewReader(in))
		if err != nil || got.Cut || string(got.Text) != in || len(got.Rest) > 0 {
			t.Errorf("%q becomes %+v, %v", in, got, err)
		}
	}
	got, err := Read(io.MultiReader(strings.NewReader(`{"a":"`), broken{}))
	if !errors.Is(err, io.ErrNoProgress) || string(got.Text) != `{"a":"` {
		t.Errorf("a reader that fails: %+v, %v", got, err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

// An answer never exceeds its budget, with its marks.
func TestWithin(t *testing.T) {
	text := strings.Repeat("- Releases are cut every second Tuesday of the month.\n", 400)
	for _, budget := range []int{0, 1, 60, 200, 800, 4000} {
		got := echo.Open(disk.NewMem(), "d").Wrap("Memory (Lukasa): recalled for this prompt, not said by the user.", Within(text, budget))
		if n := tokens.Estimate().Count(got); n > budget {
			t.Errorf("of a budget of %d are %d used", budget, n)
		}
	}
}

func TestOpenCodePlugin(t *testing.T) {
	got := string(OpenCodePlugin(`C:\lukasa "x".exe`, []string{"hook", "opencode", "--data", "/a b"}))
	for _, want := range []string{`const program = "C:\\lukasa \"x\".exe"`, `const args = ["hook","opencode","--data","/a b"]`} {
		if !strings.Contains(got, want) {
			t.Errorf("the plugin has no %s", want)
		}
	}
	if strings.Contains(got, "@PROGRAM@") || !bytes.Equal([]byte(got), OpenCodePlugin(`C:\lukasa "x".exe`, []string{"hook", "opencode", "--data", "/a b"})) {
		t.Error("it is not the same twice, or not filled in")
	}
}

// For any input: no panic, valid HMX events, no text of Lukasa's own, and an answer that is an
// object.
func FuzzDecode(f *testing.F) {
	for _, agent := range Agents() {
		for _, s := range Events(agent) {
			f.Add(agent, `{"hook_event_name":"`+s.Event+`","session_id":"s","prompt":"§Lyx2x x\ny","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":[1,{"text":"§Lyj3m a"}],"tool_use_id":"t"}`)
		}
	}
	f.Add(OpenCode, `{"hook_event_name":"event","event":{"type":"message.updated","properties":{"info":{"role":"assistant"},"text":"x"}}}`)
	f.Add(Cursor, `{"hook_event_name":"afterFileEdit","file_path":"a","edits":[1,{"old_string":"a"}],"duration":-1}`)
	f.Fuzz(func(t *testing.T, agent, in string) {
		input, err := Read(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Decode(agent, input.Text, Options{Now: called, Cut: input.Cut})
		if err != nil {
			return
		}
		for _, e := range c.Events {
			if strings.Contains(string(e.Content), `"§Lyx2x x"`) || strings.Contains(string(e.Content), `\n§Lyx2x x"`) {
				t.Errorf("Lukasa's own words are recorded: %s", e.Content)
			}
		}
		var g golden
		if err := json.Unmarshal(goldenOf(t, c), &g); err != nil {
			t.Error(err)
		}
	})
}

// Reading does not wait for an agent that leaves its end of the pipe open.
func TestReadEndsWithTheObject(t *testing.T) {
	in, out := io.Pipe()
	go func() { _, _ = io.WriteString(out, `{"a":{"b":[1,{}]},"c":"}"}`+"\n") }() // and no end
	got, err := Read(in)
	if string(got.Text) != `{"a":{"b":[1,{}]},"c":"}"}` || got.Cut || len(got.Rest) > 0 || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// What follows the object is returned separately.
func TestReadRest(t *testing.T) {
	for in, want := range map[string]string{"{}": "", "{}\n\t \n": "", `{"a":1} {"b":2}` + "\n": `{"b":2}`, "{}x": "x", "{}{}{}": "{}{}"} {
		got, err := Read(strings.NewReader(in))
		if err != nil || string(got.Rest) != want || string(got.Text)+want != strings.Join(strings.Fields(in), "") {
			t.Errorf("%q becomes %+v, %v", in, got, err)
		}
	}
}

// Lukasa's own tools are recognised by their whole name, and by a command line that does
// nothing else.
func TestOwn(t *testing.T) {
	command := func(s string) tool { return tool{name: "Bash", arguments: map[string]any{"command": s}} }
	for _, x := range []tool{{name: "mcp__lukasa__recall"}, {name: "mcp_lukasa_recall"}, {name: "lukasa.pack"}, command("lukasa recall a/b"), command(" /opt/bin/lukasa pack 'x y' --json")} {
		if !own(x, nil) {
			t.Errorf("%+v is not known", x)
		}
	}
	for _, x := range []tool{{name: "mcp__my-lukasa__sh"}, {name: "mcp__lukasaish__sh"}, command("lukasa version; rm -rf /data"), command("/tmp/lukasa || rm -rf /data"), command("lukasa pack $(rm x)"), command("lukasa a\nrm b"), command("cat lukasa")} {
		if own(x, nil) {
			t.Errorf("%+v passes for Lukasa's own", x)
		}
	}
}

// Two prompts at the same moment are two events.
func TestPromptsOfOneMoment(t *testing.T) {
	ids := map[string]bool{}
	for _, text := range []string{"one", "two"} {
		c, err := Decode(ClaudeCode, []byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"`+text+`"}`), Options{Now: time.UnixMicro(1794823997249054)})
		if err != nil || len(c.Events) != 1 {
			t.Fatal(c, err)
		}
		ids[c.Events[0].EventID] = true
	}
	if len(ids) != 2 {
		t.Errorf("%v", ids)
	}
}
