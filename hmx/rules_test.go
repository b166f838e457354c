package hmx

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lukasa.dev/internal/canon"
)

// Every rule code in the code is in the table, and every row of the table is a
// code that is used.
func TestRulesAreComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, r := range Rules() {
		if listed[r.Code] {
			t.Errorf("%s is listed twice", r.Code)
		}
		if !strings.HasSuffix(r.Text, ".") {
			t.Errorf("%s: %q is not a sentence", r.Code, r.Text)
		}
		listed[r.Code] = true
	}
	used := usedRules(t)
	for code := range used {
		if !listed[code] {
			t.Errorf("%s is used at %s but not in the table", code, used[code])
		}
	}
	for code := range listed {
		if used[code] == "" {
			t.Errorf("%s is in the table but no code uses it", code)
		}
	}
}

// usedRules finds the rule codes in string literals of this package and those
// below it.
func usedRules(t *testing.T) map[string]string {
	code := regexp.MustCompile(`HMX-[EAC]/\d+(\.\d+)?`)
	used := map[string]string{}
	for _, c := range []canon.FlawCode{
		canon.FlawEmpty, canon.FlawSyntax, canon.FlawDepth, canon.FlawTrailing, canon.FlawBOM, canon.FlawUTF8,
		canon.FlawSurrogate, canon.FlawDuplicate, canon.FlawNumber, canon.FlawTooMany, canon.FlawSize,
	} {
		used[jsonRule(c)] = "package canon"
	}
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || path == "rules.go" {
			return err
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				for _, c := range code.FindAllString(lit.Value, -1) {
					used[c] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// The page that documents the rules is printed from the table.
func TestRulesAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules\n\nEvery problem that validation reports names one of these rules: the document and section it comes from,\n" +
		"or `HMX-JSON` for what strict JSON asks of any text. Codes are stable. Each document is judged on its own, so the\n" +
		"rules on chains (`HMX-A/7` and below) are applied in full only by `hmx.NewChain`, which sees all artifacts.\n\n| rule | what it asks for |\n|---|---|\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Code, cell(r.Text))
	}
	path := filepath.Join("..", "docs", "formats", "rules.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("%s differs from the table: run go test ./hmx -run TestRulesAreDocumented -update", path)
	}
}
