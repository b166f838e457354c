package arch

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// plan is the tables that a tree is checked against.
type plan struct {
	floors       []floor
	enclaves     []enclave
	reserved     []reserved
	thirdParties []thirdParty
}

// violation is one disagreement between plan and tree.
type violation struct {
	where string
	what  string
}

func (v violation) String() string { return v.where + ": " + v.what }

// check returns every violation, sorted.
func (pl plan) check(pkgs []goPackage) []violation {
	var found []violation
	report := func(where, format string, args ...any) {
		found = append(found, violation{where, fmt.Sprintf(format, args...)})
	}
	pl.checkTable(pkgs, report)
	for _, pkg := range pkgs {
		pl.checkImports(pkg, report)
		checkPackage(pkg, report)
		checkSize(pkg, report)
		for _, f := range pkg.files {
			checkFile(f, report)
		}
	}
	slices.SortFunc(found, func(a, b violation) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(found)
}

type reporter func(where, format string, args ...any)

// level returns the index of a package's floor, or -1.
func (pl plan) level(dir string) int {
	return slices.IndexFunc(pl.floors, func(f floor) bool { return slices.Contains(f.packages, dir) })
}

func (pl plan) checkTable(pkgs []goPackage, report reporter) {
	seen := map[string]bool{}
	for _, f := range pl.floors {
		if f.name == "" || f.purpose == "" {
			report("floors.go", "floor %q does not say what it is for", f.name)
		}
		for _, dir := range f.packages {
			if seen[dir] {
				report("floors.go", "%s stands on two floors", dir)
			}
			seen[dir] = true
			if !slices.ContainsFunc(pkgs, func(p goPackage) bool { return p.dir == dir && p.hasCode() }) {
				report("floors.go", "%s is on floor %q but there is no such package", dir, f.name)
			}
		}
	}
	for _, pkg := range pkgs {
		if pl.level(pkg.dir) < 0 {
			report(pkg.dir, "is on no floor; give it a line in internal/arch/floors.go")
		}
	}
	for _, r := range pl.reserved {
		for _, dir := range append([]string{r.dir}, r.allowed...) {
			if pl.level(dir) < 0 {
				report("floors.go", "%s is in the table of reservations, but is on no floor", dir)
			}
		}
	}
	for _, tp := range pl.thirdParties {
		for _, dir := range tp.packages {
			if pl.level(dir) < 0 {
				report("floors.go", "%s is allowed in %s, which is on no floor", tp.prefix, dir)
			}
		}
		if !slices.ContainsFunc(pkgs, func(p goPackage) bool { return p.imports(tp.prefix) }) {
			report("floors.go", "%s is in the table of third parties but nothing imports it", tp.prefix)
		}
	}
}

func (pl plan) checkImports(pkg goPackage, report reporter) {
	for _, f := range pkg.files {
		for _, imported := range f.imports {
			switch {
			case imported == "C":
				report(f.path, "uses cgo; the module is pure Go")
			case within(imported, module):
				pl.checkOwn(pkg, f, strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"), report)
			case !standard(imported):
				pl.checkThirdParty(pkg, f, imported, report)
			}
		}
	}
}

// checkOwn checks an import of one of our own packages.
func (pl plan) checkOwn(pkg goPackage, f goFile, target string, report reporter) {
	if target == "" {
		target = "." // the module's root package
	}
	if target == pkg.dir && f.test {
		return // an external test imports its package
	}
	from, to := pl.level(pkg.dir), pl.level(target)
	switch {
	case from < 0:
		// Already reported: the importer itself is on no floor.
	case to < 0:
		report(f.path, "imports %s, which is on no floor", target)
	case to == from:
		report(f.path, "imports %s sideways, on the same floor %q", target, pl.floors[to].name)
	case to > from:
		report(f.path, "imports %s upwards, from floor %q to %q", target, pl.floors[from].name, pl.floors[to].name)
	}
	for _, e := range pl.enclaves {
		if within(pkg.dir, e.root) && !within(target, e.root) && !slices.Contains(e.allowed, target) {
			report(f.path, "imports %s from inside %s; %s", target, e.root, e.why)
		}
	}
	for _, r := range pl.reserved {
		if target == r.dir && !slices.Contains(r.allowed, pkg.dir) {
			report(f.path, "imports %s, which is for %s only; %s", target, strings.Join(r.allowed, ", "), r.why)
		}
	}
}

// checkThirdParty checks an import from outside the module and the standard library.
func (pl plan) checkThirdParty(pkg goPackage, f goFile, imported string, report reporter) {
	i := slices.IndexFunc(pl.thirdParties, func(tp thirdParty) bool { return within(imported, tp.prefix) })
	if i < 0 {
		report(f.path, "imports %s, which is not in the table of third parties", imported)
		return
	}
	if f.test {
		return
	}
	tp := pl.thirdParties[i]
	switch {
	case len(tp.packages) == 0:
		report(f.path, "imports %s outside a test", imported)
	case !slices.Contains(tp.packages, pkg.dir):
		report(f.path, "imports %s, which belongs to %s", imported, strings.Join(tp.packages, ", "))
	}
	for _, e := range pl.enclaves {
		if within(pkg.dir, e.root) {
			report(f.path, "imports %s from inside %s; %s", imported, e.root, e.why)
		}
	}
}

// checkPackage checks the name and the doc comment of a package.
func checkPackage(pkg goPackage, report reporter) {
	if base := path.Base(pkg.dir); slices.Contains(drawers(), base) {
		report(pkg.dir, "%q says nothing about what is inside; name the package for the thing in it", base)
	}
	for _, f := range pkg.files {
		want := "Package " + f.name + " "
		if f.name == "main" {
			want = "Command " + path.Base(pkg.dir) + " "
		}
		if !f.test && strings.HasPrefix(f.doc+" ", want) {
			return
		}
	}
	report(pkg.dir, "has no doc comment that says what the package is")
}

// checkSize checks the size of a package.
func checkSize(pkg goPackage, report reporter) {
	lines := 0
	for _, f := range pkg.files {
		if !f.test {
			lines += f.lines
		}
	}
	if lines > maxPackageLines {
		report(pkg.dir, "has %d lines, more than %d; it wants to be two packages", lines, maxPackageLines)
	}
}

// checkFile checks a file by itself.
func checkFile(f goFile, report reporter) {
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.path), ".go"), "_test")
	if slices.Contains(drawers(), stem) {
		report(f.path, "%q says nothing about what is inside; name the file for the thing in it", stem)
	}
	if slices.Contains(drawers(), strings.TrimSuffix(f.name, "_test")) {
		report(f.path, "package %q says nothing about what is inside", f.name)
	}
	if f.test {
		return
	}
	for _, line := range f.contextFields {
		report(f.path, "line %d keeps a context in a struct; pass it as the first argument", line)
	}
	for _, line := range f.contextValues {
		report(f.path, "line %d puts a value into a context; pass it as an argument", line)
	}
	if f.hasInit {
		report(f.path, "has an init function; use a list that a reader can jump to")
	}
	if f.lines > maxLines {
		report(f.path, "has %d lines, more than %d; it wants to be two files", f.lines, maxLines)
	}
}

// within reports whether p is root or below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

// standard reports whether an import path belongs to the standard library: only its first
// element never has a dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
