package kind

import (
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// texts returns frames as text, a line each.
func texts(frames []memory.Frame) string {
	var list []string
	for _, f := range frames {
		list = append(list, f.String())
	}
	return strings.Join(list, "\n")
}

func lines(l ...string) string { return strings.Join(l, "\n") }

func TestFrames(t *testing.T) {
	for _, tc := range []struct {
		name     string
		typ      hmx.EventType
		content  string
		metadata string
		want     string
	}{
		{"an edit", hmx.TypeFileEdit, `{"path":"./billing//refund.go","operation":"modify"}`, ``, "modify:file=billing/refund.go"},
		{"a new file", hmx.TypeFileEdit, `{"path":"a.go","operation":"create"}`, ``, lines("modify:file=a.go", "build:file=a.go")},
		{"a file that moved", hmx.TypeFileEdit, `{"path":"b.go","operation":"rename","old_path":"a.go"}`, ``, lines("modify:file=b.go", "modify:file=a.go")},
		{"an absolute path with a root", hmx.TypeFileEdit, `{"path":"/home/u/shop/a/b.go"}`, `{"repository_root":"/home/u/shop/","cwd":"/home/u/shop/a"}`, lines("modify:file=/home/u/shop/a/b.go", "modify:file=a/b.go")},
		{"an absolute path below where it was run", hmx.TypeFileEdit, `{"path":"/repo/b.go","cwd":"/repo"}`, ``, lines("modify:file=/repo/b.go", "modify:file=b.go")},
		{"an absolute path elsewhere", hmx.TypeFileEdit, `{"path":"/repository/b.go","cwd":"/repo"}`, `{"cwd":"relative","workspace":"/"}`, "modify:file=/repository/b.go"},
		{"a path of windows", hmx.TypeFileEdit, `{"path":"c:\\srv\\shop\\a.go"}`, `{"workspace":"C:\\srv\\shop"}`, lines("modify:file=C:/srv/shop/a.go", "modify:file=a.go")},
		{"an edit that is only a diff", hmx.TypeFileEdit, `{"diff":"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n"}`, ``, "modify:file=x.go"},
		{"an edit of nothing", hmx.TypeFileEdit, `{"path":"","operation":7}`, ``, ""},
		{"a path that is no text", hmx.TypeFileEdit, `{"path":{"path":"a.go"}}`, ``, ""},
		{"a path with a line break", hmx.TypeFileEdit, `{"path":"a\nb.go"}`, ``, ""},

		{"Claude Code reads", hmx.TypeToolCall, `{"tool_name":"Read","arguments":{"file_path":"/repo/a.go","limit":10}}`, `{"cwd":"/repo"}`, lines("find:tool=Read", "find:file=/repo/a.go", "find:file=a.go")},
		{"Claude Code edits", hmx.TypeToolCall, `{"tool_name":"MultiEdit","arguments":{"file_path":"a.go","edits":[]}}`, ``, lines("modify:tool=MultiEdit", "modify:file=a.go")},
		{"Claude Code runs", hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"cd /repo && go test ./... 2>&1 | tail -5","description":"Run tests"}}`, ``, lines("analyze:tool=Bash", "analyze:tool=go", "analyze:tool=go test")},
		{"Claude Code fetches", hmx.TypeToolCall, `{"tool_name":"WebFetch","arguments":{"url":"HTTPS://Go.dev/doc/#top","prompt":"x"}}`, ``, lines("find:tool=WebFetch", "find:url=https://go.dev/doc/")},
		{"Claude Code hands over", hmx.TypeToolCall, `{"tool_name":"Task","arguments":{"prompt":"x"}}`, ``, "delegate:tool=Task"},
		{"the editor of the API looks", hmx.TypeToolCall, `{"tool_name":"str_replace_based_edit_tool","arguments":{"command":"view","path":"a.go"}}`, ``, lines("find:tool=str_replace_based_edit_tool", "find:file=a.go")},
		{"the editor of the API replaces", hmx.TypeToolCall, `{"tool_name":"str_replace_based_edit_tool","arguments":{"command":"str_replace","path":"a.go"}}`, ``, lines("modify:tool=str_replace_based_edit_tool", "modify:file=a.go")},
		{"the editor of the API creates", hmx.TypeToolCall, `{"tool_name":"str_replace_editor","arguments":{"command":"create","path":"a.go"}}`, ``, lines("build:tool=str_replace_editor", "build:file=a.go", "modify:file=a.go")},
		{"Claude Code writes", hmx.TypeToolCall, `{"tool_name":"Write","arguments":{"file_path":"/r/a.go","content":"x"}}`, `{"cwd":"/r","project":"shop"}`,
			lines("modify:tool=Write", "modify:file=/r/a.go", "modify:file=a.go", "build:file=/r/a.go", "build:file=a.go", "modify:project=shop")},
		{"a tool that creates", hmx.TypeToolCall, `{"tool_name":"create_file","arguments":{"path":"a.go"}}`, ``, lines("build:tool=create_file", "build:file=a.go", "modify:file=a.go")},
		{"a shell that creates", hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"touch a.go"}}`, ``, lines("build:tool=Bash", "build:tool=touch", "build:file=a.go", "modify:file=a.go")},
		{"a browser as a tool", hmx.TypeToolCall, `{"tool_name":"computer","arguments":{"action":"left_click","url":"https://a.b"}}`, ``, lines("find:tool=computer", "find:url=https://a.b")},
		{"an action does not outdo the name", hmx.TypeToolCall, `{"tool_name":"calculate","arguments":{"operation":"add"}}`, ``, "analyze:tool=calculate"},
		{"Codex runs words", hmx.TypeToolCall, `{"tool_name":"shell","arguments":{"command":["bash","-lc","cd x && git push origin main"],"workdir":"/repo"}}`, ``, lines("deliver:tool=shell", "deliver:tool=git", "deliver:tool=git push")},
		{"Codex gives arguments as text", hmx.TypeToolCall, `{"tool_name":"shell","arguments":"{\"command\":[\"sed\",\"-n\",\"1,80p\",\"internal/a.go\"]}"}`, ``, lines("find:tool=shell", "find:tool=sed", "find:file=internal/a.go")},
		{"Codex patches", hmx.TypeToolCall, `{"tool_name":"apply_patch","arguments":{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: b.go\n+z\n*** Delete File: c.go\n*** End Patch"}}`, ``,
			lines("modify:tool=apply_patch", "modify:file=a.go", "modify:file=b.go", "build:file=b.go", "modify:file=c.go")},
		{"Codex patches in a shell", hmx.TypeToolCall, `{"tool_name":"shell","arguments":{"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n*** End Patch\nEOF\n"]}}`, ``,
			lines("modify:tool=shell", "modify:tool=apply_patch", "modify:file=a.go")},
		{"Cursor edits", hmx.TypeToolCall, `{"tool_name":"edit_file","arguments":{"target_file":"a.go","instructions":"x","code_edit":"y"}}`, ``, lines("modify:tool=edit_file", "modify:file=a.go")},
		{"Cursor runs", hmx.TypeToolCall, `{"tool_name":"run_terminal_cmd","arguments":{"command":"npm run build","is_background":false}}`, ``, lines("build:tool=run_terminal_cmd", "build:tool=npm", "build:tool=npm run build")},
		{"Cursor in camel case", hmx.TypeToolCall, `{"tool_name":"readFile","arguments":{"filePath":"a.go"}}`, ``, lines("find:tool=readFile", "find:file=a.go")},
		{"Windsurf runs", hmx.TypeToolCall, `{"tool_name":"run_command","arguments":{"CommandLine":"cargo test","Cwd":"/repo"}}`, ``, lines("analyze:tool=run_command", "analyze:tool=cargo", "analyze:tool=cargo test")},
		{"Windsurf writes", hmx.TypeToolCall, `{"tool_name":"write_to_file","arguments":{"TargetFile":"/repo/a.go"}}`, `{"workspace":"/repo"}`, lines("modify:tool=write_to_file", "modify:file=/repo/a.go", "modify:file=a.go", "build:file=/repo/a.go", "build:file=a.go")},
		{"Goose edits", hmx.TypeToolCall, `{"tool_name":"developer__text_editor","arguments":{"command":"write","path":"a.go","file_text":"x"}}`, ``, lines("modify:tool=developer__text_editor", "modify:file=a.go", "build:file=a.go")},
		{"several files", hmx.TypeToolCall, `{"tool_name":"read_files","arguments":{"paths":["a.go","b.go","c.go","d.go"]}}`, ``, lines("find:tool=read_files", "find:file=a.go", "find:file=b.go", "find:file=c.go")},
		{"several files as objects", hmx.TypeToolCall, `{"tool_name":"read_file","arguments":{"files":[{"path":"a.go"},{"x":1},{"path":"b.go"}]}}`, ``, lines("find:tool=read_file", "find:file=a.go", "find:file=b.go")},
		{"a file as an address", hmx.TypeToolCall, `{"tool_name":"open","arguments":{"uri":"file:///repo/a.go"}}`, `{"cwd":"/repo"}`, lines("find:tool=open", "find:file=/repo/a.go", "find:file=a.go")},
		{"MCP", hmx.TypeToolCall, `{"tool_name":"mcp__github__create_pull_request","arguments":{"owner":"acme","repo":"shop","title":"x"}}`, ``,
			lines("build:tool=mcp__github__create_pull_request", "build:repository=acme/shop", "build:service=github")},
		{"an airline", hmx.TypeToolCall, `{"tool_name":"cancel_reservation","arguments":{"reservation_id":"NO6JO3"}}`, ``, lines("modify:tool=cancel_reservation", "modify:asset=NO6JO3")},
		{"somebody is written to", hmx.TypeToolCall, `{"tool_name":"send_email","arguments":{"to":["a@b.c"],"subject":"x"}}`, ``, lines("deliver:tool=send_email", "deliver:person=a@b.c")},
		{"to is not always somebody", hmx.TypeToolCall, `{"tool_name":"convert_currency","arguments":{"from":"EUR","to":"USD"}}`, ``, "build:tool=convert_currency"},
		{"a project and its people", hmx.TypeToolCall, `{"tool_name":"assign_issue","arguments":{"project":"shop","assignee":"ana","issue_key":"SHOP-1"}}`, ``,
			lines("delegate:tool=assign_issue", "delegate:project=shop", "delegate:person=ana", "delegate:asset=SHOP-1")},
		{"a number is no name", hmx.TypeToolCall, `{"tool_name":"get_user","arguments":{"user_id":17}}`, ``, "find:tool=get_user"},
		{"a tool without a name", hmx.TypeToolCall, `{"arguments":{"path":"a.go"}}`, ``, "build:file=a.go"},
		{"a result", hmx.TypeToolResult, `{"tool_name":"search_code","result":{"matches":["billing/refund.go:42"]}}`, ``, "find:tool=search_code"},
		{"a shell that failed", hmx.TypeToolResult, `{"tool_name":"Bash","result":{"stderr":"./a.go:3:4: undefined: x"},"success":false}`, ``, lines("build:tool=Bash", "modify:file=a.go")},
		{"the result of a call", hmx.TypeToolResult, `{"tool_name":"Edit","call_id":"c","arguments":{"path":"a.go"},"result":{},"success":false}`, `{"project":"shop","user":"ana"}`, ""},
		{"the result of a call that failed in a shell", hmx.TypeToolResult, `{"tool_name":"Bash","call_id":"c","result":{"stderr":"./a.go:3:4: undefined: x"},"success":false}`, `{"project":"shop"}`, "modify:file=a.go"},
		{"the result of a call without a name for it", hmx.TypeToolResult, `{"tool_name":"Read","call_id":"","result":{}}`, ``, "find:tool=Read"},
		{"a shell that did not", hmx.TypeToolResult, `{"tool_name":"Bash","result":{"stderr":"./a.go:3:4: fine"},"success":true}`, ``, "build:tool=Bash"},
		{"a page that could not be fetched", hmx.TypeToolResult, `{"tool_name":"WebFetch","result":{"text":"secrets.go:1"},"success":false}`, ``, "find:tool=WebFetch"},

		{"a command", hmx.TypeCommandExec, `{"command":"FOO=1 sudo -u root /usr/bin/git -C /repo push --force","exit_code":0}`, ``, lines("deliver:tool=git", "deliver:tool=git push")},
		{"a command that writes", hmx.TypeCommandExec, `{"command":"cat > internal/a.go <<'EOF'\npackage b.go\nEOF"}`, ``, lines("find:tool=cat", "modify:file=internal/a.go")},
		{"a command that edits", hmx.TypeCommandExec, `{"command":"sed -i.bak 's/a/b/' a.go b.go"}`, ``, lines("modify:tool=sed", "modify:file=a.go", "modify:file=b.go")},
		{"a command that asks", hmx.TypeCommandExec, `{"command":"curl -s https://Example.com/x"}`, ``, lines("find:tool=curl", "find:url=https://example.com/x")},
		{"a command that failed", hmx.TypeCommandExec, `{"command":"go build ./...","exit_code":1,"stderr":"# shop\n./a.go:3:4: undefined: x\nb/c.go:1:1: y\n"}`, ``,
			lines("build:tool=go", "build:tool=go build", "modify:file=a.go", "modify:file=b/c.go")},
		{"a page that a command could not fetch", hmx.TypeCommandExec, `{"command":"curl https://a.b","exit_code":22,"stdout":"secrets.go:1"}`, ``, lines("find:tool=curl", "find:url=https://a.b")},
		{"tests", hmx.TypeTestRun, `{"framework":"pytest","command":"python3 -m pytest -q tests","failed":1,"failures":["tests/test_a.py::test_b","tests/test_a.py::test_c"]}`, ``,
			lines("analyze:tool=pytest", "modify:file=tests/test_a.py")},
		{"tests that pass", hmx.TypeTestRun, `{"command":"go test ./...","success":true,"output":"a_test.go:3: just a note"}`, ``, lines("analyze:tool=go", "analyze:tool=go test")},
		{"tests that fail", hmx.TypeTestRun, `{"command":"npm test","success":false,"output":"    at Object.<anonymous> (/repo/src/a.test.ts:3:4)\n    at run (/repo/node_modules/jest/x.js:1:1)"}`, `{"cwd":"/repo"}`,
			lines("analyze:tool=npm", "analyze:tool=npm test", "modify:file=/repo/src/a.test.ts", "modify:file=src/a.test.ts")},
		{"an error", hmx.TypeError, `{"message":"panic at billing/refund.go:42","stack":"goroutine 1\n\t/usr/local/go/src/runtime/panic.go:1\n\t/repo/main.go:3 +0x1"}`, ``, lines("modify:file=billing/refund.go", "modify:file=/repo/main.go")},
		{"a page that was opened", hmx.TypeBrowserAction, `{"action":"navigate","url":"https://a.b/c"}`, ``, "find:url=https://a.b/c"},
		{"a form that was filled", hmx.TypeBrowserAction, `{"action":"Type","url":"https://a.b/c","value":"x.go:3"}`, ``, "modify:url=https://a.b/c"},
		{"an interface", hmx.TypeAPIResult, `{"method":"post","url":"https://Api.A.b:8443/v1"}`, ``, lines("build:url=https://api.a.b:8443/v1", "build:service=api.a.b:8443")},
		{"an interface that is asked", hmx.TypeAPIResult, `{"method":"PURGE","url":"/v1"}`, ``, "find:url=/v1"},
		{"what a page says names no files", hmx.TypeObservation, `{"text":"a.go:3"}`, ``, ""},
		{"what a page shows names no files", hmx.TypeBrowserAction, `{"action":"read","text":"a.go:3","selector":"b.go:4"}`, ``, ""},

		{"a message about a project", hmx.TypeMessage, `{"role":"user","text":"x"}`, `{"project":"shop","repo":"acme/shop","user_id":"U1"}`, lines("negotiate:project=shop", "negotiate:repository=acme/shop", "negotiate:person=U1")},
		{"a decision about a project", hmx.TypeDecision, `{}`, `{"project_name":" shop "}`, "analyze:project=shop"},
		{"a change about a project", hmx.TypeStateChange, `{"to":"ana"}`, `{"project":"shop"}`, "monitor:project=shop"},
		{"another type about a project", "x-acme-signal", `{"path":"a.go"}`, `{"project":"shop"}`, "monitor:project=shop"},
		{"an edit in a project", hmx.TypeFileEdit, `{"path":"a.go"}`, `{"project":"shop","author":"ana"}`, lines("modify:file=a.go", "modify:project=shop", "modify:person=ana")},
		{"metadata of other kinds", hmx.TypeMessage, `{}`, `{"project":7,"user":{"name":"x"},"repo":null,"author":"ana"}`, "negotiate:person=ana"},
		{"no more than six", hmx.TypeFileEdit, `{"path":"/r/a.go","old_path":"/r/b.go","operation":"create"}`, `{"cwd":"/r","project":"p","repo":"q","user":"u"}`,
			lines("modify:file=/r/a.go", "modify:file=a.go", "build:file=/r/a.go", "build:file=a.go", "modify:file=/r/b.go", "modify:file=b.go")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ev := event(tc.typ, tc.content)
			ev.Metadata = hmx.Raw(tc.metadata)
			if got := texts(check(t, ev).Frames); got != tc.want {
				t.Errorf("%s %s\n got %s\nwant %s", tc.typ, tc.content, got, tc.want)
			}
		})
	}
}

