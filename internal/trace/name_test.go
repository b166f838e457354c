package trace

import (
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/trace/shapes"
)

func TestStepOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, step, shape string }{
		{"git push origin main", "git push", "git push <remote> <branch>"},
		{"cd x && git push", "git push", "git push"},
		{"git -C ../x -c a=b push --force origin HEAD:main", "git push", "git push --force <remote> <branch>"},
		{"go test ./internal/x -run TestA", "go test", "go test <path> -run <name>"},
		{"go -C web test ./...", "go test", "go test <path>"},
		{"npm run build", "npm run build", "npm run build"},
		{"npm --prefix web run build -- --watch", "npm run build", "npm run build --watch"},
		{"npm install left-pad lodash", "npm install", "npm install <package>"},
		{"docker compose -f ci.yml up -d db", "docker compose up", "docker compose up -d <service>"},
		{"docker run --rm nginx", "docker run", "docker run --rm <image>"},
		{"kubectl -n prod get pods", "kubectl get pods", "kubectl get pods"},
		{"kubectl logs web", "kubectl logs", "kubectl logs <word>"},
		{"FOO=1 sudo -u app timeout 30 bash -lc 'cd /srv && make deploy'", "make deploy", "make deploy"},
		{"sh -c \"git commit -m 'a b'\"", "git commit", "git commit -m <text>"},
		{"./scripts/release.sh --dry-run", "release.sh", "release.sh --dry-run"},
		{"bash scripts/release.sh --dry-run", "release.sh", "release.sh --dry-run"},
		{"/tmp/x9.sh", "", "<path>"},
		{"python manage.py migrate shop", "python manage.py migrate", "python manage.py migrate <word>"},
		{"python3 -m pytest tests/a.py -k x", "python3 -m pytest", "python3 -m pytest <path> -k <name>"},
		{"python3 -c 'print(1)'", "python3", "python3 -c <text>"},
		{"php artisan migrate:fresh --seed", "php artisan migrate:fresh", "php artisan migrate:fresh --seed"},
		{"npx -y vitest run", "vitest", "vitest <word>"},
		{"npx prisma migrate dev", "prisma migrate dev", "prisma migrate dev"},
		{"uv run pytest -x tests", "uv run pytest", "uv run pytest -x <word>"},
		{"uv run --with x python manage.py migrate", "uv run python manage.py migrate", "uv run python manage.py migrate"},
		{"make -j4 -C sub test", "make test", "make test"},
		{"git add -A && git commit -m x && git push", "git push", "git add -A && git commit -m <text> && git push"},
		{"go test ./... 2>&1 | tail -20", "go test", "go test <path> | tail"},
		{"go test ./...; echo $?", "go test", "go test <path>"},
		{"npm ci && ls node_modules", "npm ci", "npm ci && ls <word>"},
		{"ls -la && cat a.txt", "cat", "ls -la && cat <path>"},
		{"git status && git diff", "git diff", "git status && git diff"},
		{"for f in *.go; do gofmt -w $f; done", "gofmt", "gofmt -w <text>"},
		{"cd /repo", "cd", "cd <path>"},
		{"cargo +nightly test --all", "cargo test", "cargo test --all"},
		{"gh pr create --title x", "gh pr create", "gh pr create --title <word>"},
		{"", "", ""},
	} {
		shape := string(shapes.CommandShape(nil, c.line))
		if step := shapes.StepOf(shape); step != c.step || shape != c.shape {
			t.Errorf("%q is the step %q in the shape %q, want %q in %q", c.line, step, shape, c.step, c.shape)
		}
	}
}

