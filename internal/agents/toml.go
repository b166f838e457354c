package agents

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"lukasa.dev/internal/fault"
)

// tomlServers is the table of MCP servers of Codex.
const tomlServers = "mcp_servers"

// tomlFile is a TOML file that is edited only in our own table.
type tomlFile struct {
	file    string
	mark    bool
	text    []byte
	newline string
	said    map[string]any
	items   []tomlItem
}

// parseTOML reads a file.
func parseTOML(file string, text []byte) (*tomlFile, error) {
	t := &tomlFile{file: file, newline: "\n"}
	t.text, t.mark = bytes.CutPrefix(text, []byte(byteOrderMark))
	if bytes.Contains(t.text, []byte("\r\n")) {
		t.newline = "\r\n"
	}
	if tooDeep(t.text) {
		return nil, fault.Newf(fault.InvalidDocument, "%s is nested deeper than %d levels", file, maxNesting).WithFix("find what wrote it, and repair it")
	}
	if err := toml.Unmarshal(t.text, &t.said); err != nil {
		return nil, fault.Newf(fault.InvalidDocument, "%s is not TOML: %s", file, strings.TrimPrefix(err.Error(), "toml: ")).WithCause(err).
			WithFix("correct the file, or move it away; it was not changed")
	}
	t.items = scanTOML(t.text)
	return t, nil
}

// bytes returns the file with a new text.
func (t *tomlFile) bytes(text []byte) []byte {
	if t.mark {
		return append([]byte(byteOrderMark), text...)
	}
	return text
}

// entry returns our server entry, and whether it exists.
func (t *tomlFile) entry() (map[string]any, bool, error) {
	v, ok := t.said[tomlServers]
	if !ok {
		return nil, false, nil
	}
	servers, ok := v.(map[string]any)
	if !ok {
		return nil, false, t.wrong(tomlServers + " must be a table")
	}
	if v, ok = servers[serverName]; !ok {
		return nil, false, nil
	}
	entry, ok := v.(map[string]any)
	if !ok {
		return nil, false, t.wrong(tomlServers + "." + serverName + " must be a table")
	}
	return entry, true, nil
}

func (t *tomlFile) wrong(what string) error {
	return fault.Newf(fault.InvalidDocument, "%s: %s", t.file, what).WithFix("correct it in the file, or remove it; the file was not changed")
}

// add returns the file with our server.
func (t *tomlFile) add(c Command) ([]byte, error) {
	entry, there, err := t.entry()
	if err != nil {
		return nil, err
	}
	args := []any{}
	for _, arg := range c.mcp() {
		args = append(args, arg)
	}
	var out []byte
	switch {
	case there && entry["command"] == c.Program && reflect.DeepEqual(entry["args"], args):
		return t.bytes(t.text), nil
	case there && entry["url"] != nil:
		return nil, fault.Newf(fault.IDConflict, "%s: %s.%s already names a server by its address", t.file, tomlServers, serverName).
			WithFix("remove that table first, or keep it: then the agent uses its memory over the network, and --print shows what would be written")
	case there:
		out, err = t.update(c)
	default:
		out, err = t.append(c)
	}
	if err != nil {
		return nil, err
	}
	after, err := parseTOML(t.file, out)
	if err != nil {
		return nil, unsafeEdit(t.file)
	}
	entry, there, err = after.entry()
	if err != nil || !there || entry["command"] != c.Program || !reflect.DeepEqual(entry["args"], args) || !t.sameBut(after) {
		return nil, unsafeEdit(t.file)
	}
	return t.bytes(out), nil
}

// append adds our table at the end.
func (t *tomlFile) append(c Command) ([]byte, error) {
	for _, item := range t.items {
		if !item.header && len(item.table) == 0 && item.path[0] == tomlServers {
			return nil, t.wrong(tomlServers + " is written as a value, which cannot be added to: write [" + tomlServers + ".NAME] for each server, as Codex documents it")
		}
	}
	out := slices.Clone(t.text)
	if len(out) > 0 {
		if out[len(out)-1] != '\n' {
			out = append(out, t.newline...)
		}
		out = append(out, t.newline...)
	}
	return append(out, t.table(c)...), nil
}

// table is our table.
func (t *tomlFile) table(c Command) string {
	return "[" + tomlServers + "." + serverName + "]" + t.newline +
		"command = " + tomlText(c.Program) + t.newline +
		"args = " + tomlTexts(c.mcp()) + t.newline
}

