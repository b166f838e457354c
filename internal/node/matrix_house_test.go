package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/transport/mcpapi"
)

// canaries are words that occur in every record of a tenant, and nowhere else.
var canaries = map[string]string{"acme": "quokkarine", "umbrella": "wombatonic"}

// house is a node that is called over the network. It has two tenants that use the same names
// for everything.
type house struct {
	t     testing.TB
	n     *Node
	stdio *mcpapi.Server
	http  *http.Client
	url   string
	// operator is the operator's own token.
	operator string
	// names are the values of words in braces in requests, by tenant.
	names  map[string]map[string]string
	serial atomic.Int64
	done   sync.Map // the operations that a caller could run
}

// newHouse starts a node and fills it through its interface.
func newHouse(t *testing.T) *house {
	t.Helper()
	config := small(t)
	config.Tools, config.Token = "all", "the token of the operator of the house"
	config.RequestsPerSecond, config.EventsPerSecond, config.BytesPerSecond = -1, -1, -1
	config.CompileEvents, config.CompileQuiet = 0, 0
	n := start(t, config, Options{})
	h := &house{
		t: t, n: n, url: n.URL(), operator: string(config.Token), names: map[string]map[string]string{},
		http:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}, Timeout: time.Minute},
		stdio: mcpapi.New(mcpapi.Options{Board: n.Board(), Keys: n.Keys(), Quotas: n.Quotas(), Tools: mcpapi.All}),
	}
	t.Cleanup(h.http.CloseIdleConnections)
	for tenant := range canaries {
		h.furnish(tenant)
	}
	return h
}

// furnish gives a tenant a record of every kind, with its canary in it.
func (h *house) furnish(tenant string) {
	word := canaries[tenant]
	h.names[tenant] = map[string]string{"tenant": tenant, "event": "019e5a3b-7c4d-7000-8000-000000000001"}
	for _, file := range []string{"session.ndjson", "parcels.ndjson"} {
		text, err := os.ReadFile("../../examples/" + file)
		if err != nil {
			h.t.Fatal(err)
		}
		lines := strings.NewReplacer(`"tenant_id":"acme"`, `"tenant_id":"`+tenant+`"`, "agent-coder-1", "coder", "search_code", "search_"+word, "Refunds above", "Refunds of "+word+" above").Replace(string(text))
		h.must(tenant, "POST", "/v1/events", lines, "Content-Type", "application/x-ndjson")
	}
	for key, rest := range map[string]string{
		"release/cadence": `"Releases are cut every second WORD.","tags":["release","WORD"]`,
		"deploy/window":   `"Deploy between ten and WORD.","tags":["release"]`,
		"style/tabs":      `"Always use tabs WORD.","type":"constraint"`, "style/spaces": `"Never use tabs WORD.","type":"constraint"`,
		"WORD/one": `"The word is WORD."`,
	} {
		h.ask(tenant, "remember", strings.ReplaceAll(`{"key":"`+key+`","text":`+rest+`}`, "WORD", word))
	}
	h.ask(tenant, "put_entity", `{"entity":{"id":"e1","name":"Dana `+word+`","type":"person"}}`)
	h.ask(tenant, "put_entity", `{"entity":{"id":"e2","name":"Billing `+word+`","type":"service"}}`)
	h.ask(tenant, "put_policy", `{"policy":{"id":"p1","kind":"instruction","text":"Ask `+word+` before you delete."}}`)
	h.ask(tenant, "feedback", `{"outcome":"success","cited":["release/cadence"],"agent_id":"coder","note":"Thanks to `+word+`."}`)
	h.ask(tenant, "compile", `{}`)
	h.collect(tenant, word)
}

// collect stores the names of the records.
func (h *house) collect(tenant, word string) {
	first := func(name, operation, args, list string, id func(map[string]any) string) {
		var all map[string]any
		if err := json.Unmarshal([]byte(h.ask(tenant, operation, args)), &all); err != nil {
			h.t.Fatal(err)
		}
		found := all[list].([]any)
		if len(found) == 0 {
			h.t.Fatalf("%s has nothing for %s", tenant, operation)
		}
		h.names[tenant][name] = id(found[0].(map[string]any))
	}
	artifact := func(x map[string]any) string { return x["artifact_id"].(string) }
	first("artifact", "list_artifacts", `{}`, "artifacts", artifact)
	first("draft", "list_artifacts", `{"status":"draft"}`, "artifacts", artifact)
	first("conflict", "list_conflicts", `{}`, "conflicts", func(x map[string]any) string {
		head, _, _ := strings.Cut(x["uri"].(string), "#")
		return head[strings.LastIndexByte(head, '/')+1:]
	})
	h.names[tenant]["pack"] = h.ask(tenant, "pack", `{"query":"when are releases cut","budget":600,"agent_id":"coder"}`)
	h.names[tenant]["fingerprint"] = h.ask(tenant, "export_fingerprint", `{}`)
	h.names[tenant]["export"] = h.must(tenant, "GET", "/v1/export", "")
	for _, name := range []string{"key", "victim"} {
		_, h.names[tenant][name] = h.key(tenant, `{"role":"agent","agent":"coder","label":"`+name+" of "+word+`"}`)
	}
	h.names[tenant]["low"], _ = h.key(tenant, `{"role":"tenant","rights":["read","write"],"trust":"external"}`)
	h.names[tenant]["scope"] = h.scope(tenant, `"mode":"read"`, time.Hour)
}

