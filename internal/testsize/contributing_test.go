package testsize

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	asked        = regexp.MustCompile(`testsize\.Of\(\w+, "([a-z-]+)", ([\d_]+), ([\d_]+), ([\d_]+)\)`)
	someVariable = regexp.MustCompile(`LUKASA_[A-Z0-9_]*[A-Z0-9]`)
)

// The table of sizes in CONTRIBUTING.md has every size that a test uses, with its values, and
// every environment variable in the code is explained there or in docs.
func TestContributing(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	guide, err := fs.ReadFile(root, "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := string(guide)
	docs, err := fs.Glob(root, "docs/*.md")
	if err != nil || len(docs) == 0 {
		t.Fatal(docs, err)
	}
	for _, name := range docs {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		explained += string(text)
	}
	sizes, named := 0, map[string]string{}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "node_modules" || name == "bin" || name == "internal/testsize"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" && !strings.HasPrefix(name, ".ci/") && name != "Makefile":
			return nil
		}
		code, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		for _, v := range someVariable.FindAllString(string(code), -1) {
			named[v] = name
		}
		for _, m := range asked.FindAllStringSubmatch(string(code), -1) {
			sizes++
			row := fmt.Sprintf("| `%s` | `%s` |", m[1], path.Dir(name))
			var counts []string
			for _, n := range m[2:] {
				counts = append(counts, grouped(strings.ReplaceAll(n, "_", "")))
			}
			end := " | " + strings.Join(counts, " | ") + " |\n"
			_, after, found := strings.Cut(string(guide), row)
			if line, _, _ := strings.Cut(after, "\n"); !found || !strings.HasSuffix(line+"\n", end) {
				t.Errorf("%s: CONTRIBUTING.md has no row %s … %s", name, row, end)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(string(guide), "\n| `"); sizes == 0 || rows < sizes/2 {
		t.Errorf("%d sizes, %d rows", sizes, rows)
	}
	for v, name := range named {
		if !regexp.MustCompile(v + `\b`).MatchString(explained) {
			t.Errorf("%s names %s, which neither CONTRIBUTING.md nor docs explain", name, v)
		}
	}
}

// grouped writes a number with commas.
func grouped(digits string) string {
	if n, err := strconv.Atoi(digits); err == nil && n >= 1000 {
		return grouped(digits[:len(digits)-3]) + "," + digits[len(digits)-3:]
	}
	return digits
}
