package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/klauspost/compress/zstd"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// TestOneEvent records an event once, again, and with other content.
func TestOneEvent(t *testing.T) {
	w := newWorld(t, nil)
	var in answer.Intake
	w.call("POST", "/v1/events", event(0)).good(t, &in)
	if in.Accepted != 1 || in.Position == nil || *in.Position != 0 || len(in.Root) != 64 || len(in.Rejected) != 0 {
		t.Errorf("%+v", in)
	}
	w.call("POST", "/v1/events", event(0)).good(t, &in)
	if in.Duplicates != 1 || in.Accepted != 0 {
		t.Errorf("again: %+v", in)
	}
	w.call("POST", "/v1/events", "\n "+event(7)).good(t, nil)
	w.call("POST", "/v1/events", event(6)).good(t, &in)
	if in.Late != 1 || in.Accepted != 1 {
		t.Errorf("late: %+v", in)
	}
	for _, c := range []struct {
		name, body string
		status     int
		code       fault.Code
	}{
		{"other content", strings.Replace(event(0), "deploy", "destroy", 1), 409, fault.IDConflict},
		{"another tenant", eventOf("other", "s", "x", 1), 403, fault.NotPermitted},
		{"no event", `{"hello":1}`, 422, fault.InvalidDocument},
		{"no JSON", `hello`, 422, fault.InvalidDocument},
		{"two events", event(1) + event(2), 422, fault.InvalidDocument},
		{"no UTF-8", strings.Replace(event(9), "deploy", "\xff\xfe", 1), 422, fault.InvalidDocument},
		{"deep", strings.Repeat("{\"a\":", 100_000), 422, fault.InvalidDocument},
	} {
		r := w.call("POST", "/v1/events", c.body)
		p := r.want(t, c.status, c.code)
		var in answer.Intake
		if err := json.Unmarshal([]byte(r.body), &in); err != nil || len(in.Rejected) != 1 || in.Rejected[0].Code != c.code || p.Detail == "" {
			t.Errorf("%s: %s", c.name, r.body)
		}
	}
	w.call("POST", "/v1/events", " \n").want(t, 422, fault.InvalidDocument)
	if n := w.size(); n != 3 {
		t.Errorf("%d records", n)
	}
}

// TestIntakeAsJSON: answers about events equal those of encoding/json.
func TestIntakeAsJSON(t *testing.T) {
	at := uint64(1<<64 - 1)
	for _, in := range []*answer.Intake{
		answer.NewIntake(),
		{Accepted: 1, Duplicates: 2, Late: 3, Omitted: 4, Warnings: 5, Scrubbed: 6, Position: &at, Root: "ab", Rejected: []answer.Rejected{
			{Index: 1, Line: 2, Code: "x", Detail: "a \"b\" \\ \n \t \x00 é ☃ <&> \u2028"}, {Code: fault.Internal},
		}, Tenants: []answer.State{{Tenant: "a\"b", Size: 7, Root: "cd", Time: "2026-01-01T00:00:00Z"}, {Tenant: "b"}}},
	} {
		got := append(appendIntake([]byte{'{'}, in), '}')
		var same answer.Intake
		if err := json.Unmarshal(got, &same); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		want, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(&same)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, again) {
			t.Errorf("got  %s\nwant %s", again, want)
		}
	}
}

