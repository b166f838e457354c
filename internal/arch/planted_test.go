package arch

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A small tree that keeps every rule, and the plan it keeps.
var (
	soundPlan = plan{
		floors: []floor{
			{"ground", "stands on nothing", []string{"internal/canon", "internal/fault"}},
			{"protocol", "the protocol", []string{"hmx"}},
			{"edges", "around the protocol", []string{"hmx/order", "hmx/wire"}},
			{"commands", "the command line", []string{"internal/cli"}},
			{"main", "the program", []string{"cmd/tool"}},
		},
		enclaves: []enclave{{"hmx", []string{"internal/canon"}, "it is embedded alone"}},
		reserved: []reserved{{"hmx/wire", []string{"hmx/order", "internal/cli"}, "others read documents"}},
		thirdParties: []thirdParty{
			{"example.org/flags", []string{"internal/cli"}, "flags"},
			{"example.org/diff", nil, "differences"},
		},
	}
	soundTree = map[string]string{
		"go.mod":                   "module lukasa.dev\n",
		"internal/canon/canon.go":  "// Package canon is sound.\npackage canon\n\nimport _ \"fmt\"\n",
		"internal/fault/fault.go":  "// Package fault is sound.\npackage fault\n",
		"hmx/hmx.go":               "// Package hmx is sound.\npackage hmx\n\nimport _ \"lukasa.dev/internal/canon\"\n",
		"hmx/hmx_test.go":          "package hmx_test\n\nimport (\n\t_ \"example.org/diff/cmp\"\n\t_ \"lukasa.dev/hmx\"\n)\n\nfunc init() {}\n",
		"hmx/wire/wire.go":         "// Package wire is sound.\npackage wire\n\nimport _ \"lukasa.dev/hmx\"\n",
		"hmx/order/order.go":       "// Package order is sound.\npackage order\n",
		"internal/cli/cli.go":      "// Package cli is sound.\npackage cli\n\nimport (\n\t_ \"example.org/flags\"\n\t_ \"lukasa.dev/hmx/wire\"\n)\n",
		"cmd/tool/main.go":         "// Command tool is sound.\npackage main\n\nimport _ \"lukasa.dev/internal/cli\"\n\nfunc main() {}\n",
		"hmx/testdata/broken.go":   "this is not Go",
		"nested/go.mod":            "module example.org/nested\n",
		"nested/nested.go":         "package util\n",
		".hidden/hidden.go":        "package util\n",
		"internal/cli/_ignored.go": "not Go either",
	}
)

