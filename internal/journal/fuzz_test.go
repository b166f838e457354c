package journal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
)

// FuzzFrame writes a frame between two others, changes one byte of the file,
// and reads: the frame as it was, or damage.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("header"), []byte("body"), uint16(70), byte(1))
	f.Add([]byte{}, []byte{}, uint16(90), byte(0x80))
	f.Add(make([]byte, 100), make([]byte, 1000), uint16(0), byte(0xff))
	f.Fuzz(func(t *testing.T, header, body []byte, pos uint16, mask byte) {
		if len(header) > journal.MaxHeader || len(body) > 1<<16 {
			return
		}
		mem := disk.NewMem()
		l, err := journal.Open(journal.Options{FS: mem, Dir: "j", Ahead: -1, Rand: zeros{}})
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(0)
		for range 3 {
			m.frames = append(m.frames, &written{lsn: put(t, l, string(header), string(body)), header: header, body: body})
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		files := contents(t, mem)
		data := files["00000000000000000000.seg"]
		data[int(pos)%len(data)] ^= mask
		l, err = journal.Open(journal.Options{FS: restore(t, files), Dir: "j", ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, err := intact(l, m); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzSegment opens arbitrary bytes as a log. It must not panic, and must
// return nothing but frames and damage.
func FuzzSegment(f *testing.F) {
	_, files := specimen(f, true)
	for _, data := range files {
		if len(data) > 1<<14 {
			data = data[:1<<14]
		}
		f.Add(data, files["END"], false)
	}
	small := disk.NewMem()
	l, err := journal.Open(journal.Options{FS: small, Dir: "j", Ahead: -1, SegmentBytes: 128, Rand: zeros{}})
	if err != nil {
		f.Fatal(err)
	}
	put(f, l, "header", "body")
	put(f, l, "header", "body")
	put(f, l, "header", "body")
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	for _, data := range contents(f, small) {
		f.Add(data, contents(f, small)["END"], true)
	}
	f.Fuzz(func(t *testing.T, segment, end []byte, accept bool) {
		mem := restore(t, map[string][]byte{"00000000000000000000.seg": segment, "END": end})
		if len(end) == 0 {
			if err := mem.Remove("j/END"); err != nil {
				t.Fatal(err)
			}
		}
		for _, readOnly := range []bool{true, false} {
			l, err := journal.Open(journal.Options{FS: mem, Dir: "j", ReadOnly: readOnly, AcceptDamage: accept, Ahead: 512, Rand: zeros{}})
			if errors.Is(err, fault.NewerFormat) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s := l.Scan(0)
			var at journal.LSN
			for {
				var frame journal.Frame
				err := s.Next(&frame)
				var d *journal.Damage
				if errors.Is(err, io.EOF) {
					break
				}
				next := frame.Next
				if errors.As(err, &d) {
					next = d.To
				} else if err != nil {
					t.Fatal(err)
				} else if again, err := l.Read(frame.LSN, nil); err != nil || !bytes.Equal(again.Body, frame.Body) {
					t.Fatalf("scanned and read otherwise: %v", err)
				}
				if next <= at {
					t.Fatalf("from %d to %d", at, next)
				}
				at = next
			}
			s.Close()
			if _, err := l.Check(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			if !readOnly {
				if lsn, err := l.Append([]byte("h"), []byte("b")); err == nil {
					if err := l.Commit(); err != nil {
						t.Fatal(err)
					}
					if f, err := l.Read(lsn, nil); err != nil || string(f.Body) != "b" {
						t.Fatalf("read back %q, %v", f.Body, err)
					}
				} else if !errors.Is(err, fault.Damaged) {
					t.Fatal(err)
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
