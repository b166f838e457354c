package retrieval

import (
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/tokens"
)

// RenderBody returns a body in a form.
func RenderBody(body memory.Body, form memory.Form, c tokens.Counter) string {
	if m, ok := body.(*memory.Memory); ok {
		return m.Render(form)
	}
	return inForm(fullText(body), form, c)
}

// RenderEvent returns an event in a form.
func RenderEvent(ev *hmx.Event, form memory.Form, c tokens.Counter) string {
	switch form {
	case memory.FormShort:
		return kind.Forms(ev, c).Short
	case memory.FormMedium:
		return kind.Forms(ev, c).Medium
	}
	return kind.Full(ev)
}

// OwnText returns the text of a body in its writer's words.
func OwnText(body memory.Body) string {
	switch b := body.(type) {
	case *memory.Memory:
		return b.Text
	case *memory.Policy:
		return b.Text
	case *memory.Entity:
		return b.Description
	case *memory.Relation:
		return b.Predicate
	case *memory.Conflict:
		return lines(b.Summary, b.Resolution)
	case *memory.Artifact:
		return lines(b.HMX.Title, b.HMX.Summary)
	case *memory.Feedback:
		return b.Note
	}
	return ""
}

// fullText returns the content of a body that is not a memory, in words.
func fullText(body memory.Body) string {
	switch b := body.(type) {
	case *memory.Policy:
		if b.Text == "" {
			var kinds []string
			for _, k := range b.Retention.Kinds {
				kinds = append(kinds, k.String())
			}
			return "retention of " + strings.Join(kinds, ", ")
		}
		return b.Text
	case *memory.Entity:
		text := b.Name + " (" + b.Type + ")"
		if len(b.Aliases) > 0 {
			text += ", also " + strings.Join(b.Aliases, ", ")
		}
		if b.Description != "" {
			text += ": " + b.Description
		}
		return text
	case *memory.Relation:
		return b.From + " " + b.Predicate + " " + b.To
	case *memory.Edge:
		return b.From.String() + " " + string(b.EdgeKind) + " " + b.To.String()
	case *memory.Conflict:
		text := "conflict"
		if b.Status != memory.ConflictOpen {
			text = string(b.Status) + " conflict"
		}
		for i, u := range b.Between {
			text += [...]string{" between ", " and "}[min(i, 1)] + u.String()
		}
		if own := OwnText(b); own != "" {
			text += ": " + own
		}
		return text
	case *memory.Artifact:
		return b.HMX.Title + ": " + b.HMX.Summary
	case *memory.Feedback:
		text := string(b.Outcome) + " of " + b.AgentID
		if b.Note != "" {
			text += ": " + b.Note
		}
		return text
	case *memory.Fingerprint:
		return "fingerprint " + b.Hash()
	case *memory.Refinement:
		return "title of " + b.Target.String() + " by " + b.Model // without the title, which is shown with its artifact only
	case *memory.Embedding:
		return "vector of " + b.Target.String() + " by " + b.Model
	case *memory.Violation:
		return b.AgentID + " was refused: " + string(b.Op) + " " + b.Target + " (" + string(b.Rule) + ")"
	}
	return ""
}

// inForm shortens a text to a form.
func inForm(text string, form memory.Form, c tokens.Counter) string {
	switch form {
	case memory.FormShort:
		return memory.MakeForms(text, nil, c).Short
	case memory.FormMedium:
		return memory.MakeForms(text, nil, c).Medium
	}
	return text
}

// lines joins the non-empty texts.
func lines(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		if t == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t)
	}
	return b.String()
}
