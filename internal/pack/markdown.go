package pack

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// written lists the sections in the order of the markdown: not by priority; what grows with a
// session comes last.
func written() []hmx.Section {
	return []hmx.Section{
		hmx.SectionCore, hmx.SectionConstraints, hmx.SectionGoals, hmx.SectionProcedures, hmx.SectionFacts,
		hmx.SectionGraphRelations, hmx.SectionConflicts, hmx.SectionEvidence, hmx.SectionEpisodes, hmx.SectionWorkflow,
	}
}

// placed is an item and its section in the markdown.
type placed struct {
	*Item
	lines   string
	tokens  int // of the lines, if there is a tally
	section int
	fenced  bool
}

// tally counts the parts of a text. Each part ends with a line end.
type tally struct {
	counter tokens.Counter
	count   int
}

// add counts a part. A nil tally counts nothing.
func (t *tally) add(part string) {
	if t != nil {
		t.count += t.counter.Count(part)
	}
}

// markdown returns the items as text, in the order in which they change least: by section,
// unfenced items first, then by time. seed is what fences are made from, note precedes the
// first fence, hints come at the end.
func markdown(items []Item, note, hints, seed string) string {
	list := make([]placed, len(items))
	for i := range items {
		list[i] = placed{Item: &items[i], lines: items[i].lines()}
	}
	return layout(list, note, hints, seed, nil)
}

// layout is markdown for items whose lines are written. The tally, which may be nil, counts the
// rest of the text and adds the tokens of the items.
func layout(list []placed, note, hints, seed string, t *tally) string {
	sections := written()
	order := list[:0]
	for _, it := range list {
		if it.section = slices.Index(sections, it.Section); it.section >= 0 {
			it.fenced = it.Fenced()
			order = append(order, it)
		}
	}
	slices.SortFunc(order, inText)
	var b strings.Builder
	for len(order) > 0 {
		n := 1
		for n < len(order) && order[n].section == order[0].section {
			n++
		}
		if writeSection(&b, order[:n], note, seed, t) {
			note = ""
		}
		order = order[n:]
	}
	if rest, ok := strings.CutPrefix(hints, nextHeading); ok {
		for _, part := range []string{nextHeading, note, rest} {
			b.WriteString(part)
			t.add(part)
		}
	}
	return b.String()
}

// noteWithin returns the note on quotes for a text of total tokens: nothing in a small one. It
// appears once, before the first fence, so that it moves no unfenced text before it.
func noteWithin(total int) string {
	if total < minNoted {
		return ""
	}
	return quote.Note
}

// inText compares items by their place in the markdown.
func inText(a, b placed) int {
	if a.section == b.section && a.fenced != b.fenced {
		if b.fenced {
			return -1
		}
		return 1
	}
	if c := cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.Time, b.Time), cmp.Compare(a.ID, b.ID)); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Label, b.Label))
}

// writeSection writes the items of one section, which are in order, with the note before the
// fenced ones. It reports whether there are fenced ones.
func writeSection(b *strings.Builder, items []placed, note, seed string, t *tally) bool {
	section := items[0].Section
	write := func(part string) {
		b.WriteString(part)
		t.add(part)
	}
	item := func(it *placed) {
		b.WriteString(it.lines)
		if t != nil {
			t.count += it.tokens
		}
	}
	write(headingText(section))
	for len(items) > 0 && !items[0].fenced {
		item(&items[0])
		items = items[1:]
	}
	if len(items) == 0 {
		return false
	}
	texts := make([]string, len(items))
	size := 0
	for i := range items {
		texts[i] = items[i].lines
		size += len(texts[i])
	}
	open, shut := quote.Fence(seed, string(section), texts)
	b.Grow(size + len(note) + len(open) + len(shut))
	write(note)
	write(open)
	day := int64(firstDay)
	for i := range items {
		if it := &items[i]; dated(section) {
			write(dayText(day, it.Time))
			day = it.Time
		}
		item(&items[i])
	}
	write(shut)
	return true
}

// nextSteps and nextHeading are the headings of the hints.
const (
	nextSteps   = "Next steps"
	nextHeading = "## " + nextSteps + "\n"
)

// hintsText returns the next steps as markdown, or nothing. Names from an artifact are fenced
// like other quotes.
func hintsText(h *hmx.WorkflowHints) string {
	if h == nil {
		return ""
	}
	var texts []string
	for i := range h.SuggestedNextSteps {
		texts = append(texts, stepText(&h.SuggestedNextSteps[i], h.TotalSteps))
	}
	for _, blocker := range h.Blockers {
		texts = append(texts, hintText("failed", blocker))
	}
	if len(texts) == 0 {
		return ""
	}
	open, shut := quote.Fence("", nextSteps, texts)
	return nextHeading + open + strings.Join(texts, "") + shut
}

// stepText returns the line of a step: its number, description, tools and success rate.
func stepText(s *hmx.NextStep, total hmx.Opt[int64]) string {
	label := "step"
	if n, ok := figure(s.Extra, "step"); ok && n == float64(int64(n)) {
		label += " " + strconv.FormatInt(int64(n), 10)
		if total.Set {
			label += " of " + strconv.FormatInt(total.Value, 10)
		}
	}
	text := s.Description
	if len(s.Tools) > 0 {
		text += " (by " + strings.Join(s.Tools, ", ") + ")"
	}
	if rate, ok := figure(s.Extra, "success_rate"); ok && rate >= 0 && rate <= 1 {
		text += ", worked " + strconv.Itoa(int(rate*100+0.5)) + "%"
		if n, ok := figure(s.Extra, "observed_count"); ok && n == float64(int64(n)) {
			text += " of " + strconv.FormatInt(int64(n), 10)
		}
	}
	return hintText(label, text)
}

// hintText returns a line of the hints.
func hintText(label, text string) string { return quote.Line{Name: label, Text: text}.String() }

// figure returns a number among the extra members.
func figure(extra hmx.Extra, name string) (x float64, ok bool) {
	raw, ok := extra[name]
	ok = ok && json.Unmarshal([]byte(raw), &x) == nil
	return x, ok
}

// fenceSeed is what the fences of a pack are made from. It is the same for all packs of an
// agent.
func fenceSeed(tenant, agent string) string { return tenant + "\x00" + agent }

// Markdown returns a pack as markdown: the text whose tokens the pack counts.
func Markdown(p *hmx.Pack) string {
	items := make([]Item, len(p.Entries))
	for i := range p.Entries {
		items[i] = itemOf(&p.Entries[i])
	}
	note := noteWithin(int(min(p.TokenBudget.TotalBudget, MaxBudget)))
	return markdown(items, note, hintsOf(p), fenceSeed(p.TenantID.Value, p.AgentID.Value))
}

// itemOf returns the item of an entry. An entry that states no trust has the lowest.
func itemOf(e *hmx.Entry) Item {
	it := Item{Section: e.Section, ID: e.SourceID, Label: member(e.Extra, "by"), Text: e.Content, Time: firstDay, Trust: record.External}
	if trust, ok := record.ParseTrust(member(e.Extra, "trust")); ok {
		it.Trust = trust
	}
	if at, err := hmx.ParseTime(member(e.Extra, "at")); err == nil {
		it.Time = at.Time().UnixNano()
	}
	return it
}

// member returns a text among the extra members, empty if there is none.
func member(extra hmx.Extra, name string) (text string) {
	if raw, ok := extra[name]; ok && json.Unmarshal([]byte(raw), &text) != nil {
		return ""
	}
	return text
}
