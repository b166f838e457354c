package arch

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestPackagesPage compares docs/PACKAGES.md with the floors: the same floors from the top
// down, the same packages in the same order, each with a purpose.
func TestPackagesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/PACKAGES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range comparePackages(string(page), floors()) {
		t.Error("docs/PACKAGES.md: " + problem)
	}
}

// comparePackages returns where the table of a page differs from the floors.
func comparePackages(page string, floors []floor) []string {
	type line struct{ floor, dir string }
	var want, got []line
	for _, f := range slices.Backward(floors) {
		for _, dir := range f.packages {
			want = append(want, line{f.name, dir})
		}
	}
	var problems []string
	row := regexp.MustCompile("(?m)^\\| ([^|`]*) \\| `([^`|]+)` \\| (.*) \\|$")
	current := ""
	for _, m := range row.FindAllStringSubmatch(page, -1) {
		if name := strings.TrimSpace(m[1]); name != "" {
			current = name
		}
		if strings.TrimSpace(m[3]) == "" {
			problems = append(problems, m[2]+" has no purpose")
		}
		got = append(got, line{current, m[2]})
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			problems = append(problems, fmt.Sprintf("%s is missing on floor %q", w.dir, w.floor))
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			problems = append(problems, fmt.Sprintf("%s is not on floor %q of floors.go", g.dir, g.floor))
		}
	}
	if len(problems) == 0 && !slices.Equal(got, want) {
		problems = append(problems, "the rows are not in the order of floors.go, from the top down")
	}
	return problems
}

// TestArchitecturePage holds docs/ARCHITECTURE.md to two printed pages with one picture.
func TestArchitecturePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(page), "\n"); lines > 130 {
		t.Errorf("%d lines, more than 130", lines)
	}
	if words := len(strings.Fields(string(page))); words > 1300 {
		t.Errorf("%d words, more than 1300", words)
	}
	if pictures := strings.Count(string(page), "\n```") / 2; pictures != 1 {
		t.Errorf("%d pictures, not 1", pictures)
	}
}

// TestDocumentPaths finds every file and directory that the pages about the code name.
func TestDocumentPaths(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	for _, name := range []string{"docs/ARCHITECTURE.md", "docs/PACKAGES.md", "docs/internals.md", "docs/GLOSSARY.md"} {
		page, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range absent(tree, string(page)) {
			t.Errorf("%s names %s, which does not exist", name, p)
		}
	}
}

// absent returns the paths in code spans of a page that are not in the tree. A span is a path if
// it begins with a directory of the module; NAME stands for any name.
func absent(tree fs.FS, page string) []string {
	var missing []string
	span := regexp.MustCompile("`((?:cmd|client|clients|docs|eval|hmx|internal)/[A-Za-z0-9_./-]*|[a-z_]+\\.go)`(?: in `([a-z/]+)`)?")
	for _, m := range span.FindAllStringSubmatch(page, -1) {
		p := strings.TrimSuffix(m[1], "/")
		if strings.Contains(p, "NAME") {
			continue
		}
		if !strings.Contains(p, "/") && m[2] != "" {
			p = path.Join(m[2], p)
		} else if !strings.Contains(p, "/") {
			continue // in a list of siblings; the last one has its directory
		}
		if _, err := fs.Stat(tree, p); err != nil {
			missing = append(missing, p)
		}
	}
	return missing
}

// TestDocumentLinks follows every relative link between the pages, with its anchor.
func TestDocumentLinks(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	broken, err := brokenLinks(tree, "README.md", "CONTRIBUTING.md", "docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

var (
	fencedCode = regexp.MustCompile("(?ms)^```.*?^```")
	pageLink   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// brokenLinks returns the relative links in the pages at and below roots that lead nowhere.
func brokenLinks(tree fs.FS, roots ...string) ([]string, error) {
	var broken []string
	for _, root := range roots {
		err := fs.WalkDir(tree, root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(p) != ".md" {
				return err
			}
			page, err := fs.ReadFile(tree, p)
			if err != nil {
				return err
			}
			for _, m := range pageLink.FindAllStringSubmatch(fencedCode.ReplaceAllString(string(page), ""), -1) {
				target, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(target, ":") {
					continue // of another site
				}
				to := p
				if target != "" {
					to = path.Join(path.Dir(p), target)
				}
				if !leads(tree, to, anchor) {
					broken = append(broken, fmt.Sprintf("%s: the link %s leads nowhere", p, m[1]))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return broken, nil
}

// leads reports whether a file exists and, if there is an anchor, has a heading for it.
func leads(tree fs.FS, file, anchor string) bool {
	if anchor == "" {
		_, err := fs.Stat(tree, file)
		return err == nil
	}
	page, err := fs.ReadFile(tree, file)
	if err != nil {
		return false
	}
	for _, m := range heading.FindAllStringSubmatch(fencedCode.ReplaceAllString(string(page), ""), -1) {
		if slug(m[1]) == anchor {
			return true
		}
	}
	return false
}

// slug returns the anchor of a heading, as GitHub derives it.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r > 127:
			return r
		}
		return -1
	}, strings.ToLower(title))
}

// The checks of the pages report each kind of mistake.
func TestDocumentChecks(t *testing.T) {
	t.Parallel()
	plan := []floor{{name: "low", packages: []string{"internal/a", "internal/b"}}, {name: "high", packages: []string{"cmd/x"}}}
	good := "| high | `cmd/x` | runs |\n| low | `internal/a` | one |\n|  | `internal/b` | two |\n"
	for name, page := range map[string]string{
		"missing":    strings.Replace(good, "|  | `internal/b` | two |\n", "", 1),
		"unknown":    good + "|  | `internal/c` | three |\n",
		"misplaced":  strings.Replace(good, "|  | `internal/b`", "| high | `internal/b`", 1),
		"disordered": "| low | `internal/a` | one |\n|  | `internal/b` | two |\n| high | `cmd/x` | runs |\n",
		"no purpose": strings.Replace(good, "one", "", 1),
	} {
		if len(comparePackages(page, plan)) == 0 {
			t.Errorf("a page with a %s row passes", name)
		}
	}
	if got := comparePackages(good, plan); len(got) > 0 {
		t.Errorf("a good page: %q", got)
	}

	tree := fstest.MapFS{
		"docs/a.md":       {Data: []byte("# A page\n[b](b.md#two-words) [self](#a-page) [x](b.md#none) [y](c.md) [z](https://a.b/c.md)\n```\n[code](no.md)\n```\n")},
		"docs/b.md":       {Data: []byte("## Two `words`!\n")},
		"internal/a/a.go": {},
	}
	broken, err := brokenLinks(tree, "docs")
	if err != nil || len(broken) != 2 {
		t.Errorf("broken links: %q, %v", broken, err)
	}
	if got := absent(tree, "`internal/a` `internal/a/b.go` `a.go` in `internal/a`, `b.go` in `internal/a`, `internal/NAME`"); len(got) != 2 {
		t.Errorf("absent paths: %q", got)
	}
}
