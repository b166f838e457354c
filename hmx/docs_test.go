package hmx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/hmx/internal/shape"
)

// The pages about the three kinds are printed from the tables that check them.
func TestKindsAreDocumented(t *testing.T) {
	for _, k := range Kinds() {
		want := kindPage(k)
		path := filepath.Join("..", "docs", "formats", string(k)+".md")
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s differs from the tables: run go test ./hmx -run TestKindsAreDocumented -update", path)
		}
	}
}

var intros = map[Kind]string{
	KindEvent: "An event is the atomic unit of what an agent saw or did (HMX-E). `event_type` is one of\n`" +
		strings.Join(names(EventTypes()), "`, `") + "`,\nor `x-{vendor}-{type}`. Content of the types without a table below is free.",
	KindArtifact: "An artifact is reusable knowledge compiled from events (HMX-A). `artifact_type` is one of\n`" +
		strings.Join(names(ArtifactTypes()), "`, `") + "`, or `x-{vendor}-{type}`.",
	KindPack: "A context pack is the context of an agent for one question (HMX-C). Sections by priority:\n`" +
		strings.Join(names(Sections()), "` > `") + "`.",
}

func kindPage(k Kind) string {
	s := specOf(k)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", strings.ToUpper(string(k)[:1])+string(k)[1:], intros[k])
	fmt.Fprintf(&b, "At most %d KB of JSON (`%s`). Names are exact and case-sensitive; unknown top-level fields are refused. "+
		"[rules.md](rules.md) lists the rules; `lukasa schema %s` prints the JSON Schema.\n", s.maxBytes>>10, s.sizeRule, k)
	section(&b, "Fields", s.shape)
	for _, sw := range s.shape.Switches {
		for _, c := range sw.Cases {
			section(&b, fmt.Sprintf("`%s` where `%s` is `%s`", sw.Target, sw.On, c.When), c.Shape)
		}
	}
	if k == KindEvent {
		b.WriteString(codingAgent)
	}
	return b.String()
}

// codingAgent is the end of the page about events.
const codingAgent = `
## Recording a coding agent

A cold start shows what an agent did before, filed under the objects of its actions. [frames.md](frames.md) has all tables; these fields matter most:

| event | fields | purpose |
|---|---|---|
| ` + "`file_edit` | `path`, `operation`, `old_path`, `lines_added`, `lines_removed`" + ` | the file that was modified; ` + "`create`" + ` also builds it |
| ` + "`test_run` | `command` or `framework`, `passed`, `failed`, `failures`, `success`, `output`" + ` | the verdict on earlier changes; ` + "`path:line` in `failures` and `output`" + ` files a failing run under those files |
| ` + "`command_exec` | `command`, `exit_code`, `stdout`, `stderr`, `cwd`" + ` | what was run and how it ended; a command that tests or checks is also a verdict, and a failed one is filed under the files it names |
| ` + "`tool_call` | `tool_name`, `arguments`, `call_id`" + ` | the file, address or command among the arguments |
| ` + "`tool_result` | `call_id`, `tool_name`, `success`, `result`" + ` | the result of the call with the same ` + "`call_id`" + `; both are shown together |
| ` + "`feedback` | `signal`, `comment`, `target_event_id`" + ` | the verdict of a person: on the named event, or on the work before it if that event is a message or none is named |

Record the tools of Claude Code and similar agents directly:

- A tool use is a ` + "`tool_call` with `tool_name` (`Edit`, `Write`, `Read`, `Bash`, …), its input as `arguments`" + ` and its id as ` + "`call_id`" + `.
- Its result is a ` + "`tool_result` with the same `call_id`, the same `tool_name`, and `success: false`" + ` if it is an error: an edit that was
  not applied is then shown as failed, and not with the tests after it. ` + "`result` must be an object: write text as `{\"text\": \"…\"}`" + `.
  Without a ` + "`call_id`, `parent_event_id`" + ` names the call.
- Agents use absolute paths, people relative ones. ` + "`metadata.cwd`" + `, or better ` + "`metadata.repository_root`" + `, lets a file be
  found by both. It must be the directory that paths are relative to: with a directory below it, files are not found by the path from the root.
- A ` + "`Bash` call whose command tests or checks (`go test`, `npm run lint`, `make test`, …)" + ` is a verdict through its result. A command piped into
  another program has the exit code of that program, so a failure may be shown as a success. A harness that knows that tests ran should
  write a ` + "`test_run`" + ` with their numbers.
- One action is one event: if you write a ` + "`file_edit`" + ` for an edit, omit its ` + "`tool_call`" + `, or the edit is shown twice.
`

// section prints the fields of s and of what is nested in it.
func section(b *strings.Builder, title string, s *shape.Shape) {
	fmt.Fprintf(b, "\n## %s\n\n| field | | what it is | rule |\n|---|---|---|---|\n", title)
	rows(b, "", s)
	for _, sw := range s.Switches {
		if title == "Fields" {
			break // these have sections of their own
		}
		fmt.Fprintf(b, "\n`%s` depends on `%s`:\n\n", sw.Target, sw.On)
		for _, c := range sw.Cases {
			fmt.Fprintf(b, "- `%s`: %s\n", c.When, c.Shape.Describe())
		}
	}
}

func rows(b *strings.Builder, prefix string, s *shape.Shape) {
	for _, f := range s.Fields {
		need := "optional"
		if f.Missing != "" {
			need = "required"
		}
		what := f.Shape.Describe()
		if f.Shape.MaxItems > 0 {
			what += fmt.Sprintf(", at most %d", f.Shape.MaxItems)
		}
		if f.Shape.MaxBytes > 0 {
			what += fmt.Sprintf(", at most %d KB", f.Shape.MaxBytes>>10)
		}
		if f.Shape.Doc != "" {
			what = f.Shape.Doc + ": " + what
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | `%s` |\n", prefix, f.Name, need, cell(what), f.Rule)
		nested(b, prefix+f.Name, f.Shape)
	}
}

// cell escapes text for a cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", ">", "&gt;").Replace(text)
}

func nested(b *strings.Builder, name string, s *shape.Shape) {
	switch {
	case s.Type == shape.Record && s.Values != nil:
		nested(b, name+".*", s.Values)
	case s.Type == shape.Record:
		rows(b, name+".", s)
	case s.Type == shape.List && s.Items != nil && s.Items.Type == shape.Record:
		rows(b, name+"[].", s.Items)
	}
}
