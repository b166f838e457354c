package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/memorytool"
	"lukasa.dev/internal/operation"
)

// tool runs a command of the memory tool.
func (w *world) tool(who *auth.Principal, args string) *memorytool.Result {
	w.t.Helper()
	return w.must(who, "memory_tool", args).(*memorytool.Result)
}

// A conversation with the tool, with its documented messages.
func TestMemoryToolWords(t *testing.T) {
	w := newWorld(t)
	for _, x := range []struct {
		args, want string
		bad        bool
	}{
		{`{"command":"view","path":"/memories"}`, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories", false},
		{`{"command":"view","path":"/memories/a.md"}`, "The path /memories/a.md does not exist. Please provide a valid path.", true},
		{`{"command":"create","path":"/memories/a.md","file_text":"one\ntwo\nthree\n"}`, "File created successfully at: /memories/a.md", false},
		{`{"command":"create","path":"/memories/a.md","file_text":"x"}`, "Error: File /memories/a.md already exists", true},
		{`{"command":"create","path":"/memories/a.md/b","file_text":"x"}`, "Error: /memories/a.md/b cannot be created, since /memories/a.md is a file", true},
		{`{"command":"view","path":"/memories/a.md"}`, "Here's the content of /memories/a.md with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree", false},
		{`{"command":"view","path":"/memories/a.md","view_range":[2,-1]}`, "Here's the content of /memories/a.md with line numbers:\n     2\ttwo\n     3\tthree", false},
		{`{"command":"view","path":"/memories/a.md","view_range":[2,2]}`, "Here's the content of /memories/a.md with line numbers:\n     2\ttwo", false},
		{`{"command":"view","path":"/memories/a.md","view_range":[4,9]}`, "Error: Invalid `view_range` parameter: [4, 9]. It should be within the range of lines of the file: [1, 3]", true},
		{`{"command":"str_replace","path":"/memories/a.md","old_str":"two","new_str":"2"}`, "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\t2\n     3\tthree", false},
		{`{"command":"str_replace","path":"/memories/a.md","old_str":"four","new_str":"4"}`, "No replacement was performed, old_str `four` did not appear verbatim in /memories/a.md.", true},
		{`{"command":"str_replace","path":"/memories/a.md","old_str":"e","new_str":"4"}`, "No replacement was performed. Multiple occurrences of old_str `e` in lines: 1, 3. Please ensure it is unique", true},
		{`{"command":"str_replace","path":"/memories/none","old_str":"e","new_str":"4"}`, "Error: The path /memories/none does not exist. Please provide a valid path.", true},
		{`{"command":"insert","path":"/memories/a.md","insert_line":3,"insert_text":"four"}`, "The file /memories/a.md has been edited.", false},
		{`{"command":"insert","path":"/memories/a.md","insert_line":5,"insert_text":"x"}`, "Error: Invalid `insert_line` parameter: 5. It should be within the range of lines of the file: [0, 4]", true},
		{`{"command":"insert","path":"/memories/none","insert_line":0,"insert_text":"x"}`, "Error: The path /memories/none does not exist", true},
		{`{"command":"create","path":"/memories/d/e/f.md","file_text":""}`, "File created successfully at: /memories/d/e/f.md", false},
		{`{"command":"create","path":"/memories/d/.hidden","file_text":"x"}`, "File created successfully at: /memories/d/.hidden", false},
		{`{"command":"create","path":"/memories/d","file_text":"x"}`, "Error: File /memories/d already exists", true},
		{`{"command":"view","path":"/memories/d/e/f.md"}`, "Here's the content of /memories/d/e/f.md with line numbers:", false},
		{`{"command":"view","path":"/memories/"}`, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n17B\t/memories\n17B\t/memories/a.md\n0B\t/memories/d/\n0B\t/memories/d/e/", false},
		{`{"command":"insert","path":"/memories/d","insert_line":0,"insert_text":"x"}`, "Error: The path /memories/d does not exist", true},
		{`{"command":"rename","old_path":"/memories/a.md","new_path":"/memories/d/e/f.md"}`, "Error: The destination /memories/d/e/f.md already exists", true},
		{`{"command":"rename","old_path":"/memories/a.md","new_path":"/memories/d"}`, "Error: The destination /memories/d already exists", true},
		{`{"command":"rename","old_path":"/memories/d","new_path":"/memories/d/x"}`, "Error: /memories/d cannot be renamed to /memories/d/x", true},
		{`{"command":"rename","old_path":"/memories/d","new_path":"/memories/g/h"}`, "Successfully renamed /memories/d to /memories/g/h", false},
		{`{"command":"rename","old_path":"/memories/d","new_path":"/memories/i"}`, "Error: The path /memories/d does not exist", true},
		{`{"command":"view","path":"/memories/g"}`, "Here're the files and directories up to 2 levels deep in /memories/g, excluding hidden items and node_modules:\n0B\t/memories/g\n0B\t/memories/g/h/\n0B\t/memories/g/h/e/", false},
		{`{"command":"delete","path":"/memories/g"}`, "Successfully deleted /memories/g", false},
		{`{"command":"delete","path":"/memories/g"}`, "Error: The path /memories/g does not exist", true},
		{`{"command":"delete","path":"/memories"}`, "Error: The directory /memories itself cannot be deleted", true},
		{`{"command":"create","path":"/memories/g","file_text":"It is a file now."}`, "File created successfully at: /memories/g", false},
	} {
		if got := w.tool(admin("acme"), x.args); got.Content != x.want || got.IsError != x.bad {
			t.Errorf("%s\ngot  %v %q\nwant %v %q", x.args, got.IsError, got.Content, x.bad, x.want)
		}
	}
}

// Reading suffices to view; other commands need read and write: every command with every set of
// rights and every role.
func TestMemoryToolRights(t *testing.T) {
	w := newWorld(t)
	w.tool(admin("acme"), `{"command":"create","path":"/memories/shown.md","file_text":"Shown.\n"}`)
	for rights := auth.Rights(0); rights < 8; rights++ {
		for _, command := range []string{"view", "create", "str_replace", "insert", "rename", "delete"} {
			at := fmt.Sprintf("/memories/by-%d.md", rights)
			args := map[string]string{
				"view":        `{"command":"view","path":"/memories/shown.md"}`,
				"create":      `{"command":"create","path":"` + at + `","file_text":"One.\n"}`,
				"str_replace": `{"command":"str_replace","path":"` + at + `","old_str":"One","new_str":"Two"}`,
				"insert":      `{"command":"insert","path":"` + at + `","insert_line":0,"insert_text":"Zero."}`,
				"rename":      `{"command":"rename","old_path":"` + at + `","new_path":"` + at + `.txt"}`,
				"delete":      `{"command":"delete","path":"` + at + `.txt"}`,
			}[command]
			who := admin("acme")
			who.Rights = rights
			out, err := w.run(who, "memory_tool", args)
			may := rights.Has(auth.Read) && (command == "view" || rights.Has(auth.Write))
			if may && (err != nil || out.(*memorytool.Result).IsError) {
				t.Errorf("%s with %s: %+v, %v", command, rights, out, err)
			}
			if f := fault.From(err); !may && (f == nil || f.Code != fault.NotPermitted || f.Advice() == "") {
				t.Errorf("%s with %s: %+v, %v", command, rights, out, err)
			}
		}
	}
	if got := w.tool(admin("acme"), `{"command":"view","path":"/memories"}`).Content; strings.Contains(got, "by-") {
		t.Errorf("something was left by somebody who may not write: %s", got)
	}
}

// Malformed calls are errors with a field, a rule and a fix.
func TestMemoryToolMalformed(t *testing.T) {
	w := newWorld(t)
	for args, field := range map[string]string{
		`{}`: "command", `{"command":"undo","path":"/memories/a"}`: "command", `{"command":"view"}`: "path", `{"command":"create","path":"/memories/a"}`: "file_text",
		`{"command":"view","path":"/memories","file_text":"x"}`: "file_text", `{"command":"view","path":"/memories","view_range":[1]}`: "view_range",
		`{"command":"insert","path":"/memories/a","insert_text":"x"}`: "insert_line", `{"command":"rename","old_path":"/memories/a"}`: "new_path",
		`{"command":"view","path":"/memories","view_range":[1,2.5]}`: "view_range", `{"command":"view","path":"/memories","mode":"x"}`: "mode",
	} {
		_, err := w.run(admin("acme"), "memory_tool", args)
		f := fault.From(err)
		if f == nil || f.Code != fault.InvalidArgument || !strings.HasPrefix(f.Error(), field) || f.Advice() == "" {
			t.Errorf("%s: %v, want one about %s", args, err, field)
		}
	}
}

// Concurrent edits of one file lose no line, and every edit is a version.
func TestMemoryToolConcurrentEdits(t *testing.T) {
	w := newWorld(t)
	w.tool(admin("acme"), `{"command":"create","path":"/memories/log.md","file_text":"start\n"}`)
	// A writer is refused only if another one was faster, which happens at most this often.
	const writers, lines = 40, 1
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for k := range lines {
				args := fmt.Sprintf(`{"command":"insert","path":"/memories/log.md","insert_line":0,"insert_text":"%d-%d"}`, i, k)
				if out, err := w.run(admin("acme"), "memory_tool", args); err != nil || out.(*memorytool.Result).IsError {
					t.Errorf("%v, %v", out, err)
				}
			}
		})
	}
	all.Wait()
	got := w.tool(admin("acme"), `{"command":"view","path":"/memories/log.md"}`).Content
	for i := range writers {
		for k := range lines {
			if strings.Count(got, fmt.Sprintf("\t%d-%d\n", i, k)) != 1 {
				t.Errorf("%d-%d is lost:\n%s", i, k, got)
			}
		}
	}
	history := w.read(w.must(admin("acme"), "memory_history", `{"name":"memories/log.md"}`))
	if n := len(history["versions"].([]any)); n != 1+writers*lines {
		t.Errorf("%d versions", n)
	}
}

