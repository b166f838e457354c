package notary

import (
	"errors"
	"fmt"
	"sync"

	"lukasa.dev/internal/disk"
)

// Witness remembers what was signed, outside the data directory. So it detects
// even a rollback of the whole directory, with keys and memory. A log is named
// by its origin and the id of its key.
type Witness interface {
	// Last returns the largest tree it remembers. An error is a warning and no
	// refusal: the tree returned with it still counts.
	Last(log string) (seen Seen, ok bool, err error)
	// Remember keeps a larger tree.
	Remember(log string, seen Seen) error
}

// FileWitness is a witness in one file, in the format of a directory's own
// memory. It is safe for concurrent use.
//
// Two processes with copies of one directory may share the file. The file is
// then read again when it has grown, and lines that the two wrote over each
// other are skipped: the witness then knows less, and says so once.
type FileWitness struct {
	fs    disk.FS
	path  string
	owner string

	mu  sync.Mutex
	mem *memory
}

// NewFileWitness returns a witness at path, for the directory of that id. It
// creates the file and its directory on the first write.
func NewFileWitness(fs disk.FS, path, directoryID string) *FileWitness {
	return &FileWitness{fs: fs, path: path, owner: directoryID}
}

// Last implements [Witness].
func (w *FileWitness) Last(log string) (Seen, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	doubt, err := w.refresh()
	if err != nil {
		return Seen{}, false, err
	}
	seen, ok := w.mem.last[log]
	return seen, ok, doubt
}

// Remember implements [Witness].
func (w *FileWitness) Remember(log string, seen Seen) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.refresh(); err != nil {
		return err
	}
	if old, ok := w.mem.last[log]; ok && old.Size >= seen.Size {
		return nil
	}
	if w.mem.stale {
		if err := makePrivate(w.fs, w.fs.PathDir(w.path)); err != nil {
			return err
		}
	}
	if err := w.mem.remember(log, seen); err != nil {
		w.close()
		return err
	}
	return nil
}

// Close closes the file.
func (w *FileWitness) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.close()
	return nil
}

// close drops what was read, so that the next use starts from the file.
func (w *FileWitness) close() {
	if w.mem != nil {
		w.mem.close()
		w.mem = nil
	}
}

// refresh reads the file if it has changed since the last read.
func (w *FileWitness) refresh() (doubt, err error) {
	if w.mem != nil {
		if info, err := w.fs.Stat(w.path); err == nil && info.Size() == w.mem.end {
			return nil, nil
		}
		w.close()
	}
	m, err := loadMemory(w.fs, w.path, true)
	if err != nil && !errors.Is(err, errNoMemory) {
		return nil, err
	}
	m.owner = w.owner
	w.mem = m
	if m.skipped > 0 {
		doubt = fmt.Errorf("the witness %s has %d lines that cannot be read; they were passed over", w.path, m.skipped)
	}
	return doubt, nil
}

// makePrivate creates a directory that only its owner may read, and its missing
// parents, durably.
func makePrivate(fs disk.FS, dir string) error {
	var missing []string
	for at := dir; ; {
		if _, err := fs.Stat(at); err == nil {
			break
		}
		missing = append(missing, at)
		up := fs.PathDir(at)
		if up == at {
			break
		}
		at = up
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return disk.Fault(fmt.Errorf("make directory %s: %w", dir, err))
	}
	for _, at := range missing {
		if err := disk.SyncDir(fs, fs.PathDir(at)); err != nil {
			return disk.Fault(err)
		}
	}
	return nil
}
