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

// maxConfig is how long a file of settings may be. Claude Code has histories in one.
const maxConfig = 64 << 20

// config is a file of an agent as it was read.
type config struct {
	path  string // as it is named
	real  string // where its bytes are, behind links
	there bool
	data  []byte
	info  fs.FileInfo
}

// load reads a file, which need not be there.
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
		return nil, err // before it is opened, since that waits for the other end of a pipe
	}
	f, err := os.Open(c.real)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	if c.info, err = f.Stat(); err != nil {
		return nil, unreadable(path, err)
	}
	if c.data, err = io.ReadAll(io.LimitReader(f, maxConfig+1)); err != nil {
		return nil, unreadable(path, err)
	}
	if len(c.data) > maxConfig {
		return nil, fault.Newf(fault.TooLarge, "%s is longer than %d MiB", path, maxConfig>>20).WithFix("look what is in it, and make it shorter; it was left as it is")
	}
	c.there = true
	return c, nil
}

// regular fails if what is at a path is anything but a regular file.
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
	return fault.Newf(fault.UnreadableInput, "%s is %s, and is to be a regular file", path, kind).
		WithFix("move it away, or put a regular file in its place; it was left as it is")
}

// behindLinks returns where a path leads to, also if nothing is there yet.
func behindLinks(path string) (string, error) {
	const most = 40
	at := path
	for range most {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return at, nil // whoever opens it is told
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", unreadable(path, err)
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(at) + string(filepath.Separator) + to // not cleaned: a link may stand before ".."
		}
		if at, err = inRealDirectory(to); err != nil {
			return "", unreadable(path, err)
		}
	}
	return "", fault.Newf(fault.UnreadableInput, "%s is a link that leads nowhere but to other links", path).WithFix("put a file in its place")
}

// inRealDirectory returns a path whose directory has no links, as far as it is there. The last
// name stays as it is.
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

// reason is an error of the file system without the path, which is told already.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// staged is new content on the disk, beside its place.
type staged struct {
	config *config
	temp   string
	made   []string // directories that were made for it, the outermost first
}

// stage writes the new content of a file beside it, as readable as the file is.
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

// write puts data into a new file beside a path, and makes it durable.
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
		_ = os.Remove(f.Name()) // the error that matters is known
		return "", err
	}
	return f.Name(), nil
}

// drop removes what was staged and is not wanted any more, and the directories that were made
// for it.
func (s *staged) drop() {
	_ = os.Remove(s.temp) // at worst a file is left that nobody reads
	for _, dir := range slices.Backward(s.made) {
		_ = os.Remove(dir) // what is not empty any more stays
	}
}

// replace puts what was staged in its place, if nobody changed that since.
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

// remove takes the file away, if nobody changed it since.
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

// unchanged fails if the file is not what was read.
func (c *config) unchanged() error {
	now, err := load(c.path)
	if err != nil {
		return err
	}
	if now.there != c.there || now.real != c.real || !bytes.Equal(now.data, c.data) {
		return fault.Newf(fault.VersionConflict, "%s was changed by somebody else just now", c.path).
			WithFix("close the agent if it is open, and run this again; that change was left as it is")
	}
	return nil
}

// syncDir makes a new name durable, where a directory can be synced.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()  // some systems have nothing to sync there
		_ = f.Close() // nothing was written to it
	}
}

// backupMark stands between the name of a file and the sum of what install made of it, in the
// name of the copy of what it was before.
const backupMark = ".before-lukasa-"

// backupSum is how many bytes of that sum are in the name.
const backupSum = 6

// backupName is what the copy of a file is called that becomes data.
func backupName(path string, data []byte) string {
	sum := sha256.Sum256(data)
	return path + backupMark + hex.EncodeToString(sum[:backupSum])
}

// backups lists the copies beside a file, in order.
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

// backup puts a copy of a file beside it, in the place of earlier ones.
func (c *config) backup(name string) error {
	old := backups(c.path)
	temp, err := write(name, c.data, c.info.Mode().Perm())
	if err != nil {
		return unwritable(name, err)
	}
	keepOwner(temp, c.info)
	if err := os.Rename(temp, name); err != nil {
		_ = os.Remove(temp) // the error that matters is known
		return unwritable(name, err)
	}
	for _, o := range old {
		if o != name {
			_ = os.Remove(o) // at worst there are two
		}
	}
	return nil
}