// update sets the values of our existing table.
func (t *tomlFile) update(c Command) ([]byte, error) {
	at := slices.IndexFunc(t.items, func(i tomlItem) bool {
		return i.header && !i.array && slices.Equal(i.path, []string{tomlServers, serverName})
	})
	if at < 0 {
		return nil, t.wrong("our server is written as a value, not as the table [" + tomlServers + "." + serverName + "]")
	}
	out := slices.Clone(t.text)
	wanted := []struct{ name, value string }{{"args", tomlTexts(c.mcp())}, {"command", tomlText(c.Program)}}
	// Backwards, so that offsets stay valid.
	var missing string
	type change struct {
		start, end int
		text       string
	}
	var changes []change
	for _, w := range wanted {
		i := slices.IndexFunc(t.items[at+1:], func(i tomlItem) bool { return i.header || len(i.path) == 1 && i.path[0] == w.name })
		if i < 0 || t.items[at+1+i].header {
			missing = w.name + " = " + w.value + t.newline + missing
			continue
		}
		item := t.items[at+1+i]
		changes = append(changes, change{item.value, item.valueEnd, w.value})
	}
	if missing != "" {
		end := t.items[at].end
		if end == 0 || out[end-1] != '\n' {
			missing = t.newline + missing
		}
		changes = append(changes, change{end, end, missing})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return b.start - a.start })
	for _, ch := range changes {
		out = slices.Concat(out[:ch.start], []byte(ch.text), out[ch.end:])
	}
	return out, nil
}

// drop returns the file without our server, and whether it had one.
func (t *tomlFile) drop() ([]byte, bool, error) {
	if _, there, err := t.entry(); err != nil || !there {
		return t.bytes(t.text), false, err
	}
	var out []byte
	from, begin, last, inside := 0, 0, 0, false
	cut := func() {
		if !inside {
			return
		}
		kept := t.text[from:begin]
		if blank := []byte(t.newline + t.newline); bytes.HasSuffix(kept, blank) {
			kept = kept[:len(kept)-len(t.newline)] // also remove the empty line before it
		}
		out = append(out, kept...)
		for from = last; len(out) == 0 && from < len(t.text) && (t.text[from] == '\r' || t.text[from] == '\n'); {
			from++ // nor may a file begin with one
		}
		inside = false
	}
	found := false
	for _, item := range t.items {
		if item.header {
			ours := len(item.path) >= 2 && item.path[0] == tomlServers && item.path[1] == serverName
			if ours && !inside {
				inside, begin, found = true, item.start, true
			} else if !ours {
				cut()
			}
		}
		if inside {
			last = item.end
		}
	}
	cut()
	out = append(out, t.text[from:]...)
	if !found {
		return nil, false, t.wrong("our server is written as a value, not as the table [" + tomlServers + "." + serverName + "]")
	}
	after, err := parseTOML(t.file, out)
	if err != nil || !t.sameBut(after) {
		return nil, false, unsafeEdit(t.file)
	}
	if _, there, err := after.entry(); err != nil || there {
		return nil, false, unsafeEdit(t.file)
	}
	return t.bytes(out), true, nil
}

// sameBut reports whether two files are equal except for our server.
func (t *tomlFile) sameBut(other *tomlFile) bool {
	var said [2]string
	for i, f := range []*tomlFile{t, other} {
		rest := map[string]any{}
		for name, v := range f.said {
			servers, ok := v.(map[string]any)
			if name != tomlServers || !ok {
				rest[name] = v
				continue
			}
			kept := map[string]any{}
			for name, v := range servers {
				if name != serverName {
					kept[name] = v
				}
			}
			if len(kept) > 0 {
				rest[name] = kept
			}
		}
		said[i] = fmt.Sprintf("%#v", rest) // in which NaN equals itself
	}
	return said[0] == said[1]
}

