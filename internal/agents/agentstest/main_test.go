package agentstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// turnLimit bounds one run of an agent.
const turnLimit = 5 * time.Minute

// build returns the program to test: the one that is named, or else one built into a directory.
func build(ctx context.Context, dir string) (string, error) {
	if file := os.Getenv(envBinary); file != "" {
		return filepath.Abs(file)
	}
	file := filepath.Join(dir, "lukasa")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", file, "lukasa.dev/cmd/lukasa").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return file, nil
}

// scenario is one test that runs with each agent.
type scenario struct {
	name string
	run  func(*bench)
	// only names its agents; empty means all.
	only []string
	// bare leaves the installation of Lukasa to the scenario.
	bare bool
}

// scenarios lists the scenarios.
func scenarios() []scenario {
	return []scenario{
		{name: "smoke", run: smoke},
		{name: "rule", run: ruleBinds},
		{name: "rule-alone", run: ruleAlone},
		{name: "everywhere", run: ruleEverywhere},
		{name: "evasions", run: evasions},
		{name: "harmless", run: harmless},
		{name: "forgotten", run: forgotten},
		{name: "modes", run: modes, bare: true},
		{name: "code-mode", run: codeModeRule, only: []string{"codex"}},
		{name: "subagent", run: subagent, only: []string{"claude-code", "opencode"}},
		{name: "quoted", run: quoted},
		{name: "failure", run: failure},
		{name: "fact", run: fact},
		{name: "outcome", run: outcome},
		{name: "echo", run: echo},
		{name: "installation", run: installation, bare: true},
		{name: "transcript", run: transcript},
		{name: "record", run: record, bare: true},
		{name: "alone", run: alone},
		{name: "server", run: server},
		{name: "locked", run: locked},
		{name: "full-disk", run: fullDisk},
		{name: "killed", run: killed},
		{name: "pair", run: pair},
		{name: "dialog", run: dialog, only: []string{"claude-code"}},
		{name: "long", run: long, bare: true},
	}
}

// TestAgents runs the scenarios with each agent.
func TestAgents(t *testing.T) {
	t.Parallel()
	lukasa := sync.OnceValues(func() (string, error) { return build(t.Context(), t.TempDir()) })
	for _, a := range Pinned() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			program, err := a.Install(t.Context())
			if errors.Is(err, ErrUnavailable) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scenarios() {
				if len(s.only) > 0 && !contains(s.only, a.Name) {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					b := newBench(t, a, program, lukasa)
					if !s.bare {
						b.install(a)
					}
					s.run(b)
				})
			}
		})
	}
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// bench is one agent in a world of its own.
type bench struct {
	*testing.T
	agent *Agent
	world *World
	model *Model
	// program is the agent's program.
	program string
	// build returns Lukasa's program.
	build func() (string, error)
	// limit bounds one run of the agent.
	limit time.Duration
}

func newBench(t *testing.T, a *Agent, program string, build func() (string, error)) *bench {
	t.Helper()
	lukasa, err := build()
	if err != nil {
		t.Fatal(err)
	}
	root := ""
	if keep := os.Getenv(envKeep); keep != "" {
		root, err = os.MkdirTemp(keep, strings.ReplaceAll(t.Name(), "/", "-")+"-*")
	} else if root, err = os.MkdirTemp("", "lukasa-world-*"); err == nil {
		t.Cleanup(func() { removeAll(root) })
	}
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, agent: a, model: NewModel(), program: program, build: build, limit: turnLimit}
	t.Cleanup(b.model.Close)
	if b.world, err = NewWorld(root, lukasa, b.model.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.world.Close()
		if refused := b.model.Refused(); len(refused) > 0 {
			t.Logf("hosts that were tried and refused: %v", unique(refused))
		}
	})
	b.add(a, program)
	return b
}

// add adds an agent to the world.
func (b *bench) add(a *Agent, program string) {
	b.Helper()
	if err := b.world.Link(a, program); err != nil {
		b.Fatal(err)
	}
	if err := a.Prepare(b.world); err != nil {
		b.Fatal(err)
	}
}

