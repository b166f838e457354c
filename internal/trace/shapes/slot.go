// Package shapes makes shapes of command lines, of errors, and of single values, which become the
// slot of their kind. Two acts that differ only in values have one shape.
//
// Boards store shapes: a change of a shape raises the Version of internal/trace.
package shapes

import (
	"strings"
	"sync"
)

// slotNames are the kinds as they stand in shapes, in the order of their numbers.
// Kinds that stand for themselves have none.
var slotNames = [...]string{
	SlotText: "<text>", SlotWord: "<word>", SlotID: "<id>", SlotUUID: "<uuid>", SlotHash: "<hash>", SlotInt: "<int>",
	SlotNumber: "<number>", SlotDate: "<date>", SlotTime: "<time>", SlotEmail: "<email>", SlotPath: "<path>", SlotURL: "<url>",
	SlotCode: "<code>", SlotBool: "<bool>", SlotNull: "null", SlotList: "<list>", SlotObject: "<object>",
}

// String returns the kind as it stands in shapes.
func (s Slot) String() string {
	if int(s) < len(slotNames) {
		return slotNames[s]
	}
	return "<text>"
}

// IsID reports whether values of the kind identify one object among many.
func (s Slot) IsID() bool {
	switch s {
	case SlotID, SlotUUID, SlotHash, SlotPath, SlotURL, SlotEmail, SlotCode:
		return true
	}
	return false
}

const (
	MaxSlotWord = 20  // letters of a word that stands for itself
	maxSlotCode = 8   // capitals of a code
	MaxSlotText = 512 // bytes of a value that are read; a longer one is text
)

// traits counts the characters of a value by class.
type traits struct {
	digits, lower, upper, hex                     int
	dots, dashes, unders, slashes, ats, colons    int
	commas, blanks, others, hashes, pluses, wides int
}

func (t *traits) letters() int { return t.lower + t.upper + t.wides }

// classes are the traits that a byte counts for.
const (
	ClassOther byte = iota
	ClassDigit
	ClassLower
	ClassUpper
	ClassDot
	ClassDash
	ClassUnder
	ClassSlash
	ClassAt
	ClassColon
	ClassComma
	ClassBlank
	ClassHash
	ClassPlus
	ClassWide
)

var Classes = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= '0' && c <= '9':
			table[c] = ClassDigit
		case c >= 'a' && c <= 'z':
			table[c] = ClassLower
		case c >= 'A' && c <= 'Z':
			table[c] = ClassUpper
		case c >= 0x80:
			table[c] = ClassWide
		}
	}
	for i, c := range []byte(". - _ / @ : ,") {
		if c != ' ' {
			table[c] = ClassDot + byte(i/2)
		}
	}
	table['\\'] = ClassSlash
	for _, c := range []byte(" \t\r\n\v\f") {
		table[c] = ClassBlank
	}
	table['#'], table['+'] = ClassHash, ClassPlus
	return table
}()

func traitsOf[T string | []byte](v T) traits {
	var n [ClassWide + 1]int
	hex := 0
	for i := range len(v) {
		c := v[i]
		n[Classes[c]]++
		if c-'a' < 6 || c-'A' < 6 {
			hex++
		}
	}
	return traits{
		digits: n[ClassDigit], lower: n[ClassLower], upper: n[ClassUpper], hex: hex + n[ClassDigit],
		dots: n[ClassDot], dashes: n[ClassDash], unders: n[ClassUnder], slashes: n[ClassSlash], ats: n[ClassAt], colons: n[ClassColon],
		commas: n[ClassComma], blanks: n[ClassBlank], others: n[ClassOther], hashes: n[ClassHash], pluses: n[ClassPlus], wides: n[ClassWide],
	}
}

