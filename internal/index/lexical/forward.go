package lexical

import (
	"encoding/binary"
	"math"
	"slices"

	"lukasa.dev/internal/text"
)

// The forward row of a document:
//
//	length   uvarint: tokens outside of tags
//	terms    uvarint number, then each term once, 6 bytes big-endian, ascending
//	weights  a byte for each term: its occurrences by field, in halves
//	fields   a byte: how many follow; each a byte, and the number of its tokens, uvarint
//	tokens   for each, field after field, the number of its term: 1, 2 or 4 bytes
//	         little-endian, by how many terms there are
//	places   for each its word, less that of the token before it in the field: varint

// boosts are the weights of an occurrence by field, in halves: 1 in the text, 2 in the
// title, 3 in the key, 1.5 in tags.
var boosts = [...]uint8{text.FieldText: 2, text.FieldTitle: 4, text.FieldKey: 6, text.FieldTags: 3}

// plain is the weight of one occurrence in the text.
const plain = 2

// maxWeight is the maximum weight of a term in a document.
const maxWeight = math.MaxUint8

// boost returns the weight of an occurrence in a field.
func boost(f text.Field) uint8 {
	if int(f) < len(boosts) {
		return boosts[f]
	}
	return plain
}

// heavier adds an occurrence to a weight.
func heavier(w, boost uint8) uint8 {
	if w > maxWeight-boost {
		return maxWeight
	}
	return w + boost
}

// forwardWriter makes forward rows. It is reused.
type forwardWriter struct {
	terms   []text.Term
	weights []uint8
	tokens  []text.Token
	places  []uint64 // a term and the index of a token that has it
	numbers []uint32
	row     []byte
	length  uint32
}

// write makes the row of a document with these tokens, of which there must be one.
// Terms, weights, length and row are then those of the document.
func (w *forwardWriter) write(tokens []text.Token) {
	inOrder, last := true, 0
	var counts [256]uint32
	for i := range tokens {
		inOrder = inOrder && (i == 0 || tokens[i-1].Field <= tokens[i].Field)
		counts[tokens[i].Field]++
		last = max(last, int(tokens[i].Field))
	}
	if !inOrder {
		tokens = w.byField(tokens, &counts)
	}
	if len(tokens) <= 1<<placeBits {
		w.number(tokens)
	} else {
		w.numberMany(tokens)
	}
	w.length = uint32(len(tokens)) - counts[text.FieldTags]

	row := binary.AppendUvarint(w.row[:0], uint64(w.length))
	row = binary.AppendUvarint(row, uint64(len(w.terms)))
	for _, t := range w.terms {
		row = appendTerm(row, t)
	}
	row = append(row, w.weights...)
	fields := len(row)
	row = append(row, 0)
	for f := range last + 1 {
		if counts[f] > 0 {
			row[fields]++
			row = binary.AppendUvarint(append(row, byte(f)), uint64(counts[f]))
		}
	}
	switch width := numberWidth(len(w.terms)); width {
	case 1:
		for _, n := range w.numbers {
			row = append(row, byte(n))
		}
	case 2:
		for _, n := range w.numbers {
			row = binary.LittleEndian.AppendUint16(row, uint16(n))
		}
	default:
		for _, n := range w.numbers {
			row = binary.LittleEndian.AppendUint32(row, n)
		}
	}
	before := uint32(0)
	for i := range tokens {
		if i > 0 && tokens[i].Field != tokens[i-1].Field {
			before = 0
		}
		row = binary.AppendVarint(row, int64(tokens[i].At)-int64(before))
		before = tokens[i].At
	}
	w.row = row
}

// byField returns tokens field by field, otherwise in their order.
func (w *forwardWriter) byField(tokens []text.Token, counts *[256]uint32) []text.Token {
	w.tokens = slices.Grow(w.tokens[:0], len(tokens))[:len(tokens)]
	var ends [256]uint32
	at := uint32(0)
	for f, n := range counts {
		ends[f] = at
		at += n
	}
	for i := range tokens {
		end := &ends[tokens[i].Field]
		w.tokens[*end] = tokens[i]
		*end++
	}
	return w.tokens
}

// placeBits is how many bits are left for the index of a token beside its term.
const placeBits = 64 - termBits

// number sets the terms, their weights, and the number of the term of each token. Terms
// are sorted with the indexes of their tokens, so that no search is needed.
func (w *forwardWriter) number(tokens []text.Token) {
	w.places = w.places[:0]
	for i := range tokens {
		w.places = append(w.places, uint64(tokens[i].Term)<<placeBits|uint64(i))
	}
	slices.Sort(w.places)
	w.terms, w.weights = w.terms[:0], w.weights[:0]
	w.numbers = slices.Grow(w.numbers[:0], len(tokens))[:len(tokens)]
	n := -1
	for _, p := range w.places {
		if t := text.Term(p >> placeBits); n < 0 || w.terms[n] != t {
			w.terms, w.weights = append(w.terms, t), append(w.weights, 0)
			n++
		}
		i := p & (1<<placeBits - 1)
		w.weights[n] = heavier(w.weights[n], boost(tokens[i].Field))
		w.numbers[i] = uint32(n)
	}
}

