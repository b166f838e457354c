package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// asked has a valid request for every operation, as the arguments of a tool. A word in braces
// is a name from the world. Requests for streaming operations are only decoded.
var asked = map[string]string{
	"ingest":        `{"event":{"hmx_version":"HMX-1.0"}}`,
	"record_event":  `{"session_id":"s1","event_type":"message","content":{"role":"user","text":"Hello there."}}`,
	"list_events":   `{"session":"session-2026-11-02-refund-bug","limit":3}`,
	"list_sessions": `{"limit":1}`,
	"tail_events":   `{"session":"s1","from":3}`,
	"ingest_ws":     `{}`,
	"ingest_traces": `{"traces":{"resourceSpans":[]}}`,

	"pack":         `{"query":"when are releases cut","budget":500,"sections":["facts","episodes"],"weights":{"relevance":1},"section_weights":{"facts":1},"as_of":"12","priors":{},"min_relevance":0.2}`,
	"pack_text":    `{"query":"when are releases cut","budget":500,"min_relevance":0.2}`,
	"pack_context": `{"topic":"release","budget_tokens":200,"ordering":"relevance"}`,
	"context":      `{"verb":"modify","objects":{"file":"billing/refund.go"},"include_tiers":["pinned","outcomes"],"form":"short"}`,
	"explain":      `{"id":"{event}","query":"refunds"}`,
	"verify_pack":  `{"pack":{pack}}`,
	"search":       `{"query":"refunds","kinds":["event","memory"],"since":"2026-11-01T00:00:00Z","min_trust":"tool","explain":true}`,
	"find":         `{"kinds":["memory"],"tags":["release"],"where":[{"field":"importance","op":">=","value":"0.1"}],"follow":[{"kinds":["supports"],"direction":"both"}],"order":"time"}`,

	"remember": `{"key":"release/notes","text":"Notes go out on the day.","type":"constraint","data":{"strength":"soft"},"frames":[{"verb":"deliver","kind":"file","ref":"NOTES.md"}],` +
		`"importance":0.8,"ttl_seconds":3600,"visibility":"tenant","sources":["lukasa://acme/event/{event}"],"metadata":{"from":"a test"},"if_version":0}`,
	"remember_if_absent": `{"key":"release/cadence","text":"Releases are cut on Mondays."}`,
	"put_memory":         `{"key":"release/owner","text":"Dana cuts releases."}`,
	"recall":             `{"key":"release/cadence","form":"short"}`,
	"list_memories":      `{"type":"fact","tag":"release","limit":1}`,
	"list_tags":          `{"limit":1}`,
	"memory_history":     `{"name":"lost/one"}`,
	"restore_memory":     `{"name":"lost/one","version":1}`,
	"forget":             `{"name":"lost/two","reason":"It is a test.","if_version":1}`,
	"delete_memory":      `{"key":"lost/three","reason":"It is a test."}`,
	"redact_memory":      `{"names":["lost/four"],"purge":true}`,
	"feedback":           `{"outcome":"success","cited":["release/cadence","lukasa://acme/event/{event}"],"agent_id":"agent-coder-1","score":0.5,"note":"It helped."}`,
	"list_feedback":      `{}`,
	"resolve":            `{"name":"lukasa://acme/event/{event}","at":40}`,
	"memory_tool":        `{"command":"create","path":"/memories/projects/notes.md","file_text":"Ship on Tuesday.\n"}`,

	"list_artifacts":     `{"type":"decision_policy","min_confidence":0.1,"all":true}`,
	"get_artifact":       `{"id":"{artifact1}"}`,
	"artifact_chain":     `{"id":"{artifact1}"}`,
	"artifact_diff":      `{"id":"{artifact1}","from":"{artifact2}"}`,
	"approve_artifact":   `{"id":"{draft1}","reason":"It is seen often."}`,
	"archive_artifact":   `{"id":"{artifact1}","reason":"It is done another way."}`,
	"deprecate_artifact": `{"id":"{artifact3}","reason":"It was a coincidence."}`,
	"compile":            `{"dry_run":true}`,
	"next_step":          `{"session_id":"session-2026-11-02-refund-bug","limit":2}`,
	"check_action":       `{"tool":"search_code","arguments":{"query":"refund"},"session_id":"session-2026-11-02-refund-bug"}`,
	"list_conflicts":     `{"all":true}`,
	"get_conflict":       `{"id":"{conflict1}"}`,
	"resolve_conflict":   `{"id":"{conflict1}","reason":"The style guide says so."}`,
	"dismiss_conflict":   `{"id":"{conflict2}","reason":"They are about different files."}`,
	"put_policy":         `{"policy":{"id":"p1","kind":"instruction","text":"Ask before you delete."}}`,
	"list_policies":      `{}`,
	"get_policy":         `{"id":"p1"}`,
	"relate_memories":    `{"from":"release/cadence","to":"deploy/window","kind":"supports","weight":0.5}`,
	"list_edges":         `{}`,
	"put_entity":         `{"entity":{"id":"e1","name":"Dana","type":"person"}}`,
	"list_entities":      `{"name":"dana"}`,
	"put_relation":       `{"relation":{"from":"e1","to":"e1b","predicate":"owns"}}`,
	"list_relations":     `{}`,
	"neighbours":         `{"name":"release/cadence"}`,
	"stats":              `{"days":3,"top":2}`,
	"storage":            `{}`,
	"timeline":           `{"session_id":"session-2026-11-02-refund-bug","full":true,"limit":4}`,
	"graph":              `{"around":"release/cadence","depth":1,"limit":10}`,
	"export_fingerprint": `{"agent":"agent-coder-1"}`,
	"import_fingerprint": `{"fingerprint":{fingerprint},"private":true}`,
	"list_fingerprints":  `{}`,

	"root":              `{}`,
	"checkpoint":        `{}`,
	"verifier_key":      `{}`,
	"prove_inclusion":   `{"name":"lukasa://acme/event/{event}","withhold":true}`,
	"prove_consistency": `{"from":3,"to":12}`,
	"expire":            `{}`,
	"export":            `{}`,
	"import":            `{"export":{"lukasa_export":1}}`,
	"verify":            `{"deep":true}`,

	"mint_scope":      `{"to":"helper","include":{"types":["goal"]},"exclude":{"tags":["secret"]},"expires_at":"2026-11-17T12:00:00Z","trust":"tool","budget_tokens":100}`,
	"check_scope":     `{"token":"{scope}"}`,
	"list_violations": `{}`,
	"create_key":      `{"role":"tenant","rights":["read"],"label":"a test","expires_at":"2026-12-01T00:00:00Z","trust":"user"}`,
	"list_keys":       `{"all":true}`,
	"get_key":         `{"id":"{key}"}`,
	"revoke_key":      `{"id":"{key}","reason":"It is a test."}`,
	"list_acts":       `{"limit":2}`,
	"list_tenants":    `{}`,
	"get_quota":       `{}`,
	"set_quota":       `{"requests_per_second":100,"max_records":-1}`,
}

