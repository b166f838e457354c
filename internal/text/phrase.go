package text

import "slices"

// Phrase is consecutive words. A text has it if it has either all Parts or all Wholes at the
// same distances; see In.
type Phrase struct {
	// Parts has the words of the phrase, and the parts of its names.
	Parts []Token
	// Wholes has its words, and its whole names with one place each. It is nil if there are no
	// names.
	Wholes []Token
}

// maxStretch is how many parts more a name in a text may have than the phrase that has it as
// one word. The end of a name in a text is unknown, so up to this many words may follow each
// one.
const maxStretch = 1

// parsePhrase parses a phrase.
func parsePhrase(s string) Phrase {
	if len(s) > 64*MaxPhrase { // more than is used
		s = s[:64*MaxPhrase]
	}
	tokens, origins := traced(s)
	all := true
	names := make(map[int32]bool)
	for _, o := range origins {
		all = all && o.role&roleStop != 0
		if o.role&^roleStop == roleWhole {
			names[o.group] = true
		}
	}
	var p Phrase
	each := 1 // how many more tokens there may be for one
	if len(names) > 0 {
		each = 2
	}
	told := int32(-1) // the last group with its whole
	spare := uint32(0)
	for i, token := range tokens {
		o := origins[i]
		if token.At >= MaxPhrase || len(p.Parts)+len(p.Wholes)+each > MaxPhrase {
			break
		}
		part := o.role&^roleStop != roleWhole
		if o.role&roleStop != 0 && !all {
			continue
		}
		if part {
			p.Parts = append(p.Parts, token)
		}
		if len(names) == 0 {
			continue
		}
		if !names[o.group] {
			token.At -= spare
			p.Wholes = append(p.Wholes, token)
		} else if o.group != told {
			told = o.group
			last := i
			for last+1 < len(tokens) && origins[last+1].group == o.group {
				last++
			}
			at := token.At
			token.At -= spare
			spare += tokens[last].At - at
			p.Wholes = append(p.Wholes, token)
		}
	}
	if len(p.Parts) == 0 { // a name without parts
		p.Parts, p.Wholes = p.Wholes, nil
	}
	return p
}

// equal reports whether two phrases match the same texts.
func (p Phrase) equal(other Phrase) bool {
	return slices.Equal(p.Parts, other.Parts) && slices.Equal(p.Wholes, other.Wholes)
}

// In reports whether a text has the phrase. The tokens are those of Analyze: grouped by field,
// in order. Stop words between others count as places, and are not compared, unless the phrase
// has nothing else.
func (p Phrase) In(tokens []Token) bool {
	return occurs(p.Parts, tokens) || occurs(p.Wholes, tokens)
}

// occurs searches for a sequence in each field separately.
func occurs(sequence, tokens []Token) bool {
	for len(tokens) > 0 && len(sequence) > 0 {
		n := 1
		for n < len(tokens) && tokens[n].Field == tokens[0].Field {
			n++
		}
		if follows(sequence, tokens[:n]) {
			return true
		}
		tokens = tokens[n:]
	}
	return false
}

// place is a partial match of a sequence in a text.
type place struct {
	at uint32
	// wide says that a name of several parts may be there.
	wide bool
}

// follows searches for a sequence in the tokens of one field. It keeps all partial matches.
func follows(sequence, tokens []Token) bool {
	var here, next []place
	for step, want := range sequence {
		next = next[:0]
		low := 0
		for i, token := range tokens {
			if token.Term != want.Term {
				continue
			}
			wide := i > 0 && tokens[i-1].At == token.At || i+1 < len(tokens) && tokens[i+1].At == token.At
			if step == 0 {
				next = append(next, place{token.At, wide})
				continue
			}
			before := sequence[step-1]
			gap := int64(want.At) - int64(before.At)
			at := int64(token.At)
			for low < len(here) && int64(here[low].at) < at-gap-maxStretch {
				low++
			}
			for k := low; k < len(here) && int64(here[k].at) <= at; k++ {
				off := at - int64(here[k].at) - gap
				if off == 0 || off > 0 && here[k].wide || off == -1 && gap == 1 && before.Term != want.Term {
					next = append(next, place{token.At, wide})
					break
				}
			}
		}
		if len(next) == 0 {
			return false
		}
		here, next = next, here
	}
	return true
}
