package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/client"
	"lukasa.dev/hmx"
)

// clientsFolder is where the clients in other languages are.
var clientsFolder = filepath.Join("..", "..", "clients")

// step is one step of the conversation that all clients have in common; clients/README.md
// describes its format.
type step struct {
	About       string            `json:"about"`
	Only        []string          `json:"only"`
	Call        string            `json:"call"`
	With        map[string]any    `json:"with"`
	Options     talkOptions       `json:"options"`
	Expect      any               `json:"expect"`
	Problem     map[string]any    `json:"problem"`
	NotModified bool              `json:"not_modified"`
	Keep        map[string]string `json:"keep"`
	KeepETag    string            `json:"keep_etag"`
}

// talkOptions are the options of a step's call.
type talkOptions struct {
	IfMatch     any    `json:"if_match"`
	IfNoneMatch string `json:"if_none_match"`
	Token       string `json:"token"`
	Attempts    int    `json:"attempts"`
}

// conversation is the file.
type conversation struct {
	Given map[string]any   `json:"given"`
	Steps []map[string]any `json:"steps"`
}

func readConversation(t *testing.T) conversation {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(clientsFolder, "conversation.json"))
	if err != nil {
		t.Fatal(err)
	}
	var talk conversation
	if err := json.Unmarshal(text, &talk); err != nil {
		t.Fatal(err)
	}
	return talk
}

// talkToken returns the operator's token of a node.
func talkToken(t *testing.T, n *Node) string {
	t.Helper()
	token, err := os.ReadFile(n.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(token))
}

// TestConversation runs the same conversation with every client on one server, each in a tenant
// of its own.
func TestConversation(t *testing.T) {
	n := start(t, small(t), Options{})
	talk := readConversation(t)
	token := talkToken(t, n)
	t.Run("go", func(t *testing.T) {
		names := map[string]any{"tenant": "talk-go"}
		maps.Copy(names, filled(talk.Given, names).(map[string]any))
		for i, written := range talk.Steps {
			var s step
			remade(t, filled(written, names), &s)
			if s.Only != nil && !slices.Contains(s.Only, "go") {
				continue
			}
			if err := s.run(t.Context(), n.URL(), token, names); err != nil {
				t.Fatalf("step %d, %s (%s): %v", i, s.About, s.Call, err)
			}
		}
	})
	script, err := filepath.Abs(filepath.Join(clientsFolder, "conversation.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string]func(*testing.T) *clientCommand{"python": pythonClient, "typescript": typescriptClient} {
		t.Run(name, func(t *testing.T) {
			c := command(t)
			out := c.run(t, []string{"LUKASA_TOKEN=" + token}, append(slices.Clone(c.talk), n.URL(), "talk-"+name, script)...)
			if said := strings.Count(out, "ok "); said != len(talk.Steps) {
				t.Errorf("%d of %d steps:\n%s", said, len(talk.Steps), out)
			}
		})
	}
}

// remade converts one JSON value into another.
func remade(t *testing.T, from, to any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var keptName = regexp.MustCompile(`\$([a-z]+)`)

// filled replaces names by stored values in a request or an expectation.
func filled(value any, names map[string]any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			out[k] = filled(v, names)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = filled(v, names)
		}
		return out
	case string:
		if name, ok := strings.CutPrefix(value, "$"); ok {
			if kept, ok := names[name]; ok {
				return kept
			}
		}
		return keptName.ReplaceAllStringFunc(value, func(all string) string {
			if kept, ok := names[all[1:]]; ok {
				return fmt.Sprint(kept)
			}
			return all
		})
	}
	return value
}

// run makes the call of a step and compares the result.
func (s *step) run(ctx context.Context, url, token string, names map[string]any) error {
	if s.Options.Token != "" {
		token = s.Options.Token
	}
	c, err := client.New(url, client.Options{Token: token, Tenant: names["tenant"].(string), Attempts: s.Options.Attempts})
	if err != nil {
		return err
	}
	defer c.Close()
	answer, etag, err := s.call(ctx, c)
	switch problem, refused := errors.AsType[*client.Problem](err); {
	case refused && s.Problem != nil:
		return differs(s.Problem, map[string]any{"status": float64(problem.Status), "code": problem.Code, "field": problem.Field}, "problem")
	case s.NotModified && errors.Is(err, client.ErrNotModified):
		return nil
	case err != nil:
		return err
	case s.Problem != nil || s.NotModified:
		return fmt.Errorf("it was answered with %v", answer)
	}
	if err := differs(s.Expect, answer, "answer"); err != nil {
		return err
	}
	for name, path := range s.Keep {
		value := answer
		for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
			value = value.(map[string]any)[part]
		}
		names[name] = value
	}
	if s.KeepETag != "" {
		names[s.KeepETag] = etag
	}
	return nil
}

