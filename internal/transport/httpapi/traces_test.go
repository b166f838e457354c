package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quota"
)

// spanJSON is a generative AI span in JSON.
func spanJSON(session, agent, text string) string {
	messages, _ := json.Marshal(fmt.Sprintf(`[{"role":"user","content":%q}]`, text))
	attribute := func(key, value string) string { return `{"key":"` + key + `","value":{"stringValue":` + value + `}}` }
	list := attribute("gen_ai.operation.name", `"chat"`) + "," + attribute("gen_ai.conversation.id", `"`+session+`"`) + "," + attribute("gen_ai.input.messages", string(messages))
	if agent != "" {
		list += "," + attribute("gen_ai.agent.name", `"`+agent+`"`)
	}
	return `{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"chat","startTimeUnixNano":"1762768800000000000","unknown":{"a":[1]},"attributes":[` + list + `]}`
}

// traceJSON is a request in JSON with spans.
func traceJSON(spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}],"unknown":1}`
}

// traceProto is the same span as spanJSON in protobuf, in a request.
func traceProto(session, agent, text string) string {
	field := func(n int, value string) string { return string(appendField(nil, n, value)) }
	attribute := func(n int, key, value string) string { return field(n, field(1, key)+field(2, field(1, value))) }
	trace, _ := hex.DecodeString("5b8efff798038103d269b633813fc60c")
	span, _ := hex.DecodeString("eee19b7ec3c1b174")
	start := string(binary.LittleEndian.AppendUint64([]byte{7<<3 | 1}, 1762768800000000000))
	s := field(1, string(trace)) + field(2, string(span)) + field(5, "chat") + start +
		attribute(9, "gen_ai.operation.name", "chat") + attribute(9, "gen_ai.conversation.id", session) +
		attribute(9, "gen_ai.input.messages", fmt.Sprintf(`[{"role":"user","content":%q}]`, text))
	if agent != "" {
		s += attribute(9, "gen_ai.agent.name", agent)
	}
	return field(1, field(1, attribute(1, "service.name", "shop"))+field(2, field(2, s)))
}

// rpc checks a google.rpc.Status in JSON.
func (r *reply) rpc(t testing.TB, status, code int, reason fault.Code) {
	t.Helper()
	var s struct {
		Code    int
		Message string
		Details []struct {
			Type           string `json:"@type"`
			Reason, Domain string
		}
	}
	if err := json.Unmarshal([]byte(r.body), &s); err != nil || r.header.Get("Content-Type") != mediaJSON {
		t.Fatalf("%d %s: %s: %v", r.status, r.header.Get("Content-Type"), r.body, err)
	}
	if r.status != status || s.Code != code || s.Message == "" || len(s.Details) != 1 || s.Details[0].Reason != string(reason) || s.Details[0].Type != errorInfoType {
		t.Errorf("%d %s, want %d, %d and %s", r.status, r.body, status, code, reason)
	}
}

// The same span is recorded once, however it is encoded, compressed and sent again.
func TestTracesAreRecordedOnce(t *testing.T) {
	w := newWorld(t, nil)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(traceProto("s", "", "Ship it.")))
	_ = z.Close()
	for _, x := range []struct{ name, body, media, coding, answer string }{
		{"JSON", traceJSON(spanJSON("s", "", "Ship it.")), mediaJSON, "", "{}\n"},
		{"JSON again", traceJSON(spanJSON("s", "", "Ship it.")), "application/json; charset=utf-8", "", "{}\n"},
		{"protobuf", traceProto("s", "", "Ship it."), mediaProtobuf, "", ""},
		{"packed", packed.String(), mediaProtobuf, "gzip", ""},
		{"nothing in JSON", "{}", mediaJSON, "", "{}\n"},
		{"nothing in protobuf", "", mediaProtobuf, "", ""},
		{"another sort of span", traceJSON(`{"name":"GET /","attributes":[]}`), mediaJSON, "", "{}\n"},
	} {
		before := w.size()
		r := w.call("POST", tracesPath, x.body, "Content-Type", x.media, "Content-Encoding", x.coding)
		media, _, _ := strings.Cut(x.media, ";")
		if r.status != 200 || r.body != x.answer || r.header.Get("Content-Type") != media {
			t.Errorf("%s: %d %s %q", x.name, r.status, r.header.Get("Content-Type"), r.body)
		}
		if got, want := w.size()-before, map[string]uint64{"JSON": 1}[x.name]; got != want {
			t.Errorf("%s: %d records", x.name, got)
		}
	}
	r := w.call("GET", "/v1/events?session=s", "")
	if !strings.Contains(r.body, "Ship it.") || !strings.Contains(r.body, `"agent_id":"shop"`) {
		t.Errorf("%s", r.body)
	}
}

// An unreadable request is refused as a whole, in its own encoding.
func TestTracesThatAreNone(t *testing.T) {
	w := newWorld(t, nil)
	before := w.size()
	for _, body := range []string{"", "null", "[]", "{", "5", `{"resourceSpans":5}`, `{"resourceSpans":[{"scopeSpans":[{"spans":[5]}]}]}`, "{}{}", traceJSON(spanJSON("s", "", "x")) + "x"} {
		w.call("POST", tracesPath, body).rpc(t, 400, 3, fault.InvalidDocument)
	}
	good := traceProto("s", "", "Cut.")
	for _, body := range []string{"x", good[:len(good)-3], "\x0a\x05abc", "\x08\x01\x0a", "\x0b", "\x0a\x02\x10\x01"} {
		r := w.call("POST", tracesPath, body, "Content-Type", mediaProtobuf)
		if r.status != 400 || r.header.Get("Content-Type") != mediaProtobuf || !strings.HasPrefix(r.body, "\x08\x03\x12") || !strings.Contains(r.body, string(fault.InvalidDocument)) {
			t.Errorf("%q: %d %q", body, r.status, r.body)
		}
	}
	w.call("POST", tracesPath, "x", "Content-Type", "text/plain").rpc(t, 415, 3, fault.WrongMedia)
	w.call("POST", tracesPath, "x", "Content-Type", "").rpc(t, 415, 3, fault.WrongMedia)
	w.call("POST", tracesPath, "{}", "Content-Encoding", "br").rpc(t, 415, 3, fault.WrongMedia)
	w.call("POST", tracesPath, "no gzip", "Content-Encoding", "gzip").rpc(t, 400, 3, fault.UnreadableInput)
	w.call("POST", tracesPath+"?a=1", "{}").rpc(t, 400, 3, fault.InvalidArgument)
	if w.size() != before {
		t.Error("something was recorded")
	}
}

// Only callers that may write events may send spans.
func TestTracesAreAuthorised(t *testing.T) {
	w := newWorld(t, nil)
	body := traceJSON(spanJSON("s", "", "Hello."))
	w.call("POST", tracesPath, body, "Authorization", "").rpc(t, 401, 16, fault.Unauthenticated)
	w.call("POST", tracesPath, body, "Authorization", "Bearer "+bootstrap).rpc(t, 400, 3, fault.InvalidArgument) // no tenant
	reads := w.key(auth.Request{Role: auth.Member, Tenant: "acme", Rights: auth.Read})
	w.call("POST", tracesPath, body, "Authorization", "Bearer "+reads).rpc(t, 403, 7, fault.NotPermitted)

	// Spans of an agent's key that name no agent are its own; those of another agent are refused
	// one by one.
	coder := w.key(auth.Request{Role: auth.Agent, Tenant: "acme", Agent: "coder", Rights: auth.Read | auth.Write})
	r := w.call("POST", tracesPath, traceJSON(spanJSON("own", "", "Mine."), spanJSON("own", "clerk", "Not mine."), spanJSON("own", "coder", "Mine, too.")), "Authorization", "Bearer "+coder)
	var said struct {
		PartialSuccess struct{ RejectedSpans, ErrorMessage string }
	}
	r.good(t, &said)
	if said.PartialSuccess.RejectedSpans != "1" || !strings.Contains(said.PartialSuccess.ErrorMessage, "another agent") {
		t.Errorf("%s", r.body)
	}
	events := w.call("GET", "/v1/events?session=own", "").body
	if strings.Count(events, `"agent_id":"coder"`) != 2 || strings.Contains(events, "Not mine") {
		t.Errorf("%s", events)
	}
	r = w.call("POST", tracesPath, traceProto("own", "clerk", "Not mine."), "Authorization", "Bearer "+coder, "Content-Type", mediaProtobuf)
	if r.status != 200 || !strings.HasPrefix(r.body, "\x0a") || r.body[2:4] != "\x08\x01" || !strings.Contains(r.body, "another agent") {
		t.Errorf("%d %q", r.status, r.body)
	}
}

// Spans count against the limits of a tenant, and an exporter gets a time to retry.
func TestTracesHaveQuotas(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Quotas = quota.New(quota.Options{Default: quota.Limits{EventsPerSecond: 0.001, RequestsPerSecond: -1, BytesPerSecond: -1}})
	})
	w.call("POST", tracesPath, traceJSON(spanJSON("s", "", "One."), spanJSON("s", "", "Two."))).good(t, nil)
	before := w.size()
	r := w.call("POST", tracesPath, traceJSON(spanJSON("s", "", "Three.")))
	r.rpc(t, 429, 8, fault.RateLimited)
	if r.header.Get("Retry-After") == "" || w.size() != before {
		t.Errorf("Retry-After %q, %d records", r.header.Get("Retry-After"), w.size()-before)
	}
}

// A draining server tells exporters to retry.
func TestTracesWhileDraining(t *testing.T) {
	w := newWorld(t, nil)
	if err := w.s.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	r := w.call("POST", tracesPath, traceJSON(spanJSON("s", "", "Late.")))
	r.rpc(t, 503, 14, fault.Overloaded)
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
