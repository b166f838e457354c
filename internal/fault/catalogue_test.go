package fault_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev/internal/fault"
)

func TestEntriesAreWellFormed(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	exits := []int{fault.ExitProblem, fault.ExitUsage, fault.ExitEnvironment,
		fault.ExitInternal, fault.ExitForbidden, fault.ExitCanceled, fault.ExitClosed}
	seen := map[fault.Code]bool{}
	for _, e := range fault.All() {
		if !name.MatchString(string(e.Code)) {
			t.Errorf("%q is not snake_case", e.Code)
		}
		if seen[e.Code] {
			t.Errorf("%s is listed twice", e.Code)
		}
		seen[e.Code] = true
		for _, s := range []string{e.Meaning, e.Advice} {
			if s == "" || strings.Contains(s, "\n") || !strings.HasSuffix(s, ".") {
				t.Errorf("%s: %q is not one sentence on one line", e.Code, s)
			}
		}
		if e.HTTP < 400 || e.HTTP > 599 {
			t.Errorf("%s: HTTP status %d is not an error", e.Code, e.HTTP)
		}
		if !slices.Contains(exits, e.Exit) {
			t.Errorf("%s: exit code %d is not one of %v", e.Code, e.Exit, exits)
		}
		if got := fault.Lookup(e.Code); got != e {
			t.Errorf("Lookup(%s) = %+v", e.Code, got)
		}
	}
}

// Every constant of type Code has a row: one without would silently behave as Internal.
func TestEveryConstantHasAnEntry(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "catalogue.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var constants []fault.Code
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			s, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			constants = append(constants, fault.Code(s))
		}
		return true
	})
	if len(constants) != len(fault.All()) {
		t.Errorf("%d constants, %d entries", len(constants), len(fault.All()))
	}
	for _, c := range constants {
		if fault.Lookup(c).Code != c {
			t.Errorf("constant %q has no entry", c)
		}
	}
}

func TestAllIsACopy(t *testing.T) {
	fault.All()[0].Exit = 99
	if fault.All()[0].Exit == 99 {
		t.Error("a caller can change the catalogue")
	}
}

// The document and the catalogue describe the same codes in the same words.
func TestDocumentMatchesCatalogue(t *testing.T) {
	data, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(data), "\r\n", "\n")

	sections := map[string]string{}
	var order []string
	heading := regexp.MustCompile("(?m)^### `([^`]*)`\n")
	at := heading.FindAllStringSubmatchIndex(doc, -1)
	for i, m := range at {
		end := len(doc)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		code := doc[m[2]:m[3]]
		if _, ok := sections[code]; ok {
			t.Errorf("docs/errors.md describes %s twice", code)
		}
		sections[code] = doc[m[1]:end]
		order = append(order, code)
	}

	var want []string
	for _, e := range fault.All() {
		want = append(want, string(e.Code))
		section, ok := sections[string(e.Code)]
		if !ok {
			t.Errorf("docs/errors.md does not describe %s; add:\n\n%s", e.Code, describe(e))
			continue
		}
		if !strings.HasPrefix(strings.TrimLeft(section, "\n"), describe(e)) {
			t.Errorf("docs/errors.md disagrees about %s; the section must begin:\n\n%s", e.Code, describe(e))
		}
	}
	for _, code := range order {
		if !slices.Contains(want, code) {
			t.Errorf("docs/errors.md describes %s, which is not in the catalogue", code)
		}
	}
	if !t.Failed() && !slices.Equal(order, want) {
		t.Errorf("docs/errors.md is in the order %v, the catalogue in %v", order, want)
	}
}

// The table of exit codes in the document names exactly the codes in use.
func TestDocumentListsExitCodes(t *testing.T) {
	data, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[int]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(data), -1) {
		n, _ := strconv.Atoi(m[1])
		documented[n] = true
	}
	used := map[int]bool{fault.ExitOK: true}
	for _, e := range fault.All() {
		used[e.Exit] = true
	}
	for n := range used {
		if !documented[n] {
			t.Errorf("exit code %d is not in the table of docs/errors.md", n)
		}
	}
	for n := range documented {
		if !used[n] {
			t.Errorf("docs/errors.md lists exit code %d, which nothing ends with", n)
		}
	}
}

// describe is the beginning of a section of the document.
func describe(e fault.Entry) string {
	retry := "no"
	if e.Retry {
		retry = "yes"
	}
	return fmt.Sprintf("%s\n\n- **Do:** %s\n- **Retry:** %s · **HTTP:** %d · **Exit:** %d\n",
		e.Meaning, e.Advice, retry, e.HTTP, e.Exit)
}
