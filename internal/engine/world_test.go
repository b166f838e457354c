package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

var (
	ctx  = context.Background()
	user = engine.Writer{Actor: "tester", Trust: record.User}
)

// clock is a clock that stands still until it is moved.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.nanos.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) Now() time.Time        { return time.Unix(0, c.nanos.Load()) }
func (c *clock) Move(by time.Duration) { c.nanos.Add(int64(by)) }

// small are options that make everything happen early: segments roll, memory tables
// fill, and opening costs little.
func small(fs disk.FS) engine.Options {
	return engine.Options{FS: fs, SegmentBytes: 16 << 10, CacheBytes: 1 << 20, MemTableBytes: 128 << 10}
}

// open opens a board and closes it when the test ends.
func open(t testing.TB, fs disk.FS, dir string) *engine.Board {
	t.Helper()
	return openWith(t, dir, engine.Options{FS: fs, CacheBytes: 8 << 20, MemTableBytes: 4 << 20})
}

func openWith(t testing.TB, dir string, o engine.Options) *engine.Board {
	t.Helper()
	b, err := engine.Open(ctx, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// sound fails the test if the board is not sound.
func sound(t testing.TB, b *engine.Board) *engine.VerifyReport {
	t.Helper()
	r, err := soundness(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// soundness verifies deeply and returns the first finding.
func soundness(b *engine.Board) (*engine.VerifyReport, error) {
	r, err := b.Verify(ctx, engine.VerifyOptions{Deep: true})
	if err != nil {
		return r, fmt.Errorf("verify: %w", err)
	}
	if !r.OK() {
		return r, fmt.Errorf("verify found %+v", r.Findings)
	}
	return r, nil
}

// event returns a valid event.
func event(t testing.TB, tenant, id string, seq int64, text string) *hmx.Event {
	t.Helper()
	return eventWith(t, tenant, id, "s1", seq, text, "")
}

// eventWith returns a valid event with more fields, given as JSON with a comma
// in front.
func eventWith(t testing.TB, tenant, id, session string, seq int64, text, more string) *hmx.Event {
	t.Helper()
	ev, err := decodeEvent(tenant, id, session, seq, text, more)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

func decodeEvent(tenant, id, session string, seq int64, text, more string) (*hmx.Event, error) {
	ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":%s,"event_type":"message","agent_id":"a1","tenant_id":%s,"session_id":%s,"timestamp":"2026-11-15T05:00:00Z","sequence":%d,"content":{"role":"user","text":%s},"metadata":{}%s}`,
		quote(id), quote(tenant), quote(session), seq, quote(text), more))
	return ev, err
}

// quote writes text as JSON.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) { // by bytes: what is not UTF-8 stays so
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// fact returns a memory.
func fact(id, key, text string) *memory.Memory {
	return &memory.Memory{ID: id, Type: memory.TypeFact, Key: key, Text: text}
}

// line is one record of the journal, read by the documentation of the format and
// not by the engine.
type line struct {
	record.Header
	Raw    []byte // of the header
	Body   []byte
	Erased bool
}

// readJournal returns the records of tenants from the bytes of the journal.
func readJournal(fs disk.FS, dir string) (map[string][]line, error) {
	log, err := journal.Open(journal.Options{FS: fs, Dir: fs.PathJoin(dir, "journal"), ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	tenants := make(map[string][]line)
	scan := log.Scan(0)
	defer scan.Close()
	var f journal.Frame
	for {
		err := scan.Next(&f)
		if err == io.EOF {
			return tenants, nil
		}
		if err != nil {
			return nil, err
		}
		h, err := record.ParseHeader(f.Header)
		if err != nil {
			return nil, err
		}
		if n := uint64(len(tenants[h.Tenant])); h.Position != n {
			return nil, fmt.Errorf("tenant %q: position %d comes where %d should", h.Tenant, h.Position, n)
		}
		if !f.Erased && sha256.Sum256(f.Body) != h.Commitment {
			return nil, fmt.Errorf("tenant %q: position %d is not what it commits to", h.Tenant, h.Position)
		}
		tenants[h.Tenant] = append(tenants[h.Tenant], line{h, bytes.Clone(f.Header), bytes.Clone(f.Body), f.Erased})
	}
}

// treeHash is RFC 6962, section 2.1, literally.
func treeHash(leaves [][]byte) [32]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, leaves[0]...))
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	l, r := treeHash(leaves[:k]), treeHash(leaves[k:])
	return sha256.Sum256(append(append([]byte{1}, l[:]...), r[:]...))
}

func rootOfLines(lines []line) [32]byte {
	leaves := make([][]byte, len(lines))
	for i := range lines {
		leaves[i] = lines[i].Raw
	}
	return treeHash(leaves)
}

// rootsAgree compares every root of the board with one computed from the bytes of
// the journal.
func rootsAgree(b *engine.Board, lines map[string][]line) error {
	seen := 0
	for root, err := range b.Tenants(ctx) {
		if err != nil {
			return err
		}
		seen++
		have := lines[root.Tenant]
		if root.Size != uint64(len(have)) || root.Hash != rootOfLines(have) {
			return fmt.Errorf("tenant %q: the board has size %d and root %x, the journal %d and %x",
				root.Tenant, root.Size, root.Hash, len(have), rootOfLines(have))
		}
	}
	if seen != len(lines) {
		return fmt.Errorf("the board has %d tenants, the journal %d", seen, len(lines))
	}
	return nil
}

// files returns the paths of all files below dir.
func files(fs disk.FS, dir string) ([]string, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		path := fs.PathJoin(dir, name)
		info, err := fs.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			all = append(all, path)
			continue
		}
		below, err := files(fs, path)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// grep returns the first file below dir that contains one of the words.
func grep(fs disk.FS, dir string, words ...string) (path, word string, err error) {
	if len(words) == 0 {
		return "", "", nil
	}
	all, err := files(fs, dir)
	if err != nil {
		return "", "", err
	}
	for _, path := range all {
		data, err := disk.ReadFile(fs, path)
		if err != nil {
			return "", "", err
		}
		for _, w := range words {
			if bytes.Contains(data, []byte(w)) {
				return path, w, nil
			}
		}
	}
	return "", "", nil
}

// within runs f, and reports what did not end shortly before the test timeout. The
// limit depends on the machine and is not a rule.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	var stop <-chan time.Time
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, ok := d.Deadline(); ok {
			stop = time.After(time.Until(at) - 10*time.Second)
		}
	}
	select {
	case <-done:
	case <-stop:
		debug.SetTraceback("all")
		panic("this does not end: " + what)
	}
}
