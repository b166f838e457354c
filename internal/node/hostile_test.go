package node

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/internal/testsize"
)

// hostileNames is how many names are tried.
const hostileNames = 200

// nasty returns names of tenants, keys and sessions that an attacker might try to reach the
// tenant acme.
func nasty(h *house) []string {
	twists := []func(string) string{
		func(s string) string { return s }, strings.ToUpper, strings.ToTitle,
		func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
		func(s string) string { return " " + s }, func(s string) string { return s + " " }, func(s string) string { return s + "\t" },
		func(s string) string { return s + "\x00" }, func(s string) string { return s + "\x00umbrella" }, func(s string) string { return "\x00" + s },
		func(s string) string { return "../" + s }, func(s string) string { return "umbrella/../" + s }, func(s string) string { return "./" + s },
		func(s string) string { return s + "/" }, func(s string) string { return s + "/." }, func(s string) string { return "/" + s },
		func(s string) string { return `..\` + s }, func(s string) string { return "..%2f" + s }, func(s string) string { return "%2e%2e%2f" + s },
		func(s string) string { return s + "%00" }, func(s string) string { return "%" + strconv.FormatInt(int64(s[0]), 16) + s[1:] },
		func(s string) string { return "%25" + strconv.FormatInt(int64(s[0]), 16) + s[1:] },
		func(s string) string { return s + "\r\nX-Evil: 1" }, func(s string) string { return s + "\nSet-Cookie: a=b" }, func(s string) string { return s + "%0d%0aX-Evil:%201" },
		func(s string) string { return s + "\u200b" }, func(s string) string { return "\u202e" + s }, func(s string) string { return "\ufeff" + s },
		func(s string) string { return strings.NewReplacer("a", "а", "e", "е", "c", "с").Replace(s) }, // Cyrillic
		func(s string) string { return strings.NewReplacer("a", "ａ", "m", "ｍ").Replace(s) },           // wide
		func(s string) string { return s + "\u0301" }, func(s string) string { return s[:1] + "\u00ad" + s[1:] },
		func(s string) string { return s + "," }, func(s string) string { return s + ",umbrella" }, func(s string) string { return "umbrella, " + s },
		func(s string) string { return s + ";" }, func(s string) string { return s + "#1" }, func(s string) string { return s + "?x=1" },
		func(s string) string { return s + "*" }, func(s string) string { return `"` + s + `"` }, func(s string) string { return `'` + s + `'` },
		func(s string) string { return s + `" OR "1"="1` }, func(s string) string { return `{"$eq":"` + s + `"}` }, func(s string) string { return s + "\xff" },
	}
	var list []string
	for _, base := range []string{"acme", h.names["acme"]["key"], "session-2026-11-02-refund-bug", "lukasa-system"} {
		for _, twist := range twists {
			list = append(list, twist(base))
		}
	}
	list = append(list,
		"*", "**", "?", "[a-z]*", "{acme,umbrella}", "%", "%%", "_", ".", "..", "...", "/", "//", `\`, "~", "-", "--", "null", "true", "0", "-1", "NaN",
		"undefined", "[]", "{}", `["acme"]`, `{"tenant":"acme"}`, `acme","tenant":"acme`, "${tenant}", "{{tenant}}", "$(id)", "`id`", "%s%n", "%!s(MISSING)",
		"lukasa://acme/", "lukasa://acme/memory/x#1", "memory://acme", "file:///etc/passwd", "http://evil.example/", "javascript:alert(1)", "<script>alert(1)</script>",
		"con", "nul", "LPT1", "TOKEN", "LOCK", "bootstrap", "scope", "local", "operator", "operator:bootstrap", "tenant", "system", "admin", "root", "lukasa_scope_1.x", "lk_t_x",
		strings.Repeat("a", 255), strings.Repeat("a", 256), strings.Repeat("a", 1025), strings.Repeat("é", 5000), strings.Repeat("../", 2000)+"acme", strings.Repeat("%2e", 3000),
		"\u0000", "\u007f", "\u0085", "\u2028", "\ud7ff", "\U0010ffff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "İ", "ß", "ﬁ", "Ⅳ", "acme\u0000\u0000", "\tacme", "\nacme",
	)
	var names []string
	for _, name := range list {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < hostileNames {
		h.t.Fatalf("there are only %d names", len(names))
	}
	// All plain names, and as many variants as there is room for.
	return names[len(names)-hostileNames:]
}

// probe is a call with a hostile name in it.
type probe struct {
	who    *credential
	method string
	path   string
	body   string
	header []string
	mcp    bool
}

// headed returns a name in a form that a header allows.
func headed(name string) string {
	for _, c := range []byte(name) {
		if c < 0x20 && c != '\t' || c == 0x7f {
			return url.PathEscape(name)
		}
	}
	return name
}

// probes are the calls with a name.
func (h *house) probes(name string, serial int, stranger, agent, scope *credential) []probe {
	quoted, _ := json.Marshal(name) // invalid UTF-8 is replaced
	js, raw := string(quoted), `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)+`"`
	uri, _ := json.Marshal("lukasa://" + name + "/event/" + h.names["acme"]["event"])
	q, part := url.QueryEscape(name), url.PathEscape(name)
	uq, key := url.QueryEscape("lukasa://"+name+"/event/"+h.names["acme"]["event"]), strings.ReplaceAll(part, "%2F", "/")
	event := func(tenant, session string) string {
		return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":"h-%d","event_type":"message","agent_id":"coder","tenant_id":%s,"session_id":%s,"timestamp":"2026-11-10T10:00:00.000Z","sequence":0,"content":{"role":"user","text":"x"},"metadata":{}}`, serial, tenant, session)
	}
	tenant := []string{"X-Lukasa-Tenant", headed(name), "X-Request-Id", headed(name)}
	tool := func(who *credential, name, args string, header ...string) probe {
		return probe{who: who, mcp: true, body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + name + `,"arguments":` + args + `}}`, header: header}
	}
	read := func(uri string) probe {
		text, _ := json.Marshal(uri)
		return probe{who: stranger, mcp: true, body: `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + string(text) + `}}`}
	}
	list := []probe{
		{stranger, "GET", "/v1/root", "", tenant, false}, {stranger, "POST", "/v1/search", `{"query":"refunds releases"}`, tenant, false},
		{agent, "GET", "/v1/memories?limit=100", "", tenant, false}, {scope, "GET", "/v1/memories?limit=100", "", tenant, false}, {stranger, "GET", "/v1/keys", "", tenant, false},
		{stranger, "GET", "/v1/keys/" + part, "", nil, false}, {stranger, "DELETE", "/v1/keys/" + part, "", nil, false}, {stranger, "GET", "/v1/keys?after=" + q, "", nil, false},
		{stranger, "GET", "/v1/events?session=" + q, "", nil, false}, {agent, "GET", "/v1/events?agent=" + q, "", nil, false}, {scope, "GET", "/v1/events?children_of=" + q, "", nil, false},
		{stranger, "GET", "/v1/events?session=x&after=" + q, "", nil, false}, {stranger, "HEAD", "/v1/events/stream?session=" + q, "", nil, false},
		{stranger, "POST", "/v1/sessions/" + part + "/events", `{"event_type":"message","content":{"role":"user","text":"x"}}`, nil, false},
		{stranger, "POST", "/v1/events", event(js, `"s"`), nil, false}, {scope, "POST", "/v1/events", "[" + event(js, js) + "]", nil, false},
		{agent, "POST", "/v1/events", event(raw, `"s"`) + "\n", []string{"Content-Type", "application/x-ndjson"}, false}, {stranger, "POST", "/v1/events", event(`"umbrella"`, js), nil, false},
		{stranger, "POST", "/v1/next_step", `{"session_id":` + js + `}`, nil, false}, {stranger, "GET", "/v1/resolve?name=" + uq, "", nil, false}, {scope, "GET", "/v1/resolve?name=" + q, "", nil, false},
		{stranger, "GET", "/v1/memories/" + key, "", nil, false}, {stranger, "PUT", "/v1/memories/" + key, `{"text":"x"}`, nil, false}, {stranger, "DELETE", "/v1/memories/" + key, "", nil, false},
		{stranger, "GET", "/v1/history?name=" + uq, "", nil, false}, {stranger, "POST", "/v1/forget", `{"name":` + string(uri) + `}`, nil, false},
		{stranger, "POST", "/v1/feedback", `{"outcome":"failure","cited":[` + string(uri) + `]}`, nil, false}, {stranger, "POST", "/v1/redact", `{"names":[` + string(uri) + `]}`, nil, false},
		{stranger, "POST", "/v1/keys", `{"role":"tenant","tenant":` + js + `}`, nil, false}, {stranger, "POST", "/v1/keys", `{"role":"agent","agent":` + js + `}`, nil, false},
		{stranger, "GET", "/v1/artifacts/" + part, "", nil, false}, {stranger, "GET", "/v1/artifacts/" + h.names["umbrella"]["artifact"] + "/diff?from=" + q, "", nil, false},
		{stranger, "GET", "/v1/conflicts/" + part, "", nil, false}, {stranger, "GET", "/v1/policies/" + part, "", nil, false}, {stranger, "GET", "/v1/proof/inclusion?name=" + uq, "", nil, false},
		{stranger, "GET", "/v1/sessions?after=" + q, "", nil, false}, {stranger, "POST", "/v1/scopes", `{"to":` + js + `,"include":{"sessions":[` + js + `]},"expires_at":"{tomorrow}"}`, nil, false},
		{stranger, "POST", "/v1/scopes/check", `{"token":` + js + `}`, nil, false}, {stranger, "POST", "/v1/pack", `{"query":` + js + `,"session_id":` + js + `,"agent_id":` + js + `}`, nil, false},
		{stranger, "GET", "/v1/fingerprint?agent=" + q, "", nil, false}, {stranger, "GET", "/v1/root", "", []string{"X-Lukasa-Scope", headed(name)}, false},
		{&credential{bearer: headed(name)}, "GET", "/v1/root", "", nil, false},
		tool(stranger, `"recall"`, `{"key":`+js+`}`), tool(agent, `"resolve"`, `{"name":`+string(uri)+`}`), tool(scope, `"search_memories"`, `{"query":"refunds","sessions":[`+js+`]}`),
		tool(stranger, `"record_event"`, `{"session_id":`+js+`,"event_type":"message","content":{"role":"user","text":"x"}}`), tool(stranger, js, `{}`),
		tool(stranger, `"list_memories"`, `{}`, tenant...), read("memory://" + name), read("memory:///sessions/" + part),
		{who: stranger, mcp: true, body: `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"review_memory","arguments":{"key":` + js + `}}}`},
	}
	if own := strings.Trim(headed(name), " \t"); own != "acme" && own != "umbrella" {
		operator := &credential{bearer: h.operator, tenant: headed(name)}
		list = append(list, probe{operator, "GET", "/v1/memories", "", nil, false}, probe{operator, "POST", "/v1/search", `{"query":"refunds releases"}`, nil, false},
			probe{operator, "GET", "/v1/keys", "", nil, false}, probe{operator, "POST", "/v1/memories", `{"key":"k","text":"x"}`, nil, false})
	}
	return list
}

var (
	tenantSaid = regexp.MustCompile(`"tenant":"([^"]*)"`)
	// usualHeaders are the expected headers of answers.
	usualHeaders = []string{
		"Accept-Encoding", "Allow", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Date", "Etag", "Retry-After", "Vary", "Www-Authenticate",
		"X-Content-Type-Options", "X-Request-Id",
	}
)

