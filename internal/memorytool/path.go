package memorytool

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/operation"
)

// Root is the directory of all files of the memory tool. The key of a file is its path
// without the first slash.
const Root = "/memories"

// Limits of paths: the path must be a valid key, and its depth is bounded.
const (
	maxMemoryPath  = memory.MaxKey
	maxMemoryDepth = 16
)

// Path is the segments of a path below /memories. It is empty for /memories itself.
type Path []string

// ParsePath parses a path that a model wrote. There is one spelling of each path: nothing
// is resolved, and a path that any reader could take for another place is refused.
func ParsePath(text string) (Path, error) {
	bad := func(rule string) (Path, error) {
		return nil, wrong("Error: The path %s is invalid: %s", shownPath(text), rule)
	}
	if len(text) > maxMemoryPath {
		return bad(fmt.Sprintf("it has more than %d bytes", maxMemoryPath))
	}
	for _, r := range text {
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			return bad("it has a character that is not allowed in names")
		case r == '\\':
			return bad("segments are separated by slashes, not backslashes")
		}
	}
	if encodedByte(text) {
		return bad("it has % with two digits, which may hide another character")
	}
	rest, ok := strings.CutPrefix(text, Root)
	if !ok || rest != "" && rest[0] != '/' {
		return bad("it must be " + Root + " or below")
	}
	rest = strings.TrimSuffix(strings.TrimPrefix(rest, "/"), "/")
	if rest == "" && len(text) > len(Root)+1 {
		return bad("a segment is empty")
	}
	if rest == "" {
		return Path{}, nil
	}
	p := Path(strings.Split(rest, "/"))
	if len(p) > maxMemoryDepth {
		return bad(fmt.Sprintf("it is more than %d directories deep", maxMemoryDepth))
	}
	for _, segment := range p {
		switch {
		case segment == "":
			return bad("a segment is empty")
		case strings.Trim(segment, ".") == "":
			return bad("a segment may not consist of dots")
		case strings.TrimSpace(segment) != segment:
			return bad("a segment begins or ends with white space")
		}
	}
	if memory.CheckKey(p.key()) != nil {
		return bad("it has a character that is not allowed in names")
	}
	return p, nil
}

// encodedByte reports whether a text has a percent-encoded byte.
func encodedByte(text string) bool {
	hex := func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
	for i := 0; i+2 < len(text); i++ {
		if text[i] == '%' && hex(text[i+1]) && hex(text[i+2]) {
			return true
		}
	}
	return false
}

// shownPath returns an invalid path for an error: short, and without control characters.
func shownPath(text string) string {
	const most = 100
	if len(text) > most {
		return operation.Quoted(strings.ToValidUTF8(text[:most], "")) + "…"
	}
	return operation.Quoted(strings.ToValidUTF8(text, "\uFFFD"))
}

// pathOf returns the path of a key, if it belongs to a file.
func pathOf(key string) (Path, bool) {
	if !strings.HasPrefix(key, Root[1:]+"/") {
		return nil, false
	}
	p, err := ParsePath("/" + key)
	return p, err == nil && "/"+key == p.String()
}

// String returns the path as it is written.
func (p Path) String() string {
	if p.root() {
		return Root
	}
	return Root + "/" + strings.Join(p, "/")
}

// key returns the key of the file's memory.
func (p Path) key() string { return p.String()[1:] }

// root reports whether it is /memories itself.
func (p Path) root() bool { return len(p) == 0 }

// parent returns its directory.
func (p Path) parent() Path { return p[:len(p)-1] }

// within reports whether it is dir or below it.
func (p Path) within(dir Path) bool {
	return len(p) >= len(dir) && slices.Equal(p[:len(dir)], dir)
}

// moved returns the new path of a path below from, once from is renamed to to.
func (p Path) moved(from, to Path) Path { return slices.Concat(to, p[len(from):]) }

// hidden reports whether listings of a directory leave it out.
func (p Path) hidden(from Path) bool {
	return slices.ContainsFunc(p[len(from):], func(s string) bool { return s[0] == '.' || s == "node_modules" })
}
