package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// pushed is a session in which a push failed at first.
func pushed(t testing.TB, session int, project string) []*hmx.Event {
	t.Helper()
	name, seq := fmt.Sprintf("p%03d", session), 0
	var list []*hmx.Event
	add := func(kind, content string) {
		seq++
		text := fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"%s-%d","event_type":%q,"agent_id":"a1","tenant_id":"acme","session_id":%q,"timestamp":"2026-11-15T05:%02d:%02dZ","sequence":%d,"content":%s,"metadata":{"project_id":%q}}`,
			name, seq, kind, name, session, seq, seq, content, project)
		ev, _, err := hmx.DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	add("tool_call", `{"tool_name":"Bash","call_id":"1","arguments":{"command":"cd x && git push"}}`)
	add("tool_result", `{"tool_name":"Bash","call_id":"1","success":false,"result":{"text":"fatal: no upstream branch is set"}}`)
	add("tool_call", `{"tool_name":"Bash","call_id":"2","arguments":{"command":"git push -u origin topic"}}`)
	add("tool_result", `{"tool_name":"Bash","call_id":"2","success":true,"result":{"text":"done"}}`)
	return list
}

func lessonsOf(t testing.TB, b *engine.Board, o engine.LessonOptions) (out []string) {
	t.Helper()
	o.Tenant = "acme"
	list, err := b.Lessons(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		out = append(out, fmt.Sprintf("%s %d: %s -> %s", l.Project, l.Count, l.Command, l.FixedCommand))
	}
	return out
}

// TestLessons: lessons are the same before and after a compile, and respect projects,
// scopes and erasures.
func TestLessons(t *testing.T) {
	t.Parallel()
	clock := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now})
	store(t, b, pushed(t, 1, "shop")...)
	store(t, b, pushed(t, 2, "other")...)
	want := "shop 1: cd x && git push -> git push -u origin topic"
	check := func(when, want string, o engine.LessonOptions) {
		t.Helper()
		if got := fmt.Sprint(lessonsOf(t, b, o)); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	shop := engine.LessonOptions{Projects: []string{"shop"}}
	check("before a compile", "["+want+"]", shop)
	compileNow(t, b, engine.CompileOptions{})
	check("after a compile", "["+want+"]", shop)
	store(t, b, pushed(t, 3, "shop")...)
	check("with a session since", "[shop 2: cd x && git push -> git push -u origin topic]", shop)
	check("of another project", "[]", engine.LessonOptions{Projects: []string{"shopping"}})
	if got := lessonsOf(t, b, engine.LessonOptions{}); len(got) != 2 {
		t.Errorf("of all projects: %v", got)
	}
	none := mint(t, b, clock, func(g *scope.Grant) { g.Include.Tags = []string{"nothing"} })
	check("under a scope that shows nothing", "[]", engine.LessonOptions{View: engine.View{Scope: none}})
	if _, err := b.Lessons(ctx, engine.LessonOptions{Tenant: "acme", Limit: -1}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Error(err)
	}
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Event, "p001-1"), uri(record.Event, "p001-2"), uri(record.Event, "p003-1"), uri(record.Event, "p003-2")}))
	check("after an erasure", "[]", shop)
}

// TestLessonsKept holds that what a compile kept of failures answers as the sessions
// themselves do: with sessions since, without the file, with a damaged one, and after an
// erasure.
func TestLessonsKept(t *testing.T) {
	t.Parallel()
	fs := disk.NewMem()
	b := openWith(t, "data", engine.Options{FS: fs, Clock: newClock().Now})
	for n := range 12 {
		store(t, b, pushed(t, n, []string{"shop", "other", "shop/cmd"}[n%3])...)
	}
	half := pushed(t, 12, "shop")
	store(t, b, half[:2]...)
	before := lessonsOf(t, b, engine.LessonOptions{})
	compileNow(t, b, engine.CompileOptions{})
	name := keptFile(t, fs, "-failures")
	same := func(when string) {
		t.Helper()
		if got := lessonsOf(t, b, engine.LessonOptions{}); fmt.Sprint(got) != fmt.Sprint(before) {
			t.Errorf("%s: %v, want %v", when, got, before)
		}
	}
	same("from the file")
	store(t, b, pushed(t, 20, "shop")...)
	store(t, b, half[2:]...)
	before = lessonsOf(t, b, engine.LessonOptions{})
	if want := "shop 6: cd x && git push -> git push -u origin topic"; !slices.Contains(before, want) {
		t.Errorf("with a session since, and one that went on: %v, want %s", before, want)
	}
	data, err := disk.ReadFile(fs, name)
	must(t)(data, err)
	data[len(data)/2] ^= 1
	if err := disk.WriteFile(fs, name, data); err != nil {
		t.Fatal(err)
	}
	same("from a damaged file")
	if err := fs.Remove(name); err != nil {
		t.Fatal(err)
	}
	same("without the file")
	compileNow(t, b, engine.CompileOptions{})
	same("from the file again")
	must(t)(b.Redact(ctx, user, []memory.URI{uri(record.Event, "p000-1")}))
	if _, err := fs.Stat(name); err == nil {
		t.Error("the file is there after an erasure")
	}
}

// keptFile returns the name of the file with traces that ends so.
func keptFile(t testing.TB, fs disk.FS, suffix string) string {
	t.Helper()
	dir := fs.PathJoin("data", board.NameTraces)
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, suffix) {
			return fs.PathJoin(dir, name)
		}
	}
	t.Fatalf("no file ends with %s: %v", suffix, names)
	return ""
}
