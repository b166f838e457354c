package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
)

// session builds the events of a session, a second apart, with ids e0, e1 and so on.
type session struct {
	events []Event
	now    time.Time
}

func newSession() *session { return &session{now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)} }

// add adds an event; with is applied to it.
func (s *session) add(typ hmx.EventType, content string, with ...func(*hmx.Event)) *session {
	ev := &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("e%d", len(s.events)), EventType: typ, AgentID: "agent", TenantID: "t", SessionID: "s",
		Timestamp: hmx.TimeOf(s.now), Sequence: int64(len(s.events)), Content: hmx.Raw(content), Metadata: "{}",
	}
	for _, f := range with {
		f(ev)
	}
	s.events = append(s.events, Event{ev, uint64(len(s.events)), trustOf(ev)})
	s.now = s.now.Add(time.Second)
	return s
}

func (s *session) user(text string) *session {
	return s.add(hmx.TypeMessage, fmt.Sprintf(`{"role":"user","text":%q}`, text))
}

func (s *session) agent(text string) *session {
	return s.add(hmx.TypeMessage, fmt.Sprintf(`{"role":"assistant","text":%q}`, text))
}

// call adds a call and its result, both by the id c and a number.
func (s *session) call(tool, args, result string, success bool) *session {
	id := len(s.events)
	s.add(hmx.TypeToolCall, fmt.Sprintf(`{"tool_name":%q,"arguments":%s,"call_id":"c%d"}`, tool, args, id))
	return s.add(hmx.TypeToolResult, fmt.Sprintf(`{"tool_name":%q,"call_id":"c%d","result":%s,"success":%v,"duration_ms":7}`, tool, id, result, success))
}

func (s *session) feedback(signal, target string) *session {
	return s.add(hmx.TypeFeedback, fmt.Sprintf(`{"signal":%q,"target_event_id":%q}`, signal, target))
}

func (s *session) wait(d time.Duration) *session { s.now = s.now.Add(d); return s }

func parent(id string) func(*hmx.Event) {
	return func(ev *hmx.Event) { ev.ParentEventID = hmx.Some(id) }
}
func correlation(id string) func(*hmx.Event) {
	return func(ev *hmx.Event) { ev.CorrelationID = hmx.Some(id) }
}

func metadata(raw string) func(*hmx.Event) {
	return func(ev *hmx.Event) { ev.Metadata = hmx.Raw(raw) }
}

// brief writes the steps of a trace in short: tool, state and references.
func brief(tr *Trace) string {
	var all []string
	for i, t := range tr.Tasks {
		if i > 0 {
			all = append(all, "/")
		}
		for _, s := range t.Steps {
			all = append(all, fmt.Sprintf("%s:%s(%s,%s)", s.Tool, states[s.State], s.Call.ID, s.Result.ID))
		}
	}
	return strings.Join(all, " ")
}