// key makes a key of a tenant, and returns its text and its id.
func (h *house) key(tenant, args string) (token, id string) {
	h.t.Helper()
	var made struct {
		Token string              `json:"token"`
		Key   struct{ ID string } `json:"key"`
	}
	if err := json.Unmarshal([]byte(h.ask(tenant, "create_key", args)), &made); err != nil {
		h.t.Fatal(err)
	}
	return made.Token, made.Key.ID
}

// scope makes a scope token for the agent coder that shows everything.
func (h *house) scope(tenant, rest string, lasts time.Duration) string {
	h.t.Helper()
	var made struct{ Token string }
	until := time.Now().Add(lasts).UTC().Format(time.RFC3339Nano)
	if err := json.Unmarshal([]byte(h.ask(tenant, "mint_scope", `{"to":"coder","include":{"all":true},"expires_at":"`+until+`",`+rest+`}`)), &made); err != nil {
		h.t.Fatal(err)
	}
	return made.Token
}

// fill replaces words in braces by the names of a tenant. Unknown words stay.
func (h *house) fill(tenant, text string, cell int64) string {
	for name, value := range h.names[tenant] {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return strings.ReplaceAll(text, "{n}", fmt.Sprint(cell))
}

// ask runs an operation in a tenant as the operator.
func (h *house) ask(tenant, operation, args string) string {
	h.t.Helper()
	method, path, body := overHTTP(h.t, api.Lookup(operation), args)
	return h.must(tenant, method, path, body)
}

// low runs an operation in a tenant as the caller with the least trust.
func (h *house) low(tenant, operation, args string) {
	h.t.Helper()
	method, path, body := overHTTP(h.t, api.Lookup(operation), args)
	if got := h.call(&credential{bearer: h.names[tenant]["low"]}, method, path, body); got.status != http.StatusOK {
		h.t.Errorf("%s %s: %s", operation, args, got.body)
	}
}

// must makes a call in a tenant as the operator; it has to succeed.
func (h *house) must(tenant, method, path, body string, headers ...string) string {
	h.t.Helper()
	got := h.call(&credential{bearer: h.operator, tenant: tenant}, method, path, body, headers...)
	if got.status != http.StatusOK {
		h.t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
	}
	return strings.TrimSuffix(got.body, "\n")
}

// reply is the answer to a call.
type reply struct {
	status int
	code   string // of the problem, or of the error of a tool
	header http.Header
	body   string
}

// call makes a call and reads the answer.
func (h *house) call(c *credential, method, path, body string, headers ...string) *reply {
	h.t.Helper()
	// An export breaks off if a record is erased meanwhile, as other tests do here. Then it is
	// repeated, as a client would.
	const most = 5
	for try := 1; ; try++ {
		res, text, err := h.answer(h.request(c, method, path, body, headers...))
		if errors.Is(err, io.ErrUnexpectedEOF) && strings.HasPrefix(path, "/v1/export") && try < most {
			continue
		}
		if err != nil {
			h.t.Errorf("%s %s: %v", method, path, err)
		}
		if res == nil {
			return &reply{}
		}
		return newReply(res, text)
	}
}

// answer sends a request and returns the response, as far as it came.
func (h *house) answer(r *http.Request) (*http.Response, []byte, error) {
	res, err := h.http.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res, text, err
}

func newReply(res *http.Response, body []byte) *reply {
	r := &reply{status: res.StatusCode, header: res.Header, body: string(body)}
	if res.Header.Get("Content-Type") == "application/problem+json" {
		r.code = codeOf(body)
	}
	return r
}

// codeOf returns the code of a problem.
func codeOf(body []byte) string {
	var p struct{ Code string }
	if json.Unmarshal(body, &p) != nil {
		return ""
	}
	return p.Code
}

// request makes a request with a credential.
func (h *house) request(c *credential, method, path, body string, headers ...string) *http.Request {
	h.t.Helper()
	r, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	c.show(r.Header)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// overHTTP turns the arguments of a tool into an HTTP request.
func overHTTP(t testing.TB, o *operation.Operation, args string) (method, path, body string) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		t.Fatalf("%s %s: %v", o.Name, args, err)
	}
	path, query, rest := o.Path, url.Values{}, map[string]json.RawMessage{}
	for _, f := range o.Fields() {
		value, ok := members[f.Name]
		if !ok {
			continue
		}
		text := string(value)
		var s string
		if json.Unmarshal(value, &s) == nil {
			text = s
		}
		switch f.Place {
		case operation.InPath:
			path = strings.Replace(path, "{"+f.Name+"}", url.PathEscape(text), 1)
			path = strings.Replace(path, "{"+f.Name+"...}", strings.ReplaceAll(url.PathEscape(text), "%2F", "/"), 1)
		case operation.InQuery:
			query.Set(f.Name, text)
		case operation.AsBody:
			body = string(value)
		default:
			rest[f.Name] = value
		}
	}
	if o.Body() && body == "" {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(rest); err != nil {
			t.Fatal(err)
		}
		body = b.String()
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return o.Method, path, body
}

// tells returns the canary of a tenant that the caller may not see, if the answer contains one.
func tells(body string, header http.Header, may func(tenant string) bool) (word string, leaked bool) {
	text := strings.ToLower(body + fmt.Sprint(header))
	for tenant, word := range canaries {
		if !may(tenant) && strings.Contains(text, word) {
			return word, true
		}
	}
	return "", false
}
