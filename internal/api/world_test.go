package api

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/quota"
)

// today is the current time in tests.
var today = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// world is a board with a record of every kind, and its callers.
type world struct {
	t      testing.TB
	board  *lukasa.Board
	keys   *auth.Store
	quotas *quota.Book
	// names are the values of words in braces in requests.
	names map[string]string
}

// admin is a caller with all rights in a tenant.
func admin(tenant string) *auth.Principal {
	return &auth.Principal{Key: "k1", Role: auth.Member, Tenant: tenant, Rights: auth.Read | auth.Write | auth.Admin, Trust: lukasa.User}
}

// operator runs the server, and acts in a tenant if it names one.
func operator(tenant string) *auth.Principal {
	return &auth.Principal{Key: "bootstrap", Role: auth.Operator, Tenant: tenant, Rights: auth.Read | auth.Write | auth.Admin, Trust: lukasa.Operator}
}

// call returns a call by who.
func (w *world) call(who *auth.Principal) *operation.Call {
	return &operation.Call{Board: w.board, Who: who, Keys: w.keys, Quotas: w.quotas, Now: func() time.Time { return today }}
}

// newWorld fills a board, mostly through the operations.
func newWorld(t testing.TB) *world {
	t.Helper()
	clock := func() time.Time { return today }
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{Clock: clock, CutOwn: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := board.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, board: board, names: map[string]string{"event": "019e5a3b-7c4d-7000-8000-000000000001"}}
	if w.keys, err = auth.Open(t.Context(), board, auth.StoreOptions{Clock: clock}); err != nil {
		t.Fatal(err)
	}
	w.quotas = quota.New(quota.Options{Clock: clock})
	if err := w.quotas.Attach(t.Context(), board); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"session.ndjson", "parcels.ndjson"} {
		f, err := os.Open("../../examples/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := board.Ingest(t.Context(), f, lukasa.IngestOptions{Writer: lukasa.Writer{Trust: lukasa.User}}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for key, rest := range map[string]string{
		"release/cadence": `"Releases are cut every second Tuesday.","tags":["release"]`,
		"deploy/window":   `"Deploy between ten and noon.","tags":["release","deploy"]`,
		"lost/one":        `"This one is forgotten."`, "lost/two": `"So is this one."`, "lost/three": `"This one is deleted."`, "lost/four": `"This one is erased."`,
		"style/tabs": `"Always use tabs.","type":"constraint"`, "style/spaces": `"Never use tabs.","type":"constraint"`,
		"file/tabs": `"Always keep backups.","type":"constraint"`, "file/spaces": `"Never keep backups.","type":"constraint"`,
	} {
		w.must(admin("acme"), "remember", `{"key":"`+key+`","text":`+rest+`}`)
	}
	w.must(admin("acme"), "forget", `{"name":"lost/one"}`)
	w.must(admin("acme"), "compile", `{}`)
	w.collect()
	return w
}

// collect stores the names of the records.
func (w *world) collect() {
	each := func(out any, list, prefix string, id func(map[string]any) string) {
		for i, x := range w.read(out)[list].([]any) {
			w.names[prefix+string(rune('1'+i))] = id(x.(map[string]any))
		}
	}
	artifact := func(x map[string]any) string { return x["artifact_id"].(string) }
	each(w.must(admin("acme"), "list_artifacts", `{"limit":3}`), "artifacts", "artifact", artifact)
	each(w.must(admin("acme"), "list_artifacts", `{"status":"draft","limit":3}`), "artifacts", "draft", artifact)
	each(w.must(admin("acme"), "list_conflicts", `{"limit":3}`), "conflicts", "conflict", func(x map[string]any) string {
		return strings.TrimPrefix(strings.Split(x["uri"].(string), "#")[0], "lukasa://acme/conflict/")
	})
	w.names["pack"] = w.text(w.must(admin("acme"), "pack", `{"query":"when are releases cut"}`))
	w.names["fingerprint"] = w.text(w.must(admin("acme"), "export_fingerprint", `{}`))
	w.names["scope"] = w.read(w.must(admin("acme"), "mint_scope", `{"to":"helper","include":{"all":true},"mode":"write","expires_at":"2026-11-17T12:00:00Z"}`))["token"].(string)
	made := w.read(w.must(operator("acme"), "create_key", `{"role":"agent","agent":"coder"}`))
	w.names["key"] = made["key"].(map[string]any)["id"].(string)
}

// must runs an operation that has to succeed.
func (w *world) must(who *auth.Principal, name, args string) any {
	w.t.Helper()
	out, err := w.run(who, name, args)
	if err != nil {
		w.t.Fatalf("%s %s: %v", name, args, err)
	}
	return out
}

// run authorizes, decodes and runs, as a transport does.
func (w *world) run(who *auth.Principal, name, args string) (any, error) {
	op := Lookup(name)
	if op == nil {
		w.t.Fatalf("there is no operation %s", name)
	}
	if err := operation.Allow(op, who); err != nil {
		return nil, err
	}
	in, err := op.DecodeArguments([]byte(args))
	if err != nil {
		return nil, err
	}
	return op.Run(context.Background(), w.call(who), in)
}

// read returns an answer as a client sees it.
func (w *world) read(out any) map[string]any {
	w.t.Helper()
	data, err := json.Marshal(out)
	if err != nil {
		w.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		w.t.Fatalf("%s: %v", data, err)
	}
	return m
}

// fill replaces the words in braces in a text.
func (w *world) fill(text string) string {
	for name, value := range w.names {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

// text returns an answer as JSON.
func (w *world) text(out any) string {
	w.t.Helper()
	data, err := json.Marshal(out)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}
