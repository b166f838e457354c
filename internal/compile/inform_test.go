package compile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// coding is a session of a coding agent in short notation: each line is a command, "! SAYS"
// after it means that it failed with that output, "? " before it that it was denied, and "edit"
// is an edit of a file.
func coding(t testing.TB, n int, project string, lines ...string) *trace.Trace {
	t.Helper()
	var r trace.Reader
	at, id := hmx.TimeOf(trace.Ref{Time: 1e12 + int64(n)*60_000}.When().Time()), 0
	add := func(typ hmx.EventType, content map[string]any) {
		data, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		meta, _ := json.Marshal(map[string]string{"project_id": project})
		id++
		ev := &hmx.Event{EventID: fmt.Sprintf("s%d-%d", n, id), SessionID: fmt.Sprint("s", n), EventType: typ, Timestamp: at, Content: hmx.Raw(data), Metadata: hmx.Raw(meta)}
		r.Add(trace.Event{Event: ev, Position: uint64(1000*n + id), Trust: record.Agent})
	}
	for i, line := range lines {
		call := fmt.Sprint("c", i)
		line, denied := strings.CutPrefix(line, "? ")
		command, says, broke := strings.Cut(line, " ! ")
		if command == "edit" {
			add(hmx.TypeFileEdit, map[string]any{"path": "a.go", "operation": "modify", "success": true})
			continue
		}
		add(hmx.TypeToolCall, map[string]any{"tool_name": "Bash", "call_id": call, "arguments": map[string]any{"command": command}})
		result := map[string]any{"tool_name": "Bash", "call_id": call, "success": !broke, "result": map[string]any{"text": says}}
		if denied {
			result = map[string]any{"tool_name": "Bash", "call_id": call, "denied": true, "result": map[string]any{"text": says}}
		}
		add(hmx.TypeToolResult, result)
	}
	return r.Trace()
}

// Denials by Lukasa that were recorded as failures, and steps named after the tool that ran
// them, disappear with the next compile.
func TestBoardsHeal(t *testing.T) {
	t.Parallel()
	var traces []*trace.Trace
	for i := range 4 {
		traces = append(traces, coding(t, i, "p", "git push origin main ! Lukasa: a hard rule speaks against it: never push to main", "git status", "git push origin topic"))
	}
	o := Options{Tenant: "t", Now: traces[3].Tasks[0].To.When()}
	// As an older version read them.
	var old []*trace.Trace
	for _, tr := range traces {
		copied := *tr
		copied.Tasks = slices.Clone(tr.Tasks)
		copied.Tasks[0].Steps = slices.Clone(tr.Tasks[0].Steps)
		for i := range copied.Tasks[0].Steps {
			s := &copied.Tasks[0].Steps[i]
			if s.Tool, s.Command = "Bash", false; s.State == trace.Denied {
				s.State, s.Known, s.Error = trace.Broken, true, "Lukasa: a hard rule speaks against it: never push to main"
			}
			if i == 1 {
				s.Tool = "Read"
			}
		}
		old = append(old, &copied)
	}
	b := newBoard()
	b.merge(t, mine(t, old, o), o)
	before := fmt.Sprint(b.active())
	if !strings.Contains(before, "failure_playbook") || !strings.Contains(before, "Bash") {
		t.Fatalf("the old board has %s", before)
	}
	b.merge(t, mine(t, traces, o), o)
	for key := range b.active() {
		if strings.Contains(key, "Bash") || strings.Contains(key, "playbook") {
			t.Errorf("%s is still active", key)
		}
	}
}

// Artifacts without information are not made.
func TestArtifactsInform(t *testing.T) {
	t.Parallel()
	var same, reads, exits, retry, lint []*trace.Trace
	for i := range 8 {
		same = append(same, coding(t, i, "p", "make", "make", "make", "make"))
		reads = append(reads, coding(t, i, "p", "ls", "cat a.txt", "grep x a.txt"))
		exits = append(exits, coding(t, i, "p", "make deploy ! exit status 1", "terraform plan", "make deploy"))
		retry = append(retry, coding(t, i, "p", "make deploy ! connection reset by peer", "make deploy"))
		lint = append(lint, coding(t, i, "p", "git push ! fatal: no upstream branch is set", "git push -u origin topic"))
	}
	o := Options{Tenant: "t", Now: same[7].Tasks[0].To.When()}
	for name, c := range map[string]struct {
		traces []*trace.Trace
		kinds  []hmx.ArtifactType
	}{
		"the same again":  {same, []hmx.ArtifactType{hmx.TypeDecisionPolicy, hmx.TypeTaskSchema}},
		"reading only":    {reads, []hmx.ArtifactType{hmx.TypeTaskSchema}},
		"an exit code":    {exits, []hmx.ArtifactType{hmx.TypeFailurePlaybook}},
		"the call again":  {retry, []hmx.ArtifactType{hmx.TypeFailurePlaybook}},
		"one step of two": {lint, []hmx.ArtifactType{hmx.TypeTaskSchema}},
	} {
		drafts := mine(t, c.traces, o)
		for _, kind := range c.kinds {
			for _, d := range of(drafts, kind) {
				t.Errorf("%s: %s", name, d.Key)
			}
		}
	}
	book := the(t, mine(t, lint, o), hmx.TypeFailurePlaybook)
	c, _ := book.Artifact.FailurePlaybook()
	if !slices.Equal(c.RecoverySteps, []string{"Run git push -u <remote> <branch>"}) || book.Artifact.Title[:18] != "When git push fail" {
		t.Errorf("%q: %q", book.Artifact.Title, c.RecoverySteps)
	}
}
