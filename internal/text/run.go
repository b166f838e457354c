package text

// runWords is how many words of a run are looked up together.
const runWords = 32

// plainGaps are the ASCII bytes that are never part of a name or a mark before one.
var plainGaps = func() (gaps [256]bool) {
	for c := range 128 {
		gaps[c] = classes[c] == 0 && c != '$'
	}
	return gaps
}()

// runWord is a word of a run.
type runWord struct {
	lo, hi int
	spelt  spelling
	at     *pair
	state  uint64 // makes the processor fetch the cell
}

// run makes tokens of the words from i as long as they are plain: short, of ASCII letters of
// which only the first may be a capital, separated by blanks or the like. It returns where it
// ends, which is i if there is no such word. It finds all words before it looks any up, so that
// the processor need not wait for each of them.
func (a *analyzer) run(t string, i int) int {
	words := &a.words
	n := 0
	for n < runWords && i < len(t) && classes[t[i]]&letters != 0 {
		hi := i + 1
		for hi < len(t) && classes[t[hi]] == lower {
			hi++
		}
		next, ok := gap(t, hi)
		if !ok || hi-i > longestSpelt {
			break
		}
		w := &words[n]
		w.lo, w.hi, w.spelt = i, hi, spellAt(t, i, hi)
		w.at = w.spelt.pair()
		w.state = w.at.first.state.Load()
		i = next
		n++
	}
	for k := range words[:n] {
		w := &words[k]
		m, ok := w.at.find(w.spelt)
		if !ok {
			m = a.learn(t, w.lo, w.hi)
		}
		a.meant(m, t, w.lo, w.hi, rolePlain)
		a.at++
	}
	return i
}

// gap returns where the word after the plain gap at i begins, and false if there is no such
// gap. Punctuation at the end of a sentence or clause belongs to the gap.
func gap(t string, i int) (next int, ok bool) {
	if i == len(t) {
		return i, true
	}
	switch t[i] {
	case '.', ',', ':', '?':
		if i+1 < len(t) && t[i+1] != ' ' && t[i+1] != '\n' {
			return i, false
		}
	default:
		if !plainGaps[t[i]] {
			return i, false
		}
	}
	for i++; i < len(t) && plainGaps[t[i]]; i++ {
	}
	return i, true
}