// Whatever name of a tenant, a key or a session a caller of another tenant uses, no answer
// contains a word of acme, nothing of acme changes, and every answer is a success about the
// caller's own tenant, or a problem with a code.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for tenant := range canaries {
		h.names[tenant]["tomorrow"] = time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	}
	all, _ := h.key("umbrella", `{"role":"tenant","rights":["read","write","admin"]}`)
	coder, _ := h.key("umbrella", `{"role":"agent","agent":"coder"}`)
	stranger, agent, scope := &credential{name: "key", bearer: all}, &credential{name: "agent", bearer: coder}, &credential{name: "scope", bearer: h.scope("umbrella", `"mode":"write"`, time.Hour)}
	before := [3]string{h.must("acme", "GET", "/v1/root", ""), h.must("acme", "GET", "/v1/keys?all=true", ""), h.must("acme", "GET", "/v1/export", "")}
	var calls, good atomic.Int64
	var work sync.WaitGroup
	names := make(chan string)
	for range 4 {
		work.Go(func() {
			for name := range names {
				for _, p := range h.probes(name, int(h.serial.Add(1)), stranger, agent, scope) {
					calls.Add(1)
					if h.judge(name, p) {
						good.Add(1)
					}
				}
			}
		})
	}
	stride := testsize.Of(t, "hostile-stride", 12, 2, 1)
	for i, name := range nasty(h) {
		if i%stride == 0 {
			names <- name
		}
	}
	close(names)
	work.Wait()
	if calls.Load()*int64(stride) < 10_000 {
		t.Errorf("only %d calls", calls.Load())
	}
	t.Logf("%d calls, %d good answers", calls.Load(), good.Load())
	if after := [3]string{h.must("acme", "GET", "/v1/root", ""), h.must("acme", "GET", "/v1/keys?all=true", ""), h.must("acme", "GET", "/v1/export", "")}; after != before {
		t.Errorf("acme changed: %.300s, then %.300s", before[0], after[0])
	}
}

