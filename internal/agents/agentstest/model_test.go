package agentstest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// conversations are requests in each protocol: a side request without tools, and one with a
// shell tool, a call and its result.
func conversations() map[string]struct{ path, side, main, call, text string } {
	return map[string]struct{ path, side, main, call, text string }{
		"messages": {
			"/v1/messages",
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"Title?"}]}`,
			`{"model":"m","stream":true,"system":[{"type":"text","text":"Be brief."}],"tools":[{"name":"Bash"}],"messages":[
				{"role":"user","content":[{"type":"text","text":"Go."}]},
				{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"a.txt"}]}]}]}`,
			`"partial_json":"{\"command\":\"git push\"`, `"text":"Done."`,
		},
		"responses": {
			"/v1/responses",
			`{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Title?"}]}]}`,
			`{"model":"m","stream":true,"instructions":"Be brief.","tools":[{"type":"function","name":"exec_command"}],"input":[
				{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]},
				{"type":"function_call","call_id":"c1","name":"exec_command","arguments":"{\"cmd\":\"ls\"}"},
				{"type":"function_call_output","call_id":"c1","output":"a.txt"}]}`,
			`"arguments":"{\"cmd\":\"git push\"}"`, `"text":"Done."`,
		},
		"completions": {
			"/v1/chat/completions",
			`{"model":"m","stream":true,"messages":[{"role":"user","content":"Title?"}]}`,
			`{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"bash"}}],"messages":[
				{"role":"system","content":"Be brief."},{"role":"user","content":"Go."},
				{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]},
				{"role":"tool","tool_call_id":"c1","content":"a.txt"}]}`,
			`"arguments":"{\"command\":\"git push\"`, `"content":"Done."`,
		},
		"gemini": {
			"/v1beta/models/m:streamGenerateContent",
			`{"contents":[{"role":"user","parts":[{"text":"Title?"}]}]}`,
			`{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"run_shell_command"}]}],"contents":[
				{"role":"user","parts":[{"text":"Go."}]},
				{"role":"model","parts":[{"functionCall":{"id":"c1","name":"run_shell_command","args":{"command":"ls"}}}]},
				{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"run_shell_command","response":{"output":"a.txt"}}}]}]}`,
			`"args":{"command":"git push"`, `"text":"Done."`,
		},
	}
}

// TestModel plays a script in each protocol.
func TestModel(t *testing.T) {
	t.Parallel()
	m := NewModel()
	t.Cleanup(m.Close)
	post := func(url, body string) string {
		t.Helper()
		resp, err := http.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v %s", url, resp.StatusCode, err, answer)
		}
		for line := range bytes.Lines(answer) {
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && !json.Valid(data) && string(data) != "[DONE]\n" {
				t.Errorf("%s: not JSON: %s", url, data)
			}
		}
		return string(answer)
	}
	for name, c := range conversations() {
		s := m.Play(Shell("git push"))
		if got := post(s.URL+c.path, c.side); strings.Contains(got, "git push") {
			t.Errorf("%s: a side request is answered with the script: %s", name, got)
		}
		if got := post(s.URL+c.path, c.main); !strings.Contains(got, c.call) {
			t.Errorf("%s: the first step is %s", name, got)
		}
		if got := post(s.URL+c.path, c.main); !strings.Contains(got, c.text) {
			t.Errorf("%s: past the script: %s", name, got)
		}
		if n := len(s.Requests()); n != 3 || len(s.Main()) != 2 || s.Played() != 1 {
			t.Errorf("%s: %d requests, %d of the conversation, %d steps", name, n, len(s.Main()), s.Played())
		}
		r := s.Main()[0]
		var kinds []Kind
		for _, p := range r.Parts {
			kinds = append(kinds, p.Kind)
		}
		if !slices.Equal(kinds, []Kind{Text, Text, Call, Result}) || r.Parts[0].Role != "system" || r.Parts[2].ID != "c1" || r.Parts[3].ID != "c1" || r.Results()[0] != "a.txt" {
			t.Errorf("%s: the request is read as %+v", name, r.Parts)
		}
	}
}

// TestModelRefuses: as a proxy the model connects to nothing.
func TestModelRefuses(t *testing.T) {
	t.Parallel()
	m := NewModel()
	t.Cleanup(m.Close)
	proxy, err := url.Parse(m.URL())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	t.Cleanup(transport.CloseIdleConnections)
	c := &http.Client{Transport: transport}
	if resp, err := c.Get("https://example.com/"); err == nil {
		resp.Body.Close()
		t.Error("the proxy connected to another host")
	}
	resp, err := c.Get("http://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(resp.Body).ReadString('\n')
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("%d %s", resp.StatusCode, line)
	}
	if got := m.Refused(); !slices.Equal(got, []string{"example.com:443", "example.org"}) {
		t.Errorf("refused %v", got)
	}
}