// TestSaysWhatHTTPSays: warnings and scrubbed secrets are reported over HTTP, over WebSocket
// and by the operation for agents.
func TestSaysWhatHTTPSays(t *testing.T) {
	w := newWorld(t, nil)
	body := func(id string) string {
		text := strings.Replace(eventOf("acme", "s-9", id, 1), `"event_type":"message"`, `"event_type":"made_up"`, 1)
		return strings.Replace(text, `"content":{`, `"content":{"note":"password=hunter2x9",`, 1)
	}
	type told struct{ Accepted, Warnings, Scrubbed int }
	for _, c := range []struct{ name, media, body string }{
		{"one", "application/json", body("a")}, {"an array", "application/json", "[" + body("b") + "]"}, {"lines", "application/x-ndjson", body("c") + "\n"},
	} {
		var in told
		w.call("POST", "/v1/events", c.body, "Content-Type", c.media).good(t, &in)
		if in != (told{1, 1, 1}) {
			t.Errorf("%s: %+v", c.name, in)
		}
	}
	var one struct {
		Disposition        string
		Warnings, Scrubbed int
	}
	w.call("POST", "/v1/sessions/s-9/events", `{"event_type":"made_up","content":{"note":"password=hunter2x9"}}`).good(t, &one)
	if one.Disposition == "" || one.Warnings != 1 || one.Scrubbed != 1 {
		t.Errorf("an event of an agent: %+v", one)
	}
	conn := w.socketOf(w.token)
	for text, want := range map[string]told{body("d"): {1, 1, 1}, eventOf("acme", "s-8", "e", 1): {1, 0, 0}} {
		send(t, conn, websocket.MessageText, text)
		if got := ackOf(t, conn); got.Position == nil || got.Warnings != want.Warnings || got.Scrubbed != want.Scrubbed {
			t.Errorf("over WebSocket: %+v, want %+v", got, want)
		}
	}
}

// TestArray records the valid events of an array, in the order of their session.
func TestArray(t *testing.T) {
	w := newWorld(t, nil)
	var in answer.Intake
	body := " [\n" + event(3) + ",\n" + strings.ReplaceAll(event(2), ",", "\n,\r\n") + ", 17, " + event(1) + ",{}," + eventOf("other", "s", "x", 1) + "] "
	w.call("POST", "/v1/events", body).good(t, &in)
	if in.Accepted != 3 || in.Late != 0 || len(in.Rejected) != 3 {
		t.Fatalf("%+v", in)
	}
	for i, want := range []struct {
		index int
		code  fault.Code
	}{{2, fault.InvalidDocument}, {4, fault.InvalidDocument}, {5, fault.NotPermitted}} {
		if got := in.Rejected[i]; got.Index != want.index || got.Code != want.code {
			t.Errorf("rejected %+v, want %+v", got, want)
		}
	}
	w.call("POST", "/v1/events", "[]").good(t, &in)
	for _, bad := range []string{"[", "[1", "[1,", "[,]", "[1 2", "[1,]", "[]]", "[\"a", "[{}}", "[{\"a\nb\":1}]", "[\"\\"} {
		w.call("POST", "/v1/events", bad).want(t, 422, fault.InvalidDocument)
	}
	w.call("POST", "/v1/events", "["+strings.Repeat("1,", maxElements)+"1]").want(t, 413, fault.TooLarge)
	w.call("POST", "/v1/events", strings.Repeat("[", 1<<20)).want(t, 422, fault.InvalidDocument)
}

// TestLines records a stream of lines; a bad line does not affect good ones.
func TestLines(t *testing.T) {
	w := newWorld(t, nil)
	body := events(0, 5000) + "no event\n\n" + eventOf("other", "s", "x", 1) + "\n" + event(0) + "\n" + event(5000)
	var in answer.Intake
	w.call("POST", "/v1/events", body, "Content-Type", mediaNDJSON).good(t, &in)
	if in.Accepted != 5001 || in.Duplicates != 1 || len(in.Rejected) != 2 || *in.Position != 5000 {
		t.Fatalf("%+v", in)
	}
	if r := in.Rejected[1]; r.Index != 5001 || r.Line != 5003 || r.Code != fault.NotPermitted {
		t.Errorf("%+v", r)
	}
	w.call("POST", "/v1/events", strings.Repeat("x\n", maxRejected+5), "Content-Type", mediaNDJSON).good(t, &in)
	if len(in.Rejected) != maxRejected || in.Omitted != 5 {
		t.Errorf("%d rejected, %d omitted", len(in.Rejected), in.Omitted)
	}
}