func TestPairing(t *testing.T) {
	call := func(s *session, content string, with ...func(*hmx.Event)) *session {
		return s.add(hmx.TypeToolCall, content, with...)
	}
	result := func(s *session, content string, with ...func(*hmx.Event)) *session {
		return s.add(hmx.TypeToolResult, content, with...)
	}
	for _, c := range []struct {
		name   string
		events *session
		want   string
	}{
		{"by call id, whatever the order", result(result(call(call(newSession(), `{"tool_name":"a","call_id":"1"}`), `{"tool_name":"a","call_id":"2"}`), `{"tool_name":"a","call_id":"2","success":false}`), `{"tool_name":"a","call_id":"1","success":true}`),
			"a:ok(e0,e3) a:broken(e1,e2)"},
		{"by parent", result(call(call(newSession(), `{"tool_name":"a"}`), `{"tool_name":"a"}`), `{"tool_name":"a","success":true}`, parent("e1")), "a:unanswered(e0,) a:ok(e1,e2)"},
		{"by correlation", result(call(call(newSession(), `{"tool_name":"a"}`), `{"tool_name":"b"}`), `{"success":true}`, correlation("e0")), "a:ok(e0,e2) b:unanswered(e1,)"},
		{"the next of the same tool", result(result(call(call(newSession(), `{"tool_name":"a"}`), `{"tool_name":"b"}`), `{"tool_name":"b"}`), `{"tool_name":"a"}`), "a:ok(e0,e3) b:ok(e1,e2)"},
		{"the tool by its source", result(call(newSession(), `{"arguments":{}}`, func(ev *hmx.Event) { ev.Source = hmx.Some("tool:gh") }), `{"tool_name":"gh"}`), "gh:ok(e0,e1)"},
		{"a call without a result", call(newSession(), `{"tool_name":"a","call_id":"1"}`), "a:unanswered(e0,)"},
		{"a result without a call", result(newSession(), `{"tool_name":"a","call_id":"9","success":true}`), "a:ok(,e0)"},
		{"an id that fits no call", result(call(newSession(), `{"tool_name":"a","call_id":"1"}`), `{"tool_name":"a","call_id":"9"}`), "a:unanswered(e0,) a:ok(,e1)"},
		{"two results, the later holds", result(result(call(newSession(), `{"tool_name":"a","call_id":"1"}`), `{"tool_name":"a","call_id":"1","success":false,"result":"x"}`), `{"tool_name":"a","call_id":"1","success":true}`), "a:ok(e0,e2)"},
		{"a result after the next task began", result(call(newSession().user("do one thing").call("a", "{}", "1", true).feedback("positive", ""), `{"tool_name":"b","call_id":"x"}`).user("do another thing"), `{"tool_name":"b","call_id":"x","success":true}`),
			"a:ok(e1,e2) b:ok(e4,e6) /"},
	} {
		if got := brief(traceOf(t, c.events.events)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSteps holds what becomes of each kind of act, as agents of several kinds record
// them.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name    string
		typ     hmx.EventType
		content string
		with    []func(*hmx.Event)
		want    Step
	}{
		{"a command", hmx.TypeCommandExec, `{"command":"go build ./...","exit_code":1,"stdout":"","stderr":"# x\n./a.go:3:2: undefined: y","duration_ms":640}`, nil,
			Step{Tool: "go build", Command: true, Shape: "go build <path>", State: Broken, Known: true, Error: "<path>: undefined: y", Cost: 640, Got: GotText}},
		{"a command in words", hmx.TypeCommandExec, `{"command":["bash","-lc","npm test"],"exit_code":0}`, nil, Step{Tool: "npm test", Command: true, Shape: "npm test", State: OK, Known: true}},
		{"a command with its code in the metadata", hmx.TypeCommandExec, `{"command":"make lint"}`, []func(*hmx.Event){metadata(`{"exit_code":2}`)},
			Step{Tool: "make lint", Command: true, Shape: "make lint", State: Broken, Known: true, Error: "exit code 2"}},
		{"a command that does not tell", hmx.TypeCommandExec, `{"command":"make lint"}`, nil, Step{Tool: "make lint", Command: true, Shape: "make lint", State: OK}},
		{"tests that fail", hmx.TypeTestRun, `{"command":"pytest -q","passed":3,"failed":1,"failures":["tests/test_a.py::test_x - AssertionError: assert 3 == 4"]}`, nil,
			Step{Tool: ToolTest, Shape: "pytest -q", State: Broken, Known: true, Error: "<path> - AssertionError: assert <n> == <n>", Got: GotList}},
		{"tests that pass", hmx.TypeTestRun, `{"framework":"jest","passed":3,"failed":0}`, nil, Step{Tool: ToolTest, Shape: "framework=jest", State: OK, Known: true}},
		{"an edit", hmx.TypeFileEdit, `{"path":"billing/refund.go","operation":"modify","diff":"@@"}`, nil, Step{Tool: ToolEdit, Shape: "operation=modify path=<path>", State: OK}},
		{"a click", hmx.TypeBrowserAction, `{"action":"click","selector":"#pay-now","success":true}`, nil, Step{Tool: ToolBrowser, Shape: "action=click selector=<text>", State: OK, Known: true}},
		{"typing a secret", hmx.TypeBrowserAction, `{"action":"type","selector":"input","value":"hunter","success":false,"error":"TimeoutError: no element"}`, nil,
			Step{Tool: ToolBrowser, Shape: "action=type selector=<text> value=<text>", State: Broken, Known: true, Error: "TimeoutError: no element"}},
		{"a request", hmx.TypeAPIResult, `{"method":"post","url":"https://api.shop.example/v2/orders/4711/refunds","status_code":422,"response":{"error":{"code":"amount_too_large","message":"refund of 900 exceeds 300"}}}`, nil,
			Step{Tool: ToolRequest, Shape: "POST api.shop.example/v2/orders/<int>/refunds", State: Broken, Known: true, Error: "HTTP 422: amount_too_large: refund of <n> exceeds <n>", Got: GotOne}},
		{"a decision", hmx.TypeDecision, `{"question":"How should 0.5 cent be rounded?","chosen_option":"up"}`, nil, Step{Tool: ToolDecision, Shape: "how should <n> cent be rounded?", State: OK}},
		{"an error alone", hmx.TypeError, `{"error_type":"KubectlError","message":"namespace staging not found","recoverable":true}`, nil,
			Step{Tool: ToolError, State: Broken, Known: true, Error: "KubectlError: namespace staging not found"}},
		{"an error with a stack only", hmx.TypeError, `{"error_type":"","stack":"java.io.IOException: disk 7 is full\n\tat x.Y.z(Y.java:3)"}`, nil,
			Step{Tool: ToolError, State: Broken, Known: true, Error: "java.io.IOException: disk <n> is full"}},
	} {
		tr := traceOf(t, newSession().add(c.typ, c.content, c.with...).events)
		if len(tr.Tasks) != 1 || len(tr.Tasks[0].Steps) != 1 {
			t.Errorf("%s: %s", c.name, dump(tr))
			continue
		}
		got := tr.Tasks[0].Steps[0]
		if got.Call.ID != "e0" || got.Result.ID != "e0" || got.Times != 1 {
			t.Errorf("%s: it is of %q and %q, %d times", c.name, got.Call.ID, got.Result.ID, got.Times)
		}
		got.Call, got.Result, got.Args, got.Times, got.Trust = Ref{}, Ref{}, nil, 0, 0
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", c.name, got, c.want)
		}
	}
}