// tomlText writes a TOML string, with escapes only where needed.
func tomlText(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\'' || r == '\uFFFD' }) && strings.ContainsAny(s, `\"`) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteString(`\u` + fmt.Sprintf("%04X", r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func tomlTexts(words []string) string {
	var parts []string
	for _, word := range words {
		parts = append(parts, tomlText(word))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// tomlItem is a header or a key-value line, and its place in the text.
type tomlItem struct {
	start, end int // from its first character to the end of its last line
	header     bool
	array      bool     // of an array of tables
	path       []string // the table's name, or the key within its table
	table      []string // the table of the value
	value      int      // start of the value
	valueEnd   int
}

// scanTOML returns the items of a valid TOML text, in order.
func scanTOML(text []byte) []tomlItem {
	s := tomlScan{text: text}
	var items []tomlItem
	var table []string
	for {
		s.blanks(true)
		if s.at >= len(text) {
			return items
		}
		item := tomlItem{start: s.at, table: table}
		if item.header = text[s.at] == '['; item.header {
			s.step()
			if item.array = s.skip('['); item.array {
				s.blanks(false)
			}
			item.path = s.path()
			table = item.path
		} else {
			item.path = s.path()
			s.blanks(false)
			s.skip('=')
			s.blanks(false)
			item.value = s.at
			s.skipValue(0)
			item.valueEnd = s.at
		}
		s.line()
		item.end = s.at
		if len(item.path) > 0 {
			items = append(items, item)
		}
	}
}

// tomlScan is the state of a scan.
type tomlScan struct {
	text []byte
	at   int
}

// step advances by one character.
func (s *tomlScan) step() { s.at = min(s.at+1, len(s.text)) }

func (s *tomlScan) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *tomlScan) skip(b byte) bool {
	if s.at < len(s.text) && s.text[s.at] == b {
		s.step()
		return true
	}
	return false
}

// blanks skips blanks; with lines, also line ends and comments.
func (s *tomlScan) blanks(lines bool) {
	for s.at < len(s.text) {
		switch b := s.text[s.at]; {
		case b == ' ' || b == '\t' || lines && (b == '\r' || b == '\n'):
			s.step()
		case lines && b == '#':
			s.line()
		default:
			return
		}
	}
}

// line advances to the next line.
func (s *tomlScan) line() {
	i := bytes.IndexByte(s.text[s.at:], '\n')
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + 1
}

// path reads a dotted key.
func (s *tomlScan) path() []string {
	var parts []string
	for {
		s.blanks(false)
		begin := s.at
		switch b := s.peek(); b {
		case '"', '\'':
			s.quoted(b)
			name := string(s.text[begin:s.at])
			if b == '"' {
				if plain, err := strconv.Unquote(name); err == nil {
					name = plain
				}
			} else {
				name = strings.Trim(name, "'")
			}
			parts = append(parts, name)
		default:
			for s.at < len(s.text) && !bytes.ContainsRune([]byte(" \t\r\n.=[]\"'#"), rune(s.text[s.at])) {
				s.step()
			}
			if s.at > begin {
				parts = append(parts, string(s.text[begin:s.at]))
			}
		}
		s.blanks(false)
		if !s.skip('.') {
			return parts
		}
	}
}

// quoted skips a quoted string of one or several lines.
func (s *tomlScan) quoted(quote byte) {
	long := bytes.Repeat([]byte{quote}, 3)
	if bytes.HasPrefix(s.text[s.at:], long) {
		s.at += 3
		for s.at < len(s.text) && !bytes.HasPrefix(s.text[s.at:], long) {
			if quote == '"' && s.text[s.at] == '\\' {
				s.step()
			}
			s.step()
		}
		s.at = min(s.at+3, len(s.text))
		for range 2 { // quotes that belong to the string, before the closing ones
			s.skip(quote)
		}
		return
	}
	s.step()
	for s.at < len(s.text) && s.text[s.at] != quote && s.text[s.at] != '\n' {
		if quote == '"' && s.text[s.at] == '\\' {
			s.step()
		}
		s.step()
	}
	s.at = min(s.at, len(s.text))
	s.skip(quote)
}

// skipValue skips a value.
func (s *tomlScan) skipValue(depth int) {
	switch b := s.peek(); b {
	case '"', '\'':
		s.quoted(b)
	case '[', '{':
		s.step()
		closing := b + 2
		for s.at < len(s.text) && depth < maxNesting {
			s.blanks(true)
			switch {
			case s.skip(closing):
				return
			case s.skip(','):
			case b == '{':
				s.path()
				s.blanks(true)
				if !s.skip('=') && s.peek() != closing && s.peek() != ',' {
					s.step() // invalid TOML
				}
				s.blanks(true)
				s.skipValue(depth + 1)
			default:
				before := s.at
				if s.skipValue(depth + 1); s.at == before {
					s.step()
				}
			}
		}
	default:
		begin := s.at
		for s.at < len(s.text) && !bytes.ContainsRune([]byte(",]}#\r\n"), rune(s.text[s.at])) {
			s.step()
		}
		for s.at > begin && (s.text[s.at-1] == ' ' || s.text[s.at-1] == '\t') {
			s.at--
		}
	}
}