// TestPackedBodies reads gzip and zstd, whole and as streams, and refuses other encodings.
func TestPackedBodies(t *testing.T) {
	w := newWorld(t, nil)
	var in answer.Intake
	n := 0
	for _, how := range []coding{gzipped, zstandard} {
		w.call("POST", "/v1/events", packed(t, how, event(n)), "Content-Encoding", how.String()).good(t, &in)
		if in.Accepted != 1 {
			t.Errorf("%s: %+v", how, in)
		}
		w.call("POST", "/v1/events", packed(t, how, events(n+1, n+1000)), "Content-Encoding", how.String(), "Content-Type", mediaNDJSON).good(t, &in)
		if in.Accepted != 999 {
			t.Errorf("%s: %+v", how, in)
		}
		n += 1000
		for _, media := range []string{mediaJSON, mediaNDJSON} {
			short := packed(t, how, events(n, n+3))
			short = short[:len(short)-5]
			w.call("POST", "/v1/events", short, "Content-Encoding", how.String(), "Content-Type", media).want(t, 400, fault.UnreadableInput)
			w.call("POST", "/v1/events", event(n), "Content-Encoding", how.String(), "Content-Type", media).want(t, 400, fault.UnreadableInput)
		}
		n += 10 // complete events of a stream are recorded
	}
	for _, bad := range []string{"br", "gzip, zstd", "deflate", "gzip,gzip"} {
		r := w.call("POST", "/v1/events", event(0), "Content-Encoding", bad)
		r.want(t, 415, fault.WrongMedia)
		if got := r.header.Get("Accept-Encoding"); got != "gzip, zstd" {
			t.Errorf("Accept-Encoding is %q", got)
		}
	}
}