// A file is a memory like others: search and packs find it, it is proven, and its other fields
// stay when its text is edited. A text larger than a memory may be is refused in words.
func TestMemoryToolFilesAreMemories(t *testing.T) {
	w := newWorld(t)
	w.tool(admin("acme"), `{"command":"create","path":"/memories/people/dana.md","file_text":"Dana prefers marzipan over nougat.\n"}`)
	w.must(admin("acme"), "remember", `{"key":"memories/people/dana.md","text":"Dana prefers marzipan over nougat.\n","type":"preference","tags":["memory-tool","people"],"importance":0.9,"metadata":{"by":"hand"}}`)
	w.tool(admin("acme"), `{"command":"str_replace","path":"/memories/people/dana.md","old_str":"nougat","new_str":"pralines"}`)
	thing := w.text(w.must(admin("acme"), "recall", `{"key":"memories/people/dana.md"}`))
	for _, want := range []string{`marzipan over pralines.\n"`, `"type":"preference"`, `"people"`, `"importance":0.9`, `"by":"hand"`, `"version":3`} {
		if !strings.Contains(thing, want) {
			t.Errorf("%s is not in %s", want, thing)
		}
	}
	if found := w.text(w.must(admin("acme"), "search", `{"query":"marzipan pralines"}`)); !strings.Contains(found, "marzipan over pralines") {
		t.Errorf("search: %s", found)
	}
	if found := w.must(admin("acme"), "pack_context", `{"topic":"does Dana like marzipan"}`).(*operation.Text); !strings.Contains(found.Body, "marzipan over pralines") {
		t.Errorf("pack: %s", found.Body)
	}
	uri := w.read(w.must(admin("acme"), "recall", `{"key":"memories/people/dana.md"}`))["uri"].(string)
	w.must(admin("acme"), "prove_inclusion", `{"name":"`+uri+`"}`)
	big := w.tool(admin("acme"), `{"command":"create","path":"/memories/big","file_text":"`+strings.Repeat("x", memory.MaxText+1)+`"}`)
	if !big.IsError || !strings.Contains(big.Content, "may have at most 65536") {
		t.Errorf("%+v", big)
	}
}

