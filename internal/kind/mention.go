package kind

import (
	"bytes"
	"strings"
)

// maxMentions is how many files one text may name.
const maxMentions = 3

// maxScan is how many bytes of a text are searched for names of files.
const maxScan = 16 << 10

// maxPatch is how many bytes of a patch are.
const maxPatch = 64 << 10

// maxPath is the longest path that is looked for in text.
const maxPath = 512

// mentions are the files that a text names with a line.
type mentions struct {
	paths [maxMentions]string
	n     int
	// last keeps the last ones instead of the first, for traces that end with
	// the place where it happened.
	last bool
}

// scan finds the files named with a line in text: path:12, path(12,5),
// path::test, path:line 12 and "path", line 12, which is what compilers, test
// runners and traces of most languages write. Files of libraries are not the
// ones to look at and do not count.
func (m *mentions) scan(text string) {
	m.last = strings.Contains(text, "(most recent call last)")
	for i := 0; i < len(text); i++ {
		var p string
		switch text[i] {
		case ':':
			rest := text[i+1:]
			if rest != "" && (rest[0]-'0' < 10 || rest[0] == ':') || strings.HasPrefix(rest, "line ") {
				p = pathBefore(text[:i])
			}
		case '(':
			if i+1 < len(text) && text[i+1]-'0' < 10 {
				p = pathBefore(text[:i])
			}
		case '"':
			if strings.HasPrefix(text[i:], `", line `) {
				from := max(0, i-maxPath)
				if at := strings.LastIndexByte(text[from:i], '"'); at >= 0 {
					p = text[from+at+1 : i]
				}
			}
		}
		if p != "" && sourceFile(p) && !library(p) && !m.add(p) {
			return
		}
	}
}

// add notes p and reports whether to read on.
func (m *mentions) add(p string) bool {
	for _, known := range m.paths[:m.n] {
		if known == p {
			return true
		}
	}
	if m.n == maxMentions {
		if !m.last {
			return false
		}
		copy(m.paths[:], m.paths[1:])
		m.n--
	}
	m.paths[m.n] = p
	m.n++
	return true
}

// pathBefore returns the path that text ends with, and "" if there is none or if
// it is part of an address.
func pathBefore(text string) string {
	i := len(text)
	for i > 0 && len(text)-i < maxPath && pathByte(text[i-1]) {
		i--
	}
	p := text[i:]
	if before := text[:i]; strings.HasSuffix(before, ":") {
		switch {
		case strings.HasPrefix(p, "//"):
			if !strings.HasSuffix(before, "file:") {
				return ""
			}
			p = p[2:]
		case len(before) > 1 && p != "" && (p[0] == '\\' || p[0] == '/') && before[len(before)-2]|0x20 >= 'a' && before[len(before)-2]|0x20 <= 'z' &&
			(len(before) == 2 || !pathByte(before[len(before)-3])):
			p = text[i-2:] // a letter of a drive
		}
	}
	return p
}

// pathByte reports whether c is what paths in text are made of.
func pathByte(c byte) bool {
	switch {
	case c|0x20 >= 'a' && c|0x20 <= 'z', c-'0' < 10, c >= 0x80:
		return true
	}
	return strings.IndexByte("/._-\\+@~$%", c) >= 0
}

// sourceFile reports whether w looks like the path of one file that people work
// on: it ends in a known extension and nothing in it stands for something else.
func sourceFile(w string) bool {
	if len(w) < 3 || len(w) > maxPath || w[0] == '-' {
		return false
	}
	dot := strings.LastIndexByte(w, '.')
	if dot <= 0 || w[dot-1] == '/' || w[dot-1] == '\\' || len(w)-dot-1 > maxExtension {
		return false
	}
	if strings.ContainsAny(w, "*?[]{}$=<>|\"'`\n") || strings.Contains(w, "://") {
		return false
	}
	var buf [maxExtension]byte
	n := 0
	for _, c := range []byte(w[dot+1:]) {
		if c-'A' < 26 {
			c |= 0x20
		}
		buf[n] = c
		n++
	}
	return extensions()[string(buf[:n])]
}

// library reports whether p lies where nobody of the project writes.
func library(p string) bool {
	for _, part := range libraries {
		if strings.Contains(p, part) {
			return true
		}
	}
	return false
}

// patched is a file that a patch names, and whether the patch makes it.
type patched struct {
	path string
	made bool
}

// patchHeads are the beginnings of lines that name a file: of the patches that
// agents write, and of unified ones.
var patchHeads = [...]struct {
	head string
	made bool
}{
	{"*** Update File: ", false},
	{"*** Add File: ", true},
	{"*** Delete File: ", false},
	{"*** Move to: ", false},
	{"+++ b/", false},
	{"--- a/", false},
}

// readPatch returns the files that a patch names, at most as many as out holds.
func readPatch(text string, out []patched) []patched {
	for text != "" && len(out) < cap(out) {
		var row string
		row, text, _ = strings.Cut(text, "\n")
		if len(row) < 6 || row[0] != '*' && row[0] != '+' && row[0] != '-' {
			continue
		}
		for _, h := range patchHeads {
			name, ok := strings.CutPrefix(row, h.head)
			if !ok {
				continue
			}
			name, _, _ = strings.Cut(name, "\t")
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, patched{name, h.made})
			}
		}
	}
	return out
}

// patchLike reports whether a JSON string is a patch, or a command that applies
// one, by its beginning.
func patchLike(raw []byte) bool {
	head := raw[:min(len(raw), 512)]
	return bytes.Contains(head, []byte("*** Begin Patch")) || bytes.HasPrefix(head, []byte(`"diff --git `)) || bytes.HasPrefix(head, []byte(`"--- `))
}
