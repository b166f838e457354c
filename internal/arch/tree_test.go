package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// goFile is what the rules need to know about one file.
type goFile struct {
	path    string // from the module's root, with slashes
	name    string // of the package, as declared
	test    bool
	doc     string
	lines   int
	hasInit bool
	imports []string
	// contextFields and contextValues are the lines of struct fields that are contexts, and of
	// calls that put a value into one.
	contextFields []int
	contextValues []int
}

// goPackage is one directory with Go files.
type goPackage struct {
	dir   string
	files []goFile
}

// hasCode reports whether the package has anything besides tests.
func (p goPackage) hasCode() bool {
	return slices.ContainsFunc(p.files, func(f goFile) bool { return !f.test })
}

// imports reports whether a file of the package imports root or a path below it.
func (p goPackage) imports(root string) bool {
	return slices.ContainsFunc(p.files, func(f goFile) bool {
		return slices.ContainsFunc(f.imports, func(imported string) bool { return within(imported, root) })
	})
}

// load reads every Go file of the module whose root is tree, sorted by
// directory. Like the go command it skips testdata, vendor, hidden and
// underscored directories, and other modules nested inside.
func load(tree fs.FS) ([]goPackage, error) {
	var pkgs []goPackage
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && skip(tree, p) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(p) != ".go" || strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		f, err := read(tree, p)
		if err != nil {
			return err
		}
		// Files of one directory may be interleaved with those of its children.
		dir := path.Dir(p)
		i := slices.IndexFunc(pkgs, func(q goPackage) bool { return q.dir == dir })
		if i < 0 {
			i = len(pkgs)
			pkgs = append(pkgs, goPackage{dir: dir})
		}
		pkgs[i].files = append(pkgs[i].files, f)
		return nil
	})
	slices.SortFunc(pkgs, func(a, b goPackage) int { return strings.Compare(a.dir, b.dir) })
	return pkgs, err
}

func skip(tree fs.FS, dir string) bool {
	base := path.Base(dir)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil
}

func read(tree fs.FS, p string) (goFile, error) {
	src, err := fs.ReadFile(tree, p)
	if err != nil {
		return goFile{}, err
	}
	// Imports alone would do for the floors; init and the doc comment need more.
	lines := token.NewFileSet()
	parsed, err := parser.ParseFile(lines, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return goFile{}, err
	}
	f := goFile{
		path:  p,
		name:  parsed.Name.Name,
		test:  strings.HasSuffix(p, "_test.go"),
		doc:   strings.TrimSpace(parsed.Doc.Text()),
		lines: bytes.Count(src, []byte("\n")),
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return goFile{}, fmt.Errorf("%s: import %s: %w", p, spec.Path.Value, err)
		}
		f.imports = append(f.imports, imported)
	}
	for _, decl := range parsed.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			f.hasInit = true
		}
	}
	f.findContexts(lines, parsed)
	return f, nil
}

// findContexts notes where structs keep contexts and contexts carry values.
func (f *goFile) findContexts(lines *token.FileSet, parsed *ast.File) {
	name := ""
	for _, spec := range parsed.Imports {
		if spec.Path.Value == `"context"` {
			if name = "context"; spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	is := func(e ast.Expr, member string) bool {
		s, ok := e.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != member {
			return false
		}
		x, ok := s.X.(*ast.Ident)
		return ok && x.Name == name
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, field := range n.Fields.List {
				if is(field.Type, "Context") {
					f.contextFields = append(f.contextFields, lines.Position(field.Pos()).Line)
				}
			}
		case *ast.CallExpr:
			if is(n.Fun, "WithValue") {
				f.contextValues = append(f.contextValues, lines.Position(n.Pos()).Line)
			}
		}
		return true
	})
}