// SlotOf returns the kind of a value that is a string.
func SlotOf(v string) Slot {
	if v == "" || len(v) > MaxSlotText {
		return SlotText
	}
	t := traitsOf(v)
	if t.digits > 0 && (timeLike(v) || t.blanks > 0 && clockWords(v)) {
		return SlotTime
	}
	if t.blanks > 0 {
		return SlotText
	}
	switch {
	case urlLike(v):
		return SlotURL
	case t.digits > 0 && dateLike(v):
		return SlotDate
	case t.digits > 0 && t.letters() == 0 && t.others == 0 && t.slashes == 0 && t.ats == 0 && t.unders == 0 && t.hashes == 0:
		return numberSlot(v, &t)
	case t.digits > 0 && moneyLike(v):
		return SlotNumber
	case t.ats == 1 && emailLike(v):
		return SlotEmail
	case uuidLike(v):
		return SlotUUID
	case t.slashes > 0 || fileLike(v):
		return SlotPath
	case t.hex == len(v) && len(v) >= 7 && t.digits > 0 && (t.lower == 0 || t.upper == 0):
		return SlotHash
	case t.others > 0 || t.ats > 0:
		return SlotText
	}
	return wordSlot(v, &t)
}

// wordSlot is slotOf for one word of letters, digits and marks that join them.
func wordSlot(v string, t *traits) Slot {
	switch {
	case t.upper == len(v) && len(v) >= 2 && len(v) <= maxSlotCode:
		return SlotCode
	case t.digits > 0:
		return SlotID
	case t.lower+t.unders+t.dashes == len(v) && len(v) <= MaxSlotWord && t.lower > 0:
		return SlotWord
	}
	return SlotText
}

// numberSlot tells whole numbers from others.
func numberSlot(v string, t *traits) Slot {
	if t.colons > 0 {
		return SlotID
	}
	sign := 0
	if v[0] == '-' || v[0] == '+' {
		sign = 1
	}
	switch {
	case t.digits+sign == len(v):
		return SlotInt
	case t.dashes+t.pluses == sign && (t.dots <= 1 || t.commas == 0 && t.dots == 1):
		return SlotNumber
	}
	return SlotID
}

// moneyLike reports whether v is a number with a mark of money or a percent sign.
func moneyLike(v string) bool {
	v = strings.TrimSuffix(v, "%")
	for _, mark := range [...]string{"$", "€", "£", "¥", "-$"} {
		v = strings.TrimPrefix(v, mark)
	}
	if v == "" {
		return false
	}
	for i := range len(v) {
		if c := v[i]; c-'0' > 9 && c != '.' && c != ',' {
			return false
		}
	}
	return true
}

