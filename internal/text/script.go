package text

import "unicode"

// written reports whether a character beyond ASCII is a letter, a digit or a mark.
func written(r rune) bool {
	return 0x410 <= r && r < 0x450 || unicode.IsLetter(r) || unicode.In(r, unicode.M, unicode.N)
}

// unspaced reports whether a letter is of a script that becomes pairs of letters.
func unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r < 0x0F00, // Thai, Lao
		0x1000 <= r && r < 0x10A0, // Myanmar
		0x1100 <= r && r < 0x1200, // Hangul letters
		0x1780 <= r && r < 0x1800, // Khmer
		0x3000 <= r && r < 0x3400, // kana, Bopomofo, Hangul letters
		0xA000 <= r && r < 0xA4D0, // Yi
		0xA960 <= r && r < 0xA980, // Hangul letters
		0xAA60 <= r && r < 0xAA80: // Myanmar
		return unicode.IsLetter(r) || r == '〇'
	case 0x3400 <= r && r < 0x4DC0, 0x4E00 <= r && r < 0xA000, // Han
		0xAC00 <= r && r < 0xD7FC, // Hangul
		0xF900 <= r && r < 0xFB00, 0x20000 <= r && r < 0x40000:
		return unicode.IsLetter(r)
	}
	return false
}

// emoji reports whether a character is a picture that is worth a term. Lines, blocks and
// decorative patterns are not.
func emoji(r rune) bool {
	if r < 0x2300 || 0x2400 <= r && r < 0x2600 || 0x2800 <= r && r < 0x2900 {
		return false
	}
	return unicode.Is(unicode.So, r) || tone(r)
}

// tone reports whether a character is a skin tone.
func tone(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

// digit returns the value of a digit of any script, or -1.
func digit(r rune) rune {
	if !unicode.IsDigit(r) {
		return -1
	}
	for _, block := range unicode.Nd.R16 {
		if r <= rune(block.Hi) {
			return (r - rune(block.Lo)) % 10
		}
	}
	for _, block := range unicode.Nd.R32 {
		if r <= rune(block.Hi) {
			return (r - rune(block.Lo)) % 10
		}
	}
	return -1
}