// asks returns the caller of an operation in tests: the operator of the server for operations
// of operators, and otherwise an administrator of the tenant.
func asks(o *operation.Operation) *auth.Principal {
	if o.Board || o.Operators {
		return operator("acme")
	}
	return admin("acme")
}

// schema compiles a schema.
func schema(t *testing.T, text json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// holds validates JSON against a schema.
func holds(t *testing.T, what string, text json.RawMessage, data []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %s: %v", what, data, err)
	}
	if err := schema(t, text).Validate(v); err != nil {
		t.Errorf("%s: %.2000s does not hold for %s: %v", what, data, text, err)
	}
}

// split turns the arguments of a tool into an HTTP request.
func split(t *testing.T, o *operation.Operation, args string) (body []byte, path, query map[string]string) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	path, query = map[string]string{}, map[string]string{}
	rest := map[string]json.RawMessage{}
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
			path[f.Name] = text
		case operation.InQuery:
			query[f.Name] = text
		case operation.AsBody:
			body = value
		default:
			rest[f.Name] = value
		}
	}
	if len(rest) > 0 {
		var err error
		if body, err = json.Marshal(rest); err != nil {
			t.Fatal(err)
		}
	}
	return body, path, query
}

func from(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

// Every operation accepts a request and answers as its schemas say, over HTTP and MCP, on a
// real board.
func TestOperations(t *testing.T) {
	w := newWorld(t)
	w.must(admin("acme"), "put_entity", `{"entity":{"id":"e1b","name":"Billing","type":"service"}}`)
	for _, o := range Operations() {
		t.Run(o.Name, func(t *testing.T) {
			args, ok := asked[o.Name]
			if !ok {
				t.Fatal("no test asks it")
			}
			args = w.fill(args)
			holds(t, "the request", inSchema(o), []byte(args))
			in, err := o.DecodeArguments([]byte(args))
			if err != nil {
				t.Fatalf("%s: %v", args, err)
			}
			body, path, query := split(t, o, args)
			if o.Body() && len(body) > 0 {
				holds(t, "the body", o.BodySchema(), body)
			}
			same, err := o.Decode(body, from(path), from(query))
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			if forget(in); !reflect.DeepEqual(in, forget(same)) {
				t.Errorf("over MCP it is %+v, over HTTP %+v", in, same)
			}
			if o.Stream {
				return
			}
			in, err = o.Decode(body, from(path), from(query))
			if err != nil {
				t.Fatal(err)
			}
			who := asks(o)
			if err := operation.Allow(o, who); err != nil {
				t.Fatal(err)
			}
			out, err := o.Run(t.Context(), w.call(who), in)
			if err != nil {
				t.Fatal(err)
			}
			if got := reflect.TypeOf(out); got != reflect.PointerTo(o.Out) {
				t.Fatalf("it answers a %v, and says a *%v", got, o.Out)
			}
			if text, ok := out.(*operation.Text); ok {
				if o.Media == "" || text.Body == "" {
					t.Errorf("a text of type %q: %q", o.Media, text.Body)
				}
				return
			}
			data, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, "the answer", o.OutSchema(), data)
		})
	}
	for name := range asked {
		if Lookup(name) == nil {
			t.Errorf("%s is asked, and is no operation", name)
		}
	}
}