// TestResults holds how results are read: what went wrong, and what form they have.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		content string
		state   State
		known   bool
		got     Got
		err     string
	}{
		{`"result":{"text":"Error: gift card balance is not enough"},"success":false`, Broken, true, GotText, "Error: gift card balance is not enough"},
		{`"result":{"text":"Error: fine really"},"success":true`, OK, true, GotText, ""},
		{`"result":{"text":"Error: no flag tells, 12 seats"}`, Broken, true, GotText, "Error: no flag tells, <n> seats"},
		{`"result":"Traceback (most recent call last):\n  File \"x\"\nKeyError: 'a'"`, Broken, true, GotText, "KeyError: <value>"},
		{`"result":{"error":null,"id":3}`, OK, false, GotOne, ""},
		{`"result":{"error":{"type":"RateLimitError","message":"retry after 30s"}}`, Broken, true, GotOne, "RateLimitError: retry after <n>"},
		{`"result":"{\"error\":\"no such order 17\"}"`, Broken, true, GotOne, "no such order <n>"},
		{`"result":{"exit_code":127,"stderr":"bash: foo: command not found"}`, Broken, true, GotOne, "bash: foo: command not found"},
		{`"result":{"exit_code":3}`, Broken, true, GotOne, "exit code 3"},
		{`"result":{"success":false}`, Broken, true, GotOne, ""},
		{`"is_error":true,"result":["bad thing"]`, Broken, true, GotList, "bad thing"},
		{`"is_error":false,"result":[]`, OK, true, GotNothing, ""},
		{`"result":{"text":"[]"},"success":true`, OK, true, GotNothing, ""},
		{`"result":{"text":"[1]"},"success":true`, OK, true, GotList, ""},
		{`"result":{"text":" "},"success":true`, OK, true, GotNothing, ""},
		{`"result":12.5`, OK, false, GotText, ""},
		{`"success":true`, OK, true, GotNothing, ""},
		{`"success":false,"error":"denied to mia@x.org"`, Broken, true, GotNothing, "denied to <email>"},
	} {
		s := newSession().add(hmx.TypeToolCall, `{"tool_name":"x","call_id":"1"}`).add(hmx.TypeToolResult, `{"tool_name":"x","call_id":"1",`+c.content+`}`)
		got := traceOf(t, s.events).Tasks[0].Steps[0]
		if got.State != c.state || got.Known != c.known || got.Got != c.got || got.Error != c.err {
			t.Errorf("%s: %s, known %v, %s, %q; want %s, %v, %s, %q", c.content, states[got.State], got.Known, forms[got.Got], got.Error, states[c.state], c.known, forms[c.got], c.err)
		}
	}
}

