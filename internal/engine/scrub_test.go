package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Made up: it has the form of a key, and is not one.
const token = "ghp_" + "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"

// holds reports whether any file of a board contains a text.
func holds(t *testing.T, fs disk.FS, b *engine.Board, text string) bool {
	t.Helper()
	var out bytes.Buffer
	for root, err := range b.Tenants(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Export(ctx, root.Tenant, &out, nil); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.Contains(out.Bytes(), []byte(text))
}

// Secrets in events never reach the journal, by any path, and a repeated event is a
// duplicate.
func TestEventsAreScrubbed(t *testing.T) {
	fs := disk.NewMem()
	b := open(t, fs, "data")
	bad := eventWith(t, "acme", "e1", "s1", 1, "I use "+token+" for that", `,"tags":["`+token+`","plain"]`)
	bad.Metadata = `{"env":{"DB_PASSWORD":"hunter2000"}}`
	named := eventWith(t, "acme", token, token, 2, "nothing", `,"trace_id":"`+token+`"`)
	res, err := b.AppendEvents(ctx, user, []*hmx.Event{bad, named, event(t, "acme", "e3", 3, "plain")})
	if err != nil || res.Accepted != 3 || res.Scrubbed != 3 || res.Receipts[0].Scrubbed != 3 || res.Receipts[1].Scrubbed != 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if !strings.Contains(string(bad.Content), token) {
		t.Error("the caller's event was changed")
	}
	got, err := b.Event(ctx, "acme", "e1", engine.View{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := got.Event.AppendJSON(nil)
	if err != nil || bytes.Contains(text, []byte(token)) || bytes.Contains(text, []byte("hunter2000")) || bytes.Count(text, []byte("[scrubbed:github-token]")) != 2 || !bytes.Contains(text, []byte(`"DB_PASSWORD":"[scrubbed:password]"`)) {
		t.Errorf("recorded is %s, %v", text, err)
	}
	if _, err := b.Event(ctx, "acme", token, engine.View{}); err != nil {
		t.Errorf("the id was changed: %v", err)
	}
	line, err := bad.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	fourth := bytes.ReplaceAll(line, []byte(`"e1"`), []byte(`"e4"`))
	report, err := b.Ingest(ctx, bytes.NewReader(append(append(line, '\n'), fourth...)), engine.IngestOptions{Writer: user})
	if err != nil || report.Duplicates != 1 || report.Accepted != 1 || report.Scrubbed != 3 {
		t.Errorf("%+v, %v", report, err)
	}
	if holds(t, fs, b, "I use "+token) {
		t.Error("the secret is recorded")
	}
	sound(t, b)
}

// Secrets in bodies never reach the journal, nor what is derived from them.
func TestBodiesAreScrubbed(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	m := fact("m1", "keys/"+token, strings.Repeat("The key is ", 3)+token+strings.Repeat(" and more", 100))
	m.Tags = []string{"ops"}
	m.Metadata = hmx.Raw(`{"api_key":"` + token + `"}`)
	put, err := b.Put(ctx, user, "acme", m, engine.AnyVersion())
	if err != nil || put.Scrubbed != 2 {
		t.Fatalf("%+v, %v", put, err)
	}
	if m.Key != "keys/"+token || strings.Contains(m.Text, token) || strings.Contains(m.Forms.Short+m.Forms.Medium, "ghp_") {
		t.Errorf("%+v", m)
	}
	again, err := b.Put(ctx, user, "acme", fact("m1", m.Key, m.Text), engine.AnyVersion())
	if err != nil || again.Scrubbed != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	a := artifact(t, "acme", "a1", "x")
	a.HMX.Summary = "It needs " + token + "."
	if err := a.HMX.SetContent(hmx.TaskSchema{ToolsUsed: []string{"curl -H 'Authorization: Bearer " + token + "'"}}); err != nil {
		t.Fatal(err)
	}
	if put, err = b.Put(ctx, user, "acme", a, engine.AnyVersion()); err != nil || put.Scrubbed != 2 {
		t.Errorf("%+v, %v", put, err)
	}
	if hash, err := hmx.ContentHash(a.HMX.Content); err != nil || hash != a.HMX.ContentHash {
		t.Errorf("the hash is %s, %v", a.HMX.ContentHash, err)
	}
	wrong := artifact(t, "acme", "a2", "x")
	wrong.HMX.Content = hmx.Raw(strings.Replace(string(a.HMX.Content), "[scrubbed:github-token]", token, 1))
	if _, err := b.Put(ctx, user, "acme", wrong, engine.AnyVersion()); err == nil {
		t.Error("an artifact with a wrong hash was made right")
	}
	gone, err := b.Forget(ctx, user, engine.RefOf(put.URI.Head()), "leaked "+token, engine.AnyVersion())
	if err != nil || gone.Scrubbed != 1 {
		t.Errorf("%+v, %v", gone, err)
	}
	e := &memory.Entity{ID: "n1", Name: "ci", Type: "service", Description: "token=" + token}
	if put, err = b.Put(ctx, user, "acme", e, engine.AnyVersion()); err != nil || put.Scrubbed != 1 || e.Description != "token=[scrubbed:github-token]" {
		t.Errorf("%+v, %q, %v", put, e.Description, err)
	}
	var out bytes.Buffer
	if _, err := b.Export(ctx, "acme", &out, nil); err != nil {
		t.Fatal(err)
	}
	if left := strings.ReplaceAll(out.String(), "keys/"+token, ""); strings.Contains(left, token) {
		t.Errorf("recorded is %s", left)
	}
	sound(t, b)
}

// Secrets are kept if requested, and an import changes nothing.
func TestSecretsAreKept(t *testing.T) {
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), KeepSecrets: true})
	if _, err := b.Put(ctx, user, "acme", fact("m1", "k", "password="+token), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	res, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e1", 1, token)})
	if err != nil || res.Scrubbed != 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	var out bytes.Buffer
	root, err := b.Export(ctx, "acme", &out, nil)
	if err != nil || strings.Count(out.String(), token) < 2 {
		t.Fatalf("%s, %v", out.Bytes(), err)
	}
	other := open(t, disk.NewMem(), "data")
	report, err := other.Import(ctx, bytes.NewReader(out.Bytes()), nil)
	if err != nil || report.Root.Hash != root.Hash {
		t.Errorf("%+v, %v", report, err)
	}
	// A restored version is a new one.
	if _, err := other.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m1"}, "", engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	put, err := other.Restore(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m1"}, engine.AnyVersion())
	if err != nil || put.Scrubbed != 1 {
		t.Errorf("%+v, %v", put, err)
	}
}
