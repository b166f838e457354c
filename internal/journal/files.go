package journal

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// files keeps the most recently used segments open for reading, within a
// limit, so that a large log does not run out of file descriptors.
type files struct {
	fs    disk.FS
	dir   string
	limit int

	mu     sync.Mutex
	open   map[string]*reading
	clock  uint64
	closed bool
}

// reading is an open segment.
type reading struct {
	disk.File
	name string
	refs int
	used uint64
	gone bool // no longer in the map: the last reader closes it
}

// get opens a segment or returns it from the cache. The caller releases it
// with put.
func (c *files) get(name string) (*reading, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fault.New(fault.Closed, "the journal is closed")
	}
	c.clock++
	if r := c.open[name]; r != nil {
		r.refs++
		r.used = c.clock
		return r, nil
	}
	f, err := c.fs.Open(c.fs.PathJoin(c.dir, name))
	if err != nil {
		return nil, fmt.Errorf("open segment %s: %w", name, err)
	}
	r := &reading{File: f, name: name, refs: 1, used: c.clock}
	c.open[name] = r
	for len(c.open) > c.limit && c.evict() {
	}
	return r, nil
}

// evict closes the least recently used segment.
func (c *files) evict() bool {
	var oldest *reading
	for _, r := range c.open {
		if r.refs == 0 && (oldest == nil || r.used < oldest.used) {
			oldest = r
		}
	}
	if oldest == nil {
		return false
	}
	c.remove(oldest)
	return true
}

// put releases what get returned.
func (c *files) put(r *reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.refs--
	if r.refs == 0 && r.gone {
		_ = r.Close()
	}
}

// drop evicts a segment whose file is about to be replaced.
func (c *files) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.open[name]; r != nil {
		c.remove(r)
	}
}

// remove takes a segment out of the map, and closes it unless it is being
// read.
func (c *files) remove(r *reading) {
	delete(c.open, r.name)
	if r.refs == 0 {
		_ = r.Close()
	} else {
		r.gone = true
	}
}

// close closes the open segments. Those being read are closed by their last
// reader.
func (c *files) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, r := range c.open {
		c.remove(r)
	}
}

// readAt fills b from off, or up to the end of the file.
func readAt(f disk.File, b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) {
		m, err := f.ReadAt(b[n:], off+int64(n))
		n += m
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("read segment: %w", err)
		}
		if m == 0 {
			return n, nil
		}
	}
	return n, nil
}
