package english

import (
	"strings"

	"lukasa.dev/internal/programs"
)

// unparticiple returns the verb of a participle in -ed, or "".
func unparticiple(low string) string {
	stem, ok := strings.CutSuffix(low, "ed")
	if !ok || len(stem) < 2 {
		return ""
	}
	for _, base := range []string{stem, stem + "e"} {
		if Actions()[base] {
			return base
		}
	}
	if n := len(stem); stem[n-1] == stem[n-2] && Actions()[stem[:n-1]] {
		return stem[:n-1]
	}
	return ""
}

// Participle reports whether a word can be what is done to something.
func Participle(low string) bool {
	return strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "ible") || strings.HasSuffix(low, "able") || strings.HasSuffix(low, "en") || low == "done" || low == "built" || low == "green" || low == "kept" || low == "run" || low == "made"
}

// Stem returns a word without the ending of its number or its -ing.
func Stem(low string) string {
	low = strings.TrimSuffix(low, "'s")
	if base := Gerund(low, Actions()); base != "" && !Actions()[low] {
		return base
	}
	n := len(low)
	switch {
	case n > 4 && strings.HasSuffix(low, "ies"):
		return low[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(low, "ches") || strings.HasSuffix(low, "shes") || strings.HasSuffix(low, "sses") || strings.HasSuffix(low, "xes")):
		return low[:n-2]
	case n > 3 && strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss") && !strings.HasSuffix(low, "us") && !strings.HasSuffix(low, "is"):
		return low[:n-1]
	}
	return low
}

// CanBeVerb reports whether a word can be the verb of a deed: closed lists of verbs are too short
// behind words that can only have a verb behind them.
func (w Word) CanBeVerb() bool {
	low := w.Low
	if Actions()[low] || programs.Spoken()[low] {
		return !w.Quoted || w.Code
	}
	if w.Quoted || len(low) < 2 || Vague()[low] || Determiners()[low] || Prepositions()[low] || Reasons()[low] || unverbs()[low] || Counts()[low] || Past()[low] || Plural(low) && !strings.HasSuffix(low, "ss") {
		return false
	}
	for _, r := range low {
		if (r < 'a' || r > 'z') && r != '-' {
			return false
		}
	}
	return !strings.HasSuffix(low, "ed") && !strings.HasSuffix(low, "ing") && !strings.HasSuffix(low, "ly")
}

// DeedNoun returns the verb of a noun in the plural that names what agents do: "upgrades".
func DeedNoun(low string) string {
	if v := DeedNouns[low]; v != "" && Plural(low) {
		return v
	}
	if v := Stem(low); Plural(low) && (Crafts()[v] || nominal()[v]) {
		return v
	}
	return ""
}

// singularOf returns a word without the s of its plural.
func singularOf(low string) string {
	if Plural(low) {
		return low[:len(low)-1]
	}
	return low
}

// Third reports whether a word may be a verb in the third person.
func Third(low string) bool {
	return len(low) > 3 && strings.HasSuffix(low, "s") && Actions()[strings.TrimSuffix(low, "s")] || strings.HasSuffix(low, "es") && Actions()[strings.TrimSuffix(low, "es")]
}

// Singular reports whether words are in the singular.
func Singular(words []Word) bool {
	return !strings.HasSuffix(words[len(words)-1].Low, "s")
}

// Gerund returns the verb of which a word is the form in -ing, if it is one of
// those known.
func Gerund(low string, known WordSet) string {
	stem, ok := strings.CutSuffix(low, "ing")
	if !ok || len(stem) < 2 {
		return ""
	}
	for _, base := range []string{stem, stem + "e"} {
		if known[base] {
			return base
		}
	}
	if n := len(stem); stem[n-1] == stem[n-2] && known[stem[:n-1]] {
		return stem[:n-1]
	}
	return ""
}

func Plural(low string) bool {
	return len(low) > 3 && strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss") && !Vague()[low]
}
