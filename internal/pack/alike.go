package pack

import (
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// words is the form in which texts are compared.
type words struct {
	whole  uint64   // a hash of the whole text in lower case
	list   []uint64 // hashes of its words, in text order until they are sorted
	sorted bool     // sorted and without duplicates
	sketch sketch
}

// sketch has a bit for each word of a text. Several words may share a bit.
type sketch [4]uint64

// Bounds on texts that are compared by their words, in words and bytes: too many very short
// texts share all words, and very long texts are seldom repeated.
const (
	fewWords  = 4
	alikeText = 16 << 10
)

// byteWide stands for a byte of a character that is not ASCII.
const byteWide = 1

// bytesOf maps each byte to its letter or digit in lower case; others to 0 or byteWide.
var bytesOf = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = byteWide
		case c >= 'A' && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			table[c] = byte(c)
		}
	}
	return table
}()

// Seeds and the factor of the hashes.
const (
	wholeSeed  = 14695981039346656037
	wordSeed   = 7809847782465536322
	wordFactor = 0x9e3779b97f4a7c15
)

// mixed adds a number to a hash.
func mixed(hash, n uint64) uint64 {
	hash = (hash ^ n) * wordFactor
	return hash ^ hash>>29
}

// wordsOf returns the words of a text: runs of letters and digits, in lower case. Stop words
// count as well: a "not" is a difference.
func wordsOf(s string) *words {
	w := &words{whole: wholeSeed}
	if len(s) <= alikeText {
		w.list = make([]uint64, 0, len(s)/5+1)
	}
	gap := false
	for i := 0; i < len(s); {
		word, end := wordAt(s, i)
		isWord := end > i
		if !isWord {
			r, size := utf8.DecodeRuneInString(s[i:])
			if end += size; unicode.IsSpace(r) {
				gap, i = true, end
				continue
			}
			word = uint64(unicode.ToLower(r))
		}
		if gap && w.whole != wholeSeed {
			w.whole = mixed(w.whole, ' ')
		}
		gap = false
		w.whole = mixed(w.whole, word)
		if isWord && len(s) <= alikeText {
			w.add(word)
		}
		i = end
	}
	return w
}

// add adds a word.
func (w *words) add(word uint64) {
	w.list = append(w.list, word)
	w.sketch[word>>6&3] |= 1 << (word & 63)
}

// wordAt returns a hash of the word that begins at i, and where it ends; the end is i if no
// word begins there. It reads letters and digits of ASCII eight at a time.
func wordAt(s string, i int) (hash uint64, end int) {
	hash = wordSeed
	eight := uint64(0)
	for i < len(s) {
		c, size := uint64(bytesOf[s[i]]), 1
		if c == byteWide {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); !inWord(r) {
				break
			}
			c = uint64(unicode.ToLower(r))
		}
		switch {
		case c == 0:
			return mixed(hash, eight), i
		case c >= utf8.RuneSelf:
			hash, eight = mixed(mixed(hash, eight), c), 0
		default:
			if eight = eight<<8 | c; eight >= 1<<56 {
				hash, eight = mixed(hash, eight), 0
			}
		}
		i += size
	}
	return mixed(hash, eight), i
}

// inWord reports whether a character that is not ASCII is part of a word.
func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// each returns the distinct words, sorted.
func (w *words) each() []uint64 {
	if !w.sorted {
		slices.Sort(w.list)
		w.list, w.sorted = slices.Compact(w.list), true
	}
	return w.list
}

// same reports whether two texts say nearly the same: they are equal except for case and white
// space, or share nine of ten words.
func (w *words) same(other *words) bool {
	if w.whole == other.whole {
		return true
	}
	// If two texts share nine of ten words, at most an eighteenth of both is in one text alone,
	// and a bit that only one sketch has needs one of these words.
	if w.sketch.apart(&other.sketch, (len(w.list)+len(other.list))/18) {
		return false
	}
	a, b := w.each(), other.each()
	least, most := min(len(a), len(b)), max(len(a), len(b))
	if least < fewWords || 10*least < 9*most {
		return false
	}
	// At most a tenth of the union may be in one text alone.
	apart, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i++
			j++
			continue
		case a[i] < b[j]:
			i++
		default:
			j++
		}
		if apart++; 10*apart > len(a)+len(b) {
			return false
		}
	}
	apart += len(a) - i + len(b) - j
	// len(a)+len(b) counts shared words twice and the others once.
	common := (len(a) + len(b) - apart) / 2
	return 10*common >= 9*(common+apart)
}

// apart reports whether more than most bits are set in only one of two sketches. The first few
// words of bits tell most texts apart.
func (s *sketch) apart(other *sketch, most int) bool {
	n := 0
	for i, bit := range s {
		if n += bits.OnesCount64(bit ^ other[i]); n > most {
			return true
		}
	}
	return false
}