// TestStepsAreOneAcrossAgents holds that a command is the same step with the same shape,
// whatever tool of whatever agent ran it.
func TestStepsAreOneAcrossAgents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ     hmx.EventType
		content string
	}{
		"Claude Code":        {hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"cd /x && git push origin main","description":"Push"}}`},
		"Codex shell":        {hmx.TypeToolCall, `{"tool_name":"shell","arguments":{"command":["bash","-lc","cd /x && git push origin 'main'"],"workdir":"/x"}}`},
		"Codex exec_command": {hmx.TypeToolCall, `{"tool_name":"exec_command","arguments":{"cmd":"git push origin main"}}`},
		"Codex local_shell":  {hmx.TypeToolCall, `{"tool_name":"local_shell","arguments":{"action":{"type":"exec","command":["git","push","origin","main"]}}}`},
		"Codex, text":        {hmx.TypeToolCall, `{"tool_name":"shell","arguments":"{\"command\":[\"git\",\"push\",\"origin\",\"main\"]}"}`},
		"Gemini CLI":         {hmx.TypeToolCall, `{"tool_name":"run_shell_command","arguments":{"command":"git push origin main"}}`},
		"OpenCode":           {hmx.TypeToolCall, `{"tool_name":"bash","arguments":{"command":"git push origin main"}}`},
		"Cursor":             {hmx.TypeToolCall, `{"tool_name":"Shell","arguments":{"command":"git push origin main"}}`},
		"VS Code":            {hmx.TypeToolCall, `{"tool_name":"run_in_terminal","arguments":{"command":"git push origin main"}}`},
		"VS Code, camel":     {hmx.TypeToolCall, `{"tool_name":"runInTerminal","arguments":{"command":"git push origin main"}}`},
		"command_exec":       {hmx.TypeCommandExec, `{"command":"git push origin main"}`},
	} {
		s := newSession().add(c.typ, c.content)
		got := traceOf(t, s.events).Tasks[0].Steps[0]
		if got.Tool != "git push" || got.Shape != "git push <remote> <branch>" || !got.Command {
			t.Errorf("%s: %q in the shape %q, a command: %v", name, got.Tool, got.Shape, got.Command)
		}
		g := GlanceAt(s.events[0].Event)
		if g.Tool != got.Tool || g.Shape != got.Shape || !g.Command {
			t.Errorf("%s: at a glance it is %q in the shape %q", name, g.Tool, g.Shape)
		}
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]bool{
		"Read": true, "Grep": true, "Glob": true, "LS": true, "read_file": true, "list_directory": true, "search_file_content": true, "NotebookRead": true, "ls": true, "cat": true,
		"git status": true, "git log": true, "rg": true,
		"git push": false, "go test": false, "Edit": false, "file_edit": false, "get_reservation_details": false, "find_user_id_by_email": false, "search_direct_flight": false, "Task": false,
	} {
		if shapes.Looks(step) != want {
			t.Errorf("%s only looks: %v", step, !want)
		}
	}
}

// ran adds a call of a tool with a command and what it gave.
func (s *session) ran(id, command, result string) *session {
	return s.add(hmx.TypeToolCall, fmt.Sprintf(`{"tool_name":"Bash","call_id":%q,"arguments":{"command":%q}}`, id, command)).
		add(hmx.TypeToolResult, fmt.Sprintf(`{"tool_name":"Bash","call_id":%q,%s}`, id, result))
}

func tagged(tags ...string) func(*hmx.Event) { return func(ev *hmx.Event) { ev.Tags = tags } }

// TestPassedBy holds what calls are that did not run, or that were added to later.
func TestPassedBy(t *testing.T) {
	t.Parallel()
	outcome := func(s *session, content string, with ...func(*hmx.Event)) *session {
		return s.add(hmx.TypeToolResult, content, append(with, tagged(TagOutcome))...)
	}
	unknown := `"result":"ls: cannot access 'x': No such file or directory"`
	many := newSession().ran("c", "ls x", unknown)
	for i := range 200 {
		many.ran(fmt.Sprint("d", i), "go test ./"+strings.Repeat("a", i%7+1), `"success":true`)
	}
	for _, c := range []struct {
		name   string
		events *session
		want   string
	}{
		{"denied", newSession().ran("1", "git push", `"denied":true,"denied_by":"lukasa","result":{}`), "git push:denied:"},
		{"denied, as text of Lukasa", newSession().ran("1", "git push", `"success":false,"result":{"text":"Lukasa: a hard rule speaks against it: never push"}`), "git push:denied:"},
		{"denied, as Codex tells", newSession().ran("1", "git push", `"success":false,"result":"Command blocked by PreToolUse hook: Lukasa: no. Command: git push"`), "git push:denied:"},
		{"denied, as Gemini tells", newSession().ran("1", "git push", `"success":false,"result":{"error":"Tool execution blocked: no"}`), "git push:denied:"},
		{"rejected", newSession().ran("1", "git push", `"is_error":true,"result":"The user doesn't want to proceed with this tool use. The tool use was rejected"`), "git push:denied:"},
		{"interrupted", newSession().ran("1", "go test", `"interrupted":true,"result":{"stdout":"ok"}`), "go test:unanswered:"},
		{"interrupted, in the result", newSession().ran("1", "go test", `"success":false,"result":{"stdout":"ok","interrupted":true}`), "go test:unanswered:"},
		{"a flag that says no", newSession().ran("1", "go test", `"success":true,"result":{"stdout":"ok","interrupted":false}`), "go test:ok:"},
		{"an error event of a denial", newSession().add(hmx.TypeToolCall, `{"tool_name":"Bash","call_id":"1","arguments":{"command":"git push"}}`).add(hmx.TypeError, `{"message":"Lukasa: a hard rule speaks against it"}`), "git push:denied:"},
		{"an error event of a denial alone", newSession().ran("1", "go vet", `"success":true`).add(hmx.TypeError, `{"message":"Lukasa: a hard rule speaks against it"}`), "go vet:ok:"},
		{"an outcome", outcome(newSession().ran("1", "ls x", unknown), `{"call_id":"1","outcome":true,"result":{"exit_code":2},"success":false}`), "ls:broken:ls: cannot access <value>: No such file or directory"},
		{"an outcome with words", outcome(newSession().ran("1", "ls x", `"result":""`), `{"call_id":"1","outcome":true,"result":{"exit_code":2,"stderr":"no such file"}}`), "ls:broken:no such file"},
		{"an outcome long after", outcome(many, `{"call_id":"c","outcome":true,"result":{"exit_code":2}}`), "ls:broken:ls: cannot access <value>: No such file or directory"},
		{"an outcome by its parent", outcome(newSession().add(hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"make"}}`), `{"outcome":true,"success":true}`, parent("e0")), "make:ok:"},
		{"an outcome of nothing", outcome(newSession().ran("1", "make", `"success":true`), `{"call_id":"9","outcome":true,"success":false}`), "make:ok:"},
		{"an outcome of what is known", outcome(newSession().ran("1", "make", `"success":true`), `{"call_id":"1","outcome":true,"success":false}`), "make:ok:"},
		{"an outcome of what was denied", outcome(newSession().ran("1", "make", `"denied":true`), `{"call_id":"1","outcome":true,"success":false}`), "make:denied:"},
		{"a denial that comes later", outcome(newSession().add(hmx.TypeToolCall, `{"tool_name":"Bash","call_id":"1","arguments":{"command":"make"}}`), `{"call_id":"1","outcome":true,"denied":true}`), "make:denied:"},
		{"a result without an id", newSession().add(hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"make"}}`).add(hmx.TypeToolResult, `{"tool_name":"bash","success":false,"result":"no rule to make target"}`), "make:broken:no rule to make target"},
	} {
		task := traceOf(t, c.events.events).Tasks[0]
		s := task.Steps[0]
		if got := fmt.Sprintf("%s:%s:%s", s.Tool, states[s.State], s.Error); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if c.events != many && len(task.Steps) != 1 {
			t.Errorf("%s: %d steps", c.name, len(task.Steps))
		}
		if s.State == Denied && s.Known {
			t.Errorf("%s: how it went is known", c.name)
		}
		var p Replay
		for i := range c.events.events {
			ev := &c.events.events[i]
			p.Add(uint64(i), ev.Timestamp.Time().UnixMilli(), GlanceAt(ev.Event))
		}
		if d := p.Deeds()[0]; d.State != s.State || d.Error != s.Error || d.Known != s.Known || d.Tool != s.Tool {
			t.Errorf("%s: replayed it is %s:%s:%s", c.name, d.Tool, states[d.State], d.Error)
		}
	}
}

// TestOwnCallsAreNoSteps holds that calls of Lukasa and what comes of them are no steps.
func TestOwnCallsAreNoSteps(t *testing.T) {
	t.Parallel()
	s := newSession().user("ship the release")
	for i, tool := range []string{"mcp__lukasa__search_memories", "mcp_lukasa_pack_context", "lukasa_check_action"} {
		id := fmt.Sprint("m", i)
		s.add(hmx.TypeToolCall, fmt.Sprintf(`{"tool_name":%q,"call_id":%q,"arguments":{"query":"x"}}`, tool, id)).
			add(hmx.TypeToolResult, fmt.Sprintf(`{"tool_name":%q,"call_id":%q,"success":false,"result":"no such board"}`, tool, id))
	}
	s.ran("1", "lukasa search push", `"success":false,"result":"lukasa: no data"`).
		ran("2", "/usr/local/bin/lukasa doctor | head", `"success":true`).
		add(hmx.TypeCommandExec, `{"command":"lukasa compile","exit_code":1,"stderr":"boom"}`).
		add(hmx.TypeToolResult, `{"tool_name":"mcp__lukasa__next_step","call_id":"z","success":false,"result":"x"}`).
		ran("3", "grep -r lukasa . && make release", `"success":true`)
	tr := traceOf(t, s.events)
	if got := brief(tr); got != "make release:ok(e13,e14)" {
		t.Errorf("the steps are %s", got)
	}
	var p Replay
	for i := range s.events {
		p.Add(uint64(i), s.events[i].Timestamp.Time().UnixMilli(), GlanceAt(s.events[i].Event))
	}
	if d := p.Deeds(); len(d) != 1 || d[0].Tool != "make release" || d[0].State != OK {
		t.Errorf("replayed the steps are %v", d)
	}
}

func TestTelltale(t *testing.T) {
	t.Parallel()
	for signature, want := range map[string]bool{
		"": false, "exit code 1": false, "Error: exit status 128": false, "Command failed with exit code 2": false, "<path>": false, "Exit code <n>": false,
		"undefined: X": true, "KeyError: <value>": true, "bash: foo: command not found": true, "error: src refspec main does not match any": true, "HTTP 404": true,
	} {
		if Telltale(signature) != want {
			t.Errorf("%q tells what went wrong: %v", signature, !want)
		}
	}
}
