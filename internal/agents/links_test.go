package agents

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lukasa.dev/internal/hook"
)

// holding returns which regular files of a directory have our entries, without backups.
func holding(t *testing.T, dir string) string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.Contains(path, backupMark) {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "lukasa") {
			name, _ := filepath.Rel(dir, path)
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, " ")
}

// A relative link is resolved from its own directory, and ".." is the parent of a link's target.
func TestLinksAreFollowedAsTheSystemDoes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are other ones")
	}
	tests := []struct {
		name  string
		dirs  []string
		links [][2]string // a link and its target; DIR is the directory of all
		want  string
		// missing says that the directory of the target does not exist yet.
		missing bool
	}{
		{name: "behind a linked directory", dirs: []string{"dot/deep/gemini"},
			links: [][2]string{{".gemini", "DIR/dot/deep/gemini"}, {"dot/deep/gemini/settings.json", "../real.json"}}, want: "dot/deep/real.json"},
		{name: "behind a relative one", dirs: []string{"dot/deep/gemini"},
			links: [][2]string{{".gemini", "dot/deep/gemini"}, {"dot/deep/gemini/settings.json", "../../real.json"}}, want: "dot/real.json"},
		{name: "a chain", dirs: []string{"dot/deep/gemini", "far/off/b"},
			links: [][2]string{{".gemini", "DIR/dot/deep/gemini"}, {"dot/deep/gemini/settings.json", "../a/one.json"}, {"dot/deep/a", "../../far/off/b"},
				{"far/off/b/one.json", "../two.json"}, {"far/off/two.json", "../three.json"}}, want: "far/three.json"},
		{name: "above a link", dirs: []string{".gemini", "far/off"},
			links: [][2]string{{".gemini/sub", "../far/off"}, {".gemini/settings.json", "sub/../real.json"}}, want: "far/real.json"},
		{name: "above a link, from the top", dirs: []string{".gemini", "far/off"},
			links: [][2]string{{"sub", "far/off"}, {".gemini/settings.json", "DIR/sub/../real.json"}}, want: "far/real.json"},
		{name: "into a directory that is not there", dirs: []string{".gemini", "far/off"},
			links: [][2]string{{".gemini/sub", "../far/off"}, {".gemini/settings.json", "sub/../new/one/real.json"}}, want: "far/new/one/real.json", missing: true},
	}
	for _, tt := range tests {
		for _, there := range []bool{true, false} {
			if there && tt.missing {
				continue
			}
			name := tt.name + ", nothing there"
			if there {
				name = tt.name
			}
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				for _, d := range tt.dirs {
					if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				for _, l := range tt.links {
					if err := os.Symlink(strings.ReplaceAll(l[1], "DIR", dir), filepath.Join(dir, l[0])); err != nil {
						t.Fatal(err)
					}
				}
				file := filepath.Join(dir, ".gemini", "settings.json")
				if there {
					if err := os.WriteFile(file, []byte("{ }\n"), 0o600); err != nil { // the system resolves the link
						t.Fatal(err)
					}
				}
				s := machine(t, hook.GeminiCLI, dir)
				if _, err := s.Install(); err != nil {
					t.Fatal(err)
				}
				if got := holding(t, dir); got != filepath.FromSlash(tt.want) {
					t.Errorf("our entries are in %q, want %q", got, tt.want)
				}
				if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "lukasa") {
					t.Errorf("the agent reads %q, %v", data, err)
				}
				if _, err := s.Uninstall(); err != nil {
					t.Fatal(err)
				}
				if got := holding(t, dir); got != "" {
					t.Errorf("our entries are still in %q", got)
				}
				if data, err := os.ReadFile(file); there && string(data) != "{ }\n" || !there && err == nil {
					t.Errorf("the agent reads %q, %v", data, err)
				}
			})
		}
	}
}
