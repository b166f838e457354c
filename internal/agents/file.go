package agents

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lukasa.dev/internal/fault"
)

// maxConfig is the maximum size of a settings file. Claude Code keeps histories in one.
const maxConfig = 64 << 20

// config is an agent's file as it was read.
type config struct {
	path  string // as it is named
	real  string // with links resolved
	there bool
	data  []byte
	info  fs.FileInfo
}

// load reads a file, which may be missing.
func load(path string) (*config, error) {
	c := &config{path: path}
	var err error
	if c.real, err = behindLinks(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(c.real)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	if err := regular(path, info); err != nil {
		return nil, err // before it is opened, since opening a pipe blocks
	}
	f, err := os.Open(c.real)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	if c.info, err = f.Stat(); err != nil {
		return nil, unreadable(path, err)
	}
	if c.data, err = io.ReadAll(io.LimitReader(f, maxConfig+1)); err != nil {
		return nil, unreadable(path, err)
	}
	if len(c.data) > maxConfig {
		return nil, fault.Newf(fault.TooLarge, "%s is longer than %d MiB", path, maxConfig>>20).WithFix("check its content, and make it shorter; it was not changed")
	}
	c.there = true
	return c, nil
}

// regular fails if a path is anything but a regular file.
func regular(path string, info fs.FileInfo) error {
	mode := info.Mode()
	if mode.IsRegular() {
		return nil
	}
	kind := "something else"
	switch {
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fault.Newf(fault.UnreadableInput, "%s is %s, but must be a regular file", path, kind).
		WithFix("move it away, or put a regular file in its place; it was not changed")
}

// behindLinks resolves the links of a path, even if the target is missing.
func behindLinks(path string) (string, error) {
	const most = 40
	at := path
	for range most {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil // opening it gives the error
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", unreadable(path, err)
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(at) + string(filepath.Separator) + to // not cleaned: a link may precede ".."
		}
		if at, err = inRealDirectory(to); err != nil {
			return "", unreadable(path, err)
		}
	}
	return "", fault.Newf(fault.UnreadableInput, "%s is a link that leads nowhere but to other links", path).WithFix("put a file in its place")
}

// inRealDirectory resolves the links in the directory of a path, as far as it exists. The last
// name stays.
func inRealDirectory(path string) (string, error) {
	dir, name := filepath.Split(path)
	found, err := filepath.EvalSymlinks(dir)
	if parent := strings.TrimRightFunc(dir, func(r rune) bool { return r == '/' || r == filepath.Separator }); errors.Is(err, fs.ErrNotExist) && parent != path {
		found, err = inRealDirectory(parent)
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(found, name), nil
}

func unreadable(path string, err error) error {
	return fault.Newf(fault.UnreadableInput, "cannot read %s: %w", path, reason(err)).WithFix("get permission to read it, or run this as its owner")
}

func unwritable(path string, err error) error {
	return fault.Newf(fault.OutputFailed, "cannot write %s: %w", path, reason(err)).
		WithFix("get permission to write there, or use --print and put the entries in by hand; nothing was changed")
}

// reason is a file system error without the path, which the message has already.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// staged is new content on the disk, beside its target.
type staged struct {
	config *config
	temp   string
	made   []string // directories created for it, the outermost first
}

// stage writes the new content of a file beside it, with the same mode.
func (c *config) stage(data []byte, private bool) (*staged, error) {
	mode := fs.FileMode(0o600)
	if !private {
		mode = 0o644
	}
	if c.there {
		mode = c.info.Mode().Perm()
		if mode&0o200 == 0 {
			return nil, fault.Newf(fault.OutputFailed, "%s is read-only", c.path).
				WithFix("make it writable, such as with chmod u+w, or use --print and give the entries to whatever manages it; nothing was changed")
		}
	}
	dir := fs.FileMode(0o700)
	if !private {
		dir = 0o755
	}
	s := &staged{config: c, made: missing(filepath.Dir(c.real))}
	err := os.MkdirAll(filepath.Dir(c.real), dir)
	if err == nil {
		s.temp, err = write(c.real, data, mode)
	}
	if err != nil {
		s.drop()
		return nil, unwritable(c.path, err)
	}
	if c.there {
		keepOwner(s.temp, c.info)
	}
	return s, nil
}

// write writes data to a new file beside a path, and syncs it.
func write(beside string, data []byte, mode fs.FileMode) (temp string, err error) {
	f, err := os.CreateTemp(filepath.Dir(beside), "."+filepath.Base(beside)+tempMark+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if failed := f.Chmod(mode); err == nil {
		err = failed
	}
	if failed := f.Sync(); err == nil {
		err = failed
	}
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is reported
		return "", err
	}
	return f.Name(), nil
}

// drop removes a staged file and the directories created for it.
func (s *staged) drop() {
	_ = os.Remove(s.temp) // at worst an unused file remains
	for _, dir := range slices.Backward(s.made) {
		_ = os.Remove(dir) // one that is not empty stays
	}
}

// replace moves the staged content to its target, if that has not changed since.
func (s *staged) replace() error {
	if err := s.config.unchanged(); err != nil {
		s.drop()
		return err
	}
	if err := os.Rename(s.temp, s.config.real); err != nil {
		s.drop()
		return unwritable(s.config.path, err)
	}
	syncDir(filepath.Dir(s.config.real))
	return nil
}

// remove deletes the file, if it has not changed since.
func (c *config) remove() error {
	if err := c.unchanged(); err != nil {
		return err
	}
	if err := os.Remove(c.real); err != nil {
		return unwritable(c.path, err)
	}
	syncDir(filepath.Dir(c.real))
	return nil
}

// unchanged fails if the file differs from what was read.
func (c *config) unchanged() error {
	now, err := load(c.path)
	if err != nil {
		return err
	}
	if now.there != c.there || now.real != c.real || !bytes.Equal(now.data, c.data) {
		return fault.Newf(fault.VersionConflict, "%s was changed by another program just now", c.path).
			WithFix("close the agent if it is open, and run this again; the other change was kept")
	}
	return nil
}

// syncDir makes a new name durable, if the system supports it.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()  // not supported everywhere
		_ = f.Close() // it was only read
	}
}

// backupMark is, in the name of a backup, between the name of the file and the checksum of what
// install made of it.
const backupMark = ".before-lukasa-"

// backupSum is how many bytes of that checksum are in the name.
const backupSum = 6

// backupName is the name of the backup of a file that becomes data.
func backupName(path string, data []byte) string {
	sum := sha256.Sum256(data)
	return path + backupMark + hex.EncodeToString(sum[:backupSum])
}

// backups lists the backups of a file, sorted.
func backups(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+backupMark) && e.Type().IsRegular() {
			found = append(found, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	slices.Sort(found)
	return found
}

// backup writes a backup of a file, in place of earlier ones.
func (c *config) backup(name string) error {
	old := backups(c.path)
	temp, err := write(name, c.data, c.info.Mode().Perm())
	if err != nil {
		return unwritable(name, err)
	}
	keepOwner(temp, c.info)
	if err := os.Rename(temp, name); err != nil {
		_ = os.Remove(temp) // the first error is reported
		return unwritable(name, err)
	}
	for _, o := range old {
		if o != name {
			_ = os.Remove(o) // at worst there are two
		}
	}
	return nil
}
