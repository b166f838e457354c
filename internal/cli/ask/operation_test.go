package ask

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/cli/term"
)

// statsCommand is a command of an operation with two bounded numbers.
func statsCommand(s *Shell) *cobra.Command {
	c := OperationCommand(s, Command[answer.Stats]{
		Operation: "stats", Use: "stats",
		Flags: []Flag{{Field: "days"}, {Field: "top", Name: "most", Help: "name `N` of them"}},
		Print: func(s *term.Screen, a *answer.Stats) { _, _ = io.WriteString(s.Stdout, a.Tenant) },
	})
	c.SilenceErrors, c.SilenceUsage = true, true
	return c
}

// A flag has the default, the range and, unless the command has a better one, the help of its field.
func TestFlagsAreThoseOfTheOperation(t *testing.T) {
	t.Parallel()
	flags := statsCommand(testShell(nil, io.Discard, io.Discard)).Flags()
	for _, f := range api.Lookup("stats").Fields() {
		name := map[string]string{"days": "days", "top": "most"}[f.Name]
		if name == "" {
			if flags.Lookup(f.Name) != nil {
				t.Errorf("--%s: nobody asked for it", f.Name)
			}
			continue
		}
		got := flags.Lookup(name)
		if got == nil || got.DefValue != f.Default() {
			t.Errorf("--%s: %+v, want the default %s", name, got, f.Default())
		}
	}
	if got := flags.Lookup("days").Usage; got != "growth over the latest days" {
		t.Errorf("the help of --days is %q", got)
	}
	if got := flags.Lookup("most").Usage; got != "name `N` of them" {
		t.Errorf("the help of --most is %q", got)
	}
}

// What a field does not take is refused before a board is opened; what it takes reaches the operation.
func TestOperationCommandRuns(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Tenant("acme", lukasa.Writer{Actor: "t", Trust: lukasa.User}).Remember(t.Context(), &lukasa.Memory{Type: "fact", Key: "a", Text: "b"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		var out strings.Builder
		s := testShell(nil, &out, io.Discard)
		c := statsCommand(s)
		c.SetArgs(args)
		err := c.ExecuteContext(context.Background())
		if failed := s.Stdout.Finish(); failed != nil {
			t.Fatal(failed)
		}
		return out.String(), err
	}
	if out, err := run("--data", dir, "--most", "2"); err != nil || out != "acme" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := run("--data", filepath.Join(dir, "nowhere"), "--most", "0"); err == nil || !strings.Contains(err.Error(), "--most: 0 is not between 1 and 1000") {
		t.Errorf("%v", err)
	}
}

// The flags name the writer, not the request.
func TestOperationCommandWritesAsTheFlagsSay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	run := func(args ...string) (*answer.Write, error) {
		var wrote *answer.Write
		s := testShell(nil, io.Discard, io.Discard)
		c := OperationCommand(s, Command[answer.Write]{
			Operation: "remember", Use: "remember", Argument: "key", Args: cobra.ExactArgs(2), Creates: true,
			Flags:   []Flag{{Field: "tags", Name: "tag"}, IfVersionFlag()},
			Prepare: func(r *Request) error { r.Fields["text"] = r.Args[1]; return nil },
			Print:   func(_ *term.Screen, a *answer.Write) { wrote = a },
		})
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(append([]string{"--data", dir}, args...))
		err := c.ExecuteContext(context.Background())
		return wrote, err
	}
	a, err := run("a", "b", "--actor", "ann", "--trust", "agent")
	if err != nil || a.Trust != lukasa.Agent {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"a", "b", "--tag", ""}, "--tag "},
		{[]string{"a", "b", "--trust", "king"}, "unknown tier for --trust"},
		{[]string{"a", "\xff"}, "text: it is not UTF-8"},
		{[]string{"a", "c", "--if-version", "7", "--actor", "ann", "--trust", "agent"}, "is at version 1, but 7 was expected"},
	} {
		if _, err := run(c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	thing, err := b.Tenant("default", lukasa.Writer{}).Get(t.Context(), lukasa.Ref{Kind: lukasa.MemoryKind, Key: "a"}, lukasa.View{})
	if err != nil || thing.Actor != "ann" {
		t.Errorf("written by %+v, %v", thing, err)
	}
	for _, op := range api.Operations() {
		for _, f := range op.Fields() {
			if f.Name == "actor" {
				t.Errorf("%s: a request names who writes", op.Name)
			}
		}
	}
}