// TestUnreadable holds that events whose content cannot be read are read as far as they
// can be.
func TestUnreadable(t *testing.T) {
	for _, content := range []string{"", "{", "[]", "null", `"x"`, "\xff"} {
		for _, typ := range append(hmx.EventTypes(), "x-acme-signal") {
			tr := traceOf(t, newSession().add(typ, content, metadata(`{"exit_code":3}`)).events)
			checkBounds(t, tr)
			if typ == hmx.TypeToolResult && (len(tr.Tasks) != 1 || tr.Tasks[0].Steps[0].State != Broken || tr.Tasks[0].Steps[0].Tool != ToolUnnamed) {
				t.Errorf("a result of %q is read as %s", content, dump(tr))
			}
		}
	}
}

// TestErrorsBelongToSteps holds which step an error event is about.
func TestErrorsBelongToSteps(t *testing.T) {
	boom := `{"error_type":"Boom","message":"it broke"}`
	for _, c := range []struct {
		name   string
		events *session
		want   string
	}{
		{"by correlation, though later steps went well", newSession().call("a", "{}", "1", true).call("b", "{}", "1", true).add(hmx.TypeError, boom, correlation("e0")), "a:broken(e0,e1) b:ok(e2,e3)"},
		{"by the result", newSession().call("a", "{}", "1", true).call("b", "{}", "1", true).add(hmx.TypeError, boom, parent("e1")), "a:broken(e0,e1) b:ok(e2,e3)"},
		{"the call that has no result", newSession().add(hmx.TypeToolCall, `{"tool_name":"a"}`).add(hmx.TypeError, boom), "a:broken(e0,)"},
		{"the last step that went wrong", newSession().call("a", "{}", "1", false).add(hmx.TypeError, boom), "a:broken(e0,e1)"},
		{"none, the last went well", newSession().call("a", "{}", "1", true).add(hmx.TypeError, boom), "a:ok(e0,e1) error:broken(e2,e2)"},
		{"none, something was said", newSession().call("a", "{}", "1", false).agent("trying something else").add(hmx.TypeError, boom), "a:broken(e0,e1) error:broken(e3,e3)"},
	} {
		tr := traceOf(t, c.events.events)
		if got := brief(tr); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestShapes holds how arguments are written.
func TestShapes(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"book", `{"origin":"JFK","date":"2024-05-20","cabin":"economy","bags":3,"insured":false,"flights":[{"n":"HAT069"}],"price":12.5,"note":null,"opts":{}}`,
			"bags=<int> cabin=economy date=<date> flights=<list> insured=false note=null opts=<object> origin=<code> price=<number>"},
		{"get", `{"reservation_id":"HATHAT"}`, "reservation_id=<id>"},
		{"get", `{"userId":"mia","orderID":"OPEN","paid":"yes"}`, "orderID=<id> paid=yes userId=<id>"},
		{"search", `{"query":"refund","first_name":"mia","apiKey":"hunter","mode":"fast"}`, "apiKey=<text> first_name=<text> mode=fast query=<text>"},
		{"read_file", `{"path":"internal/pack/pack.go"}`, "path=<path>"},
		{"str_replace_editor", `{"command":"view","path":"/x"}`, "command=view path=<path>"},
		{"Bash", `{"command":"git status --short","timeout":1000}`, "git status --short"},
		{"execute_command", `{"cmd":["ls","-la","/tmp"]}`, "ls -la <path>"},
		{"mcp__shell__run", `"{\"command\":\"go test ./...\"}"`, "go test <path>"},
		{"store", `{"credit_card_4421486":1,"a b":2,"":3}`, "<key>=<int> <key>=<int> <key>=<int>"},
		{"none", `{}`, ""},
		{"none", `[1,2]`, ""},
		{"none", `"text"`, ""},
	} {
		s := newSession().add(hmx.TypeToolCall, fmt.Sprintf(`{"tool_name":%q,"arguments":%s}`, c.tool, c.args))
		got := traceOf(t, s.events).Tasks[0].Steps[0]
		if got.Shape != c.want || got.Tool != c.tool && !got.Command {
			t.Errorf("%s %s has the shape %q, want %q", c.tool, c.args, got.Shape, c.want)
		}
	}
}

