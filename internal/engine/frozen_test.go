package engine_test

import (
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
)

var update = flag.Bool("update", false, "rewrite the frozen directory of the current formats")

const frozen = "testdata/format-1"

// TestFrozenDirectory opens a directory of the first version of the formats.
// It is never rewritten for a released version: a change that breaks it
// breaks the data of all users.
func TestFrozenDirectory(t *testing.T) {
	if *update {
		freeze(t)
	}
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(frozen)); err != nil {
		t.Fatal(err)
	}
	b := open(t, nil, dir)
	root, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(frozen + ".root")
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(root.Hash[:]); got != strings.TrimSpace(string(want)) {
		t.Errorf("root is %s, want %s", got, want)
	}
	sound(t, b)
	thing, err := b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "release/cadence"}, engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	if text := thing.Body.(*memory.Memory).Text; text != "Releases are cut on Mondays." || thing.Version != 2 {
		t.Errorf("version %d says %q", thing.Version, text)
	}
	said, err := b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Feedback, ID: "f1"}, engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	if p := said.Body.(*memory.Feedback).Profile; !p.Set || p.Value.Importance != 0.5 {
		t.Errorf("the feedback has the profile %+v", p)
	}
	p, err := b.Prove(ctx, "acme", engine.ProveOptions{Position: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := notary.VerifyProof(p, nil, b.VerifierKey("acme")); err != nil {
		t.Error(err)
	}
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
}

// freeze makes the directory that the test opens.
func freeze(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(frozen); err != nil {
		t.Fatal(err)
	}
	b := open(t, nil, frozen)
	first := eventWith(t, "acme", "e1", "s1", 1, "the first event of all", `,"salience":0.5`)
	first.Metadata = `{"project":"lukasa"}`
	if _, err := b.AppendEvents(ctx, user, []*hmx.Event{
		first, event(t, "acme", "e2", 2, "the second, which is erased"), event(t, "other", "e1", 1, "of another tenant"),
	}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Releases are cut every second Tuesday.", "Releases are cut on Mondays."} {
		if _, err := b.Put(ctx, user, "acme", &memory.Memory{
			Type: "fact", Key: "release/cadence", Text: text, Tags: []string{"release"}, Frames: []memory.Frame{{Verb: memory.VerbDeliver, Kind: memory.ObjProject, Ref: "lukasa"}},
		}, engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	thing, err := b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "release/cadence"}, engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	for feedback, event := range map[string]string{"f1": "e1", "f2": "e2"} {
		f := &memory.Feedback{ID: feedback, AgentID: "a1", Outcome: memory.OutcomeSuccess, Cited: []memory.URI{thing.URI, {Tenant: "acme", Kind: record.Event, ID: event}}}
		if _, err := b.Put(ctx, user, "acme", f, engine.AnyVersion()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "e2"}, {Tenant: "acme", Kind: record.Feedback, ID: "f2"}}); err != nil {
		t.Fatal(err)
	}
	root, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LOCK", "LOCK.owner", "index/LOCK"} {
		if err := os.Remove(filepath.Join(frozen, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(frozen+".root", []byte(hex.EncodeToString(root.Hash[:])+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
