package exports

import (
	"cmp"
	"context"
	"io"
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// maxNote is the longest note that is read.
const maxNote = 4 << 20

// observed is an observation in a note of Basic Memory: - [category] content #tag (context)
var observed = foreign.Pattern(`^\s*[-*+]\s+\[([^\[\]()]+)\]\s+(.+)$`)

// linked is a link to another note: [[Target]] or [[Target|shown]]
var linked = foreign.Pattern(`\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]`)

// bulleted is a line of a list.
var bulleted = foreign.Pattern(`^\s*[-*+]\s+(.*)$`)

// hashed is a tag in a text.
var hashed = foreign.Pattern(`(?:^|\s)#([\pL\pN_/-]+)`)

// mdNote is a note of Basic Memory taken apart.
type mdNote struct {
	fields  map[string]string   // of the front matter
	lists   map[string][]string // of the front matter
	prose   []string
	seen    []mdObservation
	links   []mdLink
	heading string
}

// mdObservation is what a note says of its subject.
type mdObservation struct {
	line           int
	category, text string
	tags           []string
}

// mdLink is a relation to another note.
type mdLink struct {
	line         int
	kind, target string
}

// basicMemory reads a note of Basic Memory: Markdown with front matter, observations and
// relations.
func (r export) basicMemory(ctx context.Context) error {
	data, err := io.ReadAll(io.LimitReader(r.Text, maxNote+1))
	if err != nil {
		return err
	}
	if len(data) > maxNote {
		r.Leave(source.Place{Line: 1, Index: -1}, source.TooLarge, "the note is longer than is read")
		return nil
	}
	n := parseNote(strings.ToValidUTF8(string(data), "\uFFFD"))
	title := cmp.Or(n.fields["title"], n.heading, r.Stem())
	at := source.Place{Line: 1, Index: -1}
	path := cmp.Or(n.fields["permalink"], r.Source.Path, r.Stem())
	tagged := n.lists["tags"]
	own := map[string]any{}
	for name, value := range n.fields {
		switch name {
		case "title", "type", "tags", "permalink":
		default:
			own[name] = value
		}
	}
	meta := map[string]any{"permalink": n.fields["permalink"], "path": r.Source.Path}
	if len(own) > 0 {
		meta["front_matter"] = own
	}
	id := r.noteID(title)
	if err := r.Entity(ctx, at, id, title, cmp.Or(n.fields["type"], "note"), "", tagged, meta); err != nil {
		return err
	}
	if text := strings.TrimSpace(strings.Join(n.prose, "\n")); text != "" {
		err := r.Remember(ctx, &source.Memory{
			Place: at, ID: []string{"note", path}, Original: path, Kind: memory.TypeFact, Text: title + "\n\n" + text,
			Tags: tagged, Meta: meta, Added: n.fields["created"], Changed: n.fields["modified"],
		})
		if err != nil {
			return err
		}
	}
	return r.noteParts(ctx, n, id, title, path, tagged)
}

// noteParts makes the memories and relations of a note.
func (r export) noteParts(ctx context.Context, n *mdNote, id, title, path string, tagged []string) error {
	for _, o := range n.seen {
		err := r.Remember(ctx, &source.Memory{
			Place: source.Place{Line: o.line, Index: -1}, ID: []string{"observation", path, o.category, o.text}, Original: path, Kind: noteType(o.category),
			Text: title + ": " + o.text, Data: noteData(title, o), Tags: append(append([]string{o.category}, o.tags...), tagged...),
		})
		if err != nil {
			return err
		}
	}
	for _, l := range n.links {
		if to := r.noteID(l.target); to != id {
			if err := r.Relation(ctx, source.Place{Line: l.line, Index: -1}, id, l.kind, to, map[string]any{"from": title, "to": l.target}); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteID returns the id of the entity that a note is about, by its title. A link may name the
// folder too.
func (r export) noteID(title string) string {
	if i := strings.LastIndexByte(title, '/'); i >= 0 && i < len(title)-1 {
		title = title[i+1:]
	}
	title = strings.TrimPrefix(title, "memory://")
	return r.EntityID(strings.Join(strings.FieldsFunc(strings.ToLower(title), func(c rune) bool { return c == ' ' || c == '-' || c == '_' || c == '\t' }), "-"))
}

// noteType returns the type of a memory by the category of its observation.
func noteType(category string) memory.Type {
	switch strings.ToLower(strings.TrimSpace(category)) {
	case "preference":
		return memory.TypePreference
	case "constraint", "rule", "requirement":
		return memory.TypeConstraint
	case "goal":
		return memory.TypeGoal
	case "belief", "opinion", "hypothesis":
		return memory.TypeBelief
	case "pattern":
		return memory.TypePattern
	}
	return memory.TypeFact
}

// noteData says of a fact what it is about.
func noteData(title string, o mdObservation) memory.Data {
	switch noteType(o.category) {
	case memory.TypeFact:
		return source.Fact(title, o.category, o.text)
	case memory.TypePreference:
		return source.Neutral()
	}
	return nil
}

// parseNote takes a note apart.
func parseNote(text string) *mdNote {
	n := &mdNote{fields: map[string]string{}, lists: map[string][]string{}}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	body := n.frontMatter(lines)
	fenced := false
	for i := body; i < len(lines); i++ {
		l := lines[i]
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
		}
		if fenced {
			n.prose = append(n.prose, l)
			continue
		}
		n.line(i+1, l)
	}
	n.prose = withoutBareHeadings(n.prose)
	return n
}

// line takes one line of the body.
func (n *mdNote) line(number int, l string) {
	if h, ok := strings.CutPrefix(l, "# "); ok && n.heading == "" {
		n.heading = strings.TrimSpace(h)
		return
	}
	if m := observed().FindStringSubmatch(l); m != nil && !checkbox(m[1]) && !strings.HasPrefix(m[2], "(") {
		o := mdObservation{line: number, category: strings.TrimSpace(m[1]), text: strings.TrimSpace(m[2])}
		for _, t := range hashed().FindAllStringSubmatch(o.text, -1) {
			o.tags = append(o.tags, t[1])
		}
		n.seen = append(n.seen, o)
		return
	}
	links := linked().FindAllStringSubmatchIndex(l, -1)
	b := bulleted().FindStringSubmatchIndex(l)
	for i, at := range links {
		kind := "links_to"
		if b != nil && i == 0 {
			kind = "relates_to"
			if before := strings.TrimSpace(l[b[2]:at[0]]); before != "" {
				kind = strings.Trim(before, "\"'`*_ ")
			}
		}
		n.links = append(n.links, mdLink{number, kind, strings.TrimSpace(l[at[2]:at[3]])})
	}
	if b != nil && len(links) == 1 && len(strings.Fields(l[b[2]:links[0][0]])) <= 4 {
		return // a relation, and nothing else
	}
	n.prose = append(n.prose, l)
}

// checkbox reports whether what stands in brackets is a box to be ticked.
func checkbox(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s == "x" || s == "X" || s == "-"
}

// withoutBareHeadings takes away the headings under which nothing is left.
func withoutBareHeadings(lines []string) []string {
	var out []string
	for i, l := range lines {
		if strings.HasPrefix(l, "#") {
			rest := ""
			for _, next := range lines[i+1:] {
				if strings.HasPrefix(next, "#") {
					break
				}
				if rest = strings.TrimSpace(next); rest != "" {
					break
				}
			}
			if rest == "" {
				continue
			}
		}
		out = append(out, l)
	}
	return out
}

// frontMatter reads the fields before the text: names with values, and lists of words. It
// returns where the text begins.
func (n *mdNote) frontMatter(lines []string) int {
	if len(lines) == 0 || strings.TrimSpace(lines[0]) != "---" {
		return 0
	}
	name := ""
	for i, l := range lines[1:] {
		if t := strings.TrimSpace(l); t == "---" || t == "..." {
			return i + 2
		}
		if item, ok := strings.CutPrefix(strings.TrimSpace(l), "- "); ok && name != "" {
			n.lists[name] = append(n.lists[name], unquote(item))
			continue
		}
		key, value, ok := strings.Cut(l, ":")
		if !ok || strings.HasPrefix(l, " ") || strings.HasPrefix(l, "#") {
			continue
		}
		name, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if name == "tags" {
			for _, w := range strings.Split(strings.Trim(value, "[]"), ",") {
				if w = unquote(strings.TrimSpace(w)); w != "" {
					n.lists[name] = append(n.lists[name], w)
				}
			}
			continue
		}
		n.fields[name] = unquote(value)
	}
	// It was never closed: there is none.
	clear(n.fields)
	clear(n.lists)
	return 0
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
