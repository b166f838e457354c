package agentstest

import (
	"encoding/json"
	"net/http"
	"time"
)

// responses is the Responses protocol of OpenAI.
type responses struct{}

func (responses) read(body map[string]any) ([]Part, map[string]any) {
	var parts []Part
	if s := text(body["instructions"]); s != "" {
		parts = append(parts, Part{Role: "system", Kind: Text, Text: s})
	}
	for _, item := range list(body["input"]) {
		item := object(item)
		switch kind := str(item["type"]); kind {
		case "function_call", "custom_tool_call", "local_shell_call":
			parts = append(parts, Part{Role: "assistant", Kind: Call, ID: str(item["call_id"]), Text: str(item["name"]) + " " + text(item["arguments"]) + text(item["input"])})
		case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
			parts = append(parts, Part{Role: "tool", Kind: Result, ID: str(item["call_id"]), Text: text(item["output"])})
		case "reasoning", "additional_tools":
		default:
			parts = append(parts, Part{Role: str(item["role"]), Kind: Text, Text: text(item["content"])})
		}
	}
	return parts, responseTools(body)
}

// responseTools returns the tools of a request by the names that a script uses: those of a
// namespace other than functions are prefixed by it. Code mode offers them in the input.
func responseTools(body map[string]any) map[string]any {
	tools := map[string]any{}
	var add func(namespace string, all any)
	add = func(namespace string, all any) {
		for _, t := range list(all) {
			t := object(t)
			name := str(t["name"])
			if str(t["type"]) == "namespace" {
				add(name, t["tools"])
				continue
			}
			key := name
			if namespace != "" {
				t["namespace"] = namespace
				if namespace != "functions" {
					key = namespace + "__" + name
				}
			}
			tools[key] = t
		}
	}
	add("", body["tools"])
	for _, item := range list(body["input"]) {
		if item := object(item); str(item["type"]) == "additional_tools" {
			add("", item["tools"])
		}
	}
	return tools
}

func (responses) write(w http.ResponseWriter, body map[string]any, a reply) {
	var output []map[string]any
	if a.text != "" || a.tool == "" {
		output = append(output, map[string]any{
			"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": a.text, "annotations": []any{}}},
		})
	}
	if a.tool != "" {
		output = append(output, responseCall(object(responseTools(body)[a.tool]), a))
	}
	response := map[string]any{
		"id": "resp_" + a.id, "object": "response", "created_at": time.Now().Unix(), "status": "in_progress", "model": body["model"], "output": []any{},
	}
	done := map[string]any{}
	for k, v := range response {
		done[k] = v
	}
	done["status"], done["output"] = "completed", output
	done["usage"] = map[string]any{
		"input_tokens": a.in, "output_tokens": a.out, "total_tokens": a.in + a.out,
		"input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
	if !a.stream {
		writeJSON(w, done)
		return
	}
	e := newEvents(w)
	n := 0
	send := func(name string, fields map[string]any) {
		fields["type"], fields["sequence_number"] = name, n
		n++
		e.send(name, fields)
	}
	send("response.created", map[string]any{"response": response})
	for i, item := range output {
		send("response.output_item.added", map[string]any{"output_index": i, "item": opened(item)})
		if item["type"] == "message" {
			send("response.output_text.delta", map[string]any{"output_index": i, "content_index": 0, "item_id": item["id"], "delta": a.text})
		} else if item["type"] == "function_call" {
			send("response.function_call_arguments.delta", map[string]any{"output_index": i, "item_id": item["id"], "delta": item["arguments"]})
		}
		send("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	send("response.completed", map[string]any{"response": done})
}

// responseCall is the item that calls a tool.
func responseCall(tool map[string]any, a reply) map[string]any {
	call := map[string]any{"call_id": "call_" + a.id, "name": a.tool, "status": "completed"}
	if name := str(tool["name"]); name != "" {
		call["name"] = name
	}
	if namespace := str(tool["namespace"]); namespace != "" && namespace != "functions" {
		call["namespace"] = namespace
	}
	if str(tool["type"]) == "custom" {
		call["type"], call["id"], call["input"] = "custom_tool_call", "ctc_"+a.id, a.args["input"]
		return call
	}
	args, _ := json.Marshal(a.args)
	call["type"], call["id"], call["arguments"] = "function_call", "fc_"+a.id, string(args)
	return call
}

// opened is an item before its content.
func opened(item map[string]any) map[string]any {
	o := map[string]any{}
	for k, v := range item {
		o[k] = v
	}
	o["status"] = "in_progress"
	if o["type"] == "message" {
		o["content"] = []any{}
	} else if o["type"] == "function_call" {
		o["arguments"] = ""
	}
	return o
}
