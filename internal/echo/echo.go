// Package echo keeps Lukasa's own text out of what it records. It holds the key of a board and
// the digests of what the board has handed out, and cuts marked blocks and known lines from
// events.
//
// Files in the data directory, which docs/formats/handed.md describes:
//
//	HANDED.key   the key, random, made when something is first handed out
//	HANDED       digests of lines that were handed out, appended
//	HANDED.1     the generation before, when HANDED was full
//
// # What is guaranteed
//
//   - Processes may hand out concurrently: each appends with one write. A torn write loses its
//     own digests. Nothing is synced: a crash loses the last few.
//   - The key is durable, and is the same for all processes that create it concurrently.
//   - Reading never creates a file. A text that is too short for a line of ours reads none.
//   - A line counts as ours only in a text that is newer than when it was first handed out.
//   - File errors never stop a caller: without a key a block has no tag, and only what earlier
//     versions marked is cut. [Marker.Err] returns the error.
//
// # What is not
//
// Digests are bounded: the oldest generation is dropped. A whole block is recognised by its tag
// as long as the key exists. The files are not part of exports.
package echo

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/handout"
)

// File names in a data directory. All of them begin with Name.
const (
	Name     = "HANDED"
	nameKey  = Name + ".key"
	nameOld  = Name + ".1"
	nameLock = Name + ".lock"
)

// keyLine is the prefix of the key file. The key follows in hexadecimal digits.
const keyLine = "lukasa handed key 1 "

// Marker marks what a board hands out, and cuts it where it comes back. It is safe for
// concurrent use. A nil Marker belongs to no board: it marks nothing, and cuts what earlier
// versions marked.
type Marker struct {
	fs  disk.FS
	dir string
	now func() time.Time

	mu    sync.Mutex
	marks *handout.Marks // nil until there is a key
	store store
	err   error
}

// Open returns the marker of a data directory. It reads nothing yet.
func Open(fs disk.FS, dir string) *Marker {
	return &Marker{fs: fs, dir: dir, now: time.Now, store: store{fs: fs, path: fs.PathJoin(dir, Name), old: fs.PathJoin(dir, nameOld), lock: fs.PathJoin(dir, nameLock)}}
}

// By sets the clock of a marker that is not in use yet, and returns the marker.
func (m *Marker) By(clock func() time.Time) *Marker {
	if clock != nil {
		m.now = clock
	}
	return m
}

// Err returns the last file error, or nil.
func (m *Marker) Err() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Wrap returns a text as a marked block under a title, and remembers its lines. An empty text
// stays empty.
func (m *Marker) Wrap(title, text string) string {
	if m == nil {
		return handout.Plain(title, text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.haveKey(true) {
		return handout.Plain(title, text)
	}
	block := m.marks.Wrap(title, text)
	m.remember(block)
	return block
}

// Reason returns the reason of a denial as it is handed out, and remembers it. It begins with
// Lukasa's name.
func (m *Marker) Reason(text string) string {
	const name = "Lukasa: "
	if text != "" && !strings.HasPrefix(text, name) {
		text = name + text
	}
	m.Hand(text)
	return text
}

// Hand remembers the lines of a text that is handed out unchanged, or of the strings in it if it
// is JSON.
func (m *Marker) Hand(text string) {
	if m == nil || len(text) < minText {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.haveKey(true) {
		return
	}
	if t := strings.TrimLeft(text, " \t\r\n"); t != "" && (t[0] == '{' || t[0] == '[') {
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			var b strings.Builder
			longStrings(&b, v)
			text = b.String()
		}
	}
	m.remember(text)
}

// minText is the minimum length of a text that may contain a line of ours.
const minText = 20

// longStrings writes the strings of a value that are long enough to be recognised, one per line.
func longStrings(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		if len(v) >= minText && strings.ContainsAny(v, " \n") { // ids and hashes are not words
			b.WriteString(v + "\n")
		}
	case []any:
		for _, x := range v {
			longStrings(b, x)
		}
	case map[string]any:
		for _, x := range v {
			longStrings(b, x)
		}
	}
}

// remember stores the digests of a text. The caller holds the lock, and there is a key.
func (m *Marker) remember(text string) {
	if err := m.store.add(m.marks.Digests(text), seconds(m.now())); err != nil {
		m.err = fmt.Errorf("remember what is handed out: %w", disk.Fault(err))
	}
}

// User is the role of a person, whose words are cut only in the form in which they were handed
// out.
const User = "user"

// Cut returns a text of a role, said now, without what was handed out, and how many lines were
// cut.
func (m *Marker) Cut(text, role string) (rest string, lines int) {
	return m.CutAt(text, role, time.Time{})
}

// CutAt is [Marker.Cut] for a text from a time; zero means now.
func (m *Marker) CutAt(text, role string, at time.Time) (rest string, lines int) {
	whose := handout.Loose
	if role == User {
		whose = handout.Strict
	}
	return m.cut(text, whose, at)
}

// cut cuts a text from a time, or from now.
func (m *Marker) cut(text string, whose handout.Whose, at time.Time) (string, int) {
	if m == nil || len(text) < minText {
		return handout.CutLegacy(text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.haveKey(false) {
		return handout.CutLegacy(text)
	}
	if at.Unix() <= 0 { // without a time
		at = m.now()
	}
	return m.marks.Cut(text, whose, func(want map[uint64]bool) {
		if err := m.store.lookup(want, seconds(at.Add(skew))); err != nil {
			m.err = fmt.Errorf("look up what was handed out: %w", disk.Fault(err))
		}
	})
}

// skew is how far the clock of a text's source may be behind.
const skew = 15 * time.Minute

// seconds returns a time in its stored form.
func seconds(t time.Time) uint32 { return uint32(max(0, min(t.Unix(), 1<<32-1))) }

// haveKey reads the key, if it is not known yet, and creates it if make is set.
func (m *Marker) haveKey(make bool) bool {
	if m.marks != nil {
		return true
	}
	path := m.fs.PathJoin(m.dir, nameKey)
	key, err := m.readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if !make {
			return false
		}
		_, _ = rand.Read(key[:]) // never fails
		text := []byte(keyLine + hex.EncodeToString(key[:]) + "\n")
		err = disk.MakeFile(m.fs, path, text)
		if errors.Is(err, fs.ErrNotExist) { // the directory does not exist yet
			if err = disk.MkdirAll(m.fs, m.dir); err == nil {
				err = disk.MakeFile(m.fs, path, text)
			}
		}
		if errors.Is(err, fs.ErrExist) { // another process was first
			key, err = m.readKey(path)
		}
	}
	if err != nil {
		m.err = fmt.Errorf("the key of what is handed out: %w", disk.Fault(err))
		return false
	}
	m.marks = handout.New(key)
	return true
}

func (m *Marker) readKey(path string) (key [handout.KeySize]byte, err error) {
	text, err := disk.ReadFile(m.fs, path)
	if err != nil {
		return key, err
	}
	digits, ok := strings.CutPrefix(strings.TrimSpace(string(text)), keyLine)
	raw, bad := hex.DecodeString(digits)
	if !ok || bad != nil || len(raw) != len(key) {
		return key, fmt.Errorf("%s is damaged; remove it to have a new one made", path)
	}
	copy(key[:], raw)
	return key, nil
}