func TestSourceNamesATool(t *testing.T) {
	failed := event(hmx.TypeError, `{"message":"x"}`)
	failed.Source = hmx.Some("tool:kubectl")
	if got := texts(check(t, failed).Frames); got != "monitor:tool=kubectl" {
		t.Error(got)
	}
	result := event(hmx.TypeToolResult, `{"result":{}}`)
	result.Source = hmx.Some("tool:search_code")
	if f := check(t, result); texts(f.Frames) != "find:tool=search_code" || f.Text != "search_code answered" {
		t.Errorf("%s: %v", f.Text, f.Frames)
	}
}

// TestTools holds the verbs of tools that agents in the field have.
func TestTools(t *testing.T) {
	for verb, names := range map[memory.Verb]string{
		memory.VerbFind: "Read Grep Glob LS WebSearch WebFetch NotebookRead read_file list_dir list_directory codebase_search grep_search file_search search_files view_image view_file " +
			"get_user_details search_direct_flight list_all_airports mcp__github__get_issue github.search_code browser_navigate HTTPGet read_many_files list_code_definition_names fetch_rules semantic_search fetch_webpage browser_snapshot find_symbol search_file_content",
		memory.VerbAcquire:   "book_reservation order_pizza download_file install_package mcp__npm__install",
		memory.VerbBuild:     "create_file mcp__github__create_pull_request image_generation generate_image new_rule add_numbers unheard_of Bash",
		memory.VerbModify:    "Edit MultiEdit Write NotebookEdit edit_file write_file write_to_file replace_in_file apply_patch apply_diff str_replace_editor str_replace_based_edit_tool delete_file update_reservation_flights cancel_reservation KillShell insert_content reapply replace_string_in_file insert_edit_into_file replace_file_content browser_fill_form exchange_delivered_order_items",
		memory.VerbDeliver:   "send_certificate send_email deploy_site publish attempt_completion git_push upload_file",
		memory.VerbAnalyze:   "calculate think run_tests diagnostics test_run",
		memory.VerbSchedule:  "TodoWrite update_plan schedule_meeting create_plan",
		memory.VerbMonitor:   "BashOutput watch_logs wait get_terminal_output",
		memory.VerbDelegate:  "Task Agent transfer_to_human_agents dispatch_agent new_task spawn_agent",
		memory.VerbNegotiate: "AskUserQuestion ask_followup_question reply_to_user",
	} {
		for _, name := range strings.Fields(names) {
			if got := recognize.ReadTool(name).Verb; got != verb {
				t.Errorf("%s is %s, want %s", name, got, verb)
			}
		}
	}
	for name, shell := range map[string]bool{
		"Bash": true, "bash": true, "shell": true, "local_shell": true, "exec": true, "exec_command": true, "execute_command": true, "run_terminal_cmd": true, "run_command": true, "container.exec": true,
		"mcp__desktop__execute_command": true, "execute_bash": true, "run_in_terminal": true, "run_shell_command": true, "developer__shell": true, "terminal": true,
		"BashOutput": false, "KillShell": false, "Read": false, "str_replace_based_edit_tool": false, "run_tests": false, "get_command_output": false, "": false,
	} {
		if got := recognize.ReadTool(name).Shell; got != shell {
			t.Errorf("%s runs commands: %v", name, got)
		}
	}
}

