package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The log of hooks. It is bounded: when it is full, it takes the place of the one before.
const (
	nameHookLog = "HOOK.log"
	maxHookLog  = 1 << 20
	maxHookLine = 2 << 10
)

// hookLog writes a line to the log of a data directory, and reports whether that could be done.
func hookLog(dir string, at time.Time, who, what string) bool {
	if dir == "" {
		return false
	}
	name := filepath.Join(dir, nameHookLog)
	if info, err := os.Stat(name); err == nil && info.Size() >= maxHookLog {
		_ = os.Rename(name, name+".1") // at worst it grows by a line
	}
	f, err := openHookLog(name)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(dir, 0o700) == nil {
		f, err = openHookLog(name)
	}
	if err != nil {
		return false
	}
	line := oneLine(fmt.Sprintf("%s %s: %s", at.UTC().Format(time.RFC3339), who, what))
	if len(line) > maxHookLine {
		line = strings.ToValidUTF8(line[:maxHookLine], "") + "…"
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close()) == nil
}

func openHookLog(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}
