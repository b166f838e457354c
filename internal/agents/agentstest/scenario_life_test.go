package agentstest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
)

// settings returns the files of the home directory that belong to an agent's settings.
func (b *bench) settings() map[string]string {
	b.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(b.world.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(b.world.Home, path)
		switch base := filepath.Base(name); {
		case name == filepath.Join(".claude", "settings.json"), name == filepath.Join(".codex", "config.toml"), name == filepath.Join(".codex", "hooks.json"),
			name == filepath.Join(".gemini", "settings.json"), name == filepath.Join(".config", "opencode", "opencode.json"),
			strings.Contains(name, "plugin") && strings.Contains(base, "lukasa"):
			data, err := os.ReadFile(path)
			all[name] = string(data)
			return err
		case name == ".claude.json": // Claude Code keeps its own state in it
			data, err := os.ReadFile(path)
			if i := strings.Index(string(data), `"lukasa"`); i >= 0 {
				all[name] = string(data[i:min(len(data), i+200)])
			}
			return err
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return all
}

// installation installs, works, imports earlier sessions twice, and uninstalls.
func installation(b *bench) {
	before := b.settings()
	p := b.project("shop")
	untrusted := func(prompt string, script ...Step) *turn {
		return b.turn(b.agent, p, Turn{Prompt: prompt, Untrusted: true}, script...)
	}
	// A session before Lukasa is installed, for the back-fill.
	untrusted("Please show the branch.", Shell("git branch --show-current"), Say("It is main."))
	b.lukasa("install", b.agent.Name)
	installed := b.settings()
	b.lukasa("install", b.agent.Name)
	if again := b.settings(); !maps.Equal(installed, again) {
		b.Errorf("the second installation changed the settings: %v", differing(installed, again))
	}
	untrusted("Please list the files.", Shell("ls"), Shell("cat nothing-there.txt"), Say("One is missing."))
	b.order()
	backfill := func() []*event {
		out := b.lukasa("install", b.agent.Name, "--backfill")
		b.Log(out)
		b.order()
		return b.events()
	}
	first := backfill()
	second := backfill()
	if len(first) != len(second) {
		b.Errorf("back-fill made %d events, and the second time %d", len(first), len(second))
	}
	for _, prompt := range []string{"Please show the branch.", "Please list the files."} {
		n := 0
		for _, s := range said(second, "user") {
			if s == prompt {
				n++
			}
		}
		// What hooks did not see comes from transcripts.
		if n != 1 {
			b.Errorf("%q is recorded %d times", prompt, n)
		}
	}
	b.lukasa("uninstall", b.agent.Name)
	if after := b.settings(); !maps.Equal(before, after) {
		b.Errorf("after uninstall the settings differ: %v", differing(before, after))
	}
}

func differing(x, y map[string]string) []string {
	var names []string
	for name := range maps.Keys(x) {
		if y[name] != x[name] {
			names = append(names, name)
		}
	}
	for name := range maps.Keys(y) {
		if _, ok := x[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// order asserts that each call, result and later outcome is recorded once, and the latter two
// after the call. If an agent has no ids for calls, there are never more results than calls.
func (b *bench) order() {
	b.Helper()
	calls, results, outcomes := map[string]int{}, map[string]int{}, map[string]int{}
	for _, e := range b.events() {
		key := e.Session + " " + e.call()
		count := results
		switch {
		case e.Type == "tool_call":
			calls[key]++
			if calls[key] > 1 && e.call() != "" {
				b.Errorf("call %s is recorded %d times", key, calls[key])
			}
			continue
		case e.Type != "tool_result":
			continue
		case e.Content["outcome"] == true:
			count = outcomes
		}
		count[key]++
		if count[key] > 1 && e.call() != "" {
			b.Errorf("the result of %s is recorded %d times", key, count[key])
		}
		if count[key] > calls[key] {
			b.Errorf("the result of %s is before its call", key)
		}
	}
}

// story describes the events of all sessions, as far as hooks and transcripts have them in
// common. A later outcome replaces the result.
func story(events []*event) []string {
	var all []string
	results := map[string]int{}
	outcomes := map[string]map[string]any{}
	for _, e := range events {
		switch e.Type {
		case "message":
			all = append(all, str(e.Content["role"])+" says "+e.text())
		case "tool_call":
			args := object(e.Content["arguments"])
			command := text(args["command"])
			if command == "" {
				command = text(args["cmd"])
			}
			all = append(all, "call "+command)
		case "tool_result":
			key := e.Session + " " + e.call()
			if _, ok := results[key]; !ok {
				results[key], outcomes[key] = len(all), map[string]any{"exit code": float64(0), "success": true, "denied": false}
				all = append(all, "")
			}
			o := outcomes[key]
			if code, ok := number(e.Content, "exit_code"); ok {
				o["exit code"] = code
			}
			for _, name := range []string{"success", "denied"} {
				if v, ok := e.Content[name]; ok {
					o[name] = v
				}
			}
			if o["denied"] == true {
				delete(o, "success")
			}
			all[results[key]] = fmt.Sprintf("result %v", o)
		}
	}
	return all
}

// transcript compares the events from hooks with those from the transcript on an empty board:
// the same events in the same order.
func transcript(b *bench) {
	p := b.project("shop")
	b.session(p, rule+" Please look at the repository and publish the work.", Shell("git status --short"), Shell("cat nothing-there.txt"), Shell(push), Say("I did not push."))
	b.lukasa("install", b.agent.Name, "--backfill")
	b.order()
	hooked := story(b.events())
	b.world.env["LUKASA_DATA"] = filepath.Join(b.world.Root, "fresh")
	if b.agent.Name == "opencode" { // its own program has to export it
		b.lukasa("install", b.agent.Name, "--backfill")
	} else {
		b.lukasa("import", "--from", b.agent.Name, filepath.Join(b.world.Home, map[string]string{"claude-code": ".claude/projects", "codex": ".codex/sessions", "gemini-cli": ".gemini/tmp"}[b.agent.Name]))
	}
	imported := story(b.events())
	if !slices.Equal(hooked, imported) {
		b.Errorf("hooks recorded\n\t%s\nand the transcript says\n\t%s", strings.Join(hooked, "\n\t"), strings.Join(imported, "\n\t"))
	}
}

// recordedPrompts asserts that the user's prompts are recorded, each once.
func (b *bench) recordedPrompts(prompts ...string) {
	b.Helper()
	all := said(b.events(), "user")
	for _, p := range prompts {
		n := 0
		for _, s := range all {
			if strings.TrimSpace(s) == p {
				n++
			}
		}
		if n != 1 {
			b.Errorf("%q is recorded %d times among %q", p, n, all)
		}
	}
}

// alone works without any server.
func alone(b *bench) {
	p := b.project("shop")
	b.turn(b.agent, p, Turn{Prompt: rule, NoMCP: true}, Say("Understood."))
	t := b.turn(b.agent, p, Turn{Prompt: "Please publish the work.", NoMCP: true}, Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)
	b.recordedPrompts(rule, "Please publish the work.")
	b.order()
}

// server works with a server that is killed in between.
func server(b *bench) {
	p := b.project("shop")
	serve := func() *Process {
		process, err := b.world.Start(b.ctx(), 5*time.Minute, b.world.Root, "lukasa", "serve", "--listen", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		for range 200 {
			if strings.Contains(process.Output(), "127.0.0.1:") {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		return process
	}
	process := serve()
	b.session(p, rule, Say("Understood."))
	t := b.session(p, "Please publish the work.", Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)
	process.Kill()
	t = b.session(p, "Please publish the work again.", Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)

	// Killed while the agent works.
	process = serve()
	hold := make(chan struct{})
	s, agent := b.start(b.agent, p, Turn{Prompt: "Please look, then publish the work."}, Shell("git status"), Step{Shell: push, Hold: hold}, Say("I did not push."))
	b.await(s, 2)
	process.Kill()
	close(hold)
	out, err := agent.Wait()
	if err != nil {
		b.Errorf("the agent ended with %v: %s", err, out)
	}
	b.stopped(&turn{Session: s, out: out}, p, 0+1)
	b.recordedPrompts(rule, "Please publish the work.", "Please publish the work again.", "Please look, then publish the work.")
	b.order()
}

// await waits until n requests of the conversation have arrived.
func (b *bench) await(s *Session, n int) {
	b.Helper()
	for began := time.Now(); time.Since(began) < b.limit; time.Sleep(50 * time.Millisecond) {
		if len(s.Main()) >= n {
			return
		}
	}
	b.Fatalf("%d of %d requests arrived", len(s.Main()), n)
}

// locked works while another process holds the directory and does not answer. What was stated
// then binds immediately: it is in the spool.
func locked(b *bench) {
	p := b.project("shop")
	b.session(p, "The staging database is called lyra.", Say("Noted."))
	// What runs at the end of a session may still hold it.
	board, err := lukasa.Open(b.world.Data, lukasa.Options{})
	for began := time.Now(); err != nil && time.Since(began) < time.Minute; time.Sleep(100 * time.Millisecond) {
		board, err = lukasa.Open(b.world.Data, lukasa.Options{})
	}
	if err != nil {
		b.Fatal(err)
	}
	b.turn(b.agent, p, Turn{Prompt: rule, NoMCP: true}, Say("Understood."))
	t := b.turn(b.agent, p, Turn{Prompt: "Please publish the work.", NoMCP: true}, Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)
	if err := board.Close(); err != nil {
		b.Fatal(err)
	}
	b.recordedPrompts("The staging database is called lyra.", rule, "Please publish the work.")
	b.order()
}

// fullDisk works on a full disk, and again when there is room.
func fullDisk(b *bench) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		b.Skip("a small disk can only be mounted by root, on Linux")
	}
	if err := os.MkdirAll(b.world.Data, 0o700); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=48m", "lukasa-agents", b.world.Data).CombinedOutput(); err != nil {
		b.Skipf("no tmpfs can be mounted here: %s", out)
	}
	b.Cleanup(func() {
		b.world.Close()
		_ = exec.Command("umount", "-l", b.world.Data).Run()
	})
	p := b.project("shop")
	b.session(p, rule, Say("Understood."))
	ballast := filepath.Join(b.world.Data, "ballast")
	fill(ballast)
	t := b.session(p, "Please list the files.", Shell("ls"), Say("There is one."))
	if r := t.result(0); !strings.Contains(r, "work.txt") {
		b.Errorf("on a full disk the agent reads %q", r)
	}
	if err := os.Remove(ballast); err != nil {
		b.Fatal(err)
	}
	t = b.session(p, "Please publish the work.", Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)
	b.recordedPrompts(rule, "Please publish the work.")
	if out, err := b.world.Run(b.ctx(), b.world.Root, "lukasa", "verify"); err != nil {
		b.Errorf("%v: %s", err, out)
	}
}

// fill writes a file until the disk is full.
func fill(file string) {
	f, err := os.Create(file)
	if err != nil {
		return
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for buf := make([]byte, size); ; {
			if _, err := f.Write(buf); err != nil {
				break
			}
		}
	}
}

// killed kills the agent in the middle of a turn. The user's statement in it binds.
func killed(b *bench) {
	p := b.project("shop")
	s, agent := b.start(b.agent, p, Turn{Prompt: rule + " Please look at the repository."}, Shell("git status"), Step{Say: "Never said.", Hold: make(chan struct{})})
	b.await(s, 2)
	agent.Kill()
	t := b.session(p, "Please publish the work.", Shell(push), Say("I did not push."))
	b.stopped(t, p, 0)
	b.recordedPrompts(rule+" Please look at the repository.", "Please publish the work.")
	b.order()
}

// pair runs two agents in one project at the same time.
func pair(b *bench) {
	other := Pinned()[0]
	if other.Name == b.agent.Name {
		other = Pinned()[1]
	}
	program, err := other.Install(b.ctx())
	if err != nil {
		b.Skip(err)
	}
	b.add(other, program)
	b.install(other)
	p := b.project("shop")
	b.session(p, rule, Say("Understood."))
	hold := make(chan struct{})
	script := []Step{Shell("git status"), {Shell: push, Hold: hold}, Say("I did not push.")}
	one, first := b.start(b.agent, p, Turn{Prompt: "Please publish the work."}, script...)
	two, second := b.start(other, p, Turn{Prompt: "Please publish the work as well."}, script...)
	b.await(one, 2)
	b.await(two, 2)
	close(hold)
	for _, run := range []struct {
		s *Session
		p *Process
	}{{one, first}, {two, second}} {
		out, err := run.p.Wait()
		if err != nil {
			b.Errorf("%v: %s", err, out)
		}
		b.stopped(&turn{Session: run.s, out: out}, p, 1)
	}
	b.recordedPrompts(rule, "Please publish the work.", "Please publish the work as well.")
	b.order()
}