// install connects an agent with Lukasa, as a user does.
func (b *bench) install(a *Agent, flags ...string) {
	b.Helper()
	b.lukasa(append([]string{"install", a.Name}, flags...)...)
	if err := a.Trust(b.world); err != nil {
		b.Fatal(err)
	}
}

// removeAll removes a directory that processes may still be writing to.
func removeAll(dir string) {
	for range 50 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func unique(all []string) []string {
	var some []string
	for _, s := range all {
		if !contains(some, s) {
			some = append(some, s)
		}
	}
	return some
}

// lukasa runs the program and returns its output.
func (b *bench) lukasa(args ...string) string {
	b.Helper()
	out, err := b.world.Run(b.ctx(), b.world.Root, "lukasa", args...)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func (b *bench) ctx() context.Context { return b.Context() }

// project makes a repository with something to push.
func (b *bench) project(name string) *Project {
	b.Helper()
	p, err := b.world.Project(b.ctx(), name)
	if err == nil {
		err = p.Commit(b.ctx())
	}
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// turn is the result of one run of the agent.
type turn struct {
	*Session
	out string
	err error
}

// start starts the agent with a prompt and a script.
func (b *bench) start(a *Agent, p *Project, t Turn, script ...Step) (*Session, *Process) {
	b.Helper()
	s := b.model.Play(script...)
	args, env := a.turn(b.world, s, t)
	cmd := exec.Command(filepath.Join(b.world.bin(), a.Command), args...)
	cmd.Dir, cmd.Env = p.Dir, b.world.Environ(env...)
	if t.Stdin != "" {
		cmd.Stdin = strings.NewReader(t.Stdin)
	}
	process, err := start(b.ctx(), b.limit, cmd)
	if err != nil {
		b.Fatal(err)
	}
	return s, process
}

// session runs the agent until it ends. If the agent fails, the test fails.
func (b *bench) session(p *Project, prompt string, script ...Step) *turn {
	b.Helper()
	return b.turn(b.agent, p, Turn{Prompt: prompt}, script...)
}

func (b *bench) turn(a *Agent, p *Project, how Turn, script ...Step) *turn {
	b.Helper()
	began := time.Now()
	s, process := b.start(a, p, how, script...)
	out, err := process.Wait()
	t := &turn{Session: s, out: out, err: err}
	b.Logf("%s %q: %d requests, %d of %d steps, %v", a.Name, how.Prompt, len(s.Requests()), s.Played(), len(script), time.Since(began).Round(100*time.Millisecond))
	b.keep(t)
	if err != nil || process.late.Load() {
		b.Fatalf("%s: %v\n%s\n%s", a.Name, err, out, t.summary())
	}
	if s.Played() < len(script) {
		b.Errorf("%s played %d of %d steps\n%s\n%s", a.Name, s.Played(), len(script), out, t.summary())
	}
	return t
}

// keep writes the requests and the output to the directory that keeps them.
func (b *bench) keep(t *turn) {
	if os.Getenv(envKeep) == "" {
		return
	}
	dir := filepath.Join(b.world.Root, "sessions", filepath.Base(t.URL))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	_ = os.WriteFile(filepath.Join(dir, "output.txt"), []byte(t.out), 0o644)
	_ = os.WriteFile(filepath.Join(dir, "summary.txt"), []byte(t.summary()), 0o644)
	for _, r := range t.Requests() {
		_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("request-%03d.json", r.Number)), r.Body, 0o644)
	}
}

// summary describes what reached the model, shortened.
func (t *turn) summary() string {
	var b strings.Builder
	for _, r := range t.Requests() {
		fmt.Fprintf(&b, "#%d %s main=%v step=%d %d bytes\n", r.Number, r.Path, r.Main, r.Step, len(r.Body))
		for _, p := range r.Parts {
			if (p.Role == "system" || p.Role == "developer") && len(p.Text) > 3000 {
				p.Text = fmt.Sprintf("(%d characters)", len(p.Text))
			}
			fmt.Fprintf(&b, "   %s %s %s: %s\n", p.Role, p.Kind, p.ID, shortened(p.Text, 1200))
		}
	}
	return b.String()
}

func shortened(s string, n int) string {
	if len(s) > n {
		return s[:n] + fmt.Sprintf("… (%d)", len(s))
	}
	return s
}
