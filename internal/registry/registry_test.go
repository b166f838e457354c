package registry_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/registry"
)

// Documents are found by name, dropped ones marked as such, with more than one page.
func TestDocuments(t *testing.T) {
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer board.Close()
	r := registry.New(board)
	if list, err := r.All(t.Context(), "a"); err != nil || len(list) != 0 {
		t.Fatalf("%v, %v", list, err)
	}
	if err := r.Drop(t.Context(), "x", "a", "none", ""); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("dropped what is not there: %v", err)
	}
	type content struct{ N int }
	for i := range 30 {
		name := string(rune('a' + i%26))
		if i < 26 {
			err = r.Put(t.Context(), "ana", "a", name, "One.", content{i}, true)
		} else {
			err = r.Put(t.Context(), "bob", "a", name, "One.", content{i}, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Put(t.Context(), "ana", "a", "a", "One.", content{99}, true); fault.CodeOf(err) != fault.VersionConflict {
		t.Errorf("a second one of the same name: %v", err)
	}
	if err := r.Put(t.Context(), "ana", "b", "a", "Other.", content{1}, true); err != nil {
		t.Fatal(err)
	}
	if err := r.Drop(t.Context(), "bob", "a", "z", "enough"); err != nil {
		t.Fatal(err)
	}
	list, err := r.All(t.Context(), "a")
	if err != nil || len(list) != 26 {
		t.Fatalf("%d, %v", len(list), err)
	}
	for _, d := range list {
		if d.Dropped != (d.Name == "z") || d.Dropped && d.Reason != "enough" || d.Name == "a" && string(d.Content) != `{"N":26}` {
			t.Errorf("%+v", d)
		}
	}
	for range 3 {
		if err := r.Note(t.Context(), time.Now(), registry.Act{Act: "x.y", By: "ana", Detail: map[string]string{"token": "password=hunter2"}}); err != nil {
			t.Fatal(err)
		}
	}
	acts, next, err := r.Acts(t.Context(), 2, "")
	if err != nil || len(acts) != 2 || next == "" || acts[0].Detail["token"] != "password=hunter2" {
		t.Errorf("%v, %q, %v", acts, next, err)
	}
}

// makesKey is a call that makes the permission for the system's tenant.
var makesKey = regexp.MustCompile(`\bboard\.System\(\)|\bSystemKey\{`)

// The list of all code that accesses the system tenant.
func TestWhoIsLetIn(t *testing.T) {
	allowed := []string{"internal/registry", "internal/board/system.go", "internal/cli/files/export.go", "internal/cli/files/import.go"}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if makesKey.Match(text) && !slices.ContainsFunc(allowed, func(a string) bool { return name == a || strings.HasPrefix(name, a+"/") }) {
			t.Errorf("%s lets itself into the system's tenant", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
