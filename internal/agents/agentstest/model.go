package agentstest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"lukasa.dev/hmx/wire"
)

// Model is the stand-in for the servers of language models. It is safe for concurrent use.
type Model struct {
	srv *httptest.Server

	mu       sync.Mutex
	sessions map[string]*Session
	refused  []string
}

// Session is one script and the requests that arrived for it.
type Session struct {
	// URL is the base address: an agent that uses it plays this script.
	URL string

	mu       sync.Mutex
	script   []Step
	next     int
	requests []*Request
}

// Request is one request of an agent.
type Request struct {
	// Number counts the requests of a session from 0, including side requests.
	Number int
	At     time.Time
	Path   string
	Body   []byte
	// Main says that it belongs to the conversation with the user and consumed a step.
	Main bool
	// Step is the step that answered it, from 0.
	Step int
	// Parts is the content of the request, in order: system prompt, messages, calls, results.
	Parts []Part
}

// Kind is what a part of a request is.
type Kind string

// The kinds of parts.
const (
	Text   Kind = "text"
	Call   Kind = "call"
	Result Kind = "result"
)

// Part is one piece of a request.
type Part struct {
	// Role is that of the protocol: system, developer, user, assistant, model, tool.
	Role string
	Kind Kind
	// ID is the id of the call, if the protocol has one.
	ID   string
	Text string
}

// NewModel starts a server. Close stops it.
func NewModel() *Model {
	m := &Model{sessions: map[string]*Session{}}
	m.srv = httptest.NewServer(m)
	return m
}

// Close stops the server and drops its connections.
func (m *Model) Close() {
	m.srv.CloseClientConnections()
	m.srv.Close()
}

// URL is the address of the server, which is also the agents' proxy.
func (m *Model) URL() string { return m.srv.URL }

// Refused lists the hosts that agents tried to reach.
func (m *Model) Refused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.refused)
}

// Play starts a session with a script. Past its end the model says "Done.".
func (m *Model) Play(script ...Step) *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := fmt.Sprintf("s%d", len(m.sessions)+1)
	s := &Session{URL: m.srv.URL + "/" + name, script: script}
	m.sessions[name] = s
	return s
}

// Requests returns the requests so far, in the order in which they arrived.
func (s *Session) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Main returns the requests of the conversation with the user.
func (s *Session) Main() []*Request {
	return slices.DeleteFunc(s.Requests(), func(r *Request) bool { return !r.Main })
}

// Played returns how many steps of the script were played.
func (s *Session) Played() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(s.next, len(s.script))
}

// Results returns the tool results in a request, in order.
func (r *Request) Results() []string {
	var all []string
	for _, p := range r.Parts {
		if p.Kind == Result {
			all = append(all, p.Text)
		}
	}
	return all
}

