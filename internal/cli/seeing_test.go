package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
)

// pane is an output that can be waited for.
type pane struct {
	mu   sync.Mutex
	text bytes.Buffer
	grew chan struct{}
}

func newPane() *pane { return &pane{grew: make(chan struct{}, 1)} }

func (w *pane) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.grew <- struct{}{}:
	default:
	}
	return w.text.Write(p)
}

func (w *pane) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// await waits until the output has a text.
func (w *pane) await(t *testing.T, want string) {
	t.Helper()
	hang := time.NewTimer(time.Minute)
	defer hang.Stop()
	for !strings.Contains(w.String(), want) {
		select {
		case <-w.grew:
		case <-hang.C:
			t.Fatalf("%q does not come: %s", want, w.String())
		}
	}
}

// tailed is an event with an id.
func tailed(id string, sequence int64) *hmx.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: id, EventType: hmx.TypeMessage, AgentID: "a", TenantID: "t", SessionID: "s",
		Timestamp: hmx.TimeOf(time.Unix(1e9, 0)), Sequence: sequence, Content: hmx.Raw(`{"role":"user","text":"` + id + `"}`), Metadata: "{}",
	}
}

func homeEnv(home string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == "HOME" {
			return home, true
		}
		return "", false
	}
}

// A tail shows what comes, on a directory that others write to meanwhile, goes on through
// a server that takes it, and ends with 0 when it is interrupted.
func TestTail(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".lukasa")
	record := func(id string, sequence int64) {
		t.Helper()
		b, err := lukasa.Open(dir, lukasa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = b.Close() }()
		if _, err := b.Append(t.Context(), lukasa.Writer{Actor: "test"}, tailed(id, sequence)); err != nil {
			t.Fatal(err)
		}
	}
	record("first", 1)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out := newPane()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"tail", "--json"}, strings.NewReader(""), out, io.Discard, homeEnv(home))
	}()
	out.await(t, `"event_id":"first"`)
	eventually(t, func() bool {
		b, err := lukasa.Open(dir, lukasa.Options{}) // it may look just now
		if err != nil {
			return false
		}
		_ = b.Close()
		return true
	})
	record("second", 2)
	out.await(t, `"event_id":"second"`)

	var b *lukasa.Board
	eventually(t, func() bool {
		var err error
		b, err = lukasa.Open(dir, lukasa.Options{})
		return err == nil
	})
	desk, err := ask.OpenCounter(dir, ask.Served{Board: b}, whole())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Append(t.Context(), lukasa.Writer{Actor: "test"}, tailed("third", 3)); err != nil {
		t.Fatal(err)
	}
	out.await(t, `"event_id":"third"`)
	if _, err := b.Append(t.Context(), lukasa.Writer{Actor: "test"}, tailed("fourth", 4)); err != nil {
		t.Fatal(err)
	}
	out.await(t, `"event_id":"fourth"`)
	interrupt()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d after an interrupt", code)
	}
	if n := strings.Count(out.String(), "\n"); n != 4 {
		t.Errorf("%d lines: %s", n, out.String())
	}
	if err := desk.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// eventually tries something until it is so.
func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it does not come to be")
}

// A tail that a server carries out ends when the server does, and says how to go on.
func TestTailOfAServerThatEnds(t *testing.T) {
	home, dir, b := openHome(t)
	if _, err := b.Append(t.Context(), lukasa.Writer{Actor: "test"}, tailed("first", 1)); err != nil {
		t.Fatal(err)
	}
	desk, err := ask.OpenCounter(dir, ask.Served{Board: b}, whole())
	if err != nil {
		t.Fatal(err)
	}
	out, problems := newPane(), newPane()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(t.Context(), []string{"tail"}, strings.NewReader(""), out, problems, homeEnv(home))
	}()
	out.await(t, "first")
	if err := desk.Close(context.Background()); err != nil { // would wait for ever otherwise
		t.Error(err)
	}
	if code := <-ended; code == 0 || !strings.Contains(problems.String(), "lukasa tail --from 1") {
		t.Errorf("exit code %d: %s", code, problems.String())
	}
}

// The doctor changes nothing, whatever it finds.
func TestDoctorChangesNothing(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".lukasa")
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		if _, err := b.Append(t.Context(), lukasa.Writer{Actor: "test"}, tailed(strings.Repeat("e", int(i+1)), i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "journal", "*"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	for _, x := range []struct {
		name  string
		spoil func() error
		code  int
	}{
		{"sound", func() error { return nil }, 0},
		{"no index", func() error { return os.RemoveAll(filepath.Join(dir, "index")) }, 0},
		{"cut short", func() error { return os.Truncate(segments[0], 100) }, 1},
		{"no mark", func() error { return os.Remove(filepath.Join(dir, "LUKASA")) }, 1},
	} {
		if err := x.spoil(); err != nil {
			t.Fatal(err)
		}
		before := tree(t, home)
		var out, problems bytes.Buffer
		if code := Run(t.Context(), []string{"doctor"}, strings.NewReader(""), &out, &problems, homeEnv(home)); code != x.code {
			t.Errorf("%s: exit code %d\n%s%s", x.name, code, out.String(), problems.String())
		}
		if after := tree(t, home); after != before {
			t.Errorf("%s: it was\n%s\nand is\n%s", x.name, before, after)
		}
	}
}

// tree tells all files below a directory and what is in them.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			b.WriteString(path + "\n")
			return err
		}
		data, err := os.ReadFile(path)
		b.WriteString(path + " " + info.Mode().String() + "\n")
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The doctor asks a server that has the directory.
func TestDoctorAsksTheServer(t *testing.T) {
	home, dir, b := openHome(t)
	desk, err := ask.OpenCounter(dir, ask.Served{Board: b, URL: "http://127.0.0.1:1"}, whole())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = desk.Close(t.Context()) }()
	var out, problems bytes.Buffer
	code := Run(t.Context(), []string{"doctor"}, strings.NewReader(""), &out, &problems, homeEnv(home))
	for _, want := range []string{`ok    lock `, `ok    journal         the server finds it in order`, `ok    runs            it answers commands`, `ok    version `, `mend  port            no connection to http://127.0.0.1:1`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
}

// requests are the lines of a page that roff obeys.
var requests = regexp.MustCompile(`^\.(TH|SH|TP|PP|br|nf|fi)( |$)`)

// Every page says what its command says, and nothing in it commands roff but what we wrote.
func TestManPages(t *testing.T) {
	every(t, func(t *testing.T, c *cobra.Command) {
		page := string(manPage(c))
		for line := range strings.Lines(page) {
			line = strings.TrimRight(line, "\n")
			if (strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")) && !requests.MatchString(line) {
				t.Errorf("%q is no request of ours", line)
			}
		}
		if again := string(manPage(c)); again != page {
			t.Error("it is not the same twice")
		}
		for _, want := range []string{".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXAMPLES", roff(c.Short)} {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in it", want)
			}
		}
	})
	for text, want := range map[string]string{".TH x": `\&.TH x`, "'br": `\&'br`, `a\fB-b`: `a\efB\-b`, "plain": "plain"} {
		if got := roffLine(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got, want := roffText("One `bold` word.\n\n.dot\n  lukasa `x"), "One \\fBbold\\fR word.\n.PP\n\\&.dot\n.br\n  lukasa `x\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// openHome makes a home with a data directory, and opens it until the test ends.
func openHome(t *testing.T) (home, dir string, b *lukasa.Board) {
	t.Helper()
	home = t.TempDir()
	dir = filepath.Join(home, ".lukasa")
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return home, dir, b
}
