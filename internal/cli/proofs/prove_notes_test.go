package proofs

import (
	"reflect"
	"testing"
)

func TestSplitNotes(t *testing.T) {
	one := "origin\nerasure\n\n— a sig\n— b sig\n"
	two := "other\nerasure\n\n— c sig\n"
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing":        {"", []string{""}},
		"one":            {one, []string{one}},
		"two":            {one + two, []string{one, two}},
		"two, blank":     {one + "\n" + two + "\n\n", []string{one, two}},
		"no signature":   {"text\n", []string{"text\n"}},
		"text after one": {one + "text", []string{one, "text"}},
	} {
		var got []string
		for _, note := range splitNotes([]byte(tc.text)) {
			got = append(got, string(note))
		}
		if !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
