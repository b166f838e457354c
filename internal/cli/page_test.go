package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/testsize"
)

// The README and the pages beside it show real output: the test runs the commands of a page
// in order, on a board of its own and with a clock fixed at the time of the story, and
// compares what they print, except for random parts. -update pastes the new output.
func TestColdStartShowsWhatHappens(t *testing.T) {
	testsize.OneGoroutine(t)
	for _, page := range []string{"README.md", "docs/proofs.md", "docs/cold-start.md", "docs/recall.md", "docs/packs.md", "docs/compile.md", "docs/check.md"} {
		t.Run(filepath.Base(page), func(t *testing.T) { showsWhatHappens(t, page) })
	}
}

func showsWhatHappens(t *testing.T, name string) {
	page, err := filepath.Abs("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("examples", os.DirFS(examples)); err != nil {
		t.Fatal(err)
	}
	story := &story{t: t, now: time.Date(2026, 11, 6, 9, 0, 0, 0, time.UTC), data: "data"}
	shown := 0
	blocks := regexp.MustCompile("(?s)```console\n.*?```|~~~~console\n.*?~~~~") // the second for output with fences in it
	after := blocks.ReplaceAllStringFunc(string(before), func(block string) string {
		fence, _, _ := strings.Cut(block, "console\n")
		var b strings.Builder
		b.WriteString(fence + "console\n")
		for line := range strings.Lines(block) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				shown++
				b.WriteString(line + story.tell(command))
			}
		}
		return b.String() + fence
	})
	if shown < 4 {
		t.Errorf("the page runs the program %d times", shown)
	}
	if masked(after) == masked(string(before)) {
		return
	}
	if *update {
		if err := os.WriteFile(page, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s shows other output than the program prints: run go test ./internal/cli -run ColdStart -update\n%s", name, after)
}

// story runs the lines of a page one after the other, a minute apart.
type story struct {
	t    *testing.T
	now  time.Time
	data string
}

// tell runs a line and returns what it prints: commands of ours, of which one may read
// what another prints, or whose output goes to a file. A line that asks for a directory of
// its own gets one, and the tests are not run by themselves.
func (s *story) tell(line string) string {
	switch line = strings.TrimSpace(line); line {
	case "go test ./...":
		return ""
	case "export LUKASA_DATA=$(mktemp -d)":
		s.data += "-next"
		return ""
	}
	if dir, ok := strings.CutPrefix(line, "export LUKASA_DATA="); ok {
		s.data = dir
		return ""
	}
	line = strings.ReplaceAll(line, "go run ./cmd/lukasa ", term.Program+" ")
	line, file, filed := strings.Cut(line, " > ")
	in, problems := "", ""
	for part := range strings.SplitSeq(line, " | ") {
		var failed string
		in, failed = s.run(part, in)
		problems += failed
	}
	s.now = s.now.Add(time.Minute)
	if filed {
		if err := os.WriteFile(strings.TrimSpace(file), []byte(in), 0o600); err != nil {
			s.t.Error(err)
		}
		return problems
	}
	if in != "" && !strings.HasSuffix(in, "\n") {
		in += "\n" // as it is on a terminal
	}
	return in + problems
}

// run runs a command of ours.
func (s *story) run(line, in string) (out, problems string) {
	args, err := words(line)
	if err != nil || len(args) == 0 || args[0] != term.Program {
		s.t.Errorf("%s: this is not a command of ours: %v", line, err)
		return "", ""
	}
	env := setTo(map[string]string{"LUKASA_DATA": s.data, "LUKASA_WITNESS": "off", "USER": "dana"})
	_, out, problems = runWith(s.now, env, in, args[1:]...)
	return out, problems
}

// runAt runs a command line by a clock that stands still.
func runAt(now time.Time, env func(string) (string, bool), args ...string) (code int, stdout, stderr string) {
	return runWith(now, env, "", args...)
}

// runWith is runAt with something to read.
func runWith(now time.Time, env func(string) (string, bool), in string, args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	s := ask.NewShell(whole(), strings.NewReader(in), &out, &problems, env, func(any) term.Terminal { return term.Terminal{} })
	s.Now = func() time.Time { return now }
	code = run(context.Background(), s, commands(), args)
	return code, out.String(), problems.String()
}

// words splits a line as a shell does, as far as pages need it: blanks between
// words, and quotes of both sorts.
func words(line string) ([]string, error) {
	var list []string
	word, begun, quote := "", false, rune(0)
	for _, r := range strings.TrimSpace(line) {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ':
			if begun {
				list = append(list, word)
			}
			word, begun = "", false
		case strings.ContainsRune("|&;<>$`\\", r):
			return nil, errors.New("it needs a shell")
		default:
			word, begun = word+string(r), true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		list = append(list, word)
	}
	return list, nil
}
