package recorder

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/migrate/chats"
	"lukasa.dev/internal/migrate/exports"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
	"lukasa.dev/internal/migrate/traces"
	"lukasa.dev/internal/migrate/transcripts"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// A dry run counts what comes twice, also among more than a million.
func TestDryRunTellsManyApart(t *testing.T) {
	const n = 1<<20 + 1000
	r := New(nil, Options{Tenant: "acme", DryRun: true})
	for range 2 {
		for i := range n {
			if err := r.Take(t.Context(), source.Item{Event: &hmx.Event{EventID: strconv.Itoa(i), SessionID: "s"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c := r.Counts(); c.Events != n || c.Duplicates != n {
		t.Errorf("%d events, %d doubles", c.Events, c.Duplicates)
	}
}

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

// family is a family of formats, and where its package is.
type family struct {
	dir     string
	readers []source.Reader
}

// families returns all of them.
func families() []family {
	return []family{
		{"../transcripts", transcripts.Readers()}, {"../chats", chats.Readers()},
		{"../exports", slices.Concat(exports.Readers(), exports.EventReaders())}, {"../traces", traces.Readers()},
	}
}

// reader returns the reader of a format.
func reader(t testing.TB, f foreign.Format) source.Reader {
	t.Helper()
	for _, one := range families() {
		for _, x := range one.readers {
			if x.Format == f {
				return x
			}
		}
	}
	t.Fatalf("nothing reads %s", f)
	return source.Reader{}
}

// bring brings a source into a board.
func bring(t testing.TB, b *lukasa.Board, f foreign.Format, name string, data []byte, dry bool) (Counts, []source.Left) {
	t.Helper()
	var left []source.Left
	rec := New(b, Options{
		Tenant: "acme", DryRun: dry,
		Events: lukasa.Writer{Actor: "test", Trust: lukasa.User}, Things: lukasa.Writer{Actor: "test", Trust: lukasa.Agent},
		Leave: func(l source.Left) { left = append(left, l) },
	})
	src := source.Source{Name: name, Path: name, Modified: sourcetest.Modified(), Reader: bytes.NewReader(data)}
	if err := reader(t, f).Take(context.Background(), src, source.Options{Tenant: "acme"}, rec, nil); err != nil {
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
func written(c Counts) int { return c.Events + c.Memories + c.Entities + c.Relations }

// The same source a second time changes nothing, whatever it is called by then, and a dry run
// changes nothing at all.
func TestTwiceChangesNothing(t *testing.T) {
	testsize.Long(t, "it imports everything twice")
	for _, one := range families() {
		for _, x := range one.readers {
			for _, file := range sourcetest.Fixtures(t, one.dir, x.Format) {
				f := x.Format
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
					if written(did) != written(would) || written(did) == 0 || int(root(t, b).Size) != written(did) {
						t.Errorf("recorded %+v, the dry run said %+v, the root %d", did, would, root(t, b).Size)
					}
					for _, l := range left {
						if l.Reason == source.Refused || l.Reason == source.Changed {
							t.Errorf("%+v", l)
						}
					}
					before := root(t, b)
					would, _ = bring(t, b, f, name, data, true)
					again, leftAgain := bring(t, b, f, name, data, false)
					if written(again) != 0 || written(would) != 0 || root(t, b) != before {
						t.Errorf("the second time recorded %+v, the dry run said %+v", again, would)
					}
					if again.Duplicates+again.Present != written(did)+did.Duplicates+did.Present || !slices.Equal(left, leftAgain) {
						t.Errorf("the first time %+v %v, the second %+v %v", did, left, again, leftAgain)
					}
					if named := strings.Contains("openai-chat anthropic-messages basic-memory", string(f)); named {
						return // what has no name of its own is named by its file
					}
					if as, left := bring(t, b, f, "", data, false); written(as) != 0 || slices.ContainsFunc(left, func(l source.Left) bool { return l.Reason == source.Changed }) {
						t.Errorf("as a stream it recorded %+v %v", as, left)
					}
				})
			}
		}
	}
}

// A transcript that grew adds what is new, also what was not finished before.
func TestGrownFile(t *testing.T) {
	data, err := os.ReadFile("../transcripts/testdata/fixtures/codex/rollout-2025-10-02T10-15-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	whole := board(t)
	want, _ := bring(t, whole, foreign.Codex, "r.jsonl", data, false)
	b := board(t)
	n := bytes.Index(data, []byte(`"call_B"`))
	first, left := bring(t, b, foreign.Codex, "r.jsonl", data[:n], false)
	if !slices.ContainsFunc(left, func(l source.Left) bool { return l.Reason == source.Unfinished && l.Line == 10 }) {
		t.Errorf("nothing is said of the unfinished line: %v", left)
	}
	rest, _ := bring(t, b, foreign.Codex, "r.jsonl", data, false)
	if first.Events == 0 || first.Events+rest.Events != want.Events || rest.Duplicates != first.Events {
		t.Errorf("first %+v, then %+v, at once %+v", first, rest, want)
	}
}

// The speaker decides the trust: people as users, agents and those that prompt them as
// agents, tools as tools, memories as agents.
func TestTrust(t *testing.T) {
	ctx := context.Background()
	b := board(t)
	data, err := os.ReadFile("../transcripts/testdata/fixtures/claude-code/4f35e220-c435-4cf7-b9b9-f40426042847.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	bring(t, b, foreign.ClaudeCode, "x.jsonl", data, false)
	acme := b.Tenant("acme", lukasa.Writer{})
	for id, want := range map[string]lukasa.Trust{
		foreign.EventID(foreign.ClaudeCode, "u1", "text", "0"):    lukasa.User,
		foreign.EventID(foreign.ClaudeCode, "u2", "text", "0"):    lukasa.Agent,
		foreign.EventID(foreign.ClaudeCode, "call", "toolu_03"):   lukasa.Agent,
		foreign.EventID(foreign.ClaudeCode, "result", "toolu_03"): lukasa.Tool,
		foreign.EventID(foreign.ClaudeCode, "s1", "text", "0"):    lukasa.Agent, // the prompt of a sub-agent
		foreign.EventID(foreign.ClaudeCode, "u12", "text", "0"):   lukasa.Agent, // a summary in the user's place
		foreign.EventID(foreign.ClaudeCode, "u13", "error", "0"):  lukasa.Tool,
	} {
		ev, err := acme.Event(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if ev.Trust != want {
			t.Errorf("%s is trusted as %s, not %s", ev.Event.Content, ev.Trust, want)
		}
	}
	bring(t, b, exports.MCPMemory, "m.jsonl", []byte(`{"type":"entity","name":"X","entityType":"t","observations":["o"]}`+"\n"), false)
	page, err := acme.List(ctx, lukasa.ListOptions{Kind: lukasa.MemoryKind})
	if err != nil || len(page.Things) != 1 || page.Things[0].Trust != lukasa.Agent {
		t.Errorf("%+v %v", page, err)
	}
}

// What was changed, forgotten or erased here stays so.
func TestChangedHere(t *testing.T) {
	ctx := context.Background()
	b := board(t)
	data := []byte(`[{"id":"1","memory":"The sky is green."},{"id":"2","memory":"Grass is blue."},{"id":"3","memory":"Snow is black."}]`)
	bring(t, b, exports.Mem0, "m.json", data, false)
	acme := b.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	ref := func(id string) lukasa.Ref {
		return lukasa.Ref{Kind: lukasa.MemoryKind, ID: foreign.EventID(exports.Mem0, "memory", id)}
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
	counts, left := bring(t, b, exports.Mem0, "m.json", data, false)
	if root(t, b) != before || written(counts) != 0 {
		t.Errorf("recorded %+v %v", counts, left)
	}
	var why []source.Reason
	for _, l := range left {
		why = append(why, l.Reason)
	}
	if !slices.Equal(why, []source.Reason{source.Forgotten, source.Erased}) || counts.Present != 1 {
		t.Errorf("%v %+v", left, counts)
	}
	// A changed text of the source is taken, unless a writer with more trust has changed it.
	grown := []byte(`[{"id":"4","memory":"Coal is white."}]`)
	bring(t, b, exports.Mem0, "m.json", grown, false)
	counts, _ = bring(t, b, exports.Mem0, "m.json", bytes.ReplaceAll(grown, []byte("white"), []byte("black")), false)
	if counts.Memories != 1 {
		t.Errorf("%+v", counts)
	}
}

// Secrets never reach the board, and do not make a source look changed.
func TestSecrets(t *testing.T) {
	b := board(t)
	data := []byte(`{"type":"user","uuid":"s","sessionId":"s","timestamp":"2025-05-26T07:27:40Z","message":{"role":"user","content":"my key is AKIAIOSFODNN7EXAMPLE and ghp_16C7e42F292c6912E7710c838347Ae178B4a"}}` + "\n")
	counts, _ := bring(t, b, foreign.ClaudeCode, "a.jsonl", data, false)
	if counts.Scrubbed == 0 {
		t.Fatalf("%+v", counts)
	}
	counts, left := bring(t, b, foreign.ClaudeCode, "b.jsonl", data, false)
	if counts.Duplicates != 1 || len(left) != 0 {
		t.Errorf("%+v %v", counts, left)
	}
}

// A source whose content changed behind an id is reported, and the record stays as it is.
func TestChangedThere(t *testing.T) {
	b := board(t)
	data := []byte(`{"type":"user","uuid":"s","sessionId":"s","timestamp":"2025-05-26T07:27:40Z","message":{"role":"user","content":"one"}}` + "\n")
	bring(t, b, foreign.ClaudeCode, "a.jsonl", data, false)
	before := root(t, b)
	counts, left := bring(t, b, foreign.ClaudeCode, "a.jsonl", bytes.ReplaceAll(data, []byte("one"), []byte("two")), false)
	if root(t, b) != before || written(counts) != 0 || len(left) != 1 || left[0].Reason != source.Changed || left[0].Line != 1 {
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
