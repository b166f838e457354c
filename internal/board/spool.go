package board

import (
	"fmt"
	"io"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// Twice is a stream that can be read twice.
type Twice struct {
	First  io.Reader
	Second func() (io.Reader, error)
	Done   func()
}

// Seekable makes a stream readable twice: by seeking or, if it cannot seek,
// through a file in the data directory.
func (b *Board) Seekable(src io.Reader) (*Twice, error) {
	if s, ok := src.(io.Seeker); ok {
		if start, err := s.Seek(0, io.SeekCurrent); err == nil {
			return &Twice{First: src, Done: func() {}, Second: func() (io.Reader, error) {
				if _, err := s.Seek(start, io.SeekStart); err != nil {
					return nil, fault.Wrap(fault.UnreadableInput, err)
				}
				return src, nil
			}}, nil
		}
	}
	b.spooling.Lock()
	name := b.Path(nameSpool)
	out, err := b.o.FS.Create(name, disk.General)
	if err != nil {
		b.spooling.Unlock()
		return nil, fmt.Errorf("create %s: %w", name, disk.Fault(err))
	}
	var in disk.File
	return &Twice{
		First: io.TeeReader(src, file{out}),
		Second: func() (io.Reader, error) {
			in, err = b.o.FS.Open(name)
			if err != nil {
				return nil, fmt.Errorf("open %s: %w", name, disk.Fault(err))
			}
			return in, nil
		},
		Done: func() {
			// A leftover file is removed at the next start.
			_ = out.Close()
			if in != nil {
				_ = in.Close()
			}
			_ = b.o.FS.Remove(name)
			b.spooling.Unlock()
		},
	}, nil
}

// file is a write-only file. A File may modify the buffer that it writes,
// which here belongs to the reader.
type file struct{ f disk.File }

// Write writes a copy of p.
func (w file) Write(p []byte) (int, error) {
	n, err := w.f.Write(append([]byte(nil), p...))
	if err != nil {
		err = fmt.Errorf("put the export down: %w", disk.Fault(err))
	}
	return n, err
}
