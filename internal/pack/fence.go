package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/tokens"
)

// A fence has at least fenceTicks backticks, and up to fenceSpread more, chosen by its hash.
const (
	fenceTicks  = 4
	fenceSpread = 4
	fenceDigits = 6
)

// fence returns the lines before and after quoted texts, given as they will be written. No text
// can close it, since none has a run of backticks that long. It depends only on the seed and
// the section as long as the texts allow, so that added texts do not change it.
func fence(seed string, section hmx.Section, texts []string) (open, shut string) {
	ticks := 0
	for _, text := range texts {
		ticks = max(ticks, 1+longestRun(text, '`'))
	}
	for n, used := 0, (tagsUsed{texts: texts}); ; n++ {
		if tag, least := fenceAt(seed, section, n); !used.has(tag) {
			return fenceLines(tag, max(ticks, least))
		}
	}
}

// fenceAt returns the tag of a section's fence and its minimum of backticks at the nth attempt.
// The first attempt whose tag is in no text is used.
func fenceAt(seed string, section hmx.Section, n int) (tag string, ticks int) {
	h := sha256.Sum256([]byte("lukasa/fence/1\x00" + seed + "\x00" + string(section) + "\x00" + strconv.Itoa(n)))
	return hex.EncodeToString(h[:])[:fenceDigits], fenceTicks + int(h[3])%fenceSpread
}

// fenceLines returns the two lines of a fence.
func fenceLines(tag string, ticks int) (open, shut string) {
	line := strings.Repeat("`", ticks)
	return line + "quote-" + tag + "\n", line + "\n"
}

// tagsUsed knows which tags occur in texts. It searches for the first tag, which is seldom
// there. Once one was found, it reads the texts once for all possible tags: a text full of tags
// costs no more than its length.
type tagsUsed struct {
	texts []string
	all   map[string]bool // nil until needed
}

func (u *tagsUsed) has(tag string) bool {
	if u.all != nil {
		return u.all[tag]
	}
	if !slices.ContainsFunc(u.texts, func(text string) bool { return strings.Contains(text, tag) }) {
		return false
	}
	u.all = make(map[string]bool)
	for _, text := range u.texts {
		digits := 0
		for i := range len(text) {
			if c := text[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
				digits++
			} else {
				digits = 0
			}
			if digits >= fenceDigits {
				u.all[text[i+1-fenceDigits:i+1]] = true
			}
		}
	}
	return true
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest := 0
	for {
		at := strings.IndexByte(s, c)
		if at < 0 {
			return longest
		}
		n := at
		for n < len(s) && s[n] == c {
			n++
		}
		longest, s = max(longest, n-at), s[n:]
	}
}

// quoting is what texts need of their fence: the number of backticks, 0 for no fence, and
// whether one of them contains the first tag.
type quoting struct {
	ticks  int
	tagged bool
}

// with returns the combination of two requirements.
func (q quoting) with(o quoting) quoting { return quoting{max(q.ticks, o.ticks), q.tagged || o.tagged} }

// fences are the prices of the fences of a pack's sections.
type fences struct {
	counter tokens.Counter
	seed    string
	first   [10]struct {
		tag   string
		ticks int
	} // by section priority, filled on demand
	known map[fencePrice]int
}

// fencePrice is the input of the price of a fence.
type fencePrice struct {
	section int
	quoting
}

func newFences(c tokens.Counter, seed string) fences {
	return fences{counter: c, seed: seed, known: map[fencePrice]int{}}
}

// asked returns what an item needs of the fence of its section.
func (f *fences) asked(it *Item) quoting {
	at := it.Section.Priority()
	if at < 0 || !it.Fenced() {
		return quoting{}
	}
	first := &f.first[at]
	if first.ticks == 0 {
		first.tag, first.ticks = fenceAt(f.seed, it.Section, 0)
	}
	return quoting{
		ticks:  max(first.ticks, 1+longestRun(it.Text, '`'), 1+longestRun(it.Label, '`')),
		tagged: strings.Contains(it.Text, first.tag) || strings.Contains(it.Label, first.tag),
	}
}

// otherTag is the most tokens that a fence with another tag may have more than one with zeros.
const otherTag = 4

// cost returns how many tokens the two lines of a section's fence have. The cost of another tag
// than the first is not known before all texts are, so a margin is added.
func (f *fences) cost(section int, q quoting) int {
	if q.ticks == 0 {
		return 0
	}
	cost, known := f.known[fencePrice{section, q}]
	if !known {
		tag, ticks, more := f.first[section].tag, q.ticks, 0
		if q.tagged {
			tag, ticks, more = strings.Repeat("0", fenceDigits), max(ticks, fenceTicks+fenceSpread-1), otherTag
		}
		open, shut := fenceLines(tag, ticks)
		cost = f.counter.Count(open) + f.counter.Count(shut) + more
		f.known[fencePrice{section, q}] = cost
	}
	return cost
}
