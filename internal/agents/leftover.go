package agents

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tempMark is, in the name of staged content, between the name of the file and a number.
const tempMark = ".lukasa-"

// abandoned is the age from which staged content belongs to a process that was killed.
// Otherwise it is moved immediately.
const abandoned = 10 * time.Minute

// sweep removes what a killed install left beside a file and beside its links: staged content
// of the file and of its backups. Other files stay.
func (c *config) sweep(now time.Time) {
	sweepDirectory(filepath.Dir(c.real), now, func(beside string) bool { return beside == filepath.Base(c.real) })
	sweepDirectory(filepath.Dir(c.path), now, func(beside string) bool { return copyOf(beside, filepath.Base(c.path)) })
}

// sweepDirectory removes abandoned files from a directory, beside the files that wanted
// accepts.
func sweepDirectory(dir string, now time.Time, wanted func(beside string) bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // unreadable files stay
	}
	for _, e := range entries {
		if beside, ok := stagedFor(e.Name()); !ok || !wanted(beside) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name())) // at worst an unused file remains
		}
	}
}

// stagedFor returns the file that a staged name belongs to.
func stagedFor(name string) (beside string, ok bool) {
	i := strings.LastIndex(name, tempMark)
	if i < 2 || name[0] != '.' {
		return "", false
	}
	number := name[i+len(tempMark):]
	n, err := strconv.ParseUint(number, 10, 32)
	return name[1:i], err == nil && strconv.FormatUint(n, 10) == number
}

// copyOf reports whether a name is that of a backup of a file.
func copyOf(name, file string) bool {
	sum, ok := strings.CutPrefix(name, file+backupMark)
	raw, err := hex.DecodeString(sum)
	return ok && err == nil && len(raw) == backupSum && hex.EncodeToString(raw) == sum
}
