package secret

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// costly are texts made to be read again and again: a part that is repeated, and what follows
// it.
var costly = []struct{ part, end string }{
	{"password=", ""}, {"sk-", ""}, {"AKIA", ""}, {"token", ""}, {"password_", ""}, {"pass-", ""}, {"authorization:", ""}, {"Bearer ", ""},
	{"eyJ-", ""}, {"8Q~", ""}, {"secret=a1B2", ""}, {":AA", ""}, {"-us", ""}, {"1-us1", ""}, {"pwd=&", ""}, {"--token ", ""}, {"lukasa_scope_1.", ""},
	{"password is ", ""}, {"password to ", ""}, {"password for to ", ""}, {"password is now to be ", ""}, {"password is a1b2=c3", ""}, {"password is\\t", ""}, {"password to a" + strings.Repeat("b", 200) + " ", ""},
	{"a:b@tcp(", ""}, {"@tcp", ""}, {":@unix(", ""}, {"sk-abc-", ""}, {"sk-abcdefghijklmno-", ""}, {"sk-aaaaaa", ""},
	{"SG.", ""}, {"ghp_", ""}, {"pass=", ""}, {"pass=aB3/", ""}, {"pass=x&p=&", ""}, {"pwd:", ""}, {"token=a.b.", ""}, {"sk-A1", ""},
	{"accountkey=", "EXAMPLE"}, {"authorization:aB3x9", "xxxx"}, {"authorization:aB3x9", strings.Repeat(".", 1<<18)},
	{"eyJ-", ".eyJ" + strings.Repeat("a", 1<<18)}, {strings.Repeat("token=aB3", 100) + "xxxx ", ""}, {strings.Repeat("pwd=aB3", 30) + "xxxx ", ""},
}

// TestCostsNoMoreThanItsLength scans texts made to be read again and again.
func TestCostsNoMoreThanItsLength(t *testing.T) {
	// Without limits most of these take minutes.
	for _, c := range costly {
		text := strings.Repeat(c.part, (1<<19)/len(c.part)) + c.end
		Text(text)
		JSON(`{"a":"` + text + `"}`)
	}
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, `,"ghp_%036d":1`, i*7919*104729)
	}
	if clean, n := JSON("{" + keys.String()[1:] + "}"); n < 19_000 || !json.Valid([]byte(clean)) {
		t.Errorf("%d keys were scrubbed", n)
	}
}

// BenchmarkCostly measures a mebibyte of them.
func BenchmarkCostly(b *testing.B) {
	for i, c := range costly {
		doc := `{"a":"` + strings.Repeat(c.part, (1<<20)/len(c.part)) + c.end + `"}`
		b.Run(fmt.Sprintf("%d-%.16s", i, c.part), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				JSON(doc)
			}
		})
	}
}

// TestRemembersWhatIsTrue compares cached results with computed ones, in any order of queries.
func TestRemembersWhatIsTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"aB3", "x9", "....", "::", "xxxx", "/", "=", "&a=", "&", " ", "'", ",", "~", "%", "é", "token", "0a1b2c", "QRST"}
	for range 300 {
		var text strings.Builder
		for range 1 + r.IntN(300) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		s := text.String()
		var l look
		for range 200 {
			from := r.IntN(len(s) + 1)
			for of := range sorts {
				to := from
				for to < len(s) && of.has(s, to) {
					to++
				}
				if got := l.end(of, s, from); got != to {
					t.Fatalf("%q from %d: a run of sort %d ends at %d, not at %d", s, from, of, got, to)
				}
			}
			to := from + r.IntN(len(s)-from+1)
			if got, want := l.random(s, from, to), random(s[from:to]); got != want {
				t.Fatalf("%q: random is %v", s[from:to], got)
			}
			end := l.end(bearerRun, s, from)
			if got, want := l.sentence(s, from, end), from+len(strings.TrimRight(s[from:end], ".:")); got != want {
				t.Fatalf("%q: ends at %d, not at %d", s[from:end], got, want)
			}
			if got, want := l.standIn(s, from, end), placeholder("ab"+s[from:end]); got != want {
				t.Fatalf("%q: a stand-in is in it: %v", s[from:end], got)
			}
		}
	}
}

// TestLongKeysAreTakenWhole: nothing of a key that is longer than the scan remains.
func TestLongKeysAreTakenWhole(t *testing.T) {
	for _, begin := range []string{"lukasa_scope_1.", "sk-", "Authorization: Bearer ", "ya29."} {
		clean, n := Text(begin + strings.Repeat("x9YzQ4", longestLook) + " end")
		if n != 1 || !strings.HasSuffix(clean, "] end") || len(clean) > 100 {
			t.Errorf("%s: %d, %.200s", begin, n, clean)
		}
	}
}