// packed compresses a text.
func packed(t testing.TB, how coding, text string) string {
	t.Helper()
	var b bytes.Buffer
	var z io.WriteCloser = gzip.NewWriter(&b)
	if how == zstandard {
		var err error
		if z, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBombs refuses decompression bombs.
func TestBombs(t *testing.T) {
	w := newWorld(t, nil)
	for _, how := range []coding{gzipped, zstandard} {
		for _, c := range []struct{ media, text string }{
			{mediaJSON, strings.Repeat(" ", 16<<20)},
			{mediaJSON, strings.Repeat("[", 16<<20)},
			{mediaNDJSON, strings.Repeat("\n", 16<<20)},
			{mediaNDJSON, strings.Repeat("x", 16<<20)},
		} {
			bomb := packed(t, how, c.text)
			w.call("POST", "/v1/events", bomb, "Content-Encoding", how.String(), "Content-Type", c.media).want(t, 413, fault.TooLarge)
			w.call("POST", "/v1/pack", bomb, "Content-Encoding", how.String()).want(t, 413, fault.TooLarge)
		}
	}
	// Events before a bomb are recorded.
	w.call("POST", "/v1/events", packed(t, gzipped, events(0, 3)+strings.Repeat("\n", 16<<20)), "Content-Encoding", "gzip", "Content-Type", mediaNDJSON).want(t, 413, fault.TooLarge)
	if n := w.size(); n != 3 {
		t.Errorf("%d records, want the 3 before the bomb", n)
	}
	if w.s.held.used != 0 {
		t.Errorf("%d bytes are still held", w.s.held.used)
	}
}

// TestWrongMedia refuses unknown types.
func TestWrongMedia(t *testing.T) {
	w := newWorld(t, nil)
	for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml", "nonsense", "application/json; charset=latin1", "/", "application/json; a"} {
		for _, path := range []string{"/v1/events", "/v1/pack"} {
			if r := w.call("POST", path, event(0), "Content-Type", media); r.status != http.StatusUnsupportedMediaType {
				t.Errorf("%s to %s: %d %s", media, path, r.status, r.body)
			} else {
				r.want(t, 415, fault.WrongMedia)
			}
		}
	}
	w.call("POST", "/v1/pack", "{}", "Content-Type", mediaNDJSON).want(t, 415, fault.WrongMedia)
	var in answer.Intake
	w.call("POST", "/v1/events", event(0), "Content-Type", "application/json; charset=UTF-8").good(t, &in)
	w.call("POST", "/v1/events", event(1), "Content-Type", "").good(t, &in)
	w.call("POST", "/v1/events", event(2), "Content-Type", "application/x-ndjson; charset=utf-8").good(t, &in)
}

// TestTruncated records the complete events of a body that breaks off, and reports the error.
func TestTruncated(t *testing.T) {
	w := newWorld(t, nil)
	head := func(media string) string {
		return "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + w.token + "\r\nContent-Type: " + media + "\r\n"
	}
	chunk := func(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }
	whole := events(0, 3)
	for name, text := range map[string]string{
		"a chunk": head(mediaNDJSON) + "Transfer-Encoding: chunked\r\n\r\n" + chunk(whole) + "ffff\r\n" + event(9)[:50],
		"length":  head(mediaNDJSON) + "Content-Length: 100000\r\n\r\n" + whole + event(9)[:50],
		"a size":  head(mediaNDJSON) + "Transfer-Encoding: chunked\r\n\r\n" + chunk(whole+event(9)[:50]) + "zz",
	} {
		answer := w.raw(text)
		if !strings.HasPrefix(answer, "HTTP/1.1 400 ") || !strings.Contains(answer, `"code":"unreadable_input"`) || !strings.Contains(answer, `"position":2`) {
			t.Errorf("%s: %s", name, answer)
		}
		if n := w.size(); n != 3 {
			t.Errorf("%s: %d records", name, n)
		}
	}
	// A truncated document is refused.
	answer := w.raw(head(mediaJSON) + "Content-Length: 100000\r\n\r\n" + event(7))
	if !strings.HasPrefix(answer, "HTTP/1.1 400 ") || w.size() != 3 {
		t.Errorf("%s, %d records", answer, w.size())
	}
}

// TestProgress reports the progress of a stream line by line.
func TestProgress(t *testing.T) {
	w := newWorld(t, nil)
	body := events(0, 5000) + "bad\n" + event(5000)
	r := w.call("POST", "/v1/events", body, "Content-Type", mediaNDJSON, "Accept", mediaNDJSON)
	if r.status != 200 || r.header.Get("Content-Type") != mediaNDJSON {
		t.Fatalf("%d %s", r.status, r.body)
	}
	type line struct {
		Progress *struct{ Lines, Accepted, Rejected, Bytes int }
		Rejected json.RawMessage
		Done     *bool
		Accepted int
		Position uint64
		Problem  *problem
	}
	last, progress, bad := line{}, 0, 0
	for text := range strings.Lines(r.body) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		switch {
		case l.Progress != nil:
			progress++
		case l.Done == nil && l.Rejected != nil:
			bad++
			if string(l.Rejected[:13]) != `{"index":5000` {
				t.Errorf("%s", text)
			}
		}
		last = l
	}
	if progress < 2 || bad != 1 || last.Done == nil || !*last.Done || last.Accepted != 5001 || last.Position != 5000 {
		t.Errorf("%d lines of progress, %d rejected, last %+v", progress, bad, last)
	}
	answer := w.raw("POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + w.token + "\r\nContent-Type: application/x-ndjson\r\nAccept: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n" + event(6000) + "\n{")
	if !strings.Contains(answer, `{"done":false,"accepted":1,`) || !strings.Contains(answer, `"problem":{"type":`) || !strings.Contains(answer, `"unreadable_input"`) {
		t.Errorf("%s", answer)
	}
}

// TestAgentsWriteInTheirNames refuses, line by line, events that an agent's key sends in
// another agent's name.
func TestAgentsWriteInTheirNames(t *testing.T) {
	w := newWorld(t, nil)
	token := w.key(auth.Request{Role: auth.Agent, Tenant: "acme", Agent: "somebody"})
	mine := strings.Replace(event(1), `"agent_id":"bot"`, `"agent_id":"somebody"`, 1)
	var in answer.Intake
	w.call("POST", "/v1/events", event(0)+"\n"+mine+"\n", "Content-Type", mediaNDJSON, "Authorization", "Bearer "+token).good(t, &in)
	if in.Accepted != 1 || len(in.Rejected) != 1 || in.Rejected[0].Code != fault.NotPermitted {
		t.Errorf("%+v", in)
	}
	w.call("POST", "/v1/events", event(0), "Authorization", "Bearer "+token).want(t, 403, fault.NotPermitted)
	reader := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read})
	w.call("POST", "/v1/events", event(0), "Authorization", "Bearer "+reader).want(t, 403, fault.NotPermitted)
}
