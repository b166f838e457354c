package agentstest

import "net/http"

// gemini is the generateContent protocol of Gemini.
type gemini struct{}

func (gemini) read(body map[string]any) ([]Part, map[string]any) {
	var parts []Part
	add := func(role string, content any) {
		for _, p := range list(object(content)["parts"]) {
			p := object(p)
			if c := object(p["functionCall"]); c != nil {
				parts = append(parts, Part{Role: role, Kind: Call, ID: str(c["id"]), Text: str(c["name"]) + " " + text(c["args"])})
				continue
			}
			if r := object(p["functionResponse"]); r != nil {
				parts = append(parts, Part{Role: "tool", Kind: Result, ID: str(r["id"]), Text: response(object(r["response"]))})
				continue
			}
			parts = append(parts, Part{Role: role, Kind: Text, Text: text(p)})
		}
	}
	add("system", body["systemInstruction"])
	for _, c := range list(body["contents"]) {
		add(str(object(c)["role"]), c)
	}
	tools := map[string]any{}
	for _, t := range list(body["tools"]) {
		for _, f := range list(object(t)["functionDeclarations"]) {
			tools[str(object(f)["name"])] = f
		}
	}
	return parts, tools
}

// response is the text of a function response.
func response(r map[string]any) string {
	for _, name := range []string{"output", "error"} {
		if s, ok := r[name].(string); ok && len(r) == 1 {
			return s
		}
	}
	return text(r)
}

func (gemini) write(w http.ResponseWriter, body map[string]any, a reply) {
	var parts []any
	if a.text != "" || a.tool == "" {
		parts = append(parts, map[string]any{"text": a.text})
	}
	if a.tool != "" {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"id": "call_" + a.id, "name": a.tool, "args": a.args}})
	}
	answer := map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": map[string]any{"promptTokenCount": a.in, "candidatesTokenCount": a.out, "totalTokenCount": a.in + a.out},
		"modelVersion":  "gemini", "responseId": a.id,
	}
	if !a.stream {
		writeJSON(w, answer)
		return
	}
	newEvents(w).send("", answer)
}
