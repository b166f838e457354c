package migrate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// board opens a new board.
func board(t testing.TB) *lukasa.Board {
	t.Helper()
	b, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// bring brings a source into a board.
func bring(t testing.TB, b *lukasa.Board, f Format, name string, data []byte, dry bool) (Counts, []Left) {
	t.Helper()
	var left []Left
	rec := NewRecorder(b, RecorderOptions{
		Tenant: "acme", DryRun: dry,
		Events: lukasa.Writer{Actor: "test", Trust: lukasa.User}, Things: lukasa.Writer{Actor: "test", Trust: lukasa.Agent},
		Leave: func(l Left) { left = append(left, l) },
	})
	src := Source{Name: name, Path: name, Modified: modified, Reader: bytes.NewReader(data)}
	if err := Read(context.Background(), f, src, Options{Tenant: "acme"}, rec); err != nil {
		t.Fatal(err)
	}
	if err := rec.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return rec.Counts(), left
}

func root(t testing.TB, b *lukasa.Board) lukasa.Root {
	t.Helper()
	r, err := b.Tenant("acme", lukasa.Writer{}).Root(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// written is how many items were recorded.
func (c Counts) written() int { return c.Events + c.Memories + c.Entities + c.Relations }

// The same source a second time changes nothing, whatever it is called by then, and a dry run
// changes nothing at all.
func TestTwiceChangesNothing(t *testing.T) {
	testsize.Long(t, "it imports everything twice")
	for f, files := range fixtures(t) {
		for _, file := range files {
			t.Run(string(f)+"/"+filepath.Base(file), func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				b := board(t)
				name := filepath.Base(file)
				would, _ := bring(t, b, f, name, data, true)
				if r := root(t, b); r.Size != 0 {
					t.Fatalf("a dry run recorded %d", r.Size)
				}
				did, left := bring(t, b, f, name, data, false)
				if did.written() != would.written() || did.written() == 0 || int(root(t, b).Size) != did.written() {
					t.Errorf("recorded %+v, the dry run said %+v, the root %d", did, would, root(t, b).Size)
				}
				for _, l := range left {
					if l.Reason == Refused || l.Reason == Changed {
						t.Errorf("%+v", l)
					}
				}
				before := root(t, b)
				would, _ = bring(t, b, f, name, data, true)
				again, leftAgain := bring(t, b, f, name, data, false)
				if again.written() != 0 || would.written() != 0 || root(t, b) != before {
					t.Errorf("the second time recorded %+v, the dry run said %+v", again, would)
				}
				if again.Duplicates+again.Present != did.written()+did.Duplicates+did.Present || !slices.Equal(left, leftAgain) {
					t.Errorf("the first time %+v %v, the second %+v %v", did, left, again, leftAgain)
				}
				if named := strings.Contains("openai-chat anthropic-messages basic-memory", string(f)); named {
					return // what has no name of its own is named by its file
				}
				if as, left := bring(t, b, f, "", data, false); as.written() != 0 || slices.ContainsFunc(left, func(l Left) bool { return l.Reason == Changed }) {
					t.Errorf("as a stream it recorded %+v %v", as, left)
				}
			})
		}
	}
}

// A transcript that grew adds what is new, also what was not finished before.
func TestGrownFile(t *testing.T) {
	data, err := os.ReadFile("testdata/fixtures/codex/rollout-2025-10-02T10-15-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	whole := board(t)
	want, _ := bring(t, whole, Codex, "r.jsonl", data, false)
	b := board(t)
	n := bytes.Index(data, []byte(`"call_B"`))
	first, left := bring(t, b, Codex, "r.jsonl", data[:n], false)
	if !slices.ContainsFunc(left, func(l Left) bool { return l.Reason == Unfinished && l.Line == 10 }) {
		t.Errorf("nothing is said of the unfinished line: %v", left)
	}
	rest, _ := bring(t, b, Codex, "r.jsonl", data, false)
	if first.Events == 0 || first.Events+rest.Events != want.Events || rest.Duplicates != first.Events {
		t.Errorf("first %+v, then %+v, at once %+v", first, rest, want)
	}
}

// The speaker decides the trust: people as users, agents and those that prompt them as
// agents, tools as tools, memories as agents.
func TestTrust(t *testing.T) {
	ctx := context.Background()
	b := board(t)
	data, err := os.ReadFile("testdata/fixtures/claude-code/4f35e220-c435-4cf7-b9b9-f40426042847.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	bring(t, b, ClaudeCode, "x.jsonl", data, false)
	acme := b.Tenant("acme", lukasa.Writer{})
	for id, want := range map[string]lukasa.Trust{
		EventID(ClaudeCode, "u1", "text", "0"):    lukasa.User,
		EventID(ClaudeCode, "u2", "text", "0"):    lukasa.Agent,
		EventID(ClaudeCode, "call", "toolu_03"):   lukasa.Agent,
		EventID(ClaudeCode, "result", "toolu_03"): lukasa.Tool,
		EventID(ClaudeCode, "s1", "text", "0"):    lukasa.Agent, // the prompt of a sub-agent
		EventID(ClaudeCode, "u12", "text", "0"):   lukasa.Agent, // a summary in the user's place
		EventID(ClaudeCode, "u13", "error", "0"):  lukasa.Tool,
	} {
		ev, err := acme.Event(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if ev.Trust != want {
			t.Errorf("%s is trusted as %s, not %s", ev.Event.Content, ev.Trust, want)
		}
	}
	bring(t, b, MCPMemory, "m.jsonl", []byte(`{"type":"entity","name":"X","entityType":"t","observations":["o"]}`+"\n"), false)
	page, err := acme.List(ctx, lukasa.ListOptions{Kind: lukasa.MemoryKind})
	if err != nil || len(page.Things) != 1 || page.Things[0].Trust != lukasa.Agent {
		t.Errorf("%+v %v", page, err)
	}
}

// What was changed, forgotten or erased here stays so.
func TestChangedHere(t *testing.T) {
	ctx := context.Background()
	b := board(t)
	source := []byte(`[{"id":"1","memory":"The sky is green."},{"id":"2","memory":"Grass is blue."},{"id":"3","memory":"Snow is black."}]`)
	bring(t, b, Mem0, "m.json", source, false)
	acme := b.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	ref := func(id string) lukasa.Ref {
		return lukasa.Ref{Kind: lukasa.MemoryKind, ID: EventID(Mem0, "memory", id)}
	}
	if _, err := acme.Put(ctx, &lukasa.Memory{ID: ref("1").ID, Type: "fact", Text: "The sky is blue."}, lukasa.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Forget(ctx, ref("2"), "wrong", lukasa.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	if _, err := acme.Redact(ctx, lukasa.URI{Kind: lukasa.MemoryKind, ID: ref("3").ID}); err != nil {
		t.Fatal(err)
	}
	before := root(t, b)
	counts, left := bring(t, b, Mem0, "m.json", source, false)
	if root(t, b) != before || counts.written() != 0 {
		t.Errorf("recorded %+v %v", counts, left)
	}
	var why []Reason
	for _, l := range left {
		why = append(why, l.Reason)
	}
	if !slices.Equal(why, []Reason{Forgotten, Erased}) || counts.Present != 1 {
		t.Errorf("%v %+v", left, counts)
	}
	// A changed text of the source is taken, unless a writer with more trust has changed it.
	grown := []byte(`[{"id":"4","memory":"Coal is white."}]`)
	bring(t, b, Mem0, "m.json", grown, false)
	counts, _ = bring(t, b, Mem0, "m.json", bytes.ReplaceAll(grown, []byte("white"), []byte("black")), false)
	if counts.Memories != 1 {
		t.Errorf("%+v", counts)
	}
}

// Secrets never reach the board, and do not make a source look changed.
func TestSecrets(t *testing.T) {
	b := board(t)
	data := []byte(`{"type":"user","uuid":"s","sessionId":"s","timestamp":"2025-05-26T07:27:40Z","message":{"role":"user","content":"my key is AKIAIOSFODNN7EXAMPLE and ghp_16C7e42F292c6912E7710c838347Ae178B4a"}}` + "\n")
	counts, _ := bring(t, b, ClaudeCode, "a.jsonl", data, false)
	if counts.Scrubbed == 0 {
		t.Fatalf("%+v", counts)
	}
	counts, left := bring(t, b, ClaudeCode, "b.jsonl", data, false)
	if counts.Duplicates != 1 || len(left) != 0 {
		t.Errorf("%+v %v", counts, left)
	}
}

// A source whose content changed behind an id is reported, and the record stays as it is.
func TestChangedThere(t *testing.T) {
	b := board(t)
	data := []byte(`{"type":"user","uuid":"s","sessionId":"s","timestamp":"2025-05-26T07:27:40Z","message":{"role":"user","content":"one"}}` + "\n")
	bring(t, b, ClaudeCode, "a.jsonl", data, false)
	before := root(t, b)
	counts, left := bring(t, b, ClaudeCode, "a.jsonl", bytes.ReplaceAll(data, []byte("one"), []byte("two")), false)
	if root(t, b) != before || counts.written() != 0 || len(left) != 1 || left[0].Reason != Changed || left[0].Line != 1 {
		t.Errorf("%+v %v", counts, left)
	}
}

// A recorder lowers trust, and never raises it.
func TestCapped(t *testing.T) {
	for _, tc := range []struct{ writer, ceiling, want record.Trust }{
		{lukasa.User, 0, lukasa.User}, {lukasa.User, lukasa.Agent, lukasa.Agent}, {lukasa.Tool, lukasa.Agent, lukasa.Tool}, {0, lukasa.Tool, lukasa.Tool},
	} {
		if got := capped(lukasa.Writer{Trust: tc.writer}, tc.ceiling).Trust; got != tc.want {
			t.Errorf("%s under %s is %s", tc.writer, tc.ceiling, got)
		}
	}
}
