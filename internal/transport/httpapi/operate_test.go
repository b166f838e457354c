package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"lukasa.dev/internal/fault"
)

// TestMemories writes and reads over HTTP, with expected versions.
func TestMemories(t *testing.T) {
	w := newWorld(t, nil)
	put := func(text string, headers ...string) *reply {
		return w.call("PUT", "/v1/memories/release/cadence", `{"text":"`+text+`"}`, headers...)
	}
	first := put("every Tuesday", "If-None-Match", "*")
	first.good(t, nil)
	if tag := first.header.Get("ETag"); tag != `"1"` {
		t.Errorf("ETag is %s", tag)
	}
	put("every Wednesday", "If-None-Match", "*").want(t, 412, fault.VersionConflict)
	got := w.call("GET", "/v1/memories/release/cadence", "")
	got.good(t, nil)
	tag := got.header.Get("ETag")
	if !strings.HasPrefix(tag, `"1-`) || got.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%v", got.header)
	}
	if r := w.call("GET", "/v1/memories/release/cadence", "", "If-None-Match", `"x", W/`+tag); r.status != 304 || r.body != "" || r.header.Get("ETag") != tag {
		t.Errorf("%d %s", r.status, r.body)
	}
	put("every second Tuesday", "If-Match", tag).good(t, nil)
	put("every third Tuesday", "If-Match", tag).want(t, 412, fault.VersionConflict)
	put("every third Tuesday", "If-Match", `"2"`).good(t, nil)
	if r := w.call("GET", "/v1/memories/release/cadence", "", "If-None-Match", tag); r.status != 200 {
		t.Errorf("%d", r.status)
	}
	w.call("PUT", "/v1/memories/other", `{"text":"x"}`, "If-Match", "*").want(t, 412, fault.VersionConflict)
	put("x", "If-Match", "*").good(t, nil)
	for _, bad := range []string{"1", `"1`, `"1","2"`, `""`} {
		put("x", "If-Match", bad).want(t, 422, fault.InvalidArgument)
	}
	put("x", "If-None-Match", tag).want(t, 422, fault.InvalidArgument)
	put("x", "If-None-Match", "*", "If-Match", "*").want(t, 422, fault.InvalidArgument)
	w.call("GET", "/v1/memories/nobody", "").want(t, 404, fault.NotFound)
	w.call("PUT", "/v1/memories/a%2Fb", `{"text":"with a slash"}`).good(t, nil)
	w.call("GET", "/v1/memories/a/b", "").good(t, nil)
}

// TestBadRequests: errors name what is wrong, and where.
func TestBadRequests(t *testing.T) {
	w := newWorld(t, nil)
	for body, field := range map[string]string{
		`{"query":1}`:                  "query",
		`{"query":"x","surprise":1}`:   "surprise",
		`{"query":"x","query":"y"}`:    "",
		`{"Query":"x"}`:                "Query",
		`{"query":"x","budget":-1}`:    "budget",
		`{"query":"\xff"}`:             "",
		`[`:                            "",
		strings.Repeat("[", 1<<20):     "",
		strings.Repeat(`{"a":`, 1<<18): "",
		``:                             "query",
	} {
		r := w.call("POST", "/v1/pack", body)
		if r.status != 422 && r.status != 400 {
			t.Errorf("%.40s: %d %s", body, r.status, r.body)
			continue
		}
		if p := r.problem(t); field != "" && !strings.EqualFold(p.Field, field) {
			t.Errorf("%.40s: the field is %q: %s", body, p.Field, p.Detail)
		}
	}
}

