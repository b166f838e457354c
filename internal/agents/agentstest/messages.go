package agentstest

import (
	"encoding/json"
	"net/http"
)

// messages is the Messages protocol of Anthropic.
type messages struct{}

func (messages) read(body map[string]any) ([]Part, map[string]any) {
	var parts []Part
	if s := text(body["system"]); s != "" {
		parts = append(parts, Part{Role: "system", Kind: Text, Text: s})
	}
	for _, m := range list(body["messages"]) {
		m := object(m)
		role := str(m["role"])
		if s, ok := m["content"].(string); ok {
			parts = append(parts, Part{Role: role, Kind: Text, Text: s})
			continue
		}
		for _, b := range list(m["content"]) {
			b := object(b)
			switch str(b["type"]) {
			case "tool_use":
				parts = append(parts, Part{Role: role, Kind: Call, ID: str(b["id"]), Text: str(b["name"]) + " " + text(b["input"])})
			case "tool_result":
				parts = append(parts, Part{Role: role, Kind: Result, ID: str(b["tool_use_id"]), Text: text(b["content"])})
			default:
				parts = append(parts, Part{Role: role, Kind: Text, Text: text(b)})
			}
		}
	}
	tools := map[string]any{}
	for _, t := range list(body["tools"]) {
		tools[str(object(t)["name"])] = t
	}
	return parts, tools
}

func (messages) write(w http.ResponseWriter, body map[string]any, a reply) {
	var content []map[string]any
	if a.text != "" || a.tool == "" {
		content = append(content, map[string]any{"type": "text", "text": a.text})
	}
	stop := "end_turn"
	if a.tool != "" {
		stop = "tool_use"
		content = append(content, map[string]any{"type": "tool_use", "id": "toolu_" + a.id, "name": a.tool, "input": a.args})
	}
	message := map[string]any{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": body["model"], "content": content, "stop_reason": stop,
		"stop_sequence": nil, "usage": map[string]any{"input_tokens": a.in, "output_tokens": a.out},
	}
	if !a.stream {
		writeJSON(w, message)
		return
	}
	e := newEvents(w)
	message["content"], message["stop_reason"] = []any{}, nil
	e.send("message_start", map[string]any{"type": "message_start", "message": message})
	for i, block := range content {
		start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			input, _ := json.Marshal(block["input"])
			start = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		}
		e.send("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": start})
		e.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
		e.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
	}
	e.send("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"input_tokens": a.in, "output_tokens": a.out},
	})
	e.send("message_stop", map[string]any{"type": "message_stop"})
}
