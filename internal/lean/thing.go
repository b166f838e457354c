package lean

import (
	"fmt"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/quote"
)

// ShownTokens is the maximum number of tokens of a single record that is requested by name.
const ShownTokens = 2000

// Shown formats what a name stands for: a line about it, and its text, for a memory in a form.
func Shown(found *lukasa.Resolved, form lukasa.Form) string {
	var head, body, tenant string
	switch {
	case found.Event != nil:
		ev := found.Event.Event
		tenant = ev.TenantID
		s := readEvent(ev)
		head = fmt.Sprintf("#%d: %s by %s, %s, session %s", found.Event.Position, strings.ReplaceAll(string(ev.EventType), "_", " "), s.label,
			ev.Timestamp.Time().UTC().Format("2006-01-02 15:04"), ev.SessionID)
		body = s.text
	case found.Thing != nil:
		tenant = found.Thing.URI.Tenant
		head, body = describe(found.Thing, form)
	}
	head = quote.Visible(strings.Join(strings.Fields(head), " ")) + "\n"
	for room := ShownTokens; room >= leastText; room = room * 3 / 4 {
		if out := head + strings.TrimRight(quote.Text(tenant, quote.Cut(counter(), body, room), true), "\n"); fits(out, ShownTokens) {
			return out
		}
	}
	return within(head, ShownTokens)
}

// describe returns a line about a record, and its text: that of a memory, and the JSON of
// others.
func describe(t *lukasa.Thing, form lukasa.Form) (head, body string) {
	_, name := t.Body.Identity()
	if name == "" {
		name = fmt.Sprintf("#%d", t.Position)
	}
	f := t.Body.Facets()
	class := f.Class
	if class == "" {
		class = t.URI.Kind.String()
	}
	if t.Status != "" {
		class = t.Status + " " + class
	}
	head = fmt.Sprintf("%s: %s, version %d, %s, by %s (%s)", name, class, t.Version, t.Updated.UTC().Format("2006-01-02"), t.Actor, t.Trust)
	if len(f.Tags) > 0 {
		head += ", tags " + strings.Join(f.Tags, ", ")
	}
	if !t.Valid {
		head += ", does not hold now"
	}
	if m, ok := t.Body.(*memory.Memory); ok {
		return head, m.Render(form)
	}
	data, err := t.Body.AppendJSON(nil)
	if err != nil {
		return head, err.Error()
	}
	return head, string(data)
}