// numberMany is number for more tokens than fit beside a term.
func (w *forwardWriter) numberMany(tokens []text.Token) {
	w.terms = w.terms[:0]
	for i := range tokens {
		w.terms = append(w.terms, tokens[i].Term&(1<<termBits-1))
	}
	slices.Sort(w.terms)
	w.terms = slices.Compact(w.terms)
	w.weights = slices.Grow(w.weights[:0], len(w.terms))[:len(w.terms)]
	clear(w.weights)
	w.numbers = w.numbers[:0]
	for i := range tokens {
		n := find(w.terms, tokens[i].Term&(1<<termBits-1))
		w.weights[n] = heavier(w.weights[n], boost(tokens[i].Field))
		w.numbers = append(w.numbers, uint32(n))
	}
}

// find returns the index of an existing term among ascending ones.
func find(terms []text.Term, t text.Term) int {
	low, high := 0, len(terms)
	for low < high {
		if m := int(uint(low+high) >> 1); terms[m] < t {
			low = m + 1
		} else {
			high = m
		}
	}
	return low
}

// numberWidth is how many bytes the number of a term takes.
func numberWidth(terms int) int {
	switch {
	case terms <= 1<<8:
		return 1
	case terms <= 1<<16:
		return 2
	}
	return 4
}

// forward is a forward row, parsed up to its weights.
type forward struct {
	length  uint32
	terms   []byte
	weights []byte
	rest    []byte
}

// readForward parses a row. The result shares its memory.
func readForward(row []byte) (f forward, err error) {
	length, rest, ok := uvarint(row)
	var terms uint64
	if ok {
		terms, rest, ok = uvarint(rest)
	}
	if !ok || length > math.MaxUint32 || terms == 0 || terms > uint64(len(rest))/(text.TermBytes+1) {
		return forward{}, damaged("a document")
	}
	n := int(terms)
	f.length = uint32(length)
	f.terms, rest = rest[:n*text.TermBytes], rest[n*text.TermBytes:]
	f.weights, f.rest = rest[:n], rest[n:]
	for i := 1; i < n; i++ {
		if f.term(i-1) >= f.term(i) {
			return forward{}, damaged("a document")
		}
	}
	return f, nil
}

func (f *forward) term(i int) text.Term { return termAt(f.terms[i*text.TermBytes:]) }

// weight returns the weight of a term in the document, zero if it does not occur.
func (f *forward) weight(t text.Term) uint8 {
	low, high := 0, len(f.weights)
	for low < high {
		if m := int(uint(low+high) >> 1); f.term(m) < t {
			low = m + 1
		} else {
			high = m
		}
	}
	if low < len(f.weights) && f.term(low) == t {
		return f.weights[low]
	}
	return 0
}

// tokens returns the tokens of the document, field by field.
func (f *forward) tokens() ([]text.Token, error) {
	rest := f.rest
	if len(rest) == 0 {
		return nil, damaged("a document")
	}
	type run struct {
		field text.Field
		count int
	}
	runs := make([]run, 0, len(boosts))
	fields, total := int(rest[0]), 0
	rest = rest[1:]
	for i := range fields {
		if len(rest) == 0 {
			return nil, damaged("a document")
		}
		field := text.Field(rest[0])
		count, r, ok := uvarint(rest[1:])
		if !ok || count == 0 || count > uint64(len(r)) || i > 0 && field <= runs[i-1].field {
			return nil, damaged("a document")
		}
		rest, total = r, total+int(count)
		runs = append(runs, run{field, int(count)})
	}
	width := numberWidth(len(f.weights))
	if total == 0 || total > len(rest)/(width+1) {
		return nil, damaged("a document")
	}
	numbers, places := rest[:total*width], rest[total*width:]
	list := make([]text.Token, 0, total)
	outside := total
	for _, r := range runs {
		before := int64(0)
		if r.field == text.FieldTags {
			outside -= r.count
		}
		for range r.count {
			var n int
			switch i := len(list); width {
			case 1:
				n = int(numbers[i])
			case 2:
				n = int(binary.LittleEndian.Uint16(numbers[2*i:]))
			default:
				n = int(binary.LittleEndian.Uint32(numbers[4*i:]))
			}
			step, size := binary.Varint(places)
			if size <= 0 || n >= len(f.weights) || step > math.MaxUint32 || step < -math.MaxUint32 {
				return nil, damaged("a document")
			}
			places = places[size:]
			if before += step; before < 0 || before > math.MaxUint32 {
				return nil, damaged("a document")
			}
			list = append(list, text.Token{Term: f.term(n), At: uint32(before), Field: r.field})
		}
	}
	if len(places) > 0 || outside != int(f.length) {
		return nil, damaged("a document")
	}
	return list, nil
}
