package agentstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/tokens"
)

// write writes a file of a project and commits it.
func (b *bench) write(p *Project, name, content string) {
	b.Helper()
	mode := os.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") {
		mode = 0o755
	}
	if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(content), mode); err != nil {
		b.Fatal(err)
	}
	b.commit(p)
}

// failure makes a command fail in the first session. In the third, the model knows before it
// tries again.
func failure(b *bench) {
	p := b.project("shop")
	b.write(p, "deploy.sh", "#!/bin/sh\necho 'deploy: the vault is sealed, unseal it first' >&2\nexit 4\n")
	b.session(p, "Please deploy to staging.", Shell("./deploy.sh staging"), Say("The deployment failed."))
	b.session(p, "Please show the last commit.", Shell("git log -1 --oneline"), Say("Here it is."))
	t := b.session(p, "Please deploy to staging with deploy.sh.", Say("I know what is missing."))
	first := t.Main()[0].Said()
	if !strings.Contains(first, "vault is sealed") {
		b.Errorf("the model does not learn of the failure before it acts:\n%s", t.summary())
	}
	if !strings.Contains(first, "./deploy.sh staging") {
		b.Errorf("the model does not learn which command failed:\n%s", t.summary())
	}
}

// fact corrects a fact. The next session receives only the corrected one.
func fact(b *bench) {
	p := b.project("shop")
	b.session(p, "The staging database is called orion.", Say("Noted."))
	b.turn(b.agent, p, Turn{Prompt: "Actually, the staging database is called lyra.", Continue: true}, Say("Noted."))
	t := b.session(p, "Which staging database do we use?", Say("It is lyra."))
	first := t.Main()[0].Said()
	if !strings.Contains(first, "lyra") {
		b.Errorf("the model does not receive the corrected fact:\n%s", t.summary())
	}
	// The old fact may appear as history, never as the last word.
	if strings.LastIndex(first, "orion") > strings.LastIndex(first, "lyra") {
		b.Errorf("the model receives the fact that was corrected:\n%s", t.summary())
	}
}

// chanceHash matches what differs between two runs by chance: hashes of commits, and numbers in
// ids. They and the directory are removed before tokens are counted, since two hundred of them
// make a difference as large as what is measured.
var chanceHash = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// longSteps is the number of steps of the long session.
const longSteps = 200

// long runs a session of 200 steps, with Lukasa and without. The additional text for the model
// is at most three percent, with its tools and without.
func long(b *bench) {
	count := func(install bool) (content, body int) {
		w := newBench(b.T, b.agent, b.program, b.build)
		if install {
			w.install(b.agent)
		}
		p := w.project("shop")
		w.write(p, "deploy.sh", "#!/bin/sh\necho 'deploy: the vault is sealed, unseal it first' >&2\nexit 4\n")
		w.session(p, rule, Say("Understood."))
		w.session(p, "The staging database is called lyra. Please deploy to staging.", Shell("./deploy.sh staging"), Say("The deployment failed."))
		var script []Step
		for i := range longSteps {
			script = append(script, Shell(longCommands[i%len(longCommands)]))
		}
		w.limit = 10 * time.Minute
		t := w.session(p, "Please work through the list: look at the repository, then deploy to staging.", append(script, Say("Done."))...)
		main := t.Main()
		last := main[len(main)-1]
		if n := len(last.Results()); n != longSteps {
			b.Errorf("the last request has %d results", n)
		}
		if given := strings.Contains(last.Said(), "lyra"); given != install {
			b.Errorf("with Lukasa %v, what an earlier session said of staging reached the model: %v", install, given)
		}
		plain := func(text string) int {
			return tokens.O200k().Count(chanceHash.ReplaceAllString(strings.ReplaceAll(text, w.world.Root, "/world"), "0123abc"))
		}
		return plain(last.Said()), plain(string(last.Body))
	}
	bareContent, bareBody := count(false)
	content, body := count(true)
	share, whole := float64(content-bareContent)/float64(content), float64(body-bareBody)/float64(body)
	b.Logf("content %d tokens, %d without Lukasa: %.2f %%; with tools %d and %d: %.2f %%", content, bareContent, 100*share, body, bareBody, 100*whole)
	if share > .03 || whole > .03 {
		b.Errorf("Lukasa's text is %.2f %% of what the model reads, %.2f %% with the tools", 100*share, 100*whole)
	}
}

// longCommands are the commands of the long session, in rotation.
var longCommands = []string{
	"git status --short", "git log --oneline | head -3", "ls -la", "cat work.txt", "grep -rn state . --include=*.txt | head -2",
	"git diff --stat", "wc -l work.txt", "git branch -a", "echo step", "git show --stat HEAD | head -5",
}