// TestPackedAnswers compresses large answers as the client prefers.
func TestPackedAnswers(t *testing.T) {
	w := newWorld(t, nil)
	w.call("POST", "/v1/events", events(0, 50), "Content-Type", mediaNDJSON).good(t, nil)
	plain := w.call("GET", "/v1/events?session=s-1", "", "Accept-Encoding", "identity")
	plain.good(t, nil)
	tags := map[string]bool{plain.header.Get("ETag"): true}
	for accept, want := range map[string]string{
		"gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "gzip;q=1, zstd;q=0.5": "gzip", "zstd;q=0": "", "br": "", "*": "", "gzip;q=x": "",
		"GZIP": "gzip", "deflate, gzip ;q=0.2": "gzip",
	} {
		r := w.call("GET", "/v1/events?session=s-1", "", "Accept-Encoding", accept)
		if got := r.header.Get("Content-Encoding"); r.status != 200 || got != want {
			t.Errorf("%s: %d, %q, want %q", accept, r.status, got, want)
			continue
		}
		if got := unpacked(t, want, r.body); got != plain.body {
			t.Errorf("%s: another answer", accept)
		}
		if !strings.Contains(strings.Join(r.header["Vary"], ","), "Accept-Encoding") {
			t.Errorf("%s: Vary is %v", accept, r.header["Vary"])
		}
		tag := r.header.Get("ETag")
		tags[tag] = true
		if r := w.call("GET", "/v1/events?session=s-1", "", "Accept-Encoding", accept, "If-None-Match", tag); r.status != http.StatusNotModified {
			t.Errorf("%s: sent again", accept)
		}
	}
	if len(tags) != 3 {
		t.Errorf("%d ETags for three forms", len(tags))
	}
	if r := w.call("GET", "/v1/root", "", "Accept-Encoding", "gzip"); r.header.Get("Content-Encoding") != "" {
		t.Error("a small answer is compressed")
	}
}

// unpacked decompresses an answer.
func unpacked(t testing.TB, how, text string) string {
	t.Helper()
	var r io.Reader = strings.NewReader(text)
	switch how {
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReads calls every kind of read that needs no arguments.
func TestReads(t *testing.T) {
	w := newWorld(t, nil)
	w.call("POST", "/v1/events", events(0, 20), "Content-Type", mediaNDJSON).good(t, nil)
	w.call("POST", "/v1/memories", `{"key":"deploy/staging","text":"Staging is deployed with kubectl."}`).good(t, nil)
	for _, path := range []string{"/v1/root", "/v1/checkpoint", "/v1/memories", "/v1/sessions", "/v1/tags", "/v1/artifacts", "/v1/conflicts", "/v1/policies", "/v1/events?session=s-1", "/v1/memories/deploy/staging"} {
		w.call("GET", path, "").good(t, nil)
	}
	for path, body := range map[string]string{
		"/v1/pack": `{"query":"how is staging deployed"}`, "/v1/search": `{"query":"staging"}`, "/v1/context": `{"verb":"deliver","objects":{"service":"staging"}}`,
	} {
		w.call("POST", path, body).good(t, nil)
	}
	r := w.call("POST", "/v1/pack_context", `{"topic":"staging"}`)
	if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/markdown") || !strings.Contains(r.body, "kubectl") {
		t.Errorf("%d %s %s", r.status, r.header.Get("Content-Type"), r.body)
	}
}

// TestTransfer moves a tenant from one server to another.
func TestTransfer(t *testing.T) {
	from, to := newWorld(t, nil), newWorld(t, nil)
	from.call("POST", "/v1/events", events(0, 500), "Content-Type", mediaNDJSON).good(t, nil)
	operator := []string{"Authorization", "Bearer " + bootstrap}
	all := from.call("GET", "/v1/export", "", "Accept-Encoding", "identity")
	small := from.call("GET", "/v1/export", "", "Accept-Encoding", "gzip")
	if all.status != 200 || all.header.Get("Content-Type") != mediaNDJSON || unpacked(t, small.header.Get("Content-Encoding"), small.body) != all.body {
		t.Fatalf("%d %v, %d %v", all.status, all.header, small.status, small.header)
	}
	to.call("POST", "/v1/import", all.body, "Content-Type", mediaNDJSON).want(t, 403, fault.NotPermitted)
	to.call("POST", "/v1/import", all.body, append(operator, "Content-Type", "text/plain")...).want(t, 415, fault.WrongMedia)
	if r := to.call("POST", "/v1/import", all.body[:len(all.body)/2], append(operator, "Content-Type", mediaNDJSON)...); r.status < 400 {
		t.Errorf("half an export: %d %s", r.status, r.body)
	}
	var got struct{ Imported, Size int }
	to.call("POST", "/v1/import", all.body, append(operator, "Content-Type", mediaNDJSON)...).good(t, &got)
	if got.Imported != 500 || got.Size != 500 {
		t.Errorf("%+v", got)
	}
	if a, b := from.call("GET", "/v1/root", "").body, to.call("GET", "/v1/root", "").body; a != b {
		t.Errorf("%s is not %s", a, b)
	}
	for w, act := range map[*world]string{from: `"act":"tenant.export"`, to: `"act":"tenant.import"`} {
		if acts := w.call("GET", "/v1/acts", "", operator...); !strings.Contains(acts.body, act) {
			t.Errorf("%s is not on record: %s", act, acts.body)
		}
	}
}
