package engine_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// TestEventsMadeInGo refuses what a replay would refuse: an event that breaks
// the protocol would make the journal unreadable.
func TestEventsMadeInGo(t *testing.T) {
	fs := disk.NewMem()
	b := open(t, fs, "data")
	good := event(t, "acme", "good", 1, "as it should be")
	bad := map[string]func(*hmx.Event){
		"no type":            func(ev *hmx.Event) { ev.EventType = "" },
		"negative sequence":  func(ev *hmx.Event) { ev.Sequence = -5 },
		"too many tags":      func(ev *hmx.Event) { ev.Tags = strings.Split(strings.Repeat("t ", 10_000), " ") },
		"content too large":  func(ev *hmx.Event) { ev.Content = hmx.Raw(`{"text":"` + strings.Repeat("x", 20<<20) + `"}`) },
		"content not JSON":   func(ev *hmx.Event) { ev.Content = `{"text":` },
		"no event id":        func(ev *hmx.Event) { ev.EventID = "" },
		"not UTF-8":          func(ev *hmx.Event) { ev.AgentID = "a\xff" },
		"another version":    func(ev *hmx.Event) { ev.HMXVersion = "1" },
		"a name too long":    func(ev *hmx.Event) { ev.SessionID = strings.Repeat("s", 2000) },
		"a tenant of spaces": func(ev *hmx.Event) { ev.TenantID = "   " },
	}
	events := []*hmx.Event{good, nil}
	for _, change := range bad {
		ev := *good
		ev.EventID = "bad"
		change(&ev)
		events = append(events, &ev)
	}
	res, err := b.AppendEvents(ctx, user, events)
	if err != nil {
		t.Fatal(err)
	}
	if res.Accepted != 1 || res.Refused != len(bad)+1 {
		t.Errorf("%d accepted, %d refused of 1 and %d", res.Accepted, res.Refused, len(bad)+1)
	}
	if _, err := b.AppendEvents(ctx, engine.Writer{Actor: "a", Trust: 77}, []*hmx.Event{good}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a tier that there is not: %v", err)
	}
	if _, err := b.Put(ctx, engine.Writer{Actor: "a", Trust: 77}, "acme", &memory.Memory{Type: "fact", Text: "anything"}, engine.AnyVersion()); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a tier that there is not: %v", err)
	}
	if _, err := b.Put(ctx, user, "acme", (*memory.Memory)(nil), engine.AnyVersion()); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("no body: %v", err)
	}
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
}

