package memory

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/document"
	"lukasa.dev/internal/tokens"
)

// Form is how much of a memory is shown.
type Form string

// The forms. Short and medium are stored with the memory, full is made on demand.
const (
	FormShort  Form = "short"
	FormMedium Form = "medium"
	FormFull   Form = "full"
)

// FormList lists the forms, shortest first.
func FormList() []Form { return []Form{FormShort, FormMedium, FormFull} }

// ParseForm returns the form called name.
func ParseForm(name string) (Form, error) {
	var f faults
	document.OneOf(&f.Problems, "form", Form(name), "a form", FormList(), nil)
	return Form(name), f.Err("form")
}

// Limits of the forms, in tokens.
const (
	ShortTokens  = 50
	MediumTokens = 200
)

// cutMarker marks where a form is cut.
const cutMarker = "…"

// Forms are the two stored forms of a memory.
type Forms struct {
	Short  string
	Medium string
}

func (x *Forms) fields(c *document.Codec) {
	document.Word(c, "short", &x.Short)
	document.Word(c, "medium", &x.Medium)
}

// MakeForms returns the forms of a text: as many whole sentences from its beginning as fit, or
// the beginning of the first one if that is too long. data may be nil; what a reader needs to
// understand the text correctly (a constraint's strength, an event's outcome) precedes it in
// brackets.
func MakeForms(text string, data Data, c tokens.Counter) Forms {
	line := lead(data) + strings.Join(strings.Fields(text), " ")
	return Forms{Short: abridge(line, c, ShortTokens), Medium: abridge(line, c, MediumTokens)}
}

// FillForms makes the missing forms of the memory, and refuses given forms that are too long.
func (m *Memory) FillForms(c tokens.Counter) error {
	var f faults
	f.form("forms.short", m.Forms.Short, c, ShortTokens)
	f.form("forms.medium", m.Forms.Medium, c, MediumTokens)
	if err := f.Err("memory"); err != nil {
		return err
	}
	if m.Forms.Short == "" || m.Forms.Medium == "" {
		made := MakeForms(m.Text, m.Data, c)
		fallback(&m.Forms.Short, made.Short)
		fallback(&m.Forms.Medium, made.Medium)
	}
	return nil
}

func (f *faults) form(field, s string, c tokens.Counter, limit int) {
	if n := c.Count(s); n > limit {
		f.Add(field, fmt.Sprintf("has %d tokens (%s), but may have at most %d", n, c.Name(), limit), "shorten it, or leave it out to have it made from the text")
	}
}

// Render returns the memory in a form. Short and medium are the stored ones; full is the whole
// text, with the fields of its data on separate lines.
func (m *Memory) Render(form Form) string {
	switch form {
	case FormShort:
		return m.Forms.Short
	case FormMedium:
		return m.Forms.Medium
	}
	var b strings.Builder
	b.WriteString(lead(m.Data))
	b.WriteString(m.Text)
	for _, d := range details(m.Data) {
		b.WriteString("\n" + d)
	}
	return b.String()
}

func lead(data Data) string {
	if data == nil {
		return ""
	}
	if q := data.qualifier(); q != "" {
		return "(" + q + ") "
	}
	return ""
}

// details returns what the data adds to the text and its lead, a line each.
func details(data Data) []string {
	var lines []string
	say := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				lines = append(lines, name+": "+v)
			}
		}
	}
	switch d := data.(type) {
	case *Identity:
		say("name", d.Name)
		say("role", d.Role)
	case *Fact:
		say("subject", d.Subject)
		say("predicate", d.Predicate)
		say("object", d.Object)
	case *Preference:
		say("subject", d.Subject)
		say("strength", unless(d.Strength, StrengthFirm))
	case *Belief:
		say("evidence", d.Evidence...)
	case *Event:
		say("verb", string(d.Verb))
		say("occurred at", d.OccurredAt.String())
	case *Goal:
		say("success", d.Success)
	case *Constraint:
		say("rule", d.Rule)
	case *Capability:
		say("name", d.Name)
		say("limit", d.Limits...)
	case *Pattern:
		say("trigger", d.Trigger)
		say("action", d.Action)
		if d.Support > 0 {
			say("seen", strconv.FormatInt(d.Support, 10)+" times")
		}
	}
	return lines
}

// abridge returns the longest run of whole sentences from the beginning of line within limit,
// or otherwise the beginning of the first.
func abridge(line string, c tokens.Counter, limit int) string {
	whole := tokens.Truncate(c, line, limit, cutMarker)
	if whole == line {
		return line
	}
	// The cut text contains every run of sentences that could fit.
	end := 0
	for n := sentence(line); n <= len(whole) && n <= len(line); {
		if c.Count(line[:n]) > limit {
			break
		}
		end = n
		rest := strings.TrimLeft(line[n:], " ")
		step := sentence(rest)
		if step == 0 {
			break
		}
		n = len(line) - len(rest) + step
	}
	// A very short first sentence says less than a cut beginning.
	if end == 0 || end < len(whole)/3 {
		return whole
	}
	return line[:end]
}

// sentence returns the length of the first sentence of s: up to a full stop, exclamation or
// question mark before white space that is not followed by a small letter, or to the end.
func sentence(s string) int {
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？':
			return next
		case '.', '!', '?':
			if next == len(s) {
				return next
			}
			if s[next] != ' ' {
				continue
			}
			after, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[next:], " "))
			if !unicode.IsLower(after) {
				return next
			}
		}
	}
	return len(s)
}
