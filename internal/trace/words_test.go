package trace

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawSaid draws what a message may say: words, stop words, values, signs.
func drawSaid(t *rapid.T) string {
	words := rapid.SampledFrom([]string{
		"the", "Parcel", "parcel", "PARCEL", "invoice", "it", "works", "Thanks", "x", "a1", "don't", "über", "Über", "好", "", "!", "so_so",
		"good now", "broken", "solvent", "wan", "ted", strings.Repeat("w", maxWord), strings.Repeat("w", maxWord+1),
	})
	return strings.Join(rapid.SliceOfN(words, 0, 12).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", ", "}).Draw(t, "between"))
}

// Few words are counted as they are listed.
func TestFewWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawSaid(t)
		for limit := 1; limit <= 2; limit++ {
			r := &Reader{}
			r.shared = &r.own
			if got, want := fewWords(text, limit), len(r.fold(r.newList(), text, limit)); got != want {
				t.Fatalf("%q has %d words of up to %d, want %d", text, got, limit, want)
			}
		}
	})
}

// What every judgement has in it is found wherever it stands.
func TestMayJudge(t *testing.T) {
	for _, list := range [][]string{complaints[:], praises[:]} {
		for _, s := range list {
			for _, text := range []string{s, "so " + s, s + " now", "w" + s + "w"} {
				if !mayJudge([]byte(text)) {
					t.Errorf("%q may not judge", text)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToLower(drawSaid(t))
		want := false
		for _, s := range []string{"work", "fix", "bro", "fail", "wrong", "solved", "asked", "wanted", "good now"} {
			want = want || strings.Contains(text, s)
		}
		if got := mayJudge([]byte(text)); got != want {
			t.Fatalf("%q may judge: %v, want %v", text, got, want)
		}
	})
}
