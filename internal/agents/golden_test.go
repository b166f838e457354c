package agents

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what is expected from what happens")

// command is the command of agents in tests.
func command() Command {
	return Command{Program: "/usr/local/bin/lukasa", Flags: []string{"--tenant", "acme"}, OS: "linux"}
}

// machine returns a setup of an agent whose home directory is dir.
func machine(t *testing.T, agent, dir string, env ...string) *Setup {
	t.Helper()
	a, ok := ByName(agent)
	if !ok {
		t.Fatalf("no agent %q", agent)
	}
	return &Setup{Agent: a, Command: command(), World: &World{
		Home: dir, OS: "linux",
		Lookup: func(name string) (string, bool) {
			for _, e := range env {
				if k, v, _ := strings.Cut(e, "="); k == name {
					return strings.ReplaceAll(v, "HOME", dir), true
				}
			}
			return "", false
		},
	}}
}

// lay writes files into a directory.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

// files returns the content of a directory, with or without backups.
func files(t *testing.T, dir string, copies bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !copies && strings.Contains(path, backupMark) {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if ownPlugin(data) {
			data = []byte("the plugin of internal/hook\n")
		}
		found[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Each archive is a machine before and after installing: the first words of its comment are the
// agent, then the environment, or the word project. Installing again changes nothing, and
// uninstalling restores what was there, or gives what is below uninstalled.
func TestInstallGolden(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths are written with slashes")
	}
	names, err := filepath.Glob("testdata/install/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			golden(t, name)
		})
	}
}

func golden(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.Split(string(archive.Comment), "\n")[0])
	home := t.TempDir()
	before := map[string]string{}
	for _, f := range archive.Files {
		if path, ok := strings.CutPrefix(f.Name, "before/"); ok {
			before[path] = string(f.Data)
		}
	}
	lay(t, home, before)
	s := machine(t, words[0], home, words[1:]...)
	if slices.Contains(words, "project") {
		s.World.Project, s.World.Home = home, "/nowhere"
	}
	before = files(t, home, true)
	earlier, err := s.Entries()
	if err != nil {
		t.Fatal(err)
	}
	install := func() []Change {
		t.Helper()
		changes, err := s.Install()
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
	install()
	after := files(t, home, false)
	expect(t, name, "after/", after)
	everything := files(t, home, true)
	for _, c := range install() {
		if c.Action != Unchanged {
			t.Errorf("the second install: %s is %s", c.File, c.Action)
		}
	}
	if again := files(t, home, true); !equalFiles(everything, again) {
		t.Error("the second install changed bytes")
	}
	if _, err := s.Uninstall(); err != nil {
		t.Fatal(err)
	}
	if len(earlier) > 0 { // an earlier entry of ours is not restored
		expect(t, name, "uninstalled/", files(t, home, false))
		return
	}
	if back := files(t, home, true); !equalFiles(before, back) {
		t.Errorf("uninstall brought back\n%v\nof\n%v", back, before)
	}
}

// expect compares the files with those of the archive below a directory, or rewrites them.
func expect(t *testing.T, name, below string, after map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	kept := slices.DeleteFunc(slices.Clone(archive.Files), func(f txtar.File) bool {
		path, ok := strings.CutPrefix(f.Name, below)
		if ok {
			want[path] = string(f.Data)
		}
		return ok
	})
	if equalFiles(want, after) {
		return
	}
	if !*update {
		for _, path := range sortedKeys(after) {
			if want[path] != after[path] {
				t.Errorf("%s is\n%s\nwant\n%s", path, after[path], want[path])
			}
		}
		t.Errorf("there are %v, want %v", sortedKeys(after), sortedKeys(want))
		return
	}
	for _, path := range sortedKeys(after) {
		kept = append(kept, txtar.File{Name: below + path, Data: []byte(after[path])})
	}
	out := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: kept})
	if err := os.WriteFile(name, out, 0o644); err != nil {
		t.Fatal(err)
	}
}

func equalFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if other, ok := b[name]; !ok || !bytes.Equal([]byte(text), []byte(other)) {
			return false
		}
	}
	return true
}
