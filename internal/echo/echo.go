// Package echo keeps Lukasa's own words out of what it records. It holds the key of a board
// and the digests of what the board has handed out, and cuts both from events.
//
// Files in the data directory, which docs/formats/handed.md describes:
//
//	HANDED.key   the key, random, made when something is first handed out
//	HANDED       digests of lines that were handed out, appended
//	HANDED.1     the generation before, when HANDED was full
//
// # What is guaranteed
//
//   - Many processes may hand out at once: each appends with one write. A torn write costs the
//     digests that it tore. Nothing is synced: a crash costs the last few.
//   - The key survives, and is the same for all processes that make it at once.
//   - Reading never makes a file. A text that is too short to have a line of ours in it reads
//     none.
//   - A line counts as ours only in a text that is newer than when it was first handed out.
//   - Trouble with the files never stops anybody: without a key a block has no tag, and nothing
//     but what earlier versions marked is cut. [Marker.Err] says what went wrong.
//
// # What is not
//
// Digests are bounded: the oldest generation is dropped. A whole block is recognised by its tag
// for as long as there is the key. The files are not in exports.
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

// Names in a data directory. All of them begin with Name.
const (
	Name     = "HANDED"
	nameKey  = Name + ".key"
	nameOld  = Name + ".1"
	nameLock = Name + ".lock"
)

// keyLine begins the file of the key. The key follows in hexadecimal digits.
const keyLine = "lukasa handed key 1 "

// Marker marks what a board hands out, and cuts it where it comes back. It is safe for
// concurrent use. A nil Marker is that of no board: it marks nothing, and cuts what earlier
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

// By has a marker that nobody uses yet go by a clock, and returns it.
func (m *Marker) By(clock func() time.Time) *Marker {
	if clock != nil {
		m.now = clock
	}
	return m
}

// Err returns the last trouble with the files, or nil.
func (m *Marker) Err() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Wrap returns a text as a block under a title, marked, and remembers its lines. An empty text
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

// Reason returns the reason for which a call is held back as it is handed out, and remembers
// it. It begins with Lukasa's name.
func (m *Marker) Reason(text string) string {
	const name = "Lukasa: "
	if text != "" && !strings.HasPrefix(text, name) {
		text = name + text
	}
	m.Hand(text)
	return text
}

// Hand remembers the lines of a text that is handed out as it is, or of the strings in it if
// it is JSON.
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

// minText is how long a text is at least that may have a line of ours in it.
const minText = 20

// longStrings writes the strings of a value that are long enough to be recognised, a line each.
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

// remember stores the digests of a text. The caller has the lock, and there is a key.
func (m *Marker) remember(text string) {
	if err := m.store.add(m.marks.Digests(text), seconds(m.now())); err != nil {
		m.err = fmt.Errorf("remember what is handed out: %w", disk.Fault(err))
	}
}

// User is the role of a person, whose words are cut only in the form in which they were handed
// out.
const User = "user"

// Cut returns a text that a speaker in a role says now, without what was handed out, and how many
// lines of it that were.
func (m *Marker) Cut(text, role string) (rest string, lines int) {
	return m.CutAt(text, role, time.Time{})
}

// CutAt is [Marker.Cut] of a text that was said at a time; zero is now.
func (m *Marker) CutAt(text, role string, at time.Time) (rest string, lines int) {
	whose := handout.Loose
	if role == User {
		whose = handout.Strict
	}
	return m.cut(text, whose, at)
}

// cut cuts a text that was said at a time, or now.
func (m *Marker) cut(text string, whose handout.Whose, at time.Time) (string, int) {
	if m == nil || len(text) < minText {
		return handout.CutLegacy(text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.haveKey(false) {
		return handout.CutLegacy(text)
	}
	if at.Unix() <= 0 { // nobody said when
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

// seconds returns a time as it is stored.
func seconds(t time.Time) uint32 { return uint32(max(0, min(t.Unix(), 1<<32-1))) }

// haveKey reads the key, if it is not known yet, and makes it if need be.
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
		_, _ = rand.Read(key[:]) // it never fails
		text := []byte(keyLine + hex.EncodeToString(key[:]) + "\n")
		err = disk.MakeFile(m.fs, path, text)
		if errors.Is(err, fs.ErrNotExist) { // the directory is not there yet
			if err = disk.MkdirAll(m.fs, m.dir); err == nil {
				err = disk.MakeFile(m.fs, path, text)
			}
		}
		if errors.Is(err, fs.ErrExist) { // another was first
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
