// Package secret removes secrets from text before it is recorded: keys of well-known formats,
// and values of assignments that look random.
//
// # What is guaranteed
//
//   - The same text gives the same result, regardless of earlier texts; and scrubbing the
//     result changes nothing, unless secrets were nested more than four deep.
//   - The cost of a text depends on its length and not on its content.
//   - JSON stays JSON, with the same structure: only text within strings is replaced.
//   - A whole secret is replaced by [scrubbed:rule], and the text around it stays.
//   - Text without suspicious parts costs one pass over its bytes and no memory.
//
// # What is not
//
// Rules know formats, not meanings. A secret in words, in a picture, split in two or in an
// unknown format is not found; hashes, UUIDs, paths and commit ids in plain text are not
// changed. docs/security.md lists the rules.
package secret

import "strings"

// Rule is a scrubbing rule.
type Rule struct {
	Name string // as in the replacement of a secret
	What string // what it finds, in a few words
}

// Prefix and suffix of the replacement of a secret.
const (
	markBegin = "[scrubbed:"
	markEnd   = "]"
)

// span is a secret in a text.
type span struct {
	from, to int
	rule     string
}

// most is how often a text is scanned again after a removal. Only a text made for it needs
// more.
const most = 4

// Text returns a text without its secrets, and how many there were.
func Text(s string) (clean string, found int) {
	for range most {
		next, n := once(s)
		if n == 0 {
			break
		}
		// Removing one may reveal another.
		s, found = next, found+n
	}
	return s, found
}

// once removes what one scan finds.
func once(s string) (string, int) {
	var out strings.Builder
	var l look
	found, last := 0, 0
	for at := next(s, 0); at < len(s); {
		hit, ok := secretAt(&l, s, at)
		if !ok || hit.from < last {
			at = next(s, at+1)
			continue
		}
		out.WriteString(s[last:hit.from])
		out.WriteString(markBegin)
		out.WriteString(hit.rule)
		out.WriteString(markEnd)
		found, last = found+1, hit.to
		at = next(s, hit.to)
	}
	if found == 0 {
		return s, 0
	}
	out.WriteString(s[last:])
	return out.String(), found
}

// secretAt returns the secret that a literal at a position indicates.
func secretAt(l *look, s string, at int) (span, bool) {
	for _, word := range literals.at(s, at) {
		if !word.here(s, at) {
			continue
		}
		from, to, ok := word.rule.match(l, s, at, at+len(word.text))
		if !ok || to <= from || strings.Contains(s[from:to], markBegin) || word.rule.fold && known(l, s, from) {
			continue
		}
		return span{from, to, word.rule.name}, true
	}
	return span{}, false
}

// known reports whether a rule for a specific format matches at a position. It is more specific
// than an assignment.
func known(l *look, s string, at int) bool {
	for _, word := range literals.at(s, at) {
		if word.rule.fold || !word.here(s, at) {
			continue
		}
		if from, _, ok := word.rule.match(l, s, at, at+len(word.text)); ok && from == at {
			return true
		}
	}
	return false
}
