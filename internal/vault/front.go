package vault

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// property is a property of front matter.
type property struct {
	line   int
	text   string
	list   []string
	isList bool
	set    bool // it has a value, possibly an empty text
}

// absent reports whether it has no value.
func (p property) absent() bool { return !p.set && len(p.list) == 0 }

// readFront reads front matter: the part of YAML that this package and the editors of such
// files write. It accepts names with values on one line, and lists, and guesses nothing: the
// rest is a problem with its line. line is that of the body.
func readFront(text string) (props map[string]property, body string, line int, err error) {
	first, rest, ok := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != fence || !ok {
		return nil, "", 0, ErrOther
	}
	props, line = map[string]property{}, 1
	last := "" // the property that list items belong to
	for {
		var row string
		row, rest, ok = strings.Cut(rest, "\n")
		line++
		trimmed := strings.TrimRight(row, " \t\r")
		if trimmed == fence || trimmed == "..." {
			break
		}
		if !ok {
			if !strings.Contains(text, "\n"+propKind+":") {
				return nil, "", 0, ErrOther // a horizontal rule at the top of a foreign note
			}
			return nil, "", 0, &Problem{line, "the front matter has no end", "write --- on a line of its own after the properties"}
		}
		if last, err = readRow(props, last, trimmed, line); err != nil {
			if !strings.Contains(text, "\n"+propKind+":") {
				err = ErrOther
			}
			return nil, "", 0, err
		}
	}
	if _, ok := props[propKind]; !ok {
		return nil, "", 0, ErrOther
	}
	return props, rest, line + 1, nil
}

// readRow reads a line of front matter, and returns the property that a list item on the next
// line would belong to.
func readRow(props map[string]property, last, row string, line int) (string, error) {
	bare := strings.TrimLeft(row, " \t")
	switch {
	case bare == "" || bare[0] == '#':
		return last, nil
	case bare == "-" || strings.HasPrefix(bare, "- "):
		p, ok := props[last]
		if !ok || p.set {
			return "", &Problem{line, "an item of a list has no property above it", "write the name of the property and a colon on the line before the first item"}
		}
		item, err := readScalar(strings.TrimSpace(bare[1:]), line)
		if err != nil {
			return "", err
		}
		p.list, p.isList = append(p.list, item), true
		props[last] = p
		return last, nil
	case bare != row:
		return "", &Problem{line, "the line is indented", "write each property as name: value on a line of its own, and nested ones as JSON in single quotes"}
	}
	name, value, ok := strings.Cut(row, ":")
	if quoted, err := readScalar(name, line); err == nil && name != "" && (name[0] == '"' || name[0] == '\'') {
		name = quoted
	}
	if !ok || !propertyName(name) || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", &Problem{line, fmt.Sprintf("%.60q is no property", row), "write name: value, with a space after the colon"}
	}
	if old, twice := props[name]; twice {
		return "", &Problem{line, fmt.Sprintf("%s is on line %d already", name, old.line), "keep one of them"}
	}
	p, err := readValue(strings.TrimSpace(value), line)
	if err != nil {
		return "", err
	}
	props[name] = p
	return name, nil
}

