package disk

import (
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Shadow returns a file system that reads from base and keeps every write, rename and
// removal in memory: base never changes. So code that writes while it reads, such as
// opening a board, can read a directory that must not be touched. A lock on it excludes
// no other process; see [Peek].
//
// A file that is opened for writing is read into memory as a whole. Directories of base
// cannot be renamed.
func Shadow(base FS) FS {
	return &shadow{FS: base, mem: vfs.NewMem(), gone: map[string]bool{}}
}

type shadow struct {
	FS  // paths and free space are those of base
	mem *vfs.MemFS

	mu   sync.Mutex
	gone map[string]bool // files of base that were removed
}

// own is the name of a file in memory, where names are separated by slashes.
func own(name string) string { return filepath.ToSlash(name) }

// has reports whether a file is in memory.
func (s *shadow) has(name string) bool {
	_, err := s.mem.Stat(own(name))
	return err == nil
}

// hidden reports whether a file of base was removed, or is in a directory that was.
func (s *shadow) hidden(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.gone[name] {
			return true
		}
		up := s.PathDir(name)
		if up == name {
			return false
		}
		name = up
	}
}

// hide records that a file of base was removed.
func (s *shadow) hide(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone[name] = true
}

func missing(op, name string) error {
	return &iofs.PathError{Op: op, Path: name, Err: iofs.ErrNotExist}
}

// room creates the directory of a file in memory.
func (s *shadow) room(name string) error {
	return s.mem.MkdirAll(own(s.PathDir(name)), 0o700)
}

// Create implements FS.
func (s *shadow) Create(name string, c Category) (File, error) {
	if err := s.room(name); err != nil {
		return nil, err
	}
	return s.mem.Create(own(name), c)
}

// fetch copies a file of base into memory, under the given name.
func (s *shadow) fetch(from, to string) error {
	data, err := s.content(from)
	if err != nil {
		return err
	}
	f, err := s.Create(to, General)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close() // the error that matters is known
		return err
	}
	return f.Close()
}

func (s *shadow) content(name string) ([]byte, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Link implements FS: it makes a copy.
func (s *shadow) Link(from, to string) error { return s.fetch(from, to) }

// Open implements FS.
func (s *shadow) Open(name string, o ...OpenOption) (File, error) {
	switch {
	case s.has(name):
		if f, err := s.mem.Open(own(name), o...); err == nil {
			return f, nil
		}
		return s.FS.Open(name, o...) // a directory
	case s.hidden(name):
		return nil, missing("open", name)
	}
	return s.FS.Open(name, o...)
}

// OpenReadWrite implements FS.
func (s *shadow) OpenReadWrite(name string, c Category, o ...OpenOption) (File, error) {
	if _, err := s.FS.Stat(name); err == nil && !s.has(name) && !s.hidden(name) {
		if err := s.fetch(name, name); err != nil {
			return nil, err
		}
	}
	if err := s.room(name); err != nil {
		return nil, err
	}
	return s.mem.OpenReadWrite(own(name), c, o...)
}

// OpenDir implements FS.
func (s *shadow) OpenDir(name string) (File, error) {
	if _, err := s.Stat(name); err != nil {
		return nil, err
	}
	if err := s.mem.MkdirAll(own(name), 0o700); err != nil {
		return nil, err
	}
	return s.mem.OpenDir(own(name))
}

// Remove implements FS.
func (s *shadow) Remove(name string) error {
	if _, err := s.Stat(name); err != nil {
		return err
	}
	if s.has(name) {
		if err := s.mem.Remove(own(name)); err != nil {
			return err
		}
	}
	s.hide(name)
	return nil
}

// RemoveAll implements FS.
func (s *shadow) RemoveAll(name string) error {
	s.hide(name)
	return s.mem.RemoveAll(own(name))
}

// Rename implements FS.
func (s *shadow) Rename(from, to string) error {
	if !s.has(from) {
		info, err := s.Stat(from)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return fmt.Errorf("rename %s: directories stay where they are", from)
		}
		if err := s.fetch(from, to); err != nil {
			return err
		}
		s.hide(from)
		return nil
	}
	if err := s.room(to); err != nil {
		return err
	}
	s.hide(from)
	return s.mem.Rename(own(from), own(to))
}

// ReuseForWrite implements FS.
func (s *shadow) ReuseForWrite(from, to string, c Category) (File, error) {
	if err := s.Remove(from); err != nil {
		return nil, err
	}
	return s.Create(to, c)
}

// MkdirAll implements FS.
func (s *shadow) MkdirAll(dir string, perm os.FileMode) error { return s.mem.MkdirAll(own(dir), perm) }

// Lock implements FS. It excludes only other users of this shadow.
func (s *shadow) Lock(name string) (io.Closer, error) {
	if err := s.room(name); err != nil {
		return nil, err
	}
	return s.mem.Lock(own(name))
}

// List implements FS.
func (s *shadow) List(dir string) ([]string, error) {
	var all []string
	if !s.hidden(dir) {
		names, err := s.FS.List(dir)
		if err != nil && !s.has(dir) {
			return nil, err
		}
		for _, name := range names {
			if !s.hidden(s.PathJoin(dir, name)) {
				all = append(all, name)
			}
		}
	} else if !s.has(dir) {
		return nil, missing("open", dir)
	}
	if names, err := s.mem.List(own(dir)); err == nil {
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Stat implements FS.
func (s *shadow) Stat(name string) (FileInfo, error) {
	if info, err := s.mem.Stat(own(name)); err == nil {
		return info, nil
	}
	if s.hidden(name) {
		return nil, missing("stat", name)
	}
	return s.FS.Stat(name)
}

// Unwrap implements FS. It returns nil, so that no caller reaches base.
func (s *shadow) Unwrap() FS { return nil }
