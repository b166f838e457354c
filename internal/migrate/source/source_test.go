package source

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/toolcall"
)

// told is a sink that writes down in one line what it is given.
type told struct{ lines []string }

func (s *told) Take(_ context.Context, it Item) error {
	if it.Event != nil {
		s.lines = append(s.lines, fmt.Sprintf("%s %s", it.Event.EventType, it.Event.Content))
	} else {
		s.lines = append(s.lines, string(it.Body.Kind().String()))
	}
	return nil
}

func (s *told) Leave(l Left) {
	s.lines = append(s.lines, fmt.Sprintf("left %d %s", l.Line, l.Reason))
}

// read reads a text with a function in the place of a format.
func read(t *testing.T, f foreign.Format, text string, read func(context.Context, *Run) error) []string {
	t.Helper()
	s := &told{}
	x := Reader{Format: f, Read: read}
	if err := x.Take(t.Context(), Source{Name: "x.jsonl", Reader: strings.NewReader(text)}, Options{Tenant: "acme"}, s, nil); err != nil {
		t.Fatal(err)
	}
	return s.lines
}

// Values are found in lines, in lists and in the lists of an object, and broken ones affect only
// themselves.
func TestPieces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		members    []string
		want       string
	}{
		{"lines", "{\"a\":1}\n\n{\"a\":2}\n", nil, `1/-1 {"a":1}; 3/-1 {"a":2}`},
		{"a list", "[{\"a\":1},\n{\"a\":2}]", nil, `1/0 {"a":1}; 2/1 {"a":2}`},
		{"values one after the other", "{\"a\":\n1} {\"a\":2}", nil, `1/-1 {"a":` + "\n" + `1}; 2/-1 {"a":2}`},
		{"lists of an object", `{"x":1,"in":[{"a":1},{"a":2}],"y":[3]}`, []string{"in"}, `1/0 in {"a":1}; 1/1 in {"a":2}; 1/-1 rest {"x":1,"y":[3]}`},
		{"lists of objects on lines", "{\"in\":[7]}\n{\"in\":[8]}\n", []string{"in"}, `1/0 in 7; 1/-1 rest {}; 2/0 in 8; 2/-1 rest {}`},
		{"brackets in a text", `[{"a":"]}\"["},2]`, nil, `1/0 {"a":"]}\"["}; 1/1 2`},
		{"an open text", "[{\"a\":\"x\n},{\"b\":1}]", nil, "1/0 {\"a\":\"x\n}; 2/1 {\"b\":1}"},
		{"cut off", `[{"a":1},{"b`, nil, `1/0 {"a":1}; left 1 unfinished`},
		{"a broken line", "{\"in\":[1]}\n{\"in\":[}\n{\"in\":[2]}\n", []string{"in"}, `1/0 in 1; 1/-1 rest {}; left 2 broken; 3/0 in 2; 3/-1 rest {}`},
		{"no JSON", "words\n{\"a\":1}", nil, `left 1 broken; 2/-1 {"a":1}`},
		{"no UTF-8", "[\"\xff\"]", nil, "left 1 garbled; 1/0 \"\xff\""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var all []string
			left := read(t, "test", tc.text, func(ctx context.Context, r *Run) error {
				s, _ := r.sink.(*told)
				return r.Pieces(ctx, tc.members, func(p Piece) error {
					kind := p.In
					if p.Rest {
						kind = "rest"
					}
					s.lines = append(s.lines, strings.Join(strings.Fields(fmt.Sprintf("%d/%d %s", p.Line, p.Index, kind)), " ")+" "+string(p.Text))
					return nil
				})
			})
			all = append(all, left...)
			if got := strings.Join(all, "; "); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// A call that only edits files waits for its result: it becomes its edits if it went well, and a
// call with its result if not. Without a result it is left out.
func TestEditsWaitForTheirResult(t *testing.T) {
	t.Parallel()
	arguments := func() map[string]any {
		return map[string]any{"file_path": "/a.go", "old_string": "1", "new_string": "2"}
	}
	const edit = `file_edit {"call_id":"c","diff":"-1\n+2","operation":"modify","path":"/a.go","tool_name":"Edit"}`
	const call = `tool_call {"arguments":{"file_path":"/a.go","new_string":"2","old_string":"1"},"call_id":"c","tool_name":"Edit"}`
	for _, tc := range []struct {
		name string
		f    foreign.Format
		end  *toolcall.Outcome
		want []string
	}{
		{"done", foreign.ClaudeCode, &toolcall.Outcome{Success: hmx.Some(true)}, []string{edit}},
		{"not known", foreign.ClaudeCode, &toolcall.Outcome{}, []string{edit}},
		{"timed", foreign.ClaudeCode, &toolcall.Outcome{Duration: "7"}, []string{strings.Replace(edit, `,"operation`, `,"duration_ms":7,"operation`, 1)}},
		{"failed", foreign.ClaudeCode, &toolcall.Outcome{Success: hmx.Some(false)}, []string{call, `tool_result {"call_id":"c","result":{},"success":false,"tool_name":"Edit"}`}},
		{"denied", foreign.Codex, &toolcall.Outcome{DeniedBy: toolcall.ByUser}, []string{call, `tool_result {"call_id":"c","denied":true,"denied_by":"user","result":{},"tool_name":"Edit"}`}},
		{"interrupted", foreign.Codex, &toolcall.Outcome{Success: hmx.Some(true), Interrupted: true}, []string{call, `tool_result {"call_id":"c","interrupted":true,"result":{},"tool_name":"Edit"}`}},
		{"no end", foreign.OpenCode, nil, []string{"left 3 unfinished"}},
		{"an agent without hooks", "test", &toolcall.Outcome{Success: hmx.Some(true)}, []string{call, `tool_result {"call_id":"c","result":{},"success":true,"tool_name":"Edit"}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tc.f, "", func(ctx context.Context, r *Run) error {
				turn := &Turn{Place: Place{Line: 3, Index: -1}, Session: "s", Named: true}
				if err := r.Call(ctx, turn, "c", "Edit", arguments()); err != nil {
					return err
				}
				if open, _ := r.Called(turn, "c"); !open {
					t.Error("the call is not open")
				}
				if tc.end != nil {
					if err := r.Conclude(ctx, turn, "c", "", *tc.end, map[string]any{}); err != nil {
						return err
					}
				}
				r.Unended()
				return nil
			})
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

// Calls of Lukasa's own tools are left out with their results.
func TestOwnCallsAreLeftOut(t *testing.T) {
	t.Parallel()
	got := read(t, "test", "", func(ctx context.Context, r *Run) error {
		turn := &Turn{Place: Place{Line: 1, Index: -1}, Session: "s", Named: true}
		if err := r.Call(ctx, turn, "c", "mcp__lukasa__search", map[string]any{}); err != nil {
			return err
		}
		if open, own := r.Called(turn, "c"); open || !own {
			t.Errorf("open %v, own %v", open, own)
		}
		return r.Result(ctx, turn, "c", "", map[string]any{"text": "x"}, hmx.Opt[bool]{})
	})
	if strings.Join(got, " ") != "left 1 own left 1 own" {
		t.Errorf("%q", got)
	}
}

// A shape has the paths of members, the values of type and role, and bounds.
func TestShapes(t *testing.T) {
	t.Parallel()
	const text = `{"type":"message","id":"secret","messages":[{"role":"user","content":[{"type":"text"}]},{"name":1}],"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}`
	v, err := ShapeOf(json.NewDecoder(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	if !v.All("type", "type=message", "id", "messages.role=user", "messages.content.type=text", "messages.name", "a.b.c.d.e") {
		t.Errorf("%v", v)
	}
	if v.Any("id=secret", "a.b.c.d.e.f", "messages.role=assistant", "role") {
		t.Errorf("%v", v)
	}
	if _, err := ShapeOf(json.NewDecoder(strings.NewReader(strings.Repeat("[", 5000)))); !errors.Is(err, ErrDeep) {
		t.Errorf("%v", err)
	}
	for want, got := range map[Level]Level{Certain: Grade(true, true, true), Likely: Grade(false, true, true), Fits: Grade(false, false, true), 0: Grade(false, false, false)} {
		if got != want {
			t.Errorf("%d is %d", want, got)
		}
	}
}

// The look at the beginning of a source ends the reading before anything is taken, and leaves the
// source whole.
func TestLookComesFirst(t *testing.T) {
	t.Parallel()
	whole := ""
	x := Reader{Format: "test", Read: func(_ context.Context, r *Run) error {
		head, _ := r.Text.Peek(PeekBytes)
		whole = string(head)
		return nil
	}}
	no := fault.New(fault.InvalidDocument, "no")
	for _, refuse := range []bool{true, false} {
		err := x.Take(t.Context(), Source{Reader: strings.NewReader("{}\n")}, Options{Tenant: "acme"}, &told{}, func(text *bufio.Reader) error {
			if head, _ := text.Peek(2); string(head) != "{}" {
				t.Errorf("%q", head)
			}
			if refuse {
				return no
			}
			return nil
		})
		if refuse != (err == error(no)) || refuse != (whole == "") {
			t.Errorf("%v, %q", err, whole)
		}
	}
	if err := x.Take(t.Context(), Source{Reader: strings.NewReader("{}")}, Options{}, &told{}, nil); err == nil {
		t.Error("there is no tenant, and no error")
	}
}
