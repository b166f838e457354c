// Package secret takes secrets out of text before it is recorded: keys of well-known
// formats, and values of assignments that look random.
//
// # What is guaranteed
//
//   - The same text gives the same result, whatever came before it; and the result, looked
//     at again, is left as it is, unless secrets were nested in it more than four deep.
//   - What a text costs grows with its length and not with what is written in it.
//   - JSON stays JSON, with the same structure: only text within strings is replaced.
//   - A secret is replaced as a whole by [scrubbed:rule], and what is around it stays.
//   - Text without anything suspicious costs one pass over its bytes and no memory.
//
// # What is not
//
// Rules know formats, not meanings. A secret in words, in a picture, cut in two or in an
// unknown format is not found; hashes, UUIDs, paths and commit ids in plain text are left
// alone. docs/security.md lists the rules.
package secret

import "strings"

// Rule is something that is looked for.
type Rule struct {
	Name string // as it stands in what a secret is replaced by
	What string // what it finds, in a few words
}

// Rules returns the rules in the order in which they are tried.
func Rules() []Rule {
	list := make([]Rule, len(rules))
	for i, r := range rules {
		list[i] = Rule{r.name, r.what}
	}
	return list
}

// What a secret is replaced by begins and ends with these.
const (
	markBegin = "[scrubbed:"
	markEnd   = "]"
)

// span is a secret in a text.
type span struct {
	from, to int
	rule     string
}

// most is how often a text is looked at again after something was taken away. Only a text
// that is made for it has more to show then.
const most = 4

// Text returns a text without the secrets in it, and how many there were.
func Text(s string) (clean string, found int) {
	for range most {
		next, n := once(s)
		if n == 0 {
			break
		}
		// Taking one away may bring another to light.
		s, found = next, found+n
	}
	return s, found
}

// once takes away what is seen at first sight.
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

// secretAt returns the secret that something at a place gives away.
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

// known reports whether a rule for a certain format finds something at a place. It then
// tells more than that something is assigned.
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