// digitsAt reports whether n digits stand at i.
func digitsAt(v string, i, n int) bool {
	if i+n > len(v) {
		return false
	}
	for _, c := range []byte(v[i : i+n]) {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// dateLike reports whether v is a date in digits.
func dateLike(v string) bool { return dateLen(v) == len(v) && v != "" }

// dateLen returns the length of the date in digits that v begins with, or 0.
func dateLen(v string) int {
	if len(v) >= 10 && digitsAt(v, 0, 4) && (v[4] == '-' || v[4] == '/' || v[4] == '.') && v[7] == v[4] && digitsAt(v, 5, 2) && digitsAt(v, 8, 2) {
		return 10
	}
	i := 0
	for part := range 3 {
		n := 0
		for i+n < len(v) && n < 4 && v[i+n]-'0' <= 9 {
			n++
		}
		if n == 0 || part < 2 && n > 2 || part == 2 && n != 2 && n != 4 {
			return 0
		}
		i += n
		if part < 2 {
			if i >= len(v) || v[i] != '/' && v[i] != '.' {
				return 0
			}
			i++
		}
	}
	if i == len("1.2.34") && v[1] == '.' {
		return 0 // a version
	}
	return i
}

// clockLen returns the length of the time of day that v begins with, or 0.
func clockLen(v string) int {
	i := 0
	for i < len(v) && i < 2 && v[i]-'0' <= 9 {
		i++
	}
	if i == 0 || i >= len(v) || v[i] != ':' || !digitsAt(v, i+1, 2) {
		return 0
	}
	i += 3
	if i < len(v) && v[i] == ':' && digitsAt(v, i+1, 2) {
		i += 3
		if i < len(v) && (v[i] == '.' || v[i] == ',') && digitsAt(v, i+1, 1) {
			for i++; i < len(v) && v[i]-'0' <= 9; i++ {
			}
		}
	}
	return i
}

// timeLen returns the length of the time with or without a date that v begins
// with, or 0. A date alone is none.
func timeLen(v string) int {
	i := dateLen(v)
	if i > 0 {
		if i >= len(v) || v[i]|0x20 != 't' && v[i] != ' ' {
			return 0
		}
		i++
	}
	n := clockLen(v[i:])
	if n == 0 {
		return 0
	}
	i += n
	switch {
	case i < len(v) && v[i]|0x20 == 'z':
		i++
	case i+6 <= len(v) && (v[i] == '+' || v[i] == '-') && digitsAt(v, i+1, 2) && v[i+3] == ':' && digitsAt(v, i+4, 2):
		i += 6
	}
	return i
}

func timeLike(v string) bool { return timeLen(v) == len(v) && v != "" }

// clockWords reports whether v is a time of day with am or pm behind it.
func clockWords(v string) bool {
	n := clockLen(v)
	if n == 0 {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(v[n:])) {
	case "am", "pm", "a.m.", "p.m.", "utc", "est", "pst", "cet", "gmt":
		return true
	}
	return false
}

// urlLike reports whether v begins as an address does.
func urlLike(v string) bool {
	i := strings.Index(v[:min(len(v), 24)], "://")
	if i < 2 {
		return strings.HasPrefix(v, "www.") && len(v) > len("www.x.y") || strings.HasPrefix(v, "mailto:")
	}
	for _, c := range []byte(v[:i]) {
		if k := Classes[c]; k != ClassLower && k != ClassUpper && k != ClassDigit && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// emailLike reports whether v is an address of mail, given that it has one @.
func emailLike(v string) bool {
	at := strings.IndexByte(v, '@')
	if at <= 0 {
		return false
	}
	dot := strings.LastIndexByte(v[at:], '.')
	return dot > 1 && at+dot < len(v)-1 && !strings.ContainsAny(v, "/\\:")
}

// uuidLike reports whether v is a UUID in its usual form.
func uuidLike(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		c := v[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if c-'0' > 9 && c|0x20-'a' > 5 {
			return false
		}
	}
	return true
}

// fileEndings are the endings by which a word without a slash is a file.
var fileEndings = List("go py pyi ipynb js jsx mjs cjs ts tsx vue svelte rs java kt kts scala groovy c h cc cpp cxx hpp cs fs vb rb erb php pl lua r jl ex exs erl hs ml " +
	"dart zig swift sql graphql proto sh bash zsh ps1 bat mk cmake gradle html htm css scss sass less xml svg json jsonl ndjson yaml yml toml ini cfg conf env lock " +
	"properties tf tfvars md mdx rst txt csv tsv log pdf png jpg jpeg gif webp zip gz tar tgz doc docx xls xlsx ppt pptx parquet db sqlite pem key mod sum patch diff whl jar exe dll so")

// maxEnding is the length of the longest of them.
const maxEnding = 10

// fileLike reports whether v is the name of a file by its ending.
func fileLike(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	if dot < 0 || dot == len(v)-1 || len(v)-dot-1 > maxEnding {
		return false
	}
	if dot == 0 {
		return fileEndings()[v[1:]] && v != ".r"
	}
	var buf [maxEnding]byte
	ending := Lower(buf[:0], v[dot+1:])
	return fileEndings()[string(ending)]
}

// Lower appends v with its ASCII letters in lower case.
func Lower[T string | []byte](dst []byte, v T) []byte {
	for i := range len(v) {
		c := v[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// List returns the words of a list as a set, which is made at its first use.
func List(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}

// Slot is the kind of a value.
type Slot uint8

// The kinds of values. The numbers are in caches.
const (
	SlotText Slot = iota // anything that is none of the others
	SlotWord             // a single lower-case word, kept in the shape as it is
	SlotID               // letters and digits together, no blank
	SlotUUID
	SlotHash   // hexadecimal digits, seven or more
	SlotInt    //
	SlotNumber //
	SlotDate   //
	SlotTime   // of a day, with a date or without
	SlotEmail  //
	SlotPath   //
	SlotURL    //
	SlotCode   // two to eight capital letters
	SlotBool   //
	SlotNull   //
	SlotList   //
	SlotObject //
)

// MaxShape is the most bytes of a shape, which is cut before a part.
const MaxShape = 240

// MaxError is the most bytes of a signature.
const MaxError = 200

// MaxName is the most bytes of the name of a tool or of an argument.
const MaxName = 80

// MaxArgs is the most arguments of a step.
const MaxArgs = 12