// TestOrigins holds where values come from, and what is left of lists.
func TestOrigins(t *testing.T) {
	s := newSession().
		user("Cancel order ORD-17 please").
		agent("What is your user id? I see code XK4.").
		user("It is mia_li_3668.").
		call("get_user", `{"user_id":"mia_li_3668"}`, `{"text":"{\"orders\":[\"ORD-17\",\"ORD-18\",\"UHDAHF\"],\"city\":\"New York\",\"zip\":10115}"}`, true).
		call("get_order", `{"order_id":"ord-18"}`, `{"items":[{"name":"Lamp","sku":"SKU-1"},{"name":"Desk","sku":"SKU-2"}]}`, true).
		call("get_order", `{"order_id":"UHDAHF","zip":10115,"city":"New York","note":"made up","code":"XK4"}`, `{}`, true).
		call("cancel", `{"order_id":"ORD-17","user":{"id":"mia_li_3668"},"skus":["SKU-2","SKU-1"]}`, `"ok"`, true).
		call("cancel", `{"order_id":"ORD-17"}`, `"ok"`, true)
	steps := traceOf(t, s.events).Tasks[0].Steps
	var got []string
	for _, s := range steps {
		line := fmt.Sprintf("%s open %d left %d", s.Tool, s.Open, s.Left)
		for _, a := range s.Args {
			line += fmt.Sprintf(" %s:%s", a.Name, froms[a.From])
			if a.Back > 0 {
				line += fmt.Sprintf("-%d%s", a.Back, a.Tool)
			}
		}
		got = append(got, line)
	}
	want := []string{
		"get_user open 0 left 0 user_id:user",
		"get_order open 3 left 0 order_id:result-1get_user",
		"get_order open 4 left 2 city:result-2get_user code:agent note:nowhere order_id:result-2get_user zip:result-2get_user",
		"cancel open 3 left 1 order_id:goal skus:result-2get_order user:user",
		"cancel open 0 left 0 order_id:goal",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSaid holds whose words stand before a step.
func TestSaid(t *testing.T) {
	s := newSession().user("Cancel my order").agent("Which order shall I cancel?").user("The blue lamp").call("cancel", "{}", "1", true).
		call("refund", "{}", "1", true).agent("Refund sent")
	task := traceOf(t, s.events).Tasks[0]
	for i, want := range []string{"(blue lamp cancel order | order shall cancel)", "( | )"} {
		if got := said(task.Steps[i].Said, task.Steps[i].Asked); got != want {
			t.Errorf("before step %d was said %s, want %s", i, got, want)
		}
	}
	if got, want := said(task.Said, task.Asked), "( | refund sent)"; got != want {
		t.Errorf("at the end was said %s, want %s", got, want)
	}
}