// call makes the call of a step with the methods that a program would use.
func (s *step) call(ctx context.Context, c *client.Client) (answer any, etag string, err error) {
	text, err := json.Marshal(s.With)
	if err != nil {
		return nil, "", err
	}
	if f, ok := talkMethods()[s.Call]; ok && s.KeepETag == "" && !s.NotModified {
		said, err := f(ctx, c, text)
		if err != nil {
			return nil, "", err
		}
		answer, err = loose(said)
		return answer, "", err
	}
	with := s.With
	if document, ok := with["document"]; ok {
		with = map[string]any{map[string]string{"verify_pack": "pack"}[s.Call]: document}
	}
	var raw json.RawMessage
	out := any(&raw)
	var said string
	if s.Call == "pack_text" || s.Call == "pack_context" || s.Call == "checkpoint" {
		out = &said
	}
	call, err := client.CallOf(s.Call, with, out)
	if err != nil {
		return nil, "", err
	}
	call.IfNoneMatch, call.ETag = s.Options.IfNoneMatch, &etag
	if s.Options.IfMatch != nil {
		call.IfMatch = fmt.Sprint(s.Options.IfMatch)
	}
	if err := c.Do(ctx, call); err != nil {
		return nil, "", err
	}
	if raw == nil {
		return said, etag, nil
	}
	answer, err = loose(raw)
	return answer, etag, err
}

// loose returns a value as generic JSON.
func loose(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(text, &out)
}

// talkMethod is a method of the client with a JSON request.
type talkMethod func(context.Context, *client.Client, []byte) (any, error)

// talkAsked adapts a method that takes a request.
func talkAsked[In, Out any](f func(*client.Client, context.Context, *In) (*Out, error)) talkMethod {
	return func(ctx context.Context, c *client.Client, text []byte) (any, error) {
		in := new(In)
		if err := strict(text, in); err != nil {
			return nil, err
		}
		return f(c, ctx, in)
	}
}

// strict decodes JSON into a struct, and refuses unknown members.
func strict(text []byte, in any) error {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	return d.Decode(in)
}

// talkMethods are the methods with a form of their own. All other operations are called by
// name.
func talkMethods() map[string]talkMethod {
	return map[string]talkMethod{
		"search":        talkAsked((*client.Client).Search),
		"context":       talkAsked((*client.Client).Context),
		"feedback":      talkAsked((*client.Client).Feedback),
		"list_events":   talkAsked((*client.Client).Events),
		"append":        talkAppend,
		"lines":         talkLines,
		"pages":         talkPages,
		"tail":          talkTail,
		"export":        talkExport,
		"socket":        talkSocket,
		"memory_result": talkMemory,
	}
}