// judge makes a call, and reports whether it succeeded.
func (h *house) judge(name string, p probe) bool {
	p.body = strings.ReplaceAll(p.body, "{tomorrow}", h.names["acme"]["tomorrow"])
	var got *reply
	if p.mcp {
		got = h.call(p.who, "POST", "/mcp", p.body, append([]string{"Accept", "application/json, text/event-stream"}, p.header...)...)
	} else {
		got = h.call(p.who, p.method, p.path, p.body, p.header...)
	}
	what := fmt.Sprintf("%.60q: %s %.80s %.80s", name, p.method, p.path, p.body)
	if word, leaked := tells(got.body, got.header, func(tenant string) bool { return tenant == "umbrella" && p.who.bearer != h.operator }); leaked {
		h.t.Errorf("%s: it says %s: %.2000s", what, word, got.body)
	}
	if got.status >= 500 || got.status == 0 || strings.Contains(got.body, `"code":"internal"`) || strings.Contains(got.body, `"text":"internal:`) {
		h.t.Errorf("%s: %d %.300s", what, got.status, got.body)
	}
	for header := range got.header {
		if !slices.Contains(usualHeaders, header) {
			h.t.Errorf("%s: there is a header %s: %q", what, header, got.header[header])
		}
	}
	if got.status >= 300 && p.method != http.MethodHead && got.code == "" && !(p.mcp && strings.Contains(got.body, `"error":{`)) {
		h.t.Errorf("%s: %d without a code: %.300s", what, got.status, got.body)
	}
	good := got.status < 300 && (!p.mcp || complained(got.body) == "")
	if foreign := "event/" + h.names["acme"]["event"]; good && (strings.Contains(p.body, "/"+foreign) || strings.Contains(p.path, url.QueryEscape("/"+foreign))) {
		h.t.Errorf("%s: it takes the URI of another tenant: %.300s", what, got.body)
	}
	queried := strings.Contains(p.path, "?") && (strings.HasPrefix(name, "lk_") || strings.HasPrefix(name, "lukasa_scope_")) // a secret in the URL
	if got.status == http.StatusUnauthorized && p.who.name != "" && !slices.Contains(p.header, "X-Lukasa-Scope") && !queried {
		h.t.Errorf("%s: the credential is good, and got %.300s", what, got.body)
	}
	if got.status < 300 && p.who.bearer != h.operator {
		for _, said := range tenantSaid.FindAllStringSubmatch(got.body, -1) {
			if said[1] != "umbrella" {
				h.t.Errorf("%s: it is about the tenant %q: %.300s", what, said[1], got.body)
			}
		}
	}
	return good
}

// The server's own tenant, with its keys, can be neither imported nor exported.
func TestHostileImport(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	keys := h.must("", "GET", "/v1/keys?all=true", "")
	for _, tenant := range []string{"acme", ""} {
		for _, name := range []string{"lukasa-system", "../lukasa-system", ""} {
			text := strings.ReplaceAll(h.names["acme"]["export"], `"acme"`, strconv.Quote(name))
			got := h.call(&credential{bearer: h.operator, tenant: tenant}, "POST", "/v1/import", text, "Content-Type", "application/x-ndjson")
			if got.status < 400 || got.status >= 500 || got.code == "" {
				t.Errorf("%q: %d %s", name, got.status, got.body)
			}
		}
	}
	if after := h.must("", "GET", "/v1/keys?all=true", ""); after != keys {
		t.Error("there are other keys")
	}
}