func violationsOf(t *testing.T, pl plan, change map[string]string) []string {
	t.Helper()
	tree := fstest.MapFS{}
	files := maps.Clone(soundTree)
	maps.Copy(files, change)
	for name, text := range files {
		if text != "" { // an empty text removes the file
			tree[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	pkgs, err := load(tree)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, v := range pl.check(pkgs) {
		found = append(found, v.String())
	}
	return found
}

// largeFiles returns files of a package that have lines lines together, each within the limit.
func largeFiles(dir string, lines int) map[string]string {
	files := map[string]string{}
	for i := 0; lines > 0; i++ {
		n := min(lines, maxLines)
		files[fmt.Sprintf("%s/part%d.go", dir, i)] = "package " + path.Base(dir) + "\n" + strings.Repeat("\n", n-1)
		lines -= n
	}
	return files
}

func TestSoundTreeHasNoViolations(t *testing.T) {
	if got := violationsOf(t, soundPlan, nil); len(got) > 0 {
		t.Errorf("found in a sound tree:\n%s", strings.Join(got, "\n"))
	}
}

func TestPlantedViolationsAreFound(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change map[string]string
		want   []string
	}{{
		"upward import",
		map[string]string{"internal/fault/up.go": "package fault\n\nimport _ \"lukasa.dev/internal/cli\"\n"},
		[]string{`internal/fault/up.go: imports internal/cli upwards, from floor "ground" to "commands"`},
	}, {
		"upward import in a test",
		map[string]string{"internal/fault/up_test.go": "package fault_test\n\nimport _ \"lukasa.dev/internal/cli\"\n"},
		[]string{`internal/fault/up_test.go: imports internal/cli upwards, from floor "ground" to "commands"`},
	}, {
		"upward import behind a build tag",
		map[string]string{"internal/fault/up_plan9.go": "//go:build plan9\n\npackage fault\n\nimport _ \"lukasa.dev/internal/cli\"\n"},
		[]string{`internal/fault/up_plan9.go: imports internal/cli upwards, from floor "ground" to "commands"`},
	}, {
		"sideways import",
		map[string]string{"hmx/order/side.go": "package order\n\nimport _ \"lukasa.dev/hmx/wire\"\n"},
		[]string{`hmx/order/side.go: imports hmx/wire sideways, on the same floor "edges"`},
	}, {
		"import of a package that is for others",
		map[string]string{"cmd/tool/more.go": "package main\n\nimport _ \"lukasa.dev/hmx/wire\"\n"},
		[]string{"cmd/tool/more.go: imports hmx/wire, which is for hmx/order, internal/cli only; others read documents"},
	}, {
		"package on no floor",
		map[string]string{"internal/stray/stray.go": "// Package stray is new.\npackage stray\n"},
		[]string{"internal/stray: is on no floor; give it a line in internal/arch/floors.go"},
	}, {
		"import of a package on no floor",
		map[string]string{
			"internal/stray/stray.go": "// Package stray is new.\npackage stray\n",
			"internal/cli/more.go":    "package cli\n\nimport _ \"lukasa.dev/internal/stray\"\n",
		},
		[]string{
			"internal/cli/more.go: imports internal/stray, which is on no floor",
			"internal/stray: is on no floor; give it a line in internal/arch/floors.go",
		},
	}, {
		"row without a package",
		map[string]string{"hmx/order/order.go": ""},
		[]string{`floors.go: hmx/order is on floor "edges" but there is no such package`},
	}, {
		"row with tests only",
		map[string]string{"hmx/order/order.go": "", "hmx/order/order_test.go": "package order\n"},
		[]string{
			`floors.go: hmx/order is on floor "edges" but there is no such package`,
			"hmx/order: has no doc comment that says what the package is",
		},
	}, {
		"third party in a second package",
		map[string]string{"cmd/tool/more.go": "package main\n\nimport _ \"example.org/flags/sub\"\n"},
		[]string{"cmd/tool/more.go: imports example.org/flags/sub, which belongs to internal/cli"},
	}, {
		"third party for tests in code",
		map[string]string{"internal/cli/more.go": "package cli\n\nimport _ \"example.org/diff\"\n"},
		[]string{"internal/cli/more.go: imports example.org/diff outside a test"},
	}, {
		"third party nobody listed, whose name begins like a listed one",
		map[string]string{"internal/cli/more_test.go": "package cli\n\nimport _ \"example.org/flagship\"\n"},
		[]string{"internal/cli/more_test.go: imports example.org/flagship, which is not in the table of third parties"},
	}, {
		"engine inside the enclave",
		map[string]string{"hmx/wire/more.go": "package wire\n\nimport _ \"lukasa.dev/internal/fault\"\n"},
		[]string{"hmx/wire/more.go: imports internal/fault from inside hmx; it is embedded alone"},
	}, {
		"third party inside the enclave",
		map[string]string{"hmx/wire/more.go": "package wire\n\nimport _ \"example.org/flags\"\n"},
		[]string{
			"hmx/wire/more.go: imports example.org/flags from inside hmx; it is embedded alone",
			"hmx/wire/more.go: imports example.org/flags, which belongs to internal/cli",
		},
	}, {
		"cgo",
		map[string]string{"internal/cli/more.go": "package cli\n\nimport \"C\"\n"},
		[]string{"internal/cli/more.go: uses cgo; the module is pure Go"},
	}, {
		"no doc comment",
		map[string]string{"internal/fault/fault.go": "package fault\n"},
		[]string{"internal/fault: has no doc comment that says what the package is"},
	}, {
		"a licence is not a doc comment",
		map[string]string{"internal/fault/fault.go": "// Package fault is not described by this.\n\npackage fault\n"},
		[]string{"internal/fault: has no doc comment that says what the package is"},
	}, {
		"command without a doc comment",
		map[string]string{"cmd/tool/main.go": "package main\n\nfunc main() {}\n"},
		[]string{"cmd/tool: has no doc comment that says what the package is"},
	}, {
		"drawer file",
		map[string]string{"hmx/types.go": "package hmx\n"},
		[]string{`hmx/types.go: "types" says nothing about what is inside; name the file for the thing in it`},
	}, {
		"drawer test file",
		map[string]string{"hmx/helpers_test.go": "package hmx\n"},
		[]string{`hmx/helpers_test.go: "helpers" says nothing about what is inside; name the file for the thing in it`},
	}, {
		"drawer package",
		map[string]string{"internal/util/strings.go": "// Package util is a drawer.\npackage util\n"},
		[]string{
			`internal/util/strings.go: package "util" says nothing about what is inside`,
			"internal/util: " + `"util" says nothing about what is inside; name the package for the thing in it`,
			"internal/util: is on no floor; give it a line in internal/arch/floors.go",
		},
	}, {
		"init function",
		map[string]string{"hmx/register.go": "package hmx\n\nfunc init() {}\n"},
		[]string{"hmx/register.go: has an init function; use a list that a reader can jump to"},
	}, {
		"a method called init is no init function",
		map[string]string{"hmx/register.go": "package hmx\n\ntype t int\n\nfunc (t) init() {}\n"},
		nil,
	}, {
		"context in a struct",
		map[string]string{"hmx/call.go": "package hmx\n\nimport \"context\"\n\ntype call struct {\n\tname string\n\tctx  context.Context\n}\n"},
		[]string{"hmx/call.go: line 7 keeps a context in a struct; pass it as the first argument"},
	}, {
		"embedded context, by another name of the package",
		map[string]string{"hmx/call.go": "package hmx\n\nimport c \"context\"\n\nvar x struct{ c.Context }\n"},
		[]string{"hmx/call.go: line 5 keeps a context in a struct; pass it as the first argument"},
	}, {
		"a test's own context is no context of the code",
		map[string]string{"hmx/call_test.go": "package hmx\n\nimport \"context\"\n\ntype late struct{ context.Context }\n"},
		nil,
	}, {
		"a function that takes a context keeps none",
		map[string]string{"hmx/call.go": "package hmx\n\nimport \"context\"\n\ntype call struct {\n\trun func(context.Context) error\n}\n"},
		nil,
	}, {
		"value in a context",
		map[string]string{"hmx/call.go": "package hmx\n\nimport \"context\"\n\nvar ctx = context.WithValue(context.Background(), 1, 2)\n"},
		[]string{"hmx/call.go: line 5 puts a value into a context; pass it as an argument"},
	}, {
		"long file",
		map[string]string{"hmx/long.go": "package hmx\n" + strings.Repeat("\n", maxLines)},
		[]string{"hmx/long.go: has 701 lines, more than 700; it wants to be two files"},
	}, {
		"large package",
		largeFiles("hmx", maxPackageLines),
		[]string{fmt.Sprintf("hmx: has %d lines, more than %d; it wants to be two packages", maxPackageLines+4, maxPackageLines)},
	}, {
		"large tests",
		map[string]string{"hmx/long_test.go": "package hmx\n" + strings.Repeat("\n", maxPackageLines)},
		nil,
	}, {
		"long test file",
		map[string]string{"hmx/long_test.go": "package hmx\n" + strings.Repeat("\n", maxLines)},
		nil,
	}} {
		t.Run(tc.name, func(t *testing.T) {
			got := violationsOf(t, soundPlan, tc.change)
			if !slices.Equal(got, tc.want) {
				t.Errorf("found:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

func TestPlanItselfIsChecked(t *testing.T) {
	pl := soundPlan
	pl.floors = append(slices.Clone(pl.floors), floor{"attic", "", []string{"hmx"}})
	pl.thirdParties = append(slices.Clone(pl.thirdParties), thirdParty{"example.org/db", []string{"internal/gone"}, "data"})
	want := []string{
		"floors.go: example.org/db is allowed in internal/gone, which is on no floor",
		"floors.go: example.org/db is in the table of third parties but nothing imports it",
		`floors.go: floor "attic" does not say what it is for`,
		"floors.go: hmx stands on two floors",
	}
	if got := violationsOf(t, pl, nil); !slices.Equal(got, want) {
		t.Errorf("found:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBrokenGoIsAnError(t *testing.T) {
	if _, err := load(fstest.MapFS{"a/a.go": {Data: []byte("package")}}); err == nil {
		t.Error("a file that does not parse went unnoticed")
	}
}
