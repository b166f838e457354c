package foreign

import (
	"encoding/json"
	"strings"
)

// PlainText returns content that is nothing but a text, which is the common case.
func PlainText(content json.RawMessage) (string, bool) {
	if len(content) == 0 || content[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(content, &s)
	return s, err == nil
}

// ContentList returns content as a list of blocks. A text is one block.
func ContentList(content json.RawMessage) List {
	var all List
	_ = all.UnmarshalJSON(content) // it never fails
	for i, one := range all {
		if len(one) > 0 && one[0] == '"' {
			all[i] = append(append([]byte(`{"type":"text","text":`), one...), '}')
		}
	}
	return all
}

// ContentText returns the text of content: a string itself, or the texts of blocks. Anything else
// is written as JSON.
func ContentText(content json.RawMessage) string {
	if s, ok := PlainText(content); ok {
		return s
	}
	var texts []string
	for _, one := range ContentList(content) {
		var k struct {
			Type Text    `json:"type"`
			Text *string `json:"text"`
		}
		switch ok := Decode(one, &k); {
		case ok && k.Text != nil:
			texts = append(texts, *k.Text)
		case ok && (k.Type == "image" || k.Type == "document" || k.Type == "input_image"):
			texts = append(texts, "["+string(k.Type)+"]")
		case ok && k.Type == "thinking":
		default:
			texts = append(texts, string(Encode(Value(one))))
		}
	}
	return strings.Join(texts, "\n")
}
