package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
)

// recording is a session of a real agent: the input of its hooks, and its transcript.
type recording struct {
	agent, transcript string
	hooks             []recordedHook
	lines             []byte
}

type recordedHook struct {
	At    int64
	Input map[string]any
}

func readRecording(t *testing.T, agent, transcript string) *recording {
	t.Helper()
	dir := filepath.Join("testdata", "recordings", agent)
	data, err := os.ReadFile(filepath.Join(dir, "hooks.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{agent: agent, transcript: transcript}
	for line := range bytes.Lines(data) {
		var h recordedHook
		if err := json.Unmarshal(line, &h); err != nil {
			t.Fatal(err)
		}
		r.hooks = append(r.hooks, h)
	}
	if r.lines, err = os.ReadFile(filepath.Join(dir, transcript)); err != nil {
		t.Fatal(err)
	}
	return r
}

// written writes the transcript as long as it was at a time. One document is written as a whole.
func (r *recording) written(t *testing.T, dir string, until int64) string {
	t.Helper()
	var out []byte
	for line := range bytes.Lines(r.lines) {
		if _, rest, ok := strings.Cut(string(line), `"timestamp":"`); until >= 0 && ok && filepath.Ext(r.transcript) == ".jsonl" && migrateTime(t, rest) > until {
			break
		}
		out = append(out, line...)
	}
	file := filepath.Join(dir, r.transcript)
	if err := os.WriteFile(file, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// replay runs some of the hooks.
func (r *recording) replay(t *testing.T, dir string, hooks []recordedHook) {
	t.Helper()
	where := t.TempDir()
	for _, h := range hooks {
		if _, ok := h.Input["transcript_path"]; ok {
			h.Input["transcript_path"] = r.written(t, where, h.At)
		}
		in, err := json.Marshal(h.Input)
		if err != nil {
			t.Fatal(err)
		}
		if out, problems, code := runHook(t, nothing(t), string(in), r.agent, "--data", dir, "--limit", "1m", "--budget", "0", "--at", strconv.FormatInt(h.At, 10)); !json.Valid([]byte(out)) || problems != "" || code != 0 {
			t.Fatalf("%q, %q, %d", out, problems, code)
		}
	}
}

// bring imports the transcript as it was at a time.
func (r *recording) bring(t *testing.T, dir string, until int64) {
	t.Helper()
	var out, problems bytes.Buffer
	if code := Run(t.Context(), []string{"import", "--from", r.agent, r.written(t, t.TempDir(), until), "--data", dir}, nil, &out, &problems, nothing(t)); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, out.String(), problems.String())
	}
}

// recordedStory tells what is recorded: what users said and tools did, in order, and what the model
// said. A later outcome is that of its call.
func recordedStory(t *testing.T, dir string) (story []string, said string) {
	t.Helper()
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // the test has what it wants
	if _, err := ask.FoldSpool(t.Context(), dir, b, ""); err != nil {
		t.Fatal(err)
	}
	var texts []string
	at := map[string]int{}
	var session string
	for root, err := range b.Tenants(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		page, err := b.Tenant(root.Tenant, lukasa.Writer{}).Events(t.Context(), lukasa.EventQuery{Agent: strings.Split(filepath.Base(dir), "+")[0], Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		session = page.Events[0].Event.SessionID
		page, err = b.Tenant(root.Tenant, lukasa.Writer{}).Events(t.Context(), lukasa.EventQuery{Session: session, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			var c struct {
				Role, Text, Path string
				Call             string `json:"call_id"`
				Success          *bool
				Outcome          bool
				DeniedBy         string `json:"denied_by"`
				Arguments        struct{ Command, Cmd, Query string }
				Result           struct {
					Code *int `json:"exit_code"`
				}
			}
			if err := json.Unmarshal([]byte(e.Event.Content), &c); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(e.Event.Content), "search_memories") || strings.Contains(string(e.Event.Content), "quote-") {
				t.Errorf("Lukasa's own is recorded: %s", e.Event.Content)
			}
			switch e.Event.EventType {
			case "file_edit":
				story = append(story, "edit "+c.Path)
			case "message":
				if c.Role == "user" {
					story = append(story, "user "+c.Text)
				} else {
					texts = append(texts, c.Text)
				}
			case "tool_call":
				story = append(story, "call "+c.Arguments.Command+c.Arguments.Cmd)
			case "tool_result":
				text := "result"
				if c.DeniedBy != "" {
					text += " denied by " + c.DeniedBy
				} else if c.Success != nil {
					text += fmt.Sprintf(" %v", *c.Success)
				}
				if c.Outcome {
					if text != "result" {
						story[at[c.Call]] = text
					}
					continue
				}
				at[c.Call] = len(story)
				story = append(story, text)
			}
		}
	}
	return story, strings.Join(texts, "\n")
}

// Sessions of the released agents become the same through hooks, of their transcripts, through
// both in any order, and half and half: each call once, in its order, with its outcome.
func TestRecordings(t *testing.T) {
	t.Parallel()
	for agent, transcript := range map[string]string{
		"claude-code": "recorded.jsonl", "codex": "rollout-recorded.jsonl", "gemini-cli": "session-recorded.jsonl", "opencode": "recorded.json",
	} {
		edits := []string{"edit /home/dev/shop/notes.txt"}
		if agent == "codex" {
			edits = nil
		}
		want := slices.Concat([]string{
			"user Never push to main directly. Please look at the repository and publish the work.",
			"call git status --short", "result true", "call cat nothing-there.txt", "result false", "call git status --short", "result true",
		}, edits, []string{"call git push origin main", "result denied by lukasa", "user Please list the files.", "call ls", "result true"})
		const all = "I look into the memory.\nI did not push.\nThere are two."
		type way struct {
			name string
			do   func(*testing.T, *recording, string)
			said string
		}
		hooks := func(t *testing.T, r *recording, dir string) { r.replay(t, dir, r.hooks) }
		whole := func(t *testing.T, r *recording, dir string) { r.bring(t, dir, -1) }
		last := all
		if agent == "claude-code" || agent == "codex" {
			last = "I did not push.\nThere are two." // their hooks tell what was said last
		}
		half := func(r *recording) int { return len(r.hooks) / 2 }
		ways := []way{
			{"hooks", hooks, last},
			{"transcript", whole, all},
			{"hooks, transcript", func(t *testing.T, r *recording, dir string) { hooks(t, r, dir); whole(t, r, dir) }, all},
			{"transcript, hooks", func(t *testing.T, r *recording, dir string) { whole(t, r, dir); hooks(t, r, dir) }, all},
			{"all twice", func(t *testing.T, r *recording, dir string) {
				whole(t, r, dir)
				hooks(t, r, dir)
				whole(t, r, dir)
				hooks(t, r, dir)
			}, all},
			{"hooks of the first half, transcript", func(t *testing.T, r *recording, dir string) {
				r.replay(t, dir, r.hooks[:half(r)])
				whole(t, r, dir)
			}, all},
			{"hooks of the second half, transcript", func(t *testing.T, r *recording, dir string) {
				r.replay(t, dir, r.hooks[half(r):])
				whole(t, r, dir)
			}, all},
			{"transcript of the first half, hooks, transcript", func(t *testing.T, r *recording, dir string) {
				r.bring(t, dir, r.hooks[half(r)].At)
				hooks(t, r, dir)
				whole(t, r, dir)
			}, all},
		}
		for _, w := range ways {
			t.Run(agent+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				r := readRecording(t, agent, transcript)
				dir := filepath.Join(t.TempDir(), agent)
				w.do(t, r, dir)
				story, said := recordedStory(t, dir)
				if !slices.Equal(story, want) {
					t.Errorf("recorded is\n\t%s\nand not\n\t%s", strings.Join(story, "\n\t"), strings.Join(want, "\n\t"))
				}
				if said != w.said {
					t.Errorf("the model said %q and not %q", said, w.said)
				}
			})
		}
	}
}
