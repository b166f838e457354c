package kv

import (
	"sync"

	"lukasa.dev/internal/disk"
)

// tableRoom is how many bytes of a table are written at once. Pebble itself makes a
// system call per block.
const tableRoom = 128 << 10

// tableRooms pools buffers of finished tables.
var tableRooms = sync.Pool{New: func() any {
	b := make([]byte, 0, tableRoom)
	return &b
}}

// table is a Pebble file that is written sequentially through a buffer. The file holds
// what was written after each sync, and after Close.
type table struct {
	disk.File
	room *[]byte // nil once it is closed
}

// Write writes p, possibly later.
func (t *table) Write(p []byte) (int, error) {
	if len(*t.room)+len(p) > tableRoom {
		if err := t.flush(); err != nil {
			return 0, err
		}
	}
	if len(p) >= tableRoom {
		return t.File.Write(p)
	}
	*t.room = append(*t.room, p...)
	return len(p), nil
}

// flush writes the buffer. What the disk refused is not retried.
func (t *table) flush() error {
	waits := *t.room
	*t.room = waits[:0]
	if len(waits) == 0 {
		return nil
	}
	_, err := t.File.Write(waits)
	return err
}

// Sync makes what was written durable, and the file's length.
func (t *table) Sync() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.File.Sync()
}

// SyncData makes what was written durable.
func (t *table) SyncData() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.File.SyncData()
}

// SyncTo makes the disk start to write the first length bytes.
func (t *table) SyncTo(length int64) (fullSync bool, err error) {
	if err := t.flush(); err != nil {
		return false, err
	}
	return t.File.SyncTo(length)
}

// Close closes the file.
func (t *table) Close() error {
	var err error
	if t.room != nil {
		err = t.flush()
		tableRooms.Put(t.room)
		t.room = nil
	}
	if e := t.File.Close(); err == nil {
		err = e
	}
	return err
}