func talkAppend(ctx context.Context, c *client.Client, text []byte) (any, error) {
	var in struct {
		Events []*hmx.Event `json:"events"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	return c.Append(ctx, in.Events...)
}

func talkLines(ctx context.Context, c *client.Client, text []byte) (any, error) {
	var in struct {
		Lines []json.RawMessage `json:"lines"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	go func() {
		for _, line := range in.Lines {
			plain := string(line)
			if json.Unmarshal(line, &plain) != nil {
				plain = string(line)
			}
			if _, err := io.WriteString(w, plain+"\n"); err != nil {
				return // the reader has stopped
			}
		}
		_ = w.Close() // never fails
	}()
	defer func() { _ = r.Close() }() // never fails
	return c.Ingest(ctx, r)
}

func talkPages(ctx context.Context, c *client.Client, text []byte) (any, error) {
	var in struct {
		Of    string         `json:"of"`
		Input map[string]any `json:"input"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	var elements []any
	for {
		var page map[string]any
		if err := c.Ask(ctx, in.Of, in.Input, &page); err != nil {
			return nil, err
		}
		for _, list := range page {
			if list, ok := list.([]any); ok {
				elements = append(elements, list...)
			}
		}
		if page["next"] == nil {
			return map[string]any{"elements": elements}, nil
		}
		in.Input["after"] = page["next"]
	}
}

func talkTail(ctx context.Context, c *client.Client, text []byte) (any, error) {
	var in struct {
		Session string  `json:"session"`
		From    *uint64 `json:"from"`
		Count   int     `json:"count"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	var events []any
	enough := errors.New("enough")
	err := c.Tail(ctx, client.TailRequest{Session: in.Session, From: in.From}, func(t client.Tailed) error {
		event, err := t.Event.AppendJSON(nil)
		if err != nil {
			return err
		}
		if events = append(events, map[string]any{"position": t.Position, "event": json.RawMessage(event)}); len(events) == in.Count {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		return nil, err
	}
	return map[string]any{"events": events}, nil
}

func talkExport(ctx context.Context, c *client.Client, _ []byte) (any, error) {
	var out string
	err := c.Do(ctx, client.Call{Method: "GET", Path: "/v1/export", Out: &out, Again: true})
	return map[string]any{"lines": strings.Split(strings.TrimSuffix(out, "\n"), "\n")}, err
}

func talkSocket(ctx context.Context, c *client.Client, text []byte) (any, error) {
	var in struct {
		Events []*hmx.Event `json:"events"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	acks := make(chan client.Ack, len(in.Events))
	s, err := c.OpenSocket(ctx, client.SocketOptions{Acked: func(a client.Ack) { acks <- a }})
	if err != nil {
		return nil, err
	}
	for _, ev := range in.Events {
		if err := s.Send(ctx, ev); err != nil {
			return nil, err
		}
	}
	if err := s.Close(ctx); err != nil {
		return nil, err
	}
	close(acks)
	list := slices.SortedFunc(seqOf(acks), func(a, b client.Ack) int { return strings.Compare(a.EventID, b.EventID) })
	return map[string]any{"acks": list}, nil
}

// seqOf iterates over a channel until it is closed.
func seqOf[T any](c <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range c {
			if !yield(v) {
				return
			}
		}
	}
}

// talkMemory returns a block in the form of the other clients.
func talkMemory(ctx context.Context, c *client.Client, text []byte) (any, error) {
	var in struct {
		ID    string         `json:"id"`
		Input map[string]any `json:"input"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	block := map[string]any{"type": "tool_result", "tool_use_id": in.ID}
	var out struct {
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}
	err := c.Ask(ctx, "memory_tool", in.Input, &out)
	if problem, ok := errors.AsType[*client.Problem](err); ok && problem.Status < 500 {
		out.Content, out.IsError, err = "Error: "+problem.Detail, true, nil
	}
	block["content"] = out.Content
	if out.IsError {
		block["is_error"] = true
	}
	return block, err
}

// differs returns where an answer differs from the expectation.
func differs(want, got any, path string) error {
	switch want := want.(type) {
	case map[string]any:
		if len(want) == 1 {
			for how, value := range want {
				if strings.HasPrefix(how, "$") {
					if !fits(how, value, got) {
						return fmt.Errorf("%s is %v, and not %s %v", path, got, how, value)
					}
					return nil
				}
			}
		}
		members, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, not an object", path, got)
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if err := differs(want[name], members[name], path+"."+name); err != nil {
				return err
			}
		}
		return nil
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s is %v, not a list of %d", path, got, len(want))
		}
		for i := range want {
			if err := differs(want[i], list[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("%s is %v, not %v", path, got, want)
	}
	return nil
}

// fits reports whether a comparison holds.
func fits(how string, want, got any) bool {
	switch how {
	case "$any":
		return got != nil
	case "$has":
		if text, ok := got.(string); ok {
			return strings.Contains(text, fmt.Sprint(want))
		}
		list, _ := got.([]any)
		return slices.ContainsFunc(list, func(g any) bool { return differs(want, g, "") == nil })
	case "$len":
		list, ok := got.([]any)
		return ok && float64(len(list)) == want
	case "$min":
		n, ok := got.(float64)
		return ok && n >= want.(float64)
	case "$max":
		n, ok := got.(float64)
		return ok && n <= want.(float64)
	}
	return false
}