func TestCommands(t *testing.T) {
	for _, tc := range []struct {
		command, program, phrase string
		verb                     memory.Verb
		files                    string
	}{
		{"git push", "git", "git push", memory.VerbDeliver, ""},
		{"git --no-pager log -3", "git", "git log", memory.VerbFind, ""},
		{"git commit -m \"fix a.go && push\"", "git", "git commit", memory.VerbBuild, ""},
		{"git add billing/refund.go", "git", "git add", memory.VerbModify, "billing/refund.go"},
		{"/usr/local/go/bin/go test ./...", "go", "go test", memory.VerbAnalyze, ""},
		{"cd /repo && go build ./...", "go", "go build", memory.VerbBuild, ""},
		{"cd /repo", "cd", "", memory.VerbBuild, ""},
		{"export A=1; source x.sh; make -C sub test", "make", "make test", memory.VerbAnalyze, ""},
		{"make", "make", "", memory.VerbBuild, ""},
		{"A=1 B='x y' env -u C timeout -k 5 30 npm run lint:fix", "npm", "npm run lint:fix", memory.VerbAnalyze, ""},
		{"npm ci", "npm", "npm ci", memory.VerbAcquire, ""},
		{"npx -y prettier --write src/a.ts", "prettier", "", memory.VerbModify, "src/a.ts"},
		{"python3.12 -m pytest -q", "pytest", "", memory.VerbAnalyze, ""},
		{"python3 scripts/run.py", "python", "", memory.VerbBuild, "scripts/run.py"},
		{"uv run pytest tests/test_a.py", "pytest", "", memory.VerbAnalyze, "tests/test_a.py"},
		{"poetry run ruff check --fix .", "ruff", "ruff check", memory.VerbModify, ""},
		{"docker compose -f dev.yml up -d", "docker", "docker compose up", memory.VerbBuild, "dev.yml"},
		{"gh pr create --fill", "gh", "gh pr create", memory.VerbBuild, ""},
		{"kubectl -n prod get pods", "kubectl", "kubectl get", memory.VerbFind, ""},
		{"sudo systemctl restart nginx", "systemctl", "systemctl restart", memory.VerbModify, ""},
		{"bash -lc 'cd x && cargo clippy'", "cargo", "cargo clippy", memory.VerbAnalyze, ""},
		{"sh -c \"bash -c 'ls'\"", "ls", "", memory.VerbFind, ""},
		{"bash script.sh", "bash", "", memory.VerbBuild, "script.sh"},
		{"cmd.exe /c dir", "dir", "", memory.VerbBuild, ""},
		{"C:\\tools\\git.exe status", "git", "git status", memory.VerbMonitor, ""},
		{"cat a.go | grep x > out.txt", "cat", "", memory.VerbFind, "a.go"},
		{"echo x >> notes.md", "echo", "", memory.VerbBuild, ""},
		{"rg -n 'func .*\\.go' internal", "rg", "", memory.VerbFind, ""},
		{"ls *.go $HOME/a.go", "ls", "", memory.VerbFind, ""},
		{"./gradlew test", "gradlew", "gradlew test", memory.VerbAnalyze, ""},
		{"./deploy.sh prod", "deploy.sh", "", memory.VerbDeliver, ""},
		{"(cd a && make)", "make", "", memory.VerbBuild, ""},
		{"# a comment\nmake", "make", "", memory.VerbBuild, ""},
		{"FOO=bar", "", "", "", ""},
		{"", "", "", "", ""},
		{"   \n\t ;;; && ||", "", "", "", ""},
		{"'unclosed", "", "", "", ""},
		{"\"\"", "", "", "", ""},
		{"sudo", "sudo", "", memory.VerbBuild, ""},
		{"timeout 5", "timeout", "", memory.VerbBuild, ""},
		{strings.Repeat("sudo ", 100) + "ls", "sudo", "", memory.VerbBuild, ""},
	} {
		c := recognize.ReadCommand(tc.command)
		files := strings.TrimSpace(c.Files[0] + " " + c.Files[1])
		if c.Program != tc.program || c.Phrase != tc.phrase || c.Verb != tc.verb || files != tc.files {
			t.Errorf("%s\n got %q %q %s %q\nwant %q %q %s %q", tc.command, c.Program, c.Phrase, c.Verb, files, tc.program, tc.phrase, tc.verb, tc.files)
		}
	}
	for text, want := range map[string]string{
		"cat >a.go": "a.go", "cat > 'a.go' <<EOF\nx > b.go\nEOF": "a.go", "go test 2>err.txt": "err.txt", "ls > /dev/null 2>&1": "", "tee x < a.go": "", "make &> log.txt": "log.txt", "a >| b.go": "b.go",
	} {
		if got := recognize.ReadCommand(text).Written; got != want {
			t.Errorf("%s writes %q, want %q", text, got, want)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"billing/refund.go:42: bad":                                    "billing/refund.go",
		"./a.go:3:4: undefined":                                        "./a.go",
		"at fn (/app/src/x.js:10:5)":                                   "/app/src/x.js",
		"File \"/app/my dir/x.py\", line 10, in f":                     "/app/my dir/x.py",
		"thread 'main' panicked at src/main.rs:10:5:":                  "src/main.rs",
		"  --> src/lib.rs:3:1":                                         "src/lib.rs",
		"at com.acme.Foo.bar(Foo.java:12)":                             "Foo.java",
		"in /src/X.cs:line 10":                                         "/src/X.cs",
		"src/x.ts(10,5): error TS1":                                    "src/x.ts",
		"FAILED tests/test_a.py::TestA::test_b - assert":               "tests/test_a.py",
		"C:\\srv\\x.cs:12 failed":                                      "C:\\srv\\x.cs",
		"at file:///app/x.mjs:3:1":                                     "/app/x.mjs",
		"x.rb:3:in 'foo'":                                              "x.rb",
		"a.go:1 a.go:2 b.go:3 c.go:4 d.go:5":                           "a.go b.go c.go",
		"at https://cdn.example.com/x.js:10:5":                         "",
		"connect 127.0.0.1:8080 example.com:443 localhost:80 12:30:45": "",
		"/usr/local/go/src/runtime/panic.go:3 node_modules/a/b.js:1":   "",
		"see a.go and *.go:3 and .go:3":                                "",
		"ratio 3:4 x:1 go:5":                                           "",
		"größe/maß.go:7":                                               "größe/maß.go",
		"Traceback (most recent call last):\n  File \"a.py\", line 1, in a\n  File \"b.py\", line 1\n  File \"c.py\", line 1\n  File \"d.py\", line 2": "b.py c.py d.py",
	} {
		var m recognize.Mentions
		m.Scan(text)
		if got := strings.Join(m.Paths[:m.N], " "); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
