//go:build unix

package agentstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
)

// terminal is an agent in a pseudo-terminal.
type terminal struct {
	b    *bench
	tty  *os.File
	out  output
	cmd  *exec.Cmd
	done chan struct{}
}

// open starts a program in a pseudo-terminal that is wide enough for a sentence.
func (b *bench) open(p *Project, env []string, name string, args ...string) *terminal {
	b.Helper()
	t := &terminal{b: b, done: make(chan struct{})}
	t.cmd = exec.Command(filepath.Join(b.world.bin(), name), args...)
	t.cmd.Dir, t.cmd.Env = p.Dir, b.world.Environ(env...)
	tty, err := pty.StartWithSize(t.cmd, &pty.Winsize{Rows: 60, Cols: 220})
	if err != nil {
		b.Fatal(err)
	}
	t.tty = tty
	go func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := tty.Read(buf)
			_, _ = t.out.Write(buf[:n])
			if err != nil {
				break
			}
		}
		_ = t.cmd.Wait()
		close(t.done)
	}()
	limit := time.AfterFunc(b.limit, func() { killGroup(t.cmd.Process.Pid) })
	b.Cleanup(func() {
		limit.Stop()
		t.close()
	})
	return t
}

// close kills the program and its children.
func (t *terminal) close() {
	killGroup(t.cmd.Process.Pid)
	<-t.done
	t.tty.Close()
}

var (
	forward = regexp.MustCompile(`\x1b\[(\d*)C`)
	escapes = regexp.MustCompile(`\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[\[(][0-9;?<>=!]*[ -/]*[@-~]|\x1b[=>78]`)
	blanks  = regexp.MustCompile(`[\s│╭╮╰╯─]+`)
)

// screen is everything ever shown, as words separated by single spaces.
func (t *terminal) screen() string {
	s := forward.ReplaceAllStringFunc(t.out.String(), func(m string) string {
		n, _ := strconv.Atoi(forward.FindStringSubmatch(m)[1])
		return strings.Repeat(" ", max(1, n))
	})
	return blanks.ReplaceAllString(escapes.ReplaceAllString(s, " "), " ")
}

// shows waits until the screen has shown a text.
func (t *terminal) shows(text string) bool {
	for range 1200 {
		if strings.Contains(t.screen(), text) {
			return true
		}
		select {
		case <-t.done:
			return strings.Contains(t.screen(), text)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}

// press sends keys as a person would: after the screen is idle.
func (t *terminal) press(keys string) {
	time.Sleep(500 * time.Millisecond)
	if _, err := t.tty.WriteString(keys); err != nil {
		t.b.Fatal(err)
	}
}

// dialog breaks a rule in Claude Code with a user at the terminal: Claude Code asks, with the
// rule as the reason. The user's answer decides.
func dialog(b *bench) {
	p := b.project("shop")
	b.session(p, rule, Say("Understood."))
	b.trustFolder(p)
	ask := func(answer string) *terminal {
		s := b.model.Play(Shell(push), Say("That was all of it."))
		t := b.open(p, claudeEnv(s), "claude", "Please publish the work.", "--model", claudeModel, "--allowedTools", "Bash")
		if !t.shows("Do you want to proceed?") {
			b.Fatalf("no question was asked:\n%s", tail(t.screen(), 3000))
		}
		if !denied(t.screen()) {
			b.Errorf("the question does not say the rule:\n%s", tail(t.screen(), 3000))
		}
		if b.pushed(p) {
			b.Error("claude pushed before the answer")
		}
		t.press(answer)
		return t
	}
	no := ask("\x1b")
	time.Sleep(2 * time.Second)
	no.close()
	if b.pushed(p) {
		b.Error("claude pushed although the user said no")
	}
	yes := ask("1")
	if !yes.shows("That was all of it.") {
		b.Errorf("the turn did not go on:\n%s", tail(yes.screen(), 3000))
	}
	yes.close()
	if !b.pushed(p) {
		b.Errorf("claude did not push although the user said yes:\n%s", tail(yes.screen(), 3000))
	}
	b.order()
}

// trustFolder does what a user does at the first start of Claude Code in a directory.
func (b *bench) trustFolder(p *Project) {
	b.Helper()
	settings := `{"hasCompletedOnboarding":true,"theme":"dark","numStartups":3,"hasIdeOnboardingBeenShown":{},"projects":{` + strconv.Quote(p.Dir) + `:{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true,"allowedTools":[]}}}`
	file := filepath.Join(b.world.Home, ".claude.json")
	old, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	merged, err := merge(string(old), settings)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(merged), 0o600); err != nil {
		b.Fatal(err)
	}
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
