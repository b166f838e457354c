package handout

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	block := Wrap("Memory (Lukasa).", "- Releases are cut every second Tuesday.\n\n- The linter is golangci.\n")
	inJSON, err := json.Marshal(map[string]string{"text": "before\n" + block + "\nafter"})
	if err != nil {
		t.Fatal(err)
	}
	quoted := "> " + strings.ReplaceAll(block, "\n", "\n> ")
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", "plain text\n", "plain text\n"},
		{"the sign alone", "see §L 4 of the contract and §2", "see §L 4 of the contract and §2"},
		{"a word that begins like it", "§Law is law", "§Law is law"},
		{"all of it", block, ""},
		{"before and after", "Fix it.\n\n" + block + "\n\nThank you.", "Fix it.\n\nThank you."},
		{"without its end", "Fix it.\n" + block[:strings.LastIndex(block, "\n")] + "\nMine.", "Fix it.\nMine."},
		{"without its beginning", block[strings.Index(block, "\n")+1:] + "\nMine.", "Mine."},
		{"one line", "You said:\n§L - Releases are cut every second Tuesday.\nIs that so?", "You said:\nIs that so?"},
		{"quoted", "You said:\n" + quoted + "\nWhy?", "You said:\nWhy?"},
		{"in a list", "- §L - a\n- mine", "- mine"},
		{"nested", "a\n" + Wrap("t", block+"\nb") + "\nc", "a\nc"},
		{"in JSON", string(inJSON), `{"text":"before\nafter"}`},
		{"at the beginning of a string", `{"a":"§L x\n§L y\nmine","b":1}`, `{"a":"mine","b":1}`},
		{"a whole string", `{"a":"§L x\n§L y","b":1}`, `{"a":"","b":1}`},
	} {
		got, n := Cut(tc.in)
		if got != tc.want {
			t.Errorf("%s:\n%q\nbecomes\n%q\nand not\n%q", tc.name, tc.in, got, tc.want)
		}
		if (n > 0) != (got != tc.in) {
			t.Errorf("%s: %d lines are said to be cut", tc.name, n)
		}
	}
}

func TestWrapNothing(t *testing.T) {
	if got := Wrap("title", " \n\t\n"); got != "" {
		t.Errorf("nothing becomes %q", got)
	}
}

// What was handed out is found again wherever it is put, and what is around it stays.
func FuzzCut(f *testing.F) {
	f.Add("before", "one\ntwo", "after")
	f.Add("§L", "§L §L\r\nx", "> §L")
	f.Add("", "a\u2028b\vc", "\n")
	f.Fuzz(func(t *testing.T, before, text, after string) {
		block := Wrap("title", text)
		if rest, _ := Cut(block); rest != "" {
			t.Fatalf("of a block is left %q", rest)
		}
		rest, _ := Cut(before + "\n" + block + "\n" + after)
		again, n := Cut(rest)
		if again != rest || n != 0 {
			t.Fatalf("cutting again makes %q of %q", again, rest)
		}
		if !strings.Contains(before, Mark) && !strings.Contains(after, Mark) {
			plain := strings.TrimSpace(before)
			if !strings.Contains(rest, plain) || !strings.Contains(rest, strings.TrimSpace(after)) {
				t.Fatalf("%q and %q are not in %q", before, after, rest)
			}
		}
	})
}
