package recognize

import (
	"bytes"
	"strings"
)

// MaxMentions is how many files one text may name.
const MaxMentions = 3

// MaxScan is how many bytes of a text are searched for names of files.
const MaxScan = 16 << 10

// MaxPatch is how many bytes of a patch are.
const MaxPatch = 64 << 10

// maxPath is the longest path that is looked for in text.
const maxPath = 512

// Mentions are the files that a text names with a line.
type Mentions struct {
	Paths [MaxMentions]string
	N     int
	// last keeps the last ones instead of the first, for traces that end with
	// the place where it happened.
	last bool
}

// Scan finds the files named with a line in text: path:12, path(12,5),
// path::test, path:line 12 and "path", line 12, which is what compilers, test
// runners and traces of most languages write. Files of libraries are not the
// ones to look at and do not count.
func (m *Mentions) Scan(text string) {
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
func (m *Mentions) add(p string) bool {
	for _, known := range m.Paths[:m.N] {
		if known == p {
			return true
		}
	}
	if m.N == MaxMentions {
		if !m.last {
			return false
		}
		copy(m.Paths[:], m.Paths[1:])
		m.N--
	}
	m.Paths[m.N] = p
	m.N++
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
	if dot <= 0 || w[dot-1] == '/' || w[dot-1] == '\\' || len(w)-dot-1 > MaxExtension {
		return false
	}
	if strings.ContainsAny(w, "*?[]{}$=<>|\"'`\n") || strings.Contains(w, "://") {
		return false
	}
	var buf [MaxExtension]byte
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

// library reports whether p lies in a directory of third-party code.
func library(p string) bool {
	for _, part := range Libraries {
		if strings.Contains(p, part) {
			return true
		}
	}
	return false
}

// Patched is a file that a patch names, and whether the patch makes it.
type Patched struct {
	Path string
	Made bool
}

// PatchHeads are the beginnings of lines that name a file: of the patches that
// agents write, and of unified ones.
var PatchHeads = [...]struct {
	Head string
	made bool
}{
	{"*** Update File: ", false},
	{"*** Add File: ", true},
	{"*** Delete File: ", false},
	{"*** Move to: ", false},
	{"+++ b/", false},
	{"--- a/", false},
}

// ReadPatch returns the files that a patch names, at most as many as out holds.
func ReadPatch(text string, out []Patched) []Patched {
	for text != "" && len(out) < cap(out) {
		var row string
		row, text, _ = strings.Cut(text, "\n")
		if len(row) < 6 || row[0] != '*' && row[0] != '+' && row[0] != '-' {
			continue
		}
		for _, h := range PatchHeads {
			name, ok := strings.CutPrefix(row, h.Head)
			if !ok {
				continue
			}
			name, _, _ = strings.Cut(name, "\t")
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, Patched{name, h.made})
			}
		}
	}
	return out
}

// PatchLike reports whether a JSON string is a patch, or a command that applies
// one, by its beginning.
func PatchLike(raw []byte) bool {
	head := raw[:min(len(raw), 512)]
	return bytes.Contains(head, []byte("*** Begin Patch")) || bytes.HasPrefix(head, []byte(`"diff --git `)) || bytes.HasPrefix(head, []byte(`"--- `))
}

// SourceExtensions are the endings of files that people work on. Without them
// example.com:443 would be a file and its line.
const SourceExtensions = "go py pyi ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro rs java kt kts scala groovy clj c h cc cpp cxx hpp hh hxx m mm swift cs fs vb " +
	"rb erb php pl pm lua r jl ex exs erl hrl hs ml mli dart zig nim d pas asm s sql graphql gql proto thrift sh bash zsh fish ps1 bat cmd mk cmake gradle bazel bzl " +
	"html htm css scss sass less xml xsd svg json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf env properties tf tfvars hcl nix md mdx rst adoc tex txt csv tsv " +
	"mod sum lock patch diff sol vy move cu wgsl glsl tmpl tpl j2"

// MaxExtension is the length of the longest of them.
const MaxExtension = 10

// Libraries are parts of paths under which lies what others wrote.
var Libraries = [...]string{
	"/usr/lib/", "/usr/local/go/", "/usr/local/lib/", "/go/pkg/mod/", "/go/src/runtime/", "/goroot/", "site-packages/", "dist-packages/", "node_modules/",
	"/.cargo/registry/", "/rustc/", "/.rustup/", "/.m2/", "/.gradle/", "/.pyenv/", "/.nvm/", "/lib/python", "<frozen ", "webpack/bootstrap", "/Library/Developer/", "/nix/store/",
}

var extensions = IndexWords(SourceExtensions)
