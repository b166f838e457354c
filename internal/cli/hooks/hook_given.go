package hooks

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/memory"
)

// nameGiven is the directory in a data directory that says what each session was given, so
// that no session pays twice for the same line. It is a cache: without it lines are given
// again.
const nameGiven = "GIVEN"

// Bounds of what is kept about sessions.
const (
	givenMost = 4096                // lines of a session
	givenFor  = 14 * 24 * time.Hour // after its last line
)

// given is what a session was given since its context was last compacted.
type given struct {
	file  string // empty if nothing is kept
	lines map[uint64]bool
	fresh []uint64
}

// givenTo returns what the session of this call was given. A session that begins again, or
// whose context was compacted, has been given nothing.
func (h *hooking) givenTo() *given {
	g := &given{lines: make(map[uint64]bool)}
	dir := h.dir
	if dir == "" {
		dir = h.shell.Served.Dir
	}
	if dir == "" {
		return g
	}
	sum := sha256.Sum256([]byte(h.agent + "\x00" + h.call.Session))
	g.file = filepath.Join(dir, nameGiven, hex.EncodeToString(sum[:8]))
	if h.call.Ask == hook.Start {
		_ = os.Remove(g.file) // at worst it is given less
		g.sweep()
		return g
	}
	text, err := os.ReadFile(g.file)
	if err != nil {
		return g
	}
	for ; len(text) >= 8; text = text[8:] {
		g.lines[binary.BigEndian.Uint64(text)] = true
	}
	return g
}

// key is what a line is known by: its letters and digits, without how binding a rule is, which
// not every form of it tells.
func (g *given) key(text string) uint64 {
	for _, strength := range memory.Strengths() {
		text = strings.TrimPrefix(text, "("+string(strength)+") ")
	}
	sum := sha256.Sum256([]byte(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)))
	return binary.BigEndian.Uint64(sum[:])
}

// has reports whether the session was given a line.
func (g *given) has(text string) bool { return g.lines[g.key(text)] }

// add notes that the session is given a line.
func (g *given) add(text string) { g.fresh = append(g.fresh, g.key(text)) }

// keep writes down what was added. Nothing depends on it, so it is not synced.
func (g *given) keep() {
	if g.file == "" || len(g.fresh) == 0 || len(g.lines) >= givenMost {
		return
	}
	var text []byte
	for _, key := range g.fresh {
		text = binary.BigEndian.AppendUint64(text, key)
	}
	f, err := os.OpenFile(g.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		if os.MkdirAll(filepath.Dir(g.file), 0o700) != nil {
			return
		}
		if f, err = os.OpenFile(g.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
			return
		}
	}
	_, _ = f.Write(text) // at worst it is given again
	_ = f.Close()
}

// sweep removes what is kept about sessions that are long over.
func (g *given) sweep() {
	entries, err := os.ReadDir(filepath.Dir(g.file))
	if err != nil || len(entries) < 64 {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > givenFor {
			_ = os.Remove(filepath.Join(filepath.Dir(g.file), e.Name())) // the next one tries again
		}
	}
}

// forgetGiven drops what is kept about a session whose context was compacted.
func (h *hooking) forgetGiven() {
	if slices.ContainsFunc(h.call.Events, func(e hook.Event) bool { return hook.Compacted(e.Event) }) {
		if g := h.givenTo(); g.file != "" {
			_ = os.Remove(g.file) // at worst it is given less
		}
	}
}
