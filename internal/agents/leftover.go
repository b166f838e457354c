package agents

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tempMark stands between the name of a file and a number, in the name of new content that is
// not in its place yet.
const tempMark = ".lukasa-"

// abandoned is how old new content is that nobody will put in its place any more: whoever wrote
// it was ended. It is put there at once otherwise.
const abandoned = 10 * time.Minute

// sweep removes what was left beside a file, and beside its links, by an install that was ended
// in the middle: of the file itself and of copies of it. What else is there stays.
func (c *config) sweep(now time.Time) {
	sweepDirectory(filepath.Dir(c.real), now, func(beside string) bool { return beside == filepath.Base(c.real) })
	sweepDirectory(filepath.Dir(c.path), now, func(beside string) bool { return copyOf(beside, filepath.Base(c.path)) })
}

// sweepDirectory removes from a directory what was abandoned beside the files whose names are wanted.
func sweepDirectory(dir string, now time.Time, wanted func(beside string) bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // what cannot be looked at stays
	}
	for _, e := range entries {
		if beside, ok := stagedFor(e.Name()); !ok || !wanted(beside) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name())) // at worst a file is left that nobody reads
		}
	}
}

// stagedFor returns the name of the file that a name of write belongs to.
func stagedFor(name string) (beside string, ok bool) {
	i := strings.LastIndex(name, tempMark)
	if i < 2 || name[0] != '.' {
		return "", false
	}
	number := name[i+len(tempMark):]
	n, err := strconv.ParseUint(number, 10, 32)
	return name[1:i], err == nil && strconv.FormatUint(n, 10) == number
}

// copyOf reports whether a name is one that backupName gives to copies of a file.
func copyOf(name, file string) bool {
	sum, ok := strings.CutPrefix(name, file+backupMark)
	raw, err := hex.DecodeString(sum)
	return ok && err == nil && len(raw) == backupSum && hex.EncodeToString(raw) == sum
}