// A caller with less trust gets an error that says so, and an agent's private file is invisible
// to others.
func TestMemoryToolTrust(t *testing.T) {
	w := newWorld(t)
	agent := func(name string) *auth.Principal {
		return &auth.Principal{Key: "k-" + name, Role: auth.Agent, Tenant: "acme", Agent: name, Rights: auth.Read | auth.Write, Trust: lukasa.Agent}
	}
	w.tool(admin("acme"), `{"command":"create","path":"/memories/rules.md","file_text":"Never push on Fridays."}`)
	if got := w.tool(agent("ada"), `{"command":"str_replace","path":"/memories/rules.md","old_str":"Never","new_str":"Always"}`); !got.IsError || !strings.Contains(got.Content, "trust") {
		t.Errorf("%+v", got)
	}
	w.must(agent("ada"), "remember", `{"key":"memories/own.md","text":"Mine.","visibility":"private","tags":["memory-tool"]}`)
	if got := w.tool(agent("bob"), `{"command":"view","path":"/memories"}`); strings.Contains(got.Content, "own.md") {
		t.Errorf("bob sees %s", got.Content)
	}
	if got := w.tool(agent("bob"), `{"command":"create","path":"/memories/own.md","file_text":"x"}`); !got.IsError || !strings.Contains(got.Content, "taken") {
		t.Errorf("bob writes what he does not see: %+v", got)
	}
	if got := w.tool(agent("ada"), `{"command":"rename","old_path":"/memories/rules.md","new_path":"/memories/old.md"}`); !got.IsError || !strings.Contains(got.Content, "trust") {
		t.Errorf("%+v", got)
	}
	if got := w.tool(agent("ada"), `{"command":"view","path":"/memories"}`); strings.Contains(got.Content, "old.md") {
		t.Errorf("what may not be renamed has a copy: %s", got.Content)
	}
	if got := w.tool(agent("ada"), `{"command":"view","path":"/memories"}`); !strings.Contains(got.Content, "own.md") || !strings.Contains(got.Content, "rules.md") {
		t.Errorf("ada sees %s", got.Content)
	}
}

