package quote

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/internal/tokens"
)

// A fence has at least fenceTicks backticks, and up to fenceSpread more, chosen by its hash.
const (
	fenceTicks  = 4
	fenceSpread = 4
	fenceDigits = 6
)

// Fence returns the lines before and after quoted texts, given as they will be written. No text
// can close it, since none has a run of backticks that long. It depends only on the seed and
// the place, such as a section, as long as the texts allow, so that added texts do not change it.
func Fence(seed, place string, texts []string) (open, shut string) {
	ticks := 0
	for _, text := range texts {
		ticks = max(ticks, 1+longestRun(text, '`'))
	}
	for n, used := 0, (tagsUsed{texts: texts}); ; n++ {
		if tag, least := fenceAt(seed, place, n); !used.has(tag) {
			return fenceLines(tag, max(ticks, least))
		}
	}
}

// fenceAt returns the tag of the fence of a place and its minimum of backticks at the nth attempt.
// The first attempt whose tag is in no text is used.
func fenceAt(seed, place string, n int) (tag string, ticks int) {
	h := sha256.Sum256([]byte("lukasa/fence/1\x00" + seed + "\x00" + place + "\x00" + strconv.Itoa(n)))
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

// Need is what texts need of their fence. The zero value needs none.
type Need struct {
	ticks  int  // the number of backticks, 0 for no fence
	tagged bool // one of the texts contains the first tag
}

// With returns the combination of two needs.
func (n Need) With(o Need) Need { return Need{max(n.ticks, o.ticks), n.tagged || o.tagged} }

// FencePrices are the costs of the fences of a text before all that they quote is known.
type FencePrices struct {
	counter tokens.Counter
	seed    string
	places  []firstFence
	known   map[fencePrice]int
}

// firstFence is what is tried first as the fence of a place.
type firstFence struct {
	place string
	tag   string
	ticks int // 0 until needed
}

// fencePrice is the input of the price of a fence.
type fencePrice struct {
	place int
	Need
}

// NewFencePrices returns the prices by a counter of fences that are made from a seed, one for each
// place.
func NewFencePrices(c tokens.Counter, seed string, places []string) *FencePrices {
	f := &FencePrices{counter: c, seed: seed, places: make([]firstFence, len(places)), known: map[fencePrice]int{}}
	for i, place := range places {
		f.places[i].place = place
	}
	return f
}

// Need returns what an item, as it was recorded, needs of the fence of a place, by the place's index.
func (f *FencePrices) Need(place int, label, text string) Need {
	first := &f.places[place]
	if first.ticks == 0 {
		first.tag, first.ticks = fenceAt(f.seed, first.place, 0)
	}
	return Need{
		ticks:  max(first.ticks, 1+longestRun(text, '`'), 1+longestRun(label, '`')),
		tagged: strings.Contains(text, first.tag) || strings.Contains(label, first.tag),
	}
}

// otherTag is the most tokens that a fence with another tag may have more than one with zeros.
const otherTag = 4

// Cost returns how many tokens the two lines of the fence of a place have. The cost of another tag
// than the first is not known before all texts are, so a margin is added.
func (f *FencePrices) Cost(place int, n Need) int {
	if n.ticks == 0 {
		return 0
	}
	cost, known := f.known[fencePrice{place, n}]
	if !known {
		tag, ticks, more := f.places[place].tag, n.ticks, 0
		if n.tagged {
			tag, ticks, more = strings.Repeat("0", fenceDigits), max(ticks, fenceTicks+fenceSpread-1), otherTag
		}
		open, shut := fenceLines(tag, ticks)
		cost = f.counter.Count(open) + f.counter.Count(shut) + more
		f.known[fencePrice{place, n}] = cost
	}
	return cost
}
