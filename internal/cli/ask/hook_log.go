package ask

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lukasa.dev/internal/cli/term"
)

// The log of hooks. It is bounded: when it is full, it takes the place of the one before.
const (
	NameHookLog = "HOOK.log"
	MaxHookLog  = 1 << 20
	MaxHookLine = 2 << 10
)

// HookLog writes a line to the log of a data directory, and reports whether that could be done.
func HookLog(dir string, at time.Time, who, what string) bool {
	if dir == "" {
		return false
	}
	name := filepath.Join(dir, NameHookLog)
	if info, err := os.Stat(name); err == nil && info.Size() >= MaxHookLog {
		_ = os.Rename(name, name+".1") // at worst it grows by a line
	}
	f, err := openHookLog(name)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(dir, 0o700) == nil {
		f, err = openHookLog(name)
	}
	if err != nil {
		return false
	}
	line := term.OneLine(fmt.Sprintf("%s %s: %s", at.UTC().Format(time.RFC3339), who, what))
	if len(line) > MaxHookLine {
		line = strings.ToValidUTF8(line[:MaxHookLine], "") + "…"
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close()) == nil
}

func openHookLog(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}
