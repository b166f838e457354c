package english

import (
	"strings"
	"unicode/utf8"
)

// Clip cuts a text at a word.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most]
	for len(text) > 0 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	if i := strings.LastIndexAny(text, " \n\t"); i > most/2 {
		text = text[:i]
	}
	return text
}

func LetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func NameByte(c byte) bool { return LetterOrDigit(c) || c == '_' || c == '$' }

// CodeLike reports whether a word of a rule is a name of code, such as console.log, rather than
// a file or a host.
func CodeLike(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	if dot <= 0 || dot == len(v)-1 || strings.ContainsAny(v, "/*~:@ ") {
		return false
	}
	for i := range len(v) {
		if !NameByte(v[i]) && v[i] != '.' {
			return false
		}
	}
	return v[0] > '9' && !endings()[strings.ToLower(v[dot+1:])]
}

// endings are those of files and of the names of machines.
var endings = List("py js ts jsx tsx mjs cjs sh bash zsh go rb rs c h cc cpp hpp java kt swift cs php pl lua sql json jsonc yaml yml toml lock md rst txt env cfg ini conf xml html htm css scss vue svelte proto tf csv pdf png jpg svg gz zip tar exe dll so bak tmp out mk gradle sum mod " +
	"com org net io dev ai app cloud internal local example test edu gov de uk eu us co")
