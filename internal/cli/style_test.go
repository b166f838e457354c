package cli

import (
	"os"
	"strings"
	"testing"
)

func TestColoursOnlyWhereWanted(t *testing.T) {
	capable := terminal{is: true, ansi: true}
	for _, tc := range []struct {
		name string
		end  terminal
		vars map[string]string
		want string
	}{
		{"a terminal", capable, map[string]string{"TERM": "xterm"}, "\x1b[31mx\x1b[0m"},
		{"no terminal", terminal{}, map[string]string{"TERM": "xterm"}, "x"},
		{"an old console", terminal{is: true}, nil, "x"},
		{"NO_COLOR", capable, map[string]string{"NO_COLOR": "0"}, "x"},
		{"a dumb terminal", capable, map[string]string{"TERM": "dumb"}, "x"},
	} {
		p := newPalette(tc.end, func(name string) string { return tc.vars[name] })
		if got := p.red("x"); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if got := p.bold(""); got != "" {
			t.Errorf("%s: nothing became %q", tc.name, got)
		}
	}
}

func TestEveryColourIsItsOwnAndEnds(t *testing.T) {
	p := palette{on: true}
	seen := map[string]string{}
	for name, colour := range map[string]func(string) string{
		"bold": p.bold, "dim": p.dim, "red": p.red, "green": p.green, "yellow": p.yellow,
	} {
		got := colour("x")
		if other, ok := seen[got]; ok {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[got] = name
		if !strings.HasPrefix(got, "\x1b[") || !strings.HasSuffix(got, "mx\x1b[0m") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestFilesPipesAndTheNullDeviceAreNoTerminals(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for name, stream := range map[string]any{
		"file": file, "null device": null, "pipe": r, "buffer": new([]byte), "no file": (*os.File)(nil), "nothing": nil,
	} {
		if detectTerminal(stream).is {
			t.Errorf("%s: taken for a terminal", name)
		}
	}
}
