package term

import (
	"os"
	"strings"
	"testing"
)

func TestColoursOnlyWhereWanted(t *testing.T) {
	capable := Terminal{Is: true, ANSI: true}
	for _, tc := range []struct {
		name string
		end  Terminal
		vars map[string]string
		want string
	}{
		{"a terminal", capable, map[string]string{"TERM": "xterm"}, "\x1b[31mx\x1b[0m"},
		{"no terminal", Terminal{}, map[string]string{"TERM": "xterm"}, "x"},
		{"an old console", Terminal{Is: true}, nil, "x"},
		{"NO_COLOR", capable, map[string]string{"NO_COLOR": "0"}, "x"},
		{"a dumb terminal", capable, map[string]string{"TERM": "dumb"}, "x"},
	} {
		p := newPalette(tc.end, func(name string) string { return tc.vars[name] })
		if got := p.Red("x"); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if got := p.Bold(""); got != "" {
			t.Errorf("%s: nothing became %q", tc.name, got)
		}
	}
}

func TestEveryColourIsItsOwnAndEnds(t *testing.T) {
	p := Palette{on: true}
	seen := map[string]string{}
	for name, colour := range map[string]func(string) string{
		"bold": p.Bold, "dim": p.Dim, "red": p.Red, "green": p.Green, "yellow": p.Yellow,
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
		if DetectTerminal(stream).Is {
			t.Errorf("%s: taken for a terminal", name)
		}
	}
}