// forget removes the bytes of the body, whose order may differ.
func forget(in any) any {
	v := reflect.ValueOf(in).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if _, raw := f.Tag.Lookup("raw"); raw {
			v.FieldByIndex(f.Index).SetZero()
		}
	}
	return in
}

// The table is sound: names, routes and tools are unique, path parameters are fields, and an
// operation that a transport does not offer says why.
func TestTable(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	mux := http.NewServeMux()
	names, tools := map[string]bool{}, map[string]bool{}
	for _, o := range Operations() {
		if names[o.Name] || !snake.MatchString(o.Name) {
			t.Errorf("%s: the name is there twice, or not in snake case", o.Name)
		}
		names[o.Name] = true
		mux.HandleFunc(o.Method+" "+o.Path, func(http.ResponseWriter, *http.Request) {}) // panics if two collide
		if o.Short == "" || !strings.HasSuffix(o.Short, ".") || strings.Contains(o.Short, "\n") || o.Group == "" {
			t.Errorf("%s: Short is one sentence, and there is a Group", o.Name)
		}
		if (o.Command == "" || o.Tool == nil) && o.Without == "" {
			t.Errorf("%s is not offered everywhere, and does not say why", o.Name)
		}
		if o.Stream != (o.Run == nil) {
			t.Errorf("%s: a stream has no Run, and everything else has one", o.Name)
		}
		if o.Needs == 0 {
			t.Errorf("%s needs no right", o.Name)
		}
		if o.Wrote && (o.Needs|o.Then)&(auth.Write|auth.Admin) == 0 {
			t.Errorf("%s writes without a right to", o.Name)
		}
		if o.Tool != nil {
			name := o.Tool.Name
			if name == "" {
				name = o.Name
			}
			if tools[name] {
				t.Errorf("the tool %s is there twice", name)
			}
			tools[name] = true
		}
		var inPath []string
		for _, f := range o.Fields() {
			if f.Place == operation.InPath {
				inPath = append(inPath, f.Name)
			}
			if f.Also != "" && slices.ContainsFunc(o.Fields(), func(other *operation.Field) bool {
				return other != f && slices.ContainsFunc([]string{other.Name, other.Also}, func(name string) bool { return name != "" && (name == f.Also || name == f.Name) })
			}) {
				t.Errorf("%s.%s: its other name %s is taken", o.Name, f.Name, f.Also)
			}
			if f.Place == operation.InBody && !o.Body() || f.Name == "" || !snake.MatchString(f.Name) {
				t.Errorf("%s.%s: it has no place, or no name in snake case", o.Name, f.Name)
			}
		}
		var wild []string
		for _, part := range regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`).FindAllStringSubmatch(o.Path, -1) {
			wild = append(wild, part[1])
		}
		if !slices.Equal(inPath, wild) {
			t.Errorf("%s: the path has %v, the request %v", o.Name, wild, inPath)
		}
	}
	for _, name := range []string{
		"remember", "recall", "search_memories", "pack_context", "context", "record_event", "feedback", "forget",
		"remember_if_absent", "list_memories", "list_tags", "memory_history", "restore_memory", "redact_memory", "relate_memories", "resolve", "artifacts",
		"next_step", "check_action", "explain", "verify",
	} {
		if !tools[name] {
			t.Errorf("there is no tool %s", name)
		}
	}
}

// The board refuses to a scope what the table forbids to scopes, and a scope that sees and
// writes everything can call the rest.
func TestScopes(t *testing.T) {
	w := newWorld(t)
	holder := &auth.Principal{
		Key: "scope", Role: auth.Holder, Tenant: "acme", Agent: "helper", Rights: auth.Read | auth.Write, Trust: lukasa.Agent, Scope: w.names["scope"],
	}
	for _, o := range Operations() {
		if o.Stream || o.Board || o.Operators || o.AnyTenant || o.Name == "list_violations" {
			continue // unknown to the board
		}
		t.Run(o.Name, func(t *testing.T) {
			args := w.fill(asked[o.Name])
			args = strings.Replace(args, `"agent_id":"agent-coder-1",`, "", 1)
			if o.Name == "get_policy" {
				w.must(admin("acme"), "put_policy", `{"policy":{"id":"p1","kind":"instruction","text":"Ask first."}}`)
			}
			in, err := o.DecodeArguments([]byte(args))
			if err != nil {
				t.Fatal(err)
			}
			_, err = o.Run(t.Context(), w.call(holder), in)
			refused := fault.CodeOf(err) == fault.OutOfScope
			if refused != o.Unscoped {
				t.Errorf("unscoped is %v, and the board says: %v", o.Unscoped, err)
			}
		})
	}
}
