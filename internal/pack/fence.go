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

// A fence is of so many backticks at least, and of up to so many more by chance.
const (
	fenceTicks  = 4
	fenceSpread = 4
	fenceDigits = 6 // of its tag
)

// fence returns the lines before and behind quoted texts, which are as they will be
// written. No text closes it: none has a run of backticks as long. It depends on the
// seed and the section alone as long as the texts allow, so that texts that are added
// do not move it.
func fence(seed string, section hmx.Section, texts []string) (open, shut string) {
	ticks := 0
	for _, text := range texts {
		ticks = max(ticks, 1+longestRun(text, '`'))
	}
	for n, used := 0, (tagsUsed{texts: texts}); ; n++ {
		h := sha256.Sum256([]byte("lukasa/fence/1\x00" + seed + "\x00" + string(section) + "\x00" + strconv.Itoa(n)))
		tag := hex.EncodeToString(h[:])[:fenceDigits]
		if used.has(tag) {
			continue
		}
		line := strings.Repeat("`", max(ticks, fenceTicks+int(h[3])%fenceSpread))
		return line + "quote-" + tag + "\n", line + "\n"
	}
}

// tagsUsed knows which tags are in texts. It looks for the first that it is asked for, which
// is seldom there. Once one was, it reads the texts for all that could be asked for, and then
// never again: a text that is full of tags costs no more than its length.
type tagsUsed struct {
	texts []string
	all   map[string]bool // nil until it is wanted
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

// longestRun returns how many c stand together in s at most.
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

// fenceCost is how many tokens the two lines of a fence have, and a few more: the
// lines themselves are not known before all texts are.
func fenceCost(c tokens.Counter) int {
	line := strings.Repeat("`", fenceTicks+fenceSpread-1)
	return c.Count(line+"quote-"+strings.Repeat("0", fenceDigits)+"\n") + c.Count(line+"\n") + 4
}