// TestHigherTierStays: a lower tier cannot undo what a higher one did.
func TestHigherTierStays(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	web := engine.Writer{Actor: "web", Trust: record.External}
	operator := engine.Writer{Actor: "ops", Trust: record.Operator}
	ref := engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "claim"}
	claim := func() *memory.Memory {
		return &memory.Memory{Type: "fact", Key: "claim", Text: "The moon is made of cheese."}
	}
	if _, err := b.Put(ctx, web, "acme", claim(), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	vouched, err := b.Put(ctx, operator, "acme", claim(), engine.AnyVersion())
	if err != nil || vouched.Unchanged || vouched.Trust != record.Operator {
		t.Errorf("an operator who says the same: %+v, %v", vouched, err)
	}
	other := &memory.Memory{Type: "fact", Key: "other", Text: "The sun is made of butter."}
	if _, err := b.Put(ctx, web, "acme", other, engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	ref.Key = "other"
	if _, err := b.Forget(ctx, operator, ref, "nonsense", engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Restore(ctx, web, ref, engine.AnyVersion()); fault.CodeOf(err) != fault.Untrusted {
		t.Errorf("restoring what an operator forgot: %v", err)
	}
	if _, err := b.Put(ctx, web, "acme", &memory.Memory{Type: "fact", Key: "other", Text: "Butter, I said."}, engine.AnyVersion()); fault.CodeOf(err) != fault.Untrusted {
		t.Errorf("writing again what an operator forgot: %v", err)
	}
	sound(t, b)
}

// TestPrivate: what is private to an agent is hidden from others of its tier,
// in the present and in history.
func TestPrivate(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	a, other := engine.Writer{Actor: "a", Trust: record.Agent}, engine.Writer{Actor: "b", Trust: record.Agent}
	ref := engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "diary"}
	put := func(w engine.Writer, text string, v memory.Visibility) error {
		_, err := b.Put(ctx, w, "acme", &memory.Memory{Type: "fact", Key: "diary", Text: text, Visibility: v}, engine.AnyVersion())
		return err
	}
	if err := put(a, "What nobody else may read.", memory.VisiblePrivate); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(ctx, ref, engine.View{Agent: "b"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("another agent reads it: %v", err)
	}
	if err := put(other, "Mine now.", memory.VisibleTenant); fault.CodeOf(err) != fault.Untrusted {
		t.Errorf("another agent takes its key: %v", err)
	}
	if err := put(a, "What all may read.", memory.VisibleTenant); err != nil {
		t.Fatal(err)
	}
	_, changes, err := b.History(ctx, ref, engine.View{Agent: "b"})
	if err != nil || len(changes) != 2 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	if changes[0].Body != nil || changes[1].Body == nil {
		t.Error("the history shows what was private, or hides what is not")
	}
	sound(t, b)
}

// TestRebuildAfterLoss refuses to rebuild the index of a journal that lost
// acknowledged records: the loss would go unnoticed afterwards.
func TestRebuildAfterLoss(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b := open(t, nil, dir)
	for i := range 200 {
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", string(rune('a'+i%26))+strings.Repeat("x", i), int64(i), strings.Repeat("text ", 100))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "journal", "*.seg"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("%v, %v", segments, err)
	}
	text, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.TrimRight(text, "\x00")
	if err := os.WriteFile(segments[0], text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "journal", "END")); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(ctx, dir, engine.Options{Rebuild: true}); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("rebuilding: %v", err)
	}
	c, err := engine.Open(ctx, dir, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if fault.CodeOf(c.Failed()) != fault.Damaged {
		t.Errorf("Failed says %v", c.Failed())
	}
}

// TestReplayTakesWhatWasAdmitted tries to write what a replay would refuse:
// payloads that grow when they are encoded, unknown tiers, metadata that is one
// level too deep within its memory.
func TestReplayTakesWhatWasAdmitted(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	line := `{"hmx_version":"HMX-1.0","event_id":"big","event_type":"message","agent_id":"a","tenant_id":"acme","session_id":"s",` +
		`"timestamp":"2026-11-15T05:00:00Z","sequence":1,"metadata":{},"content":{"role":"user","text":"x"},` +
		`"embeddings":[` + strings.Repeat("123456789e9,", 4095) + `1],"source":"`
	line += strings.Repeat("x", hmx.MaxEventBytes-len(line)-2) + `"}`
	if _, _, err := hmx.DecodeEvent([]byte(line)); err != nil {
		t.Fatal(err)
	}
	rep, err := b.Ingest(ctx, strings.NewReader(line), engine.IngestOptions{Writer: user})
	if err != nil || rep.Rejected != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	odd := engine.Writer{Actor: "a", Trust: 99}
	put, err := b.Put(ctx, user, "acme", &memory.Memory{Type: "fact", Key: "k", Text: "kept as it is"}, engine.AnyVersion())
	if err != nil {
		t.Fatal(err)
	}
	ref := engine.Ref{Tenant: "acme", Kind: record.Memory, Key: "k"}
	for name, err := range map[string]error{
		"forget": second(b.Forget(ctx, odd, ref, "", engine.AnyVersion())),
		"redact": second(b.Redact(ctx, odd, []memory.URI{put.URI.Head()})),
	} {
		if fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s with a tier that there is not: %v", name, err)
		}
	}
	for depth := 60; depth < 70; depth++ {
		deep := hmx.Raw(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
		_, _ = b.Put(ctx, user, "acme", &memory.Memory{Type: "fact", Text: "Nested.", Metadata: deep}, engine.AnyVersion()) // either result is fine
	}
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if d := b.Damages(); len(d) > 0 {
		t.Errorf("the replay passed over %v", d)
	}
	sound(t, b)
}

// TestIndexOfAnother refuses an index that was folded from another journal.
func TestIndexOfAnother(t *testing.T) {
	at := t.TempDir()
	for _, name := range []string{"a", "b"} {
		b := open(t, nil, filepath.Join(at, name))
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "of-"+name, "e", 1, "the same size")}); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(at, "a", "index")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(at, "a", "index"), os.DirFS(filepath.Join(at, "b", "index"))); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(ctx, filepath.Join(at, "a"), engine.Options{}); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("opening with another's index: %v", err)
	}
	b := openWith(t, filepath.Join(at, "a"), engine.Options{Rebuild: true})
	sound(t, b)
}

// TestLostKeys: a lost key is not silently replaced.
func TestLostKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b := open(t, nil, dir)
	if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e", 1, "signed for")}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "keys")); err != nil {
		t.Fatal(err)
	}
	b = open(t, nil, dir)
	if _, err := b.Checkpoint(ctx, "acme"); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("signing without the key: %v", err)
	}
	if err := b.NewKey(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Checkpoint(ctx, "acme"); err != nil {
		t.Error(err)
	}
	sound(t, b)
}

// TestManyAtOnce appends more events than are admitted together.
func TestManyAtOnce(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	events := make([]*hmx.Event, 10_000)
	for i := range events {
		events[i] = event(t, "acme", fmt.Sprint("e", i), int64(i), "one of many")
	}
	res, err := b.AppendEvents(ctx, user, events)
	if err != nil || res.Accepted != len(events) || len(res.Receipts) != len(events) {
		t.Fatalf("%d accepted, %d receipts, %v", res.Accepted, len(res.Receipts), err)
	}
	for i, r := range res.Receipts {
		if r.Position != uint64(i) {
			t.Fatalf("event %d is at position %d", i, r.Position)
		}
	}
	sound(t, b)
}
