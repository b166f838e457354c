package agentstest

import (
	"encoding/json"
	"net/http"
	"time"
)

// completions is the Chat Completions protocol of OpenAI.
type completions struct{}

func (completions) read(body map[string]any) ([]Part, map[string]any) {
	var parts []Part
	for _, m := range list(body["messages"]) {
		m := object(m)
		role := str(m["role"])
		if role == "tool" {
			parts = append(parts, Part{Role: role, Kind: Result, ID: str(m["tool_call_id"]), Text: text(m["content"])})
			continue
		}
		if s := text(m["content"]); s != "" {
			parts = append(parts, Part{Role: role, Kind: Text, Text: s})
		}
		for _, c := range list(m["tool_calls"]) {
			c := object(c)
			f := object(c["function"])
			parts = append(parts, Part{Role: role, Kind: Call, ID: str(c["id"]), Text: str(f["name"]) + " " + text(f["arguments"])})
		}
	}
	tools := map[string]any{}
	for _, t := range list(body["tools"]) {
		tools[str(object(object(t)["function"])["name"])] = t
	}
	return parts, tools
}

func (completions) write(w http.ResponseWriter, body map[string]any, a reply) {
	finish := "stop"
	message := map[string]any{"role": "assistant", "content": a.text}
	if a.tool != "" {
		finish = "tool_calls"
		args, _ := json.Marshal(a.args)
		message["tool_calls"] = []any{map[string]any{
			"index": 0, "id": "call_" + a.id, "type": "function", "function": map[string]any{"name": a.tool, "arguments": string(args)},
		}}
	}
	usage := map[string]any{"prompt_tokens": a.in, "completion_tokens": a.out, "total_tokens": a.in + a.out}
	whole := map[string]any{"id": "chatcmpl-" + a.id, "created": time.Now().Unix(), "model": body["model"]}
	if !a.stream {
		whole["object"], whole["usage"] = "chat.completion", usage
		whole["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}
		writeJSON(w, whole)
		return
	}
	e := newEvents(w)
	whole["object"] = "chat.completion.chunk"
	whole["choices"] = []any{map[string]any{"index": 0, "delta": message, "finish_reason": nil}}
	e.send("", whole)
	whole["choices"] = []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}}
	whole["usage"] = usage
	e.send("", whole)
	e.write("", []byte("[DONE]"))
}
