package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/vault"
)

// stopping are files of which a number of writes succeed.
type stopping struct {
	ask.OwnFiles
	left *int
}

func (s stopping) Replace(name string, write func(io.Writer) error) error {
	if *s.left--; *s.left < 0 {
		return errStop
	}
	return s.OwnFiles.Replace(name, write)
}

func (s stopping) Remove(name string) error {
	if *s.left--; *s.left < 0 {
		return errStop
	}
	return s.OwnFiles.Remove(name)
}

// The next export finishes one that was interrupted at any point: it recognises its own files,
// and mistakes none for a file of the user.
func TestMarkdownInterrupted(t *testing.T) {
	written := func(version string, keys ...string) []vault.File {
		var pages []vault.Page
		for _, key := range keys {
			pages = append(pages, vault.Page{Body: &memory.Memory{ID: "id-" + key, Key: key, Type: memory.TypeFact, Text: version}, Trust: lukasa.User, Actor: "dana"})
		}
		all, err := vault.EncodeInto(nil, "acme", pages)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	export := func(root string, left int, list []vault.File) (*exportedMarkdown, error) {
		s := testShell(nil, io.Discard, io.Discard)
		s.Files = stopping{left: &left}
		d, err := openVault(t.Context(), s, root)
		if err != nil {
			t.Fatal(err)
		}
		a := &exportedMarkdown{}
		return a, d.export(t.Context(), "acme", list, a)
	}
	stopped := 0
	for n := 0; ; n++ {
		root := filepath.Join(t.TempDir(), "notes")
		if _, err := export(root, 1000, written("one", "a", "b", "c")); err != nil {
			t.Fatal(err)
		}
		_, first := export(root, n, written("two", "a", "b", "d"))
		a, err := export(root, 1000, written("three", "a", "b", "d", "e"))
		if err != nil || len(a.Kept) > 0 {
			t.Fatalf("after %d writes: %v, kept %v", n, err, a.Kept)
		}
		for _, f := range written("three", "a", "b", "d", "e") {
			if data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.Path))); err != nil || string(data) != string(f.Data) {
				t.Errorf("after %d writes: %s is %q, %v", n, f.Path, data, err)
			}
		}
		left, err := filepath.Glob(filepath.Join(root, "memories", "*"))
		if err != nil || len(left) != 4 {
			t.Errorf("after %d writes: %v, %v", n, left, err)
		}
		if first == nil {
			break
		}
		stopped++
	}
	if stopped < 6 {
		t.Errorf("it was stopped %d times", stopped)
	}
}

var errStop = errors.New("no more")
