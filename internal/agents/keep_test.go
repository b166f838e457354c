package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/guide"
)

// Flags that a user set for hooks, by install or by hand, survive every further install, and
// the rest of the command is ours.
func TestHookFlagsAreKept(t *testing.T) {
	t.Parallel()
	for _, agent := range All() {
		if !agent.Hooked {
			continue
		}
		t.Run(agent.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := machine(t, agent.Name, dir)
			if err := os.MkdirAll(agent.marks(s.World)[0], 0o700); err != nil {
				t.Fatal(err)
			}
			if got := s.HookFlags(); got != nil {
				t.Fatalf("flags before the first install: %q", got)
			}
			s.Command.HookFlags = []string{"--enforce=deny", "--budget=400"}
			if _, err := s.Install(); err != nil {
				t.Fatal(err)
			}
			first := files(t, dir, false)
			s.Command.HookFlags = nil
			got := s.HookFlags()
			if want := []string{"--enforce=deny", "--budget=400"}; !slices.Equal(got, want) || Enforcement(got) != "deny" {
				t.Fatalf("kept are %q", got)
			}
			s.Command.HookFlags = got
			if _, err := s.Install(); err != nil {
				t.Fatal(err)
			}
			if !equalFiles(first, files(t, dir, false)) {
				t.Error("a second install changed something")
			}
		})
	}
}

// A flag that a user added by hand is kept as well.
func TestHookFlagsByHand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := machine(t, "claude-code", dir)
	file := filepath.Join(claudeDir(s.World), "settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Install(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "hook claude-code", "hook claude-code --enforce 'deny' --nonsense", 1))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.HookFlags(); !slices.Equal(got, []string{"--enforce=deny"}) {
		t.Errorf("kept are %q", got)
	}
}

// The set of tools that a user chose for the MCP server stays. By default an agent with hooks
// gets the set for hooks, and one without hooks the default set.
func TestServerFlagsAreKept(t *testing.T) {
	t.Parallel()
	for _, agent := range All() {
		t.Run(agent.Name, func(t *testing.T) {
			t.Parallel()
			s := machine(t, agent.Name, t.TempDir())
			if err := os.MkdirAll(agent.marks(s.World)[0], 0o700); err != nil {
				t.Fatal(err)
			}
			var want []string
			if agent.Hooked {
				want = []string{"--tools=hooked"}
			}
			if got := s.ServerFlags(); !slices.Equal(got, want) {
				t.Fatalf("flags before the first install: %q", got)
			}
			s.Command.ServerFlags = []string{"--tools=all", "--scope=@mine"}
			if _, err := s.Install(); err != nil {
				t.Fatal(err)
			}
			if got := s.ServerFlags(); !slices.Equal(got, s.Command.ServerFlags) {
				t.Errorf("kept are %q", got)
			}
		})
	}
}

// Every file with our hooks is one that agents must not change while a hard rule holds.
func TestHookFilesAreGuarded(t *testing.T) {
	t.Parallel()
	for _, agent := range All() {
		if !agent.Hooked {
			continue
		}
		s := machine(t, agent.Name, t.TempDir())
		worlds := []*World{s.World}
		if agent.Projects {
			inProject := *s.World
			inProject.Project = filepath.Join(s.World.Home, "shop")
			worlds = append(worlds, &inProject)
		}
		for _, w := range worlds {
			n := 0
			for _, target := range agent.targets(w) {
				hooks := target.form == formPlugin || slices.ContainsFunc(target.parts, func(p part) bool { _, ok := p.(hooksPart); return ok })
				if !hooks {
					continue
				}
				if n++; !guide.Guarded(target.file) {
					t.Errorf("%s: %s is not guarded", agent.Name, target.file)
				}
			}
			if n == 0 {
				t.Errorf("%s has no hooks in %q", agent.Name, w.Project)
			}
		}
	}
}