// Writes count against the limits of the tenant; viewing and deleting do not.
func TestMemoryToolQuotas(t *testing.T) {
	w := newWorld(t)
	w.tool(admin("acme"), `{"command":"create","path":"/memories/a","file_text":"x"}`)
	w.tool(admin("acme"), `{"command":"create","path":"/memories/dir/b","file_text":"x"}`)
	w.tool(admin("acme"), `{"command":"create","path":"/memories/dir/c","file_text":"x"}`)
	w.must(operator("acme"), "set_quota", `{"max_records":4}`)
	if _, err := w.run(admin("acme"), "memory_tool", `{"command":"rename","old_path":"/memories/dir","new_path":"/memories/there"}`); fault.CodeOf(err) != fault.OverQuota {
		t.Errorf("two files, of which one fits: %v", err)
	}
	if got := w.tool(admin("acme"), `{"command":"view","path":"/memories"}`); strings.Contains(got.Content, "there") {
		t.Errorf("a part of it was moved: %s", got.Content)
	}
	w.must(operator("acme"), "set_quota", `{"max_records":1}`)
	if _, err := w.run(admin("acme"), "memory_tool", `{"command":"create","path":"/memories/b","file_text":"x"}`); fault.CodeOf(err) != fault.OverQuota {
		t.Errorf("a write: %v", err)
	}
	w.tool(admin("acme"), `{"command":"view","path":"/memories"}`)
	if got := w.tool(admin("acme"), `{"command":"delete","path":"/memories/a"}`); got.IsError {
		t.Errorf("%+v", got)
	}
}