// Said returns the whole text of a request, part by part.
func (r *Request) Said() string {
	var b strings.Builder
	for _, p := range r.Parts {
		b.WriteString(p.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// ServeHTTP answers the agents.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.Host != "" && r.URL.Host != strings.TrimPrefix(m.srv.URL, "http://") {
		m.mu.Lock()
		m.refused = append(m.refused, r.Host)
		m.mu.Unlock()
		http.Error(w, "this proxy connects to no other host", http.StatusForbidden)
		return
	}
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	m.mu.Lock()
	s := m.sessions[name]
	m.mu.Unlock()
	if s == nil {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.serve(w, r, "/"+path, body)
}

// protocol is the protocol of one kind of model server.
type protocol interface {
	// read returns the parts of a request, and the tools that it offers.
	read(body map[string]any) (parts []Part, tools map[string]any)
	// write answers with a step. The call has the id that call makes.
	write(w http.ResponseWriter, body map[string]any, reply reply)
}

// reply is a step in the form of the protocol.
type reply struct {
	id   string
	text string
	tool string
	args map[string]any
	// in and out are token counts.
	in, out int
	stream  bool
}

// serve answers one request of a session.
func (s *Session) serve(w http.ResponseWriter, r *http.Request, path string, raw []byte) {
	p, stream := protocolOf(path)
	if p == nil || r.Method != http.MethodPost {
		s.add(&Request{Path: r.Method + " " + path, Body: raw})
		if strings.HasSuffix(path, "/count_tokens") || strings.HasSuffix(path, ":countTokens") {
			writeJSON(w, map[string]any{"input_tokens": len(raw) / 4, "totalTokens": len(raw) / 4})
			return
		}
		http.NotFound(w, r)
		return
	}
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if on, ok := body["stream"].(bool); ok {
		stream = on
	}
	req := &Request{Path: r.Method + " " + path, Body: raw}
	var tools map[string]any
	req.Parts, tools = p.read(body)
	shell := shellOf(tools)
	req.Main = shell != nil
	step := s.add(req)
	a := reply{id: fmt.Sprintf("bench%s%04d", strings.TrimPrefix(s.URL[strings.LastIndexByte(s.URL, '/'):], "/"), req.Number), in: len(raw) / 4, out: 20, stream: stream}
	switch {
	case !req.Main:
		a.text = sideAnswer(req)
	case step.Shell != "":
		a.text, a.tool = step.Say, shell.name
		a.args = shell.args(step.Shell)
	default:
		a.text, a.args = step.Say, step.Args
		if step.Tool != "" {
			a.tool = named(tools, step.Tool)
		}
	}
	if step.Hold != nil {
		select {
		case <-step.Hold:
		case <-r.Context().Done():
			return
		}
	}
	p.write(w, body, a)
}

// add stores a request and returns the step that answers it.
func (s *Session) add(r *Request) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Number, r.At = len(s.requests), time.Now()
	s.requests = append(s.requests, r)
	if !r.Main {
		return Step{}
	}
	r.Step = s.next
	s.next++
	if r.Step < len(s.script) {
		return s.script[r.Step]
	}
	return Step{Say: "Done."}
}

// sideAnswer answers titles, summaries and classifications: each of them expects either text or
// a JSON object.
func sideAnswer(r *Request) string {
	if strings.Contains(strings.ToLower(string(r.Body)), "json") {
		return `{"title":"Work on the shop","isNewTopic":false,"next_speaker":"user","reasoning":"done","complexity_reasoning":"simple","complexity_score":1,"model_choice":"pro"}`
	}
	return "Work on the shop"
}

// protocolOf returns the protocol of a path, and whether it streams by default.
func protocolOf(path string) (p protocol, stream bool) {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return messages{}, false
	case strings.HasSuffix(path, "/responses"):
		return responses{}, false
	case strings.HasSuffix(path, "/chat/completions"):
		return completions{}, false
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini{}, true
	case strings.HasSuffix(path, ":generateContent"):
		return gemini{}, false
	}
	return nil, false
}

// shellTool is the tool of an agent that runs commands.
type shellTool struct {
	name string
	args func(command string) map[string]any
}

// shellOf finds the shell tool among those that a request offers.
func shellOf(tools map[string]any) *shellTool {
	described := func(command string) map[string]any {
		return map[string]any{"command": command, "description": "Run a command"}
	}
	for _, t := range []shellTool{
		{"Bash", described},
		{"bash", described},
		{"run_shell_command", described},
		{"exec_command", func(c string) map[string]any { return map[string]any{"cmd": c} }},
		{"shell_command", func(c string) map[string]any { return map[string]any{"command": c} }},
		{"shell", func(c string) map[string]any { return map[string]any{"command": []string{"bash", "-lc", c}} }},
		{"exec", codeMode},
	} {
		if _, ok := tools[t.name]; ok {
			return &t
		}
	}
	return nil
}

// codeMode is a command for a tool that runs JavaScript, in which tools are functions. A denial
// is an exception there.
func codeMode(command string) map[string]any {
	quoted, _ := json.Marshal(command)
	return map[string]any{"input": "try {\n  const r = await tools.exec_command({cmd: " + string(quoted) + "});\n  text(r);\n} catch (e) {\n  text(String(e));\n}\n"}
}

// named finds a tool by the end of its name: agents prefix it with the name of an MCP server.
func named(tools map[string]any, name string) string {
	if _, ok := tools[name]; ok {
		return name
	}
	for full := range tools {
		if strings.HasSuffix(full, "_"+name) {
			return full
		}
	}
	return name
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// events writes server-sent events.
type events struct {
	w http.ResponseWriter
}

func newEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", wire.ContentType)
	w.Header().Set("Cache-Control", "no-cache")
	return events{w}
}

// send writes one event; without a name it is data alone.
func (e events) send(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	e.write(name, data)
}

// write writes one event with data as it is.
func (e events) write(name string, data []byte) {
	_, _ = e.w.Write(wire.AppendBlock(nil, name, data)) // an agent that has left gets nothing
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

// text returns the text of a JSON value: a string, or the text of parts.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, text(e))
		}
		return strings.Join(all, "\n")
	case map[string]any:
		if s, ok := v["text"].(string); ok {
			return s
		}
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func str(v any) string {
	s, _ := v.(string)
	return s
}
