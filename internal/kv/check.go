package kv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/sstable"
)

// Check verifies the checksum of every block of every file in use, including
// blocks that no walk over the keys reads, and returns the damage. The error
// reports why it could not check.
func (s *Store) Check(ctx context.Context) (damages []error, err error) {
	levels, err := s.db.SSTables()
	if err != nil {
		return nil, explain(s.dir, err)
	}
	for _, level := range levels {
		for _, table := range level {
			if err := ctx.Err(); err != nil {
				return damages, err
			}
			name := s.fs.PathJoin(s.dir, tableName(table.FileNum))
			if err := s.checkTable(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				// A file that is gone was compacted away meanwhile.
				damages = append(damages, unopened(s.dir, fmt.Errorf("%s: %w", name, err)))
			}
		}
	}
	return damages, nil
}

// tableName returns the name of the file of a table.
func tableName[N ~uint64](number N) string { return fmt.Sprintf("%06d.sst", uint64(number)) }

// checkTable checks one file.
func (s *Store) checkTable(ctx context.Context, name string) error {
	f, err := s.fs.Open(name)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(ctx, readable, sstable.ReaderOptions{})
	if err != nil {
		return errors.Join(err, readable.Close())
	}
	err = r.ValidateBlockChecksums()
	return errors.Join(err, r.Close())
}
