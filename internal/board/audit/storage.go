package audit

import (
	"context"
	"errors"
	"io/fs"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/index/lexical"
	"lukasa.dev/internal/index/vector"
	"lukasa.dev/internal/kv"
)

// Storage is the size of a directory, in bytes.
type Storage struct {
	Journal  int64
	Segments int // files of the journal
	Index    int64
	// Words and Vectors are approximately their parts of the index. Unflushed parts of
	// the index are not counted.
	Words, Vectors int64
	Traces         int64 // cached traces of sessions
}

// StorageOf returns the size of the directory of a board, for all tenants together.
func StorageOf(ctx context.Context, b *board.Board) (*Storage, error) {
	if err := b.Enter(ctx); err != nil {
		return nil, err
	}
	defer b.Leave()
	s := &Storage{}
	for _, x := range b.Log().Segments() {
		s.Journal += x.Size
		s.Segments++
	}
	for _, x := range []struct {
		name string
		to   *int64
	}{{board.NameIndex, &s.Index}, {board.NameTraces, &s.Traces}} {
		var err error
		if *x.to, err = sizeOf(b, x.name); err != nil {
			return nil, err
		}
	}
	for _, x := range []struct {
		prefix byte
		to     *int64
	}{{lexical.Prefix, &s.Words}, {vector.Prefix, &s.Vectors}} {
		n, err := b.Store().Size([]byte{x.prefix}, kv.PrefixEnd([]byte{x.prefix}))
		if err != nil {
			return nil, err
		}
		*x.to = int64(n)
	}
	return s, nil
}

// sizeOf returns the size of the files of a directory. Files may come and go meanwhile.
func sizeOf(b *board.Board, name string) (n int64, err error) {
	names, err := b.FS().List(b.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, disk.Fault(err)
	}
	for _, file := range names {
		if info, err := b.FS().Stat(b.Path(name, file)); err == nil && !info.IsDir() {
			n += info.Size()
		}
	}
	return n, nil
}
