package api

import (
	"maps"
	"slices"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// A write that expects a version, by header or field, is refused if another write came first,
// and done otherwise.
func TestConditionalWrites(t *testing.T) {
	w := newWorld(t)
	version := func(n uint32) *uint32 { return &n }
	for _, x := range []struct {
		name    string
		key     string // release/cadence is at version 1
		match   string
		absent  bool
		version *uint32
		code    fault.Code
		after   uint64
	}{
		{name: "any", key: "release/cadence", after: 2},
		{name: "the right one", key: "release/cadence", match: "2", after: 3},
		{name: "a stale one", key: "release/cadence", match: "2", code: fault.VersionConflict},
		{name: "one that exists", key: "release/cadence", match: "*", after: 4},
		{name: "one that does not exist", key: "release/none", match: "*", code: fault.VersionConflict},
		{name: "none", key: "release/cadence", absent: true, code: fault.VersionConflict},
		{name: "none, rightly", key: "release/new", absent: true, after: 1},
		{name: "the right one in the body", key: "release/cadence", version: version(4), after: 5},
		{name: "a stale one in the body", key: "release/cadence", version: version(4), code: fault.VersionConflict},
		{name: "none in the body", key: "release/newer", version: version(0), after: 1},
		{name: "the same twice", key: "release/cadence", match: "5", version: version(5), after: 6},
		{name: "two of them", key: "release/cadence", match: "6", version: version(5), code: fault.InvalidArgument},
		{name: "none, and one", key: "release/cadence", absent: true, version: version(6), code: fault.InvalidArgument},
		{name: "no version", key: "release/cadence", match: "x", code: fault.VersionConflict},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := w.call(admin("acme"))
			c.IfMatch, c.IfAbsent = x.match, x.absent
			in := &putMemoryIn{Key: x.key, memoryIn: memoryIn{Raw: []byte(`{"text":"` + x.name + `"}`), Type: "fact", IfVersion: x.version}}
			out, err := runPutMemory(t.Context(), c, in)
			if fault.CodeOf(err) != x.code {
				t.Fatalf("it is %v", err)
			}
			if err == nil && (out.Version != x.after || operation.Version(out) != x.after) {
				t.Errorf("it is at version %d, want %d", out.Version, x.after)
			}
		})
	}
}

// Forgetting a URI expects the version in it.
func TestForgetWhatWasSeen(t *testing.T) {
	w := newWorld(t)
	put := w.must(admin("acme"), "remember", `{"key":"seen","text":"one"}`).(*answer.Write)
	w.must(admin("acme"), "remember", `{"key":"seen","text":"two"}`)
	if _, err := w.run(admin("acme"), "forget", `{"name":"`+put.URI.String()+`"}`); fault.CodeOf(err) != fault.VersionConflict {
		t.Errorf("an older version: %v", err)
	}
	if _, err := w.run(admin("acme"), "forget", `{"name":"`+put.URI.String()+`","if_version":2}`); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("two versions: %v", err)
	}
	w.must(admin("acme"), "forget", `{"name":"`+put.URI.Head().String()+`","if_version":2}`)
	if _, err := w.run(admin("acme"), "recall", `{"key":"seen"}`); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("it is still there: %v", err)
	}
}

// The pages of a list have every item once, in order, and an invalid page is refused.
func TestPages(t *testing.T) {
	w := newWorld(t)
	w.must(admin("umbrella"), "remember", `{"key":"own","text":"Something of our own."}`)
	for _, x := range []struct{ name, list, id string }{{"list_sessions", "sessions", "session_id"}, {"list_tags", "tags", "tag"}, {"list_tenants", "tenants", "tenant"}} {
		who := asks(Lookup(x.name))
		read := func(args string) (ids []string, next string) {
			m := w.read(w.must(who, x.name, args))
			for _, one := range m[x.list].([]any) {
				ids = append(ids, one.(map[string]any)[x.id].(string))
			}
			next, _ = m["next"].(string)
			return ids, next
		}
		all, next := read(`{}`)
		if len(all) < 2 || next != "" {
			t.Fatalf("%s: %v, next %q", x.name, all, next)
		}
		var paged []string
		for after := `{"limit":1}`; after != ""; {
			ids, next := read(after)
			paged = append(paged, ids...)
			if after = ""; next != "" {
				after = `{"limit":1,"after":"` + next + `"}`
			}
		}
		if len(paged) != len(all) {
			t.Fatalf("%s: %v by pages, %v at once", x.name, paged, all)
		}
		for i := range all {
			if all[i] != paged[i] {
				t.Errorf("%s: %v by pages, %v at once", x.name, paged, all)
			}
		}
		if _, err := w.run(who, x.name, `{"after":"*"}`); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s after nothing: %v", x.name, err)
		}
	}
}

// TestActsComeFirst: limits do not change if the act cannot be recorded.
func TestActsComeFirst(t *testing.T) {
	w := newWorld(t)
	elsewhere, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := w.call(operator("acme"))
	if c.Keys, err = auth.Open(t.Context(), elsewhere, auth.StoreOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := elsewhere.Close(); err != nil {
		t.Fatal(err)
	}
	before := w.quotas.Limits("acme")
	if _, err := runSetQuota(t.Context(), c, &quotaIn{MaxRecords: 7}); err == nil {
		t.Error("an act without a record")
	}
	if after := w.quotas.Limits("acme"); after != before {
		t.Errorf("%+v became %+v", before, after)
	}
}

// TestActsSayWhichLimits: the record of a quota change has the new limits.
func TestActsSayWhichLimits(t *testing.T) {
	w := newWorld(t)
	c := w.call(operator("acme"))
	if _, err := runSetQuota(t.Context(), c, &quotaIn{RequestsPerSecond: 2.5, MaxBytes: -1}); err != nil {
		t.Fatal(err)
	}
	acts, _, err := c.Keys.Acts(t.Context(), c.Who, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"requests_per_second": "2.5", "max_bytes": "-1"}
	if !slices.ContainsFunc(acts, func(a auth.Act) bool {
		return a.Act == "quota.set" && a.Tenant == "acme" && maps.Equal(a.Detail, want)
	}) {
		t.Errorf("%+v, want %v", acts, want)
	}
}

// TestRecordedEventsSayWhatWasScrubbed: a client that sends a secret learns that it was
// removed.
func TestRecordedEventsSayWhatWasScrubbed(t *testing.T) {
	w := newWorld(t)
	in := recordIn{SessionID: "s1", EventType: "message", Content: []byte(`{"role":"user","text":"it is ghp_abcdefghijklmnopqrstuvwxyz0123456789"}`)}
	r, err := runRecordEvent(t.Context(), w.call(operator("acme")), &in)
	if err != nil || r.Scrubbed != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
