package agents

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// dirsBelow returns the directories below one.
func dirsBelow(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() && path != root {
			name, _ := filepath.Rel(root, path)
			out = append(out, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// For every agent with settings per project, uninstall removes exactly the directories that
// install created.
func TestDirectoriesGoAgain(t *testing.T) {
	for _, a := range All() {
		if !a.Projects {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			root := t.TempDir()
			state, project := filepath.Join(root, "state", "lukasa"), filepath.Join(root, "project")
			lay(t, project, map[string]string{"README.md": "here already"})
			s := machine(t, a.Name, filepath.Join(root, "home"))
			s.World.Project, s.World.State = project, state
			if _, err := s.Install(); err != nil {
				t.Fatal(err)
			}
			made := dirsBelow(t, project)
			if again, err := s.Install(); err != nil || slices.ContainsFunc(again, func(c Change) bool { return c.Action != Unchanged }) {
				t.Fatal(again, err)
			}
			s.DryRun = true
			told, err := s.Uninstall()
			if err != nil || !slices.Equal(dirsBelow(t, project), made) {
				t.Fatal("a dry run changed something", err)
			}
			s.DryRun = false
			done, err := s.Uninstall()
			if err != nil {
				t.Fatal(err)
			}
			if left := dirsBelow(t, project); len(left) > 0 {
				t.Errorf("%v are left of %v", left, made)
			}
			if isThere(filepath.Join(state, "made-directories")) {
				t.Error("there is a note of directories that are gone")
			}
			if !slices.EqualFunc(told, done, func(a, b Change) bool { return a.File == b.File && a.Action == b.Action }) {
				t.Errorf("told %v, done %v", told, done)
			}
			// Directories that existed before stay, and so do those with other content.
			for _, dir := range made {
				if err := os.MkdirAll(filepath.Join(project, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Install(); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Uninstall(); err != nil {
				t.Fatal(err)
			}
			if left := dirsBelow(t, project); !slices.Equal(left, made) {
				t.Errorf("%v are left of %v", left, made)
			}
		})
	}
}

// After two installs with different arguments, one uninstall removes everything: a file that is
// entirely ours has no backup.
func TestInstalledTwiceIsGone(t *testing.T) {
	for _, a := range All() {
		if !a.Projects {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			root := t.TempDir()
			project := filepath.Join(root, "project")
			lay(t, project, map[string]string{"README.md": "here already"})
			s := machine(t, a.Name, filepath.Join(root, "home"))
			s.World.Project, s.World.State = project, filepath.Join(root, "state")
			if _, err := s.Install(); err != nil {
				t.Fatal(err)
			}
			s.Command.Flags = []string{"--tenant", "another"}
			if _, err := s.Install(); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Uninstall(); err != nil {
				t.Fatal(err)
			}
			left, err := os.ReadDir(project)
			if err != nil || len(left) != 1 {
				t.Errorf("%v is left: %v", left, err)
			}
		})
	}
}

// A created directory with foreign content stays with its parents, and is removed once it is
// empty.
func TestDirectoriesThatAreUsedStay(t *testing.T) {
	root := t.TempDir()
	s := machine(t, "opencode", filepath.Join(root, "home"))
	s.World.Project, s.World.State = filepath.Join(root, "project"), filepath.Join(root, "state")
	lay(t, s.World.Project, map[string]string{"README.md": ""})
	if _, err := s.Install(); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(s.World.Project, ".opencode", "plugins", "other.js")
	lay(t, s.World.Project, map[string]string{".opencode/plugins/other.js": "// theirs"})
	if _, err := s.Uninstall(); err != nil {
		t.Fatal(err)
	}
	if !isThere(other) {
		t.Error("what somebody else put there is gone")
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Install(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Uninstall(); err != nil {
		t.Fatal(err)
	}
	if left := dirsBelow(t, s.World.Project); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// A failed install leaves no directory, and one that cannot record its directories still
// succeeds.
func TestDirectoriesOfFailures(t *testing.T) {
	root := t.TempDir()
	s := machine(t, "cursor", filepath.Join(root, "home"))
	s.World.Project, s.World.State = filepath.Join(root, "project"), filepath.Join(root, "file", "state")
	lay(t, root, map[string]string{"file": "no directory", "project/README.md": ""})
	if err := installAfter(s, func() { lay(t, s.World.Project, map[string]string{".cursor/mcp.json": "{}"}) }); err == nil {
		t.Fatal("a file that came in between was replaced")
	}
	if got := files(t, s.World.Project, true); len(got) != 2 || got[".cursor/mcp.json"] != "{}" {
		t.Errorf("there is %v", got)
	}
	if err := os.Remove(filepath.Join(s.World.Project, ".cursor", "mcp.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.World.Project, ".cursor")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Install(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Uninstall(); err != nil {
		t.Fatal(err)
	}
	if left := dirsBelow(t, s.World.Project); !slices.Equal(left, []string{".cursor"}) {
		t.Errorf("%v", left)
	}
}
