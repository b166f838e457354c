package lessons

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// coding is a session of a coding agent in short notation: each line is a command, "! SAYS"
// after it means that it failed with that output, "? " before it that it was denied, and "edit"
// is an edit of a file.
func coding(t testing.TB, n int, project string, lines ...string) *trace.Trace {
	t.Helper()
	var r trace.Reader
	at, id := hmx.TimeOf(trace.Ref{Time: 1e12 + int64(n)*60_000}.When().Time()), 0
	add := func(typ hmx.EventType, content map[string]any) {
		data, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		meta, _ := json.Marshal(map[string]string{"project_id": project})
		id++
		ev := &hmx.Event{EventID: fmt.Sprintf("s%d-%d", n, id), SessionID: fmt.Sprint("s", n), EventType: typ, Timestamp: at, Content: hmx.Raw(data), Metadata: hmx.Raw(meta)}
		r.Add(trace.Event{Event: ev, Position: uint64(1000*n + id), Trust: record.Agent})
	}
	for i, line := range lines {
		call := fmt.Sprint("c", i)
		line, denied := strings.CutPrefix(line, "? ")
		command, says, broke := strings.Cut(line, " ! ")
		if command == "edit" {
			add(hmx.TypeFileEdit, map[string]any{"path": "a.go", "operation": "modify", "success": true})
			continue
		}
		add(hmx.TypeToolCall, map[string]any{"tool_name": "Bash", "call_id": call, "arguments": map[string]any{"command": command}})
		result := map[string]any{"tool_name": "Bash", "call_id": call, "success": !broke, "result": map[string]any{"text": says}}
		if denied {
			result = map[string]any{"tool_name": "Bash", "call_id": call, "denied": true, "result": map[string]any{"text": says}}
		}
		add(hmx.TypeToolResult, result)
	}
	return r.Trace()
}

// lessonsOf returns the lessons of sessions.
func lessonsOf(traces []*trace.Trace, f LessonFilter) []Lesson {
	var all []Failure
	for _, t := range traces {
		all = append(all, Failures(t, nil)...)
	}
	return Lessons(all, f)
}

// lessonsShown returns the lessons of visible events.
func lessonsShown(traces []*trace.Trace, shown func(uint64) bool) []Lesson {
	var all []Failure
	for _, t := range traces {
		all = append(all, Failures(t, shown)...)
	}
	return Lessons(all, LessonFilter{Limit: 50})
}

func TestLessons(t *testing.T) {
	t.Parallel()
	const shop, other = "github.com/acme/shop", "/home/mia/other"
	traces := []*trace.Trace{
		coding(t, 1, shop, "git push ! fatal: The current branch topic has no upstream branch", "git push -u origin topic"),
		coding(t, 2, shop, "go test ./... ! ./a.go:3:2: undefined: total", "edit", "go test ./..."),
		coding(t, 3, shop, "npm run test ! npm error Missing script: \"test\"", "ls", "npm run test:unit"),
		coding(t, 4, other, "make ! make: *** No rule to make target 'all'. Stop.", "./configure --prefix=/x", "make"),
		coding(t, 5, shop, "git push ! fatal: The current branch fix has no upstream branch", "git push --set-upstream origin fix"),
		coding(t, 6, shop, "? git push origin main ! Lukasa: a hard rule speaks against it", "git push origin topic"),
		coding(t, 7, shop, "ls nowhere ! ls: cannot access 'nowhere': No such file or directory", "terraform apply ! exit status 1", "lukasa search x ! no such board"),
		coding(t, 8, shop, "python run.py ! bash: python: command not found", "python3 run.py"),
	}
	show := func(list []Lesson) (out []string) {
		for _, l := range list {
			out = append(out, fmt.Sprintf("%s [%s] %q -> %s %q, %d in %d, %d mended, %s", l.Step, l.Shape, l.Error, l.Fixed, l.Between, l.Count, l.Sessions, l.Mended, l.Project))
		}
		return out
	}
	got := show(lessonsOf(traces, LessonFilter{Limit: 50}))
	text := strings.Join(got, "\n")
	for _, part := range []string{
		"-> git push -u <remote> <branch>", "-> git push --set-upstream <remote> <branch>", "npm run test [npm run test]", "-> npm run test:unit", `-> make ["configure --prefix=<path>"]`,
		`go test [go test <path>] "<path>: undefined: total" -> go test <path> ["file_edit"], 1 in 1, 1 mended`, "-> python3 run.py",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("nothing says %q in\n%s", part, text)
		}
	}
	for _, part := range []string{"Lukasa", "lukasa", "ls ", "terraform"} {
		if strings.Contains(text, part) {
			t.Errorf("%q is a lesson in\n%s", part, text)
		}
	}
	// The result is the same in any order, limited to one project, and limited in number.
	reversed := slices.Clone(traces)
	slices.Reverse(reversed)
	if again := show(lessonsOf(reversed, LessonFilter{Limit: 50})); !reflect.DeepEqual(got, again) {
		t.Errorf("in another order\n%s", strings.Join(again, "\n"))
	}
	for _, l := range lessonsOf(traces, LessonFilter{Projects: []string{"/home/mia"}}) {
		if l.Project != other {
			t.Errorf("a lesson of %s", l.Project)
		}
	}
	if n := len(lessonsOf(traces, LessonFilter{Projects: []string{"/home/m"}})); n > 0 {
		t.Errorf("%d lessons of a project that begins alike", n)
	}
	if n := len(lessonsOf(traces, LessonFilter{Limit: 2})); n != 2 {
		t.Errorf("%d lessons", n)
	}
	// Neither a hidden failure nor its hidden fix is returned.
	hidden := lessonsShown(traces, func(p uint64) bool { return p/1000 == 4 && p%1000 < 5 })
	if len(hidden) != 1 || hidden[0].Fixed != "" || hidden[0].Step != "make" {
		t.Errorf("of what is shown %q", show(hidden))
	}
}
