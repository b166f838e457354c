package act

import (
	"path"
	"strconv"
	"strings"

	"lukasa.dev/internal/english"
	"lukasa.dev/internal/programs"
)

// Number returns a number as it is written.
func Number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// ChangesFiles reports whether an act writes, moves or removes what it names.
func (a *Act) ChangesFiles() bool {
	for _, v := range [...]string{"write", "edit", "modify", "delete", "remove", "move", "touch", "overwrite", "discard"} {
		if a.Verbs[english.Fold(v)] {
			return true
		}
	}
	return false
}

func (a *Act) HasAll(parts []string) bool {
	for _, p := range parts {
		if w := english.Fold(p); !a.Verbs[w] && !a.Names[w] && !a.Nouns[w] && !a.Exact[english.Exact(p)] {
			return false
		}
	}
	return true
}

// HasFlag reports whether a flag is given: -rf is if -r and -f are, or what they are short for.
func (a *Act) HasFlag(name string) bool {
	name, _, _ = strings.Cut(name, "=")
	if a.flags[name] {
		return true
	}
	if strings.HasPrefix(name, "--") {
		for letter, long := range longFlags {
			if long == name && a.flags["-"+string(letter)] && programs.LongFlags()[a.Program] {
				return true
			}
		}
		return false
	}
	if len(name) < 2 {
		return false
	}
	for _, letter := range name[1:] {
		if !a.flags["-"+string(letter)] && !a.flags[longFlags[letter]] {
			return false
		}
	}
	return true
}

// longFlags are flags of one letter as most programs write them at length.
var longFlags = map[rune]string{'r': "--recursive", 'R': "--recursive", 'f': "--force", 'g': "--global", 'i': "--in-place", 'A': "--all", 'y': "--yes", 'n': "--no-verify"}

// HasPath reports whether a path of the act is what a rule names, or lies in it.
func (a *Act) HasPath(pattern string) bool {
	for _, p := range a.Paths {
		if PathIn(pattern, strings.ToLower(p)) {
			return true
		}
	}
	return false
}

// PathIn reports whether the parts of a pattern stand in a path, one after the other;
// at its beginning if the pattern has the root or the home.
func PathIn(pattern, name string) bool {
	if pattern == "/" || pattern == "~" {
		return name == pattern || name == pattern+"/"
	}
	rooted := strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~")
	if rooted && !strings.HasPrefix(name, pattern[:1]) {
		return false
	}
	want, have := parts(pattern), parts(name)
	for len(want) > 1 && (want[len(want)-1] == "*" || want[len(want)-1] == "**") {
		want = want[:len(want)-1]
	}
	for i := 0; i+len(want) <= len(have) && len(want) > 0; i++ {
		k := 0
		for k < len(want) && same(want[k], have[i+k]) {
			k++
		}
		if k == len(want) {
			return true
		}
		if rooted {
			return false
		}
	}
	return false
}

func parts(p string) []string {
	const most = 64
	var out []string
	for part := range strings.SplitSeq(p, "/") {
		if part != "" && part != "." && len(out) < most {
			out = append(out, part)
		}
	}
	return out
}

func same(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == name
	}
	if len(pattern) > 64 || len(name) > 255 {
		return false
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

func (a *Act) HasNumber(low string) bool {
	if low == "" || low[0] < '0' || low[0] > '9' {
		return false
	}
	for _, n := range a.numbers {
		if Number(n) == low {
			return true
		}
	}
	return false
}

// Above reports whether a number of the act is above a limit, and whether there is one.
func (a *Act) Above(limit float64) (over, known bool) {
	for _, n := range a.numbers {
		over = over || n > limit
	}
	return over, len(a.numbers) > 0
}
