package agents

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"lukasa.dev/internal/hook"
)

// leave creates what an install that was killed some time ago leaves.
func leave(t *testing.T, beside string, age time.Duration) string {
	t.Helper()
	temp, err := write(beside, []byte("{"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(temp, then, then); err != nil {
		t.Fatal(err)
	}
	return temp
}

// there reports whether something has that name.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// The next install or uninstall removes what a killed one left, also behind a link, but nothing
// that another one may be writing. A dry run removes nothing.
func TestLeftoversAreRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are other ones")
	}
	dir := t.TempDir()
	lay(t, dir, map[string]string{"dotfiles/real.json": "{}\n", ".gemini/x": ""})
	file, real := filepath.Join(dir, ".gemini", "settings.json"), filepath.Join(dir, "dotfiles", "real.json")
	if err := os.Symlink("../dotfiles/real.json", file); err != nil {
		t.Fatal(err)
	}
	s := machine(t, hook.GeminiCLI, dir)
	young := leave(t, real, 0)
	for _, run := range []func() ([]Change, error){s.Install, s.Install, s.Uninstall, s.Uninstall} {
		old := []string{leave(t, real, time.Hour), leave(t, real, time.Hour), leave(t, backupName(file, []byte("x")), time.Hour)}
		for _, dry := range []bool{true, false} {
			s.DryRun = dry
			if _, err := run(); err != nil {
				t.Fatal(err)
			}
			for _, path := range old {
				if there(path) != dry {
					t.Errorf("dry %v: %s is there: %v", dry, path, there(path))
				}
			}
		}
	}
	if !there(young) {
		t.Error("what another one may be writing was removed")
	}
}

// Only regular files with exactly our names are removed.
func TestOtherFilesAreNoLeftovers(t *testing.T) {
	ours := []string{
		".settings.json.lukasa-0", ".settings.json.lukasa-17", ".settings.json.lukasa-4294967295",
		".settings.json.before-lukasa-0123456789ab.lukasa-17",
	}
	others := []string{
		"settings.json", "settings.json.before-lukasa-0123456789ab", "settings.json.lukasa-17",
		".settings.json", ".settings.json.lukasa", ".settings.json.lukasa-", ".settings.json.lukasa-x", ".settings.json.lukasa-17x",
		".settings.json.lukasa-+17", ".settings.json.lukasa-017", ".settings.json.lukasa-4294967296", ".settings.json.lukasa-17.bak",
		".lukasa-17", "..lukasa-17", ".settings.jsonx.lukasa-17", ".xsettings.json.lukasa-17", ".other.json.lukasa-17",
		".settings.json.before-lukasa-.lukasa-17", ".settings.json.before-lukasa-0123456789.lukasa-17",
		".settings.json.before-lukasa-0123456789CD.lukasa-17", ".settings.json.before-lukasa-0123456789xy.lukasa-17",
		".other.json.before-lukasa-0123456789ab.lukasa-17", "below/.settings.json.lukasa-17",
		".settings.json.lukasa-18/x", // a directory
	}
	dir := t.TempDir()
	for _, name := range append(append([]string{}, ours...), others...) {
		lay(t, dir, map[string]string{name: "{}"})
	}
	kept := append([]string{".settings.json.lukasa-20"}, others...)
	if err := os.Mkdir(filepath.Join(dir, kept[0]), 0o755); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		kept = append(kept, ".settings.json.lukasa-19")
		if err := os.Symlink("settings.json", filepath.Join(dir, ".settings.json.lukasa-19")); err != nil {
			t.Fatal(err)
		}
	}
	c, err := load(filepath.Join(dir, "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.sweep(time.Now().Add(time.Hour))
	for _, name := range ours {
		if there(filepath.Join(dir, name)) {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range kept {
		if !there(filepath.Join(dir, name)) {
			t.Errorf("%s is gone", name)
		}
	}
}
