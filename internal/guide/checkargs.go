package guide

import (
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/trace"
)

// argReader reads the arguments of a tool.
type argReader struct {
	tool  string
	act   *act
	lines []string // command lines
	sql   []string
	// patches are texts that change files.
	patches []string
	values  int
	doc     canon.Doc
}

// named notes what the name of a tool says that it does.
func (r *argReader) named(tool string) {
	a := r.act
	a.names[folded(tool)] = true
	words := nameWords(tool)
	for i, w := range words {
		words[i] = folded(w)
	}
	addAll(a.verbs, toolVerbs(words))
	looks := len(a.verbs) == 1 && slices.ContainsFunc(words, func(w string) bool { return readers()[w] && a.verbs[w] })
	for _, w := range words {
		if !looks || !verbs()[w] || a.verbs[w] {
			a.names[w], a.nouns[w] = true, true
		}
	}
	if a.verbs[folded("edit")] || a.verbs[folded("write")] || a.verbs[folded("patch")] || strings.Contains(tool, "str_replace") {
		if a.nouns[folded("file")] || strings.Contains(tool, "str_replace") || a.nouns["edit"] || len(nameWords(tool)) == 1 {
			a.writes()
		}
	}
	if a.verbs[folded("delete")] || a.verbs[folded("remove")] {
		addAll(a.verbs, setOf("delete remove"))
	}
}

// writes notes that a file is written.
func (a *act) writes() {
	addAll(a.verbs, writing())
	a.nouns[folded("file")] = true
}

// readers are the verbs of tools that only look.
var readers = foldedWords("get list read search find show describe check view lookup look count status history is has fetch query think calculate preview validate")

// toolVerbs returns what a tool does, by the words of its name: the first that is a
// verb, and the last if it is one, unless the tool only looks. If none is, any may be.
func toolVerbs(words []string) set {
	out := set{}
	for _, w := range words {
		if readers()[w] {
			out[w] = true
			return out
		}
		if verbs()[w] && !means()[w] {
			out[w] = true
			if last := words[len(words)-1]; verbs()[last] && !means()[last] {
				out[last] = true
			}
			return out
		}
	}
	for _, w := range words {
		if !means()[w] {
			out[w] = true
		}
	}
	return out
}

// nameWords returns the words of a name: delete and user of delete_user and deleteUser.
func nameWords(name string) []string {
	var words []string
	start := 0
	name = clip(name, trace.MaxName)
	for i := 0; i <= len(name); i++ {
		end := i == len(name) || !letterOrDigit(name[i])
		if !end && !(i > start && name[i] >= 'A' && name[i] <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z') {
			continue
		}
		if i > start {
			words = append(words, strings.ToLower(name[start:i]))
		}
		start = i
		if end {
			start = i + 1
		}
	}
	return words
}

func letterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// read reads arguments that are a JSON object. Others say nothing.
func (r *argReader) read(arguments string) {
	if len(arguments) > MaxArguments || r.doc.Parse([]byte(arguments)) != nil || r.doc.Kind(0) != canon.Object {
		return
	}
	r.members(0, 0)
	r.request()
}

func (r *argReader) members(n canon.Node, depth int) {
	first, end := r.doc.Children(n)
	for c := first; c < end && r.values < maxValues; c = r.doc.After(c) {
		r.member(c, string(r.doc.Key(c)), depth)
	}
}

func (r *argReader) member(c canon.Node, key string, depth int) {
	words := nameWords(key)
	r.values++
	switch r.doc.Kind(c) {
	case canon.Number:
		r.number(r.doc.Float(c), words)
	case canon.True:
		for _, w := range words {
			r.act.names[folded(w)] = true
		}
		r.act.flags["--"+strings.Join(words, "-")] = true
	case canon.String:
		if patchNames()[key] {
			if text := r.doc.Text(c); strings.Contains(text, patchBegins) || (key == "patch" || key == "diff") && strings.Contains(text, "\n+++ ") {
				r.patches = append(r.patches, text)
				return
			}
		}
		if _, size := r.doc.Measure(c); size <= maxValue*8 {
			r.text(r.doc.Text(c), key, words)
		}
	case canon.Array:
		first, end := r.doc.Children(c)
		if lineNames()[key] {
			var line []string
			for x := first; x < end && len(line) < 64; x = r.doc.After(x) {
				if r.doc.Kind(x) == canon.String {
					line = append(line, "'"+strings.ReplaceAll(r.doc.Text(x), "'", `'\''`)+"'")
				}
			}
			r.lines = append(r.lines, strings.Join(line, " "))
			return
		}
		for x := first; x < end && r.values < maxValues && depth < 4; x = r.doc.After(x) {
			r.member(x, key, depth+1)
		}
	case canon.Object:
		if depth < 4 {
			r.members(c, depth+1)
		}
	}
}

var (
	lineNames  = rawWords("command cmd script command_line commandLine chars")
	sqlNames   = rawWords("sql query statement q")
	proseNames = rawWords("content body text message new_string old_string description title comment prompt note notes subject diff patch summary reason thought file_text new_str old_str insert_text")
	moneyNames = foldedWords("amount total price value sum cost fee budget refund payment charge")
)

// number notes a number, in whole units if it is named in cents.
func (r *argReader) number(n float64, key []string) {
	money := false
	for _, w := range key {
		if moneyNames()[folded(w)] {
			money = true
		}
		if w == "cents" || w == "cent" {
			n /= 100
			money = true
		}
	}
	if money && !r.act.money {
		r.act.numbers, r.act.money = nil, true
	}
	if (money || !r.act.money) && len(r.act.numbers) < maxPaths {
		r.act.numbers = append(r.act.numbers, n)
	}
}

// text notes a string among the arguments.
func (r *argReader) text(v, key string, words []string) {
	switch {
	case proseNames()[key]:
		return
	case lineNames()[key]:
		r.lines = append(r.lines, v)
		return
	case sqlNames()[key]:
		if sqlBegins(v) {
			r.sql = append(r.sql, v)
			return
		}
	}
	if n, err := strconv.ParseFloat(strings.TrimLeft(v, "$€£"), 64); err == nil {
		r.number(n, words)
		return
	}
	r.act.value(v)
	if len(words) > 0 && !strings.ContainsAny(v, " \t\r\n") {
		r.act.nouns[folded(words[len(words)-1])] = true
	}
}

// request notes what a request or an edit does, of tools that make one.
func (r *argReader) request() {
	text := func(names ...string) string {
		for _, name := range names {
			if c := r.doc.Member(0, name); c != canon.None && r.doc.Kind(c) == canon.String {
				return r.doc.Text(c)
			}
		}
		return ""
	}
	if address := text("url", "uri", "endpoint"); address != "" {
		method := text("method", "http_method", "verb")
		if method == "" {
			method = "GET"
		}
		r.act.method(method)
	}
	if text("new_string", "newString", "new_str", "new_source") != "" && text("file_path", "filePath", "path", "notebook_path") != "" {
		r.act.writes() // it puts a text in the place of another
	}
	if r.tool == trace.ToolEdit || text("path", "file_path", "filename", "file") != "" {
		switch op := folded(text("operation", "command", "action")); op {
		case folded("delete"), folded("remove"):
			addAll(r.act.verbs, setOf("delete remove touch"))
		case folded("rename"), folded("move"):
			addAll(r.act.verbs, setOf("rename move touch"))
		}
		r.act.nouns[folded("file")] = true
	}
}
