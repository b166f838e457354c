package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/testsize"
)

// every visits each command a user can see.
func every(t *testing.T, visit func(*testing.T, *cobra.Command)) {
	t.Helper()
	root := root(testShell(nil, io.Discard, io.Discard), commands())
	walk(root, func(c *cobra.Command) {
		if !c.Hidden {
			t.Run(strings.ReplaceAll(c.CommandPath(), " ", "_"), func(t *testing.T) { visit(t, c) })
		}
	})
}

func TestCommandsExplainThemselves(t *testing.T) {
	every(t, func(t *testing.T, c *cobra.Command) {
		if c.Short == "" || c.Long == "" || c.Example == "" {
			t.Error("needs Short, Long and Example")
		}
		if strings.HasSuffix(c.Short, ".") || strings.Contains(c.Short, "\n") {
			t.Errorf("Short is a title, not %q", c.Short)
		}
		if c.HasParent() && (c.RunE == nil || c.Run != nil) && !c.HasSubCommands() {
			t.Error("must use RunE, so that its errors are reported like all others")
		}
		if (c.GroupID == groupMemory || c.GroupID == groupCare) && c.Flags().Lookup("data") == nil && !c.HasSubCommands() {
			t.Error("works on a data directory without --data")
		}
		if c.HasParent() && c.Parent() == c.Root() && c.GroupID == "" {
			t.Error("belongs to no group")
		}
		for line := range strings.Lines(c.Example) {
			if line = strings.TrimRight(line, "\n"); !strings.HasPrefix(line, "  ") {
				t.Errorf("example %q is not indented by two", line)
			}
		}
	})
}

// prepared is run before the examples of a command that works on a data
// directory.
const prepared = `lukasa ingest examples/session.ndjson &&
	lukasa remember release/cadence "Releases are cut on Mondays." &&
	lukasa remember release/cadence "Releases are cut every second Tuesday." &&
	lukasa remember deploy/window "Deploy between ten and noon." --tag release --type constraint`

// Every example runs as printed and succeeds, in a directory that has the
// examples of the repository and nothing else. Commands that work on a data
// directory find one with a session and a few memories. The servers for models
// that examples name are not there: one of the test's answers in their place, and
// wants no key but has one sent to it out of key.txt.
func TestExamplesWork(t *testing.T) {
	testsize.Long(t, "it runs every example of the help")
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("examples are written for a POSIX shell, and there is none")
	}
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	examples := os.DirFS(filepath.Join(repository, "examples"))
	server := modelServer()
	t.Cleanup(server.Close)
	here := strings.NewReplacer("http://localhost:11434/v1", server.URL+"/v1", "https://api.openai.com/v1", server.URL+"/v1")
	run := func(t *testing.T, dir, line string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), sh, "-c", here.Replace(line))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), quickExit, "HOME="+filepath.Join(dir, "home"), "USER=tester", "LUKASA_DATA="+filepath.Join(dir, "data"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	fresh, ready := t.TempDir(), t.TempDir()
	for _, dir := range []string{fresh, ready} {
		if err := os.CopyFS(filepath.Join(dir, "examples"), examples); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "key.txt"), []byte("sesame\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, ready, prepared)
	every(t, func(t *testing.T, c *cobra.Command) {
		dir, from := t.TempDir(), fresh
		if worksOnData(c) {
			from = ready
		}
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		if from == ready {
			if err := os.Chmod(filepath.Join(dir, "data"), 0o700); err != nil { // as it was made
				t.Fatal(err)
			}
		}
		lines := bufio.NewScanner(strings.NewReader(c.Example))
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			if line == "" || strings.HasPrefix(line, "#") || endless(line) {
				continue
			}
			run(t, dir, line)
		}
	})
}

// endless reports whether an example does not end by itself. TestServe has these.
func endless(line string) bool {
	return strings.HasPrefix(line, "lukasa serve") && !strings.Contains(line, "--print-config") ||
		strings.HasPrefix(line, "lukasa tail") && !strings.Contains(line, "--no-follow")
}

// worksOnData reports whether a command, or one that goes with it, works on a
// data directory.
func worksOnData(c *cobra.Command) bool {
	if !c.HasParent() {
		return false
	}
	for c.Parent().HasParent() {
		c = c.Parent()
	}
	found := false
	walk(c, func(c *cobra.Command) { found = found || c.Flags().Lookup("data") != nil })
	return found
}

func TestBuildVersion(t *testing.T) {
	defer func(v string) { version = v }(version)
	version = "v1.2.3"
	if got := buildVersion(); got != "v1.2.3" {
		t.Errorf("the linker's version is %q", got)
	}
	version = ""
	want := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		want = info.Main.Version
	}
	if got := buildVersion(); got != want {
		t.Errorf("without the linker's it is %q, want %q", got, want)
	}
}
