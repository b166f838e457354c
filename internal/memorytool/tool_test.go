package memorytool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/operation"
)

// world is a board and a caller that may write there.
type world struct {
	t     testing.TB
	board *lukasa.Board
}

func newWorld(t testing.TB) *world {
	t.Helper()
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := board.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{t, board}
}

// call returns a call with all rights in a tenant.
func (w *world) call(tenant string) *operation.Call {
	return &operation.Call{Board: w.board, Who: &auth.Principal{
		Key: "k1", Role: auth.Member, Tenant: tenant, Rights: auth.Read | auth.Write, Trust: lukasa.User,
	}}
}

// run runs a command of the tool.
func (w *world) run(args string) (*Result, error) {
	op := Operations()[0]
	in, err := op.DecodeArguments([]byte(args))
	if err != nil {
		return nil, err
	}
	out, err := op.Run(w.t.Context(), w.call("acme"), in)
	if err != nil {
		return nil, err
	}
	return out.(*Result), nil
}

// must is run for commands that succeed.
func (w *world) must(args string) {
	w.t.Helper()
	if out, err := w.run(args); err != nil || out.IsError {
		w.t.Fatalf("%s: %+v, %v", args, out, err)
	}
}

// root returns the root of the tenant.
func (w *world) root() string {
	w.t.Helper()
	root, err := w.call("acme").Tenant().Root(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprint(root)
}

// describe returns a request as JSON.
func describe(in *Request) string {
	text, err := json.Marshal(in)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// hostilePaths lead elsewhere, or are hard to tell from other paths.
var hostilePaths = []string{
	"", "/", "memories/a", "/memoriesx", "/memories../a", "/etc/passwd", "/memories/..", "/memories/../etc", "/memories/a/../../etc", "/memories/./a", "/memories/a/.",
	"/memories/...", "/memories//a", "//memories/a", "/memories/a//", "/memories///", `/memories\a`, `/memories/..\a`, `\memories\a`, "/memories/a\x00b", "/memories/a\nb",
	"/memories/\x1b[2J", "/memories/%2e%2e/a", "/memories/%2E%2E%2Fa", "/memories/a%00", "/memories/a%5cb", "/memories/\u202egpj.exe", "/memories/ a", "/memories/a /b",
	"/memories/" + strings.Repeat("a", 600), "/memories" + strings.Repeat("/a", 17), "/Memories/a", "/memories/\ufffd", "C:/memories/a", "file:///memories/a", "~/memories/a", "/memories/\u0085",
}

// No spelling of a path leads out of /memories, for any command.
func TestHostilePaths(t *testing.T) {
	w := newWorld(t)
	before := w.root()
	for _, path := range hostilePaths {
		p, err := json.Marshal(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{
			`{"command":"view","path":%s}`, `{"command":"create","path":%s,"file_text":"x"}`, `{"command":"str_replace","path":%s,"old_str":"a","new_str":"b"}`,
			`{"command":"insert","path":%s,"insert_line":0,"insert_text":"x"}`, `{"command":"delete","path":%s}`,
			`{"command":"rename","old_path":%s,"new_path":"/memories/n"}`, `{"command":"rename","old_path":"/memories/n","new_path":%s}`,
		} {
			out, err := w.run(fmt.Sprintf(call, p))
			if fault.CodeOf(err) == fault.InvalidArgument {
				continue // it is empty
			}
			if err != nil {
				t.Fatal(err)
			}
			got := out
			if !got.IsError || !strings.Contains(got.Content, "is invalid: ") || len(got.Content) > 300 || strings.ContainsAny(got.Content, "\x00\n\x1b") {
				t.Errorf("%q: %+v", path, got)
			}
		}
	}
	if w.root() != before {
		t.Error("something was written")
	}
}

// A caller that keeps losing the race gets an error in words, and a cancelled call stops
// waiting.
func TestOutrun(t *testing.T) {
	w := newWorld(t)
	w.must(`{"command":"create","path":"/memories/log.md","file_text":"x"}`)
	c := w.call("acme")
	own := &tool{c: c, tenant: c.Tenant()}
	p, err := ParsePath("/memories/log.md")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	outrun := func(*file) (string, error) {
		n++
		return "", fault.New(fault.VersionConflict, "another writer was faster")
	}
	_, err = own.attempt(ctx, p, outrun)
	if bad, ok := errors.AsType[*toolError](err); !ok || !strings.Contains(bad.words, "try again") || n != mostAttempts {
		t.Errorf("after %d attempts: %v", n, err)
	}
	n = 0
	_, err = own.attempt(ctx, p, func(f *file) (string, error) {
		cancel()
		return outrun(f)
	})
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("a call that is over made %d attempts: %v", n, err)
	}
}

// naiveFiles is the reference implementation of the tool on a map.
type naiveFiles map[string]string

// under returns the files below a directory.
func (n naiveFiles) under(dir string) (list []string) {
	for path := range n {
		if strings.HasPrefix(path, dir+"/") {
			list = append(list, path)
		}
	}
	return list
}

// do executes a command, and reports whether it succeeded.
func (n naiveFiles) do(in *Request) bool {
	text, there := n[in.Path]
	switch in.Command {
	case "create":
		if there || in.Path == "/memories" || len(n.under(in.Path)) > 0 {
			return false
		}
		for path := range n {
			if strings.HasPrefix(in.Path, path+"/") {
				return false
			}
		}
		n[in.Path] = *in.FileText
	case "str_replace":
		if !there || strings.Count(text, *in.OldStr) != 1 || *in.OldStr == "" {
			return false
		}
		n[in.Path] = strings.Replace(text, *in.OldStr, *in.NewStr, 1)
	case "insert":
		closed := strings.HasSuffix(text, "\n")
		var lines []string
		if text != "" {
			lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		at := int(*in.InsertLine)
		if !there || at < 0 || at > len(lines) {
			return false
		}
		put := strings.TrimSuffix(*in.InsertText, "\n")
		if at == len(lines) && strings.HasSuffix(*in.InsertText, "\n") {
			closed = true
		}
		lines = append(lines[:at:at], append([]string{put}, lines[at:]...)...)
		n[in.Path] = strings.Join(lines, "\n")
		if closed {
			n[in.Path] += "\n"
		}
	case "delete":
		list := n.under(in.Path)
		if in.Path == "/memories" || !there && len(list) == 0 {
			return false
		}
		delete(n, in.Path)
		for _, path := range list {
			delete(n, path)
		}
	case "rename":
		return n.rename(in.OldPath, in.NewPath)
	}
	return true
}

func (n naiveFiles) rename(from, to string) bool {
	list := n.under(from)
	_, file := n[from]
	_, taken := n[to]
	if !file && len(list) == 0 || from == "/memories" || taken || to == "/memories" || len(n.under(to)) > 0 || from == to || strings.HasPrefix(to, from+"/") {
		return false
	}
	for path := range n {
		if strings.HasPrefix(to, path+"/") {
			return false
		}
	}
	if file {
		list = append(list, from)
	}
	for _, path := range list {
		n[to+strings.TrimPrefix(path, from)] = n[path]
		delete(n, path)
	}
	return true
}

// For random commands, the files equal those of the naive model: their names, their contents,
// and which commands are refused.
func TestAgainstModel(t *testing.T) {
	w := newWorld(t)
	serial := 0
	rapid.Check(t, func(t *rapid.T) {
		serial++
		c := w.call(fmt.Sprintf("model-%d", serial))
		files := naiveFiles{}
		paths := rapid.SampledFrom([]string{"/memories", "/memories/a", "/memories/b", "/memories/d/a", "/memories/d/b", "/memories/d", "/memories/d/e/a", "/memories/d/e", "/memories/a/x"})
		texts := rapid.SampledFrom([]string{"", "\n", "  ", "one", "one\n", "one\ntwo", "two\none\n", "a\n\nb\n", "---\nx: 1\n---\n", "ünï\n"})
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			in := &Request{Command: rapid.SampledFrom([]string{"create", "create", "str_replace", "insert", "delete", "rename"}).Draw(t, "command")}
			text, other, line := texts.Draw(t, "text"), texts.Draw(t, "other"), int64(rapid.IntRange(-1, 4).Draw(t, "line"))
			switch in.Command {
			case "create":
				in.FileText = &text
			case "str_replace":
				in.OldStr, in.NewStr = &text, &other
			case "insert":
				in.InsertLine, in.InsertText = &line, &text
			}
			if in.Command == "rename" {
				in.OldPath, in.NewPath = paths.Draw(t, "old"), paths.Draw(t, "new")
			} else {
				in.Path = paths.Draw(t, "path")
			}
			got, err := run(w.t.Context(), c, in)
			if err != nil {
				t.Fatalf("%s: %v", describe(in), err)
			}
			if want := files.do(in); want == got.IsError {
				t.Fatalf("%s: %+v, and the model says %v", describe(in), got, want)
			}
		}
		own := &tool{c: c, tenant: c.Tenant()}
		list, err := own.below(w.t.Context(), nil)
		if err != nil || len(list) != len(files) {
			t.Fatalf("%v, %v, and the model has %v", list, err, files)
		}
		for _, e := range list {
			f, err := own.read(w.t.Context(), e.path)
			if want, ok := files[e.path.String()]; err != nil || !ok || f.text != want || e.size != len(want) {
				t.Fatalf("%s is %q of %d bytes, and the model says %q (%v)", e.path, f.text, e.size, want, err)
			}
		}
	})
}

// Sizes are formatted for people.
func TestFileSize(t *testing.T) {
	for n, want := range map[int]string{0: "0B", 1: "1B", 1023: "1023B", 1024: "1K", 1536: "1.5K", 5632: "5.5K", 2047: "2K", 1 << 20: "1M", 1258291: "1.2M", 3 << 30: "3G"} {
		if got := fileSize(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// FuzzPath: an accepted path is printed as it was read, except for a final slash, gives a
// valid key, and has no segment that leads elsewhere.
func FuzzPath(f *testing.F) {
	for _, p := range append([]string{"/memories", "/memories/", "/memories/a/b.md", "/memories/ü ö"}, hostilePaths...) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		if s := p.String(); s != text && s+"/" != text {
			t.Fatalf("%q became %q", text, s)
		}
		if !p.root() && memory.CheckKey(p.key()) != nil || strings.Contains(p.String()+"/", "/../") || strings.ContainsAny(text, "\\\x00") {
			t.Fatalf("%q is taken", text)
		}
		if again, ok := pathOf(p.key()); !p.root() && (!ok || again.String() != p.String()) {
			t.Fatalf("%q is %q by its key", p, again)
		}
	})
}