// propertyName reports whether a text is the name of a property.
func propertyName(name string) bool {
	if name == "" || len(name) > 128 || name != strings.TrimSpace(name) || strings.ContainsRune("-?!&*|>@%`'\"#[]{},~", rune(name[0])) {
		return false
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f || r == ':' || r == '#' || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// readValue reads what follows a colon.
func readValue(text string, line int) (property, error) {
	p := property{line: line}
	switch {
	case text == "" || text[0] == '#' || text == "null" || text == "~":
		return p, nil
	case text[0] == '[' && !strings.HasPrefix(text, "[["):
		items, err := readList(text, line)
		p.list, p.isList = items, true
		return p, err
	case text[0] == '|' || text[0] == '>':
		return p, &Problem{line, "a text of several lines is not read here", "write it on one line in double quotes, with \\n for each line break"}
	}
	var err error
	p.text, err = readScalar(text, line)
	p.set = true
	return p, err
}

// readScalar reads one text.
func readScalar(text string, line int) (string, error) {
	if text == "" {
		return "", nil
	}
	switch text[0] {
	case '"', '\'':
		value, rest, err := quotedText(text, line)
		if err != nil {
			return "", err
		}
		if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
			return "", &Problem{line, "there is something after the closing quote", "leave it out, or write \" as \\\" within double quotes and ' as '' within single ones"}
		}
		return value, nil
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = strings.TrimRight(text[:i], " \t")
	}
	return text, nil
}

// quotedText reads a text in quotes, and returns what follows it.
func quotedText(text string, line int) (value, rest string, err error) {
	if text[0] == '\'' {
		var b strings.Builder
		for i := 1; i < len(text); i++ {
			switch {
			case text[i] != '\'':
				b.WriteByte(text[i])
			case i+1 < len(text) && text[i+1] == '\'':
				b.WriteByte('\'')
				i++
			default:
				return b.String(), text[i+1:], nil
			}
		}
		return "", "", &Problem{line, "a single quote has no end", "close it, and write ' as '' within"}
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			if json.Unmarshal([]byte(text[:i+1]), &value) != nil {
				return "", "", &Problem{line, fmt.Sprintf("%.60s is not well formed", text[:i+1]), "write it as JSON does, or in single quotes"}
			}
			return value, text[i+1:], nil
		}
	}
	return "", "", &Problem{line, "a double quote has no end", "close it, and write \" as \\\" within"}
}

// readList reads a list on one line.
func readList(text string, line int) ([]string, error) {
	broken := &Problem{line, "the list is not well formed", "write it as [one, \"two\"], or an item a line with - before each"}
	items := []string{}
	for rest := strings.TrimSpace(text[1:]); ; {
		if rest == "" {
			return nil, broken
		}
		if rest[0] == ']' && (len(items) == 0 || !strings.HasSuffix(strings.TrimSpace(text[:len(text)-len(rest)]), ",")) {
			if rest = strings.TrimSpace(rest[1:]); rest != "" && rest[0] != '#' {
				return nil, broken
			}
			return items, nil
		}
		var item string
		if rest[0] == '"' || rest[0] == '\'' {
			var err error
			if item, rest, err = quotedText(rest, line); err != nil {
				return nil, err
			}
		} else {
			end := strings.IndexAny(rest, ",]")
			if end <= 0 || strings.ContainsAny(rest[:end], "[{\"") {
				return nil, broken
			}
			item, rest = strings.TrimSpace(rest[:end]), rest[end:]
		}
		items = append(items, item)
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, ",") {
			rest = strings.TrimSpace(rest[1:])
			if strings.HasPrefix(rest, "]") {
				return nil, broken
			}
		} else if !strings.HasPrefix(rest, "]") {
			return nil, broken
		}
	}
}

// raw returns a property as the JSON of a field.
func (p property) raw(name string, how shape) (json.RawMessage, error) {
	if how == asList {
		if !p.isList {
			return json.Marshal([]string{p.text})
		}
		return json.Marshal(p.list)
	}
	if p.isList {
		return nil, &Problem{p.line, name + " is a list", "write one value"}
	}
	switch how {
	case asNumber:
		if _, err := strconv.ParseFloat(p.text, 64); err != nil || !json.Valid([]byte(p.text)) {
			return nil, &Problem{p.line, fmt.Sprintf("%s is %.40q, but must be a number", name, p.text), "write it in digits, such as 0.5"}
		}
		return json.RawMessage(p.text), nil
	case asJSON:
		if !json.Valid([]byte(p.text)) {
			return nil, &Problem{p.line, name + " is not well-formed JSON", "write it in single quotes, such as '{\"strength\":\"hard\"}'"}
		}
		return json.RawMessage(p.text), nil
	}
	return json.Marshal(p.text)
}
