// Package disk is the one seam through which the engine touches files.
//
// The journal, the ordered keys and values, and the key files all take an [FS].
// In production it is [OS]. In tests it is one that loses unsynced blocks or fails
// on request (package disktest), so that tests of crashes run the production code.
//
// Guarantees: [WriteFile] replaces a file whole or not at all, also across a
// crash; [Lock] admits one holder of a directory, in this process and among all
// processes; [Fault] maps an error of the disk to the catalogue of errors.
//
// Not guaranteed: that the disk is honest about fsync. A file system without
// advisory locks (some network mounts) cannot keep two machines apart.
package disk

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS is a namespace of files. Its paths are joined and cut with its own
// PathJoin, PathBase and PathDir, since not every FS follows the platform.
type FS = vfs.FS

// File is an open file. WriteAt works on files from OpenReadWrite.
type File = vfs.File

// FileInfo describes a file.
type FileInfo = vfs.FileInfo

// Space reports the free and total bytes of a file system.
type Space = vfs.DiskUsage

// OpenOption is an option of FS.Open.
type OpenOption = vfs.OpenOption

// Category labels writes for statistics. The engine uses [General] only.
type Category = vfs.DiskWriteCategory

// General is the category of all our writes.
const General = vfs.WriteCategoryUnspecified

// Mem is an FS in memory.
type Mem = vfs.MemFS

// OS returns the file system of the machine.
func OS() FS { return vfs.Default }

// NewMem returns an empty file system in memory.
func NewMem() *Mem { return vfs.NewMem() }

// SyncDir makes the entries of dir durable: files made, renamed and removed.
func SyncDir(fs FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("open directory %s to sync it: %w", dir, err)
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}

// MkdirAll creates dir and its missing parents, durably, for their owner alone.
// It also syncs the entry of a directory that exists: the process that created
// it may have been killed before its sync.
func MkdirAll(fs FS, dir string) error {
	entries := []string{dir}
	for at := dir; ; {
		if _, err := fs.Stat(at); err == nil {
			break
		}
		up := fs.PathDir(at)
		if up == at {
			break
		}
		entries = append(entries, up)
		at = up
	}
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory %s: %w", dir, err)
	}
	for i, at := range entries {
		err := SyncDir(fs, fs.PathDir(at))
		if i == len(entries)-1 && errors.Is(err, iofs.ErrPermission) {
			// The directory existed, and this process may not open its parent.
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadFile returns the content of a file.
func ReadFile(fs FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// tempSuffix ends the name of a file that WriteFile has not finished.
const tempSuffix = ".tmp"

// WriteFile makes data the content of a file: whole and durable when it
// returns nil, and otherwise the old content or the new, never a mixture. Two
// writers of one path must take turns.
func WriteFile(fs FS, path string, data []byte) (err error) {
	temp := path + tempSuffix
	f, err := fs.Create(temp, General)
	if err != nil {
		return fmt.Errorf("create %s: %w", temp, err)
	}
	defer func() {
		if err != nil {
			// A leftover file is harmless: the next writer replaces it.
			_ = fs.Remove(temp)
		}
	}()
	// A File may modify the buffer that it writes.
	if _, err = f.Write(append([]byte(nil), data...)); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", temp, err)
	}
	if err = fs.Rename(temp, path); err != nil {
		return fmt.Errorf("rename %s: %w", temp, err)
	}
	return SyncDir(fs, fs.PathDir(path))
}

// Usage returns how many bytes can still be written at path. A file system in
// memory does not know, and returns an error.
func Usage(fs FS, path string) (free uint64, err error) {
	u, err := fs.GetDiskUsage(path)
	if err != nil {
		return 0, fmt.Errorf("free space of %s: %w", path, err)
	}
	return u.AvailBytes, nil
}
