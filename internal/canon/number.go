package canon

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
	"strings"
)

// AppendNumber appends f as ECMAScript writes it, as RFC 8785 requires. f must be finite.
func AppendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // also for -0
	}
	if dst, ok := appendMillionths(dst, f); ok {
		return dst
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go pads the exponent to two digits, ECMAScript does not: 1e-07 → 1e-7.
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// appendMillionths appends a number that is nearest to a small, non-negative number of
// millionths. Numbers of at most 15 digits are distinct doubles, so no shorter text means the
// same one.
func appendMillionths(dst []byte, f float64) ([]byte, bool) {
	const million, most = 1e6, 1e15
	if !(f >= 0 && f < most/million) {
		return dst, false
	}
	n := uint64(f*million + 0.5)
	if float64(n)/million != f {
		return dst, false
	}
	dst = strconv.AppendUint(dst, n/million, 10)
	part := n % million
	if part == 0 {
		return dst, true
	}
	var digits [7]byte
	digits[0] = '.'
	for i := 6; i > 0; i-- {
		digits[i] = byte('0' + part%10)
		part /= 10
	}
	return append(dst, bytes.TrimRight(digits[:], "0")...), true
}

// AppendShortest appends f in as few bytes as a JSON number needs, which is not always its
// canonical form: 1e20, not 100000000000000000000. f must be finite.
func AppendShortest(dst []byte, f float64) []byte {
	start := len(dst)
	dst = AppendNumber(dst, f)
	if text := dst[start:]; !bytes.Contains(text, []byte("00")) && bytes.IndexByte(text, 'e') < 0 {
		return dst // an exponent is shorter only if it replaces zeros
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	at := bytes.IndexByte(e, 'e') + 1
	exponent := bytes.TrimLeft(bytes.TrimPrefix(e[at:], []byte("+")), "0")
	if e[at] == '-' {
		exponent = append([]byte("-"), bytes.TrimLeft(e[at+1:], "0")...)
	}
	if len(exponent) > 0 && at+len(exponent) < len(dst)-start {
		dst = append(append(dst[:start], e[:at]...), exponent...)
	}
	return dst
}

// appendNumberText appends the canonical form of a checked number text.
func appendNumberText(dst, text []byte, fraction bool) []byte {
	if !fraction && len(text) <= 15 && text[0] != '-' {
		return append(dst, text...) // a small integer is canonical
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return append(dst, text...) // unreachable: Parse marks such numbers Broken
	}
	return AppendNumber(dst, f)
}

// decimal splits a checked number text into its significant digits (no leading or trailing
// zeros) and their power of ten.
func decimal(text []byte) (neg bool, digs []byte, exp int64) {
	i := 0
	if text[0] == '-' {
		neg, i = true, 1
	}
	fraction := false
	for ; i < len(text) && text[i]|0x20 != 'e'; i++ {
		if text[i] == '.' {
			fraction = true
			continue
		}
		digs = append(digs, text[i])
		if fraction {
			exp--
		}
	}
	if i < len(text) {
		// Out of range, e is the nearest int64; it is clamped so that the sum does not
		// overflow, and still outweighs all digits of a text.
		e, _ := strconv.ParseInt(string(text[i+1:]), 10, 64)
		exp += min(max(e, -1<<40), 1<<40)
	}
	for len(digs) > 0 && digs[len(digs)-1] == '0' {
		digs, exp = digs[:len(digs)-1], exp+1
	}
	for len(digs) > 0 && digs[0] == '0' {
		digs = digs[1:]
	}
	return neg, digs, exp
}

// integral reports whether a number text with a fraction or exponent is an integer, exactly and
// not as a double.
func integral(text []byte) bool {
	_, digs, exp := decimal(text)
	return len(digs) == 0 || exp >= 0
}

// exactInt returns a number text as an int64 if its value is one.
func exactInt(text []byte) (int64, bool) {
	neg, digs, exp := decimal(text)
	if len(digs) == 0 {
		return 0, true
	}
	if exp < 0 || int64(len(digs))+exp > 19 {
		return 0, false
	}
	buf := make([]byte, 0, 20)
	if neg {
		buf = append(buf, '-')
	}
	buf = append(buf, digs...)
	for range exp {
		buf = append(buf, '0')
	}
	v, err := strconv.ParseInt(string(buf), 10, 64)
	return v, err == nil
}

// InRange reports whether number n lies from least to most, exactly.
func (d *Doc) InRange(n Node, least, most int64) bool {
	e := &d.tape[n]
	text := d.data[e.start:e.end]
	switch {
	case e.flags&flagFraction == 0 && len(text) <= 18 && text[0] != '-':
		v := int64(0)
		for _, c := range text {
			v = v*10 + int64(c-'0')
		}
		return v >= least && v <= most
	case least == 0 && most >= 1 && len(text) > 1 && text[0] == '0' && text[1] == '.' && !hasExponent(text):
		return true // 0.something
	}
	return d.CompareInt(n, least) >= 0 && d.CompareInt(n, most) <= 0
}

func hasExponent(text []byte) bool {
	for _, c := range text {
		if c|0x20 == 'e' {
			return true
		}
	}
	return false
}

// CompareInt compares number n with an integer exactly, as a decimal and not as a double:
// 1.00000000000000000001 is greater than 1.
func (d *Doc) CompareInt(n Node, bound int64) int {
	text := d.Raw(n)
	if len(text) <= 15 && !hasExponent(text) {
		// A double preserves this few digits, and the nearest double lies on the same side of
		// an integer.
		f, _ := strconv.ParseFloat(string(text), 64)
		return cmp.Compare(f, float64(bound))
	}
	neg, digs, exp := decimal(text)
	limit := strconv.FormatInt(bound, 10)
	limitNeg := bound < 0
	limit = strings.TrimPrefix(limit, "-")
	switch {
	case len(digs) == 0:
		return cmp.Compare(0, bound)
	case neg != limitNeg || bound == 0:
		if neg {
			return -1
		}
		return 1
	}
	c := cmp.Compare(int64(len(digs))+exp, int64(len(limit)))
	if c == 0 {
		// The same number of digits before the point: compare digit by digit, the shorter one
		// padded with zeros (digs has no trailing zero).
		c = strings.Compare(string(digs), strings.TrimRight(limit, "0"))
	}
	if neg {
		return -c
	}
	return c
}
