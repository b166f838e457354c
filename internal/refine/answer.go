package refine

import (
	"fmt"
	"strings"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// maxAnswerText is the maximum length of an answer in bytes.
const maxAnswerText = 16 << 10

// Parse extracts title and summary from a model's answer. The answer must be one JSON object
// with exactly these two members, both non-empty strings; a markdown fence around it is
// allowed, since models often add one. Anything else is refused with code invalid_argument, in
// words that quote nothing of it.
func Parse(answer string) (Text, error) {
	if len(answer) > maxAnswerText {
		return Text{}, refused("an answer of %d bytes, but a title and a summary have %d at most", len(answer), maxAnswerText)
	}
	var doc canon.Doc
	if doc.Parse([]byte(unwrapped(answer))) != nil {
		return Text{}, refused("something else than JSON")
	}
	root := doc.Root()
	if doc.Kind(root) != canon.Object {
		return Text{}, refused("JSON that is no object")
	}
	if n := doc.Len(root); n != 2 {
		return Text{}, refused("an object of %d members, but must have a title and a summary alone", n)
	}
	var t Text
	for _, m := range []struct {
		name string
		to   *string
		most int
	}{{"title", &t.Title, memory.MaxRefinedTitle}, {"summary", &t.Summary, memory.MaxRefinedSummary}} {
		n := doc.Member(root, m.name)
		if n == canon.None || doc.Kind(n) != canon.String {
			return Text{}, refused("an object without a %s that is a string", m.name)
		}
		if *m.to = Clean(doc.Text(n), m.most); *m.to == "" {
			return Text{}, refused("a %s that says nothing", m.name)
		}
	}
	return t, nil
}

// refused is the error for an answer of another form.
func refused(format string, args ...any) error {
	return fault.New(fault.InvalidArgument, "the model answered with "+fmt.Sprintf(format, args...)).
		WithFix("try it again, or with a model that follows instructions better")
}

// unwrapped returns an answer without the fence around it.
func unwrapped(answer string) string {
	answer = strings.TrimSpace(answer)
	inner, fenced := strings.CutPrefix(answer, "```")
	if !fenced {
		return answer
	}
	inner, closed := strings.CutSuffix(inner, "```")
	head, rest, lines := strings.Cut(inner, "\n")
	if head = strings.TrimSpace(head); !closed || !lines || head != "" && head != "json" && head != "JSON" {
		return answer
	}
	return strings.TrimSpace(rest)
}