// outcome makes a command fail with an exit code, which is recorded for every agent.
func outcome(b *bench) {
	p := b.project("shop")
	b.session(p, "Please run the check.", Shell("echo checked; echo 'check: two errors' >&2; exit 3"), Shell("echo fine"), Say("It failed."))
	all := b.events()
	var failed, fine *event
	for _, e := range all {
		if e.Type == "tool_call" {
			switch s := text(e.Content["arguments"]); {
			case strings.Contains(s, "two errors"):
				failed = e
			case strings.Contains(s, "echo fine"):
				fine = e
			}
		}
	}
	if failed == nil || fine == nil {
		b.Fatalf("the calls are not recorded: %s", b.lukasa("export"))
	}
	// If an agent has no ids for calls, what follows a call belongs to it.
	about := func(call *event) []*event {
		var some []*event
		last := call
		for _, e := range all[slices.Index(all, call)+1:] {
			if e.Type == "tool_call" {
				last = e
			}
			if e.Session == call.Session && (e.Parent == call.ID || call.call() != "" && e.call() == call.call() || call.call() == "" && e.Type == "tool_result" && last == call) {
				some = append(some, e)
			}
		}
		return some
	}
	var code float64
	var coded, success, failure bool
	for _, e := range about(failed) {
		if n, ok := number(e.Content, "exit_code", "exitCode", "exit"); ok {
			code, coded = n, true
		}
		if ok, is := e.Content["success"].(bool); is {
			success, failure = success || ok, failure || !ok
		}
		b.Logf("%s of the failed command: %v", e.Type, e.Content)
	}
	if !failure || success {
		b.Errorf("the failed command is recorded with success %v, failure %v", success, failure)
	}
	if !coded || code != 3 {
		b.Errorf("the failed command is recorded with exit code %v, %v", code, coded)
	}
	for _, e := range about(fine) {
		if ok, is := e.Content["success"].(bool); is && !ok {
			b.Errorf("the command that went well is recorded as failed: %v", e.Content)
		}
	}
}

// echo makes Lukasa deny and give context, and searches the records for its own text.
func echo(b *bench) {
	p := b.project("shop")
	b.write(p, "deploy.sh", "#!/bin/sh\necho 'deploy: the vault is sealed, unseal it first' >&2\nexit 4\n")
	b.session(p, rule+" The staging database is called lyra.", Shell(push), Shell("./deploy.sh staging"), Say("I could do neither."))
	t := b.session(p, "Please deploy to staging, then publish the work.", Shell("./deploy.sh staging"), Shell(push), Say("I could do neither."))
	b.turn(b.agent, p, Turn{Prompt: "Please try again to publish the work.", Continue: true}, Shell(push),
		Step{Tool: "search_memories", Args: map[string]any{"query": "push to main"}}, Shell("lukasa list"), Say("I could not."))
	if !denied(t.result(1)) {
		b.Errorf("the push was not denied: %q", t.result(1))
	}
	for _, e := range b.events() {
		if e.Type == "tool_result" && e.Content["success"] != nil && strings.Contains(text(e.Content["result"]), "push to main") {
			b.Errorf("a denial is recorded as an outcome of the command: %v", e.Content)
		}
	}
	own := ownLines(t)
	if len(own) == 0 {
		b.Errorf("Lukasa said nothing in a session with a denial:\n%s", t.summary())
	}
	b.noEcho(own)
	if out, err := b.world.Run(b.ctx(), b.world.Root, "lukasa", "install", b.agent.Name, "--backfill"); err != nil {
		b.Logf("no back-fill: %s", out)
	} else {
		b.noEcho(own)
	}
	b.lukasa("compile", "--wait", "1m")
	b.noEcho(own)
}

// ownLines returns Lukasa's own lines to the model: those of denials and of blocks that begin
// with its name.
func ownLines(t *turn) []string {
	var all []string
	for _, r := range t.Main() {
		for _, part := range r.Parts {
			if part.Role == "system" || !strings.Contains(part.Text, "Lukasa") || strings.Contains(part.Text, "MCP Server Instructions") || strings.Contains(part.Text, "<session_context>") {
				continue
			}
			for line := range strings.Lines(part.Text) {
				if line = strings.TrimSpace(line); strings.Contains(line, "Lukasa") && len(line) > 20 && !contains(all, line) {
					all = append(all, line)
				}
			}
		}
	}
	return all
}

// noEcho asserts that no record has a line of Lukasa's own.
func (b *bench) noEcho(own []string) {
	b.Helper()
	for _, r := range b.records() {
		payload := string(r.Payload)
		if i := strings.Index(payload, "Lukasa"); i >= 0 {
			b.Errorf("Lukasa's own text in a record: …%s…", payload[max(0, i-200):min(len(payload), i+300)])
			continue
		}
		for _, line := range own {
			if strings.Contains(payload, line) {
				b.Errorf("a line of Lukasa's own in a record: %q in %s", line, shortened(payload, 800))
			}
		}
	}
}
