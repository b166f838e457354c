package agentstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// envRecord names a directory for the hook inputs of a session and its transcript. They become
// fixtures of package migratetest.
const envRecord = "LUKASA_AGENTS_RECORD"

// longText is how much of an agent's own text a recording keeps.
const longText = 2048

// record works with a program that stores each hook input, and writes them together with the
// transcript, with neutral directory names.
func record(b *bench) {
	into := os.Getenv(envRecord)
	if into == "" {
		b.Skip("it records only with " + envRecord)
	}
	kept := filepath.Join(b.world.Root, "kept")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		b.Fatal(err)
	}
	wrapper := filepath.Join(b.world.Root, "bin", "lukasa-kept")
	script := "#!/bin/sh\nif [ \"$1\" = hook ]; then\n  at=$(($(date +%s%N) / 1000))\n  file='" + kept + "'/$at-$$\n  cat >\"$file\"\n  exec '" + b.world.Lukasa + "' \"$@\" <\"$file\"\nfi\nexec '" + b.world.Lukasa + "' \"$@\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		b.Fatal(err)
	}
	b.install(b.agent, "--program", wrapper)
	p := b.project("shop")
	steps := []Step{Shell("git status --short"), Shell("cat nothing-there.txt"), Shell("git status --short")}
	switch b.agent.Name {
	case "claude-code":
		steps = append(steps, Step{Tool: "Write", Args: map[string]any{"file_path": filepath.Join(p.Dir, "notes.txt"), "content": "one\ntwo\n"}})
	case "gemini-cli":
		steps = append(steps, Step{Tool: "write_file", Args: map[string]any{"file_path": filepath.Join(p.Dir, "notes.txt"), "content": "one\ntwo\n"}})
	case "opencode":
		steps = append(steps, Step{Tool: "write", Args: map[string]any{"filePath": filepath.Join(p.Dir, "notes.txt"), "content": "one\ntwo\n"}})
	}
	steps = append(steps, Step{Say: "I look into the memory.", Tool: "search_memories", Args: map[string]any{"query": "push"}}, Shell(push), Say("I did not push."))
	b.session(p, rule+" Please look at the repository and publish the work.", steps...)
	b.turn(b.agent, p, Turn{Prompt: "Please list the files.", Continue: true}, Shell("ls"), Say("There are two."))
	b.waitForHooks()
	dir := filepath.Join(into, b.agent.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	b.keepHooks(kept, filepath.Join(dir, "hooks.ndjson"))
	b.keepTranscripts(p, dir)
}

// waitForHooks waits until what runs at the end of a session has ended.
func (b *bench) waitForHooks() { _ = b.events() }

// keepHooks writes the hook inputs, one a line with its time.
func (b *bench) keepHooks(from, to string) {
	b.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		b.Fatal(err)
	}
	slices.SortFunc(entries, func(x, y os.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	var out bytes.Buffer
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			b.Fatal(err)
		}
		at, _, _ := strings.Cut(e.Name(), "-")
		micros, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&out, `{"at":%d,"input":%s}`+"\n", micros, b.nobodys(data))
	}
	if err := os.WriteFile(to, out.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

// keepTranscripts writes the agent's own records.
func (b *bench) keepTranscripts(p *Project, dir string) {
	b.Helper()
	if b.agent.Name == "opencode" {
		out, err := b.world.Run(b.ctx(), p.Dir, filepath.Join(b.world.bin(), "opencode"), "session", "list", "--format", "json", "--pure")
		b.Log(out)
		var sessions []struct{ ID string }
		if i := strings.IndexByte(out, '['); err == nil && i >= 0 {
			err = json.NewDecoder(strings.NewReader(out[i:])).Decode(&sessions)
		}
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range sessions {
			out, err := b.world.Run(b.ctx(), p.Dir, filepath.Join(b.world.bin(), "opencode"), "export", s.ID, "--pure")
			if err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, s.ID+".json"), append(b.nobodys([]byte(out[strings.IndexByte(out, '{'):])), '\n'), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	below := filepath.Join(b.world.Home, map[string]string{"claude-code": ".claude/projects", "codex": ".codex/sessions", "gemini-cli": ".gemini/tmp"}[b.agent.Name])
	err := filepath.WalkDir(below, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		for line := range bytes.Lines(data) {
			out.Write(b.nobodys(line))
			out.WriteByte('\n')
		}
		return os.WriteFile(filepath.Join(dir, filepath.Base(path)), out.Bytes(), 0o644)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// nobodys returns JSON without directories of this machine and without long texts of the agent's
// own.
func (b *bench) nobodys(data []byte) []byte {
	b.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		b.Fatalf("%v in %s", err, data)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(b.anonymous(v)); err != nil {
		b.Fatal(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

func (b *bench) anonymous(v any) any {
	switch v := v.(type) {
	case string:
		v = strings.NewReplacer(filepath.Join(b.world.Root, "src"), "/home/dev", b.world.Home, "/home/dev", b.world.Root, "/home/dev/.bench",
			strings.ReplaceAll(b.world.Root, "/", "-"), "-home-dev").Replace(v)
		if len(v) > longText {
			v = strings.ToValidUTF8(v[:longText], "") + "…"
		}
		return v
	case []any:
		for i := range v {
			v[i] = b.anonymous(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = b.anonymous(v[name])
		}
	}
	return v
}
