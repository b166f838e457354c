package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/journal"
)

// written is a frame as the model has it.
type written struct {
	lsn          journal.LSN
	header, body []byte
	erasing      bool // Erase was called for it
	erased       bool // and returned nil
}

// model is what a log must hold: all that was committed, and at most a prefix
// of what was only appended.
type model struct {
	rng     *rand.Rand
	frames  []*written
	pending []*written // of a group whose commit did not return nil
	end     journal.LSN
	group   journal.LSN // where the last group began
}

func newModel(seed uint64) *model { return &model{rng: rand.New(rand.NewPCG(seed, 7))} }

func (m *model) bytes(most int) []byte {
	b := make([]byte, m.rng.IntN(most+1))
	if m.rng.IntN(8) == 0 {
		return b // zeros, which look like an end and like an erasure
	}
	for i := range b {
		b[i] = byte(m.rng.Uint32())
	}
	return b
}

// options are drawn so that segments often roll and zeros are often written
// ahead.
func (m *model) options(fs disk.FS) journal.Options {
	ahead := []int64{-1, 1 << 10, 9 << 10}
	known := []journal.LSN{0, m.end} // what a lagging index, and an up-to-date one, would know
	return journal.Options{
		FS: fs, Dir: "j", SegmentBytes: 16 << 10, Ahead: ahead[m.rng.IntN(len(ahead))], OpenFiles: 2,
		Early:   ahead[m.rng.IntN(2)],
		AtLeast: known[m.rng.IntN(len(known))], Rand: rand.NewChaCha8([32]byte{byte(m.rng.Uint32())}),
	}
}

// step does a random operation. An error is the log's, not the model's.
func (m *model) step(l *journal.Log) error {
	if m.rng.IntN(5) == 0 && len(m.frames) > 0 {
		return m.erase(l)
	}
	m.pending = nil
	for range 1 + m.rng.IntN(6) {
		w := &written{header: m.bytes(200), body: m.bytes(5000)}
		lsn, err := l.Append(w.header, w.body)
		w.lsn = lsn
		if err != nil && lsn > 0 {
			m.pending = append(m.pending, w)
		}
		if err != nil {
			return err
		}
		m.pending = append(m.pending, w)
	}
	if m.rng.IntN(10) == 0 {
		l.Abort()
		if l.Failed() != nil {
			return l.Failed()
		}
		m.pending = nil
		m.end = l.End()
		return nil
	}
	if err := l.Commit(); err != nil {
		return err
	}
	if len(m.pending) > 0 {
		m.group = m.pending[0].lsn
	}
	m.frames = append(m.frames, m.pending...)
	m.pending = nil
	m.end = l.End()
	return nil
}

func (m *model) erase(l *journal.Log) error {
	var picked []*written
	var lsns []journal.LSN
	for range 1 + m.rng.IntN(4) {
		back := len(m.frames)
		if m.rng.IntN(2) == 0 {
			back = min(back, 4)
		}
		w := m.frames[len(m.frames)-1-m.rng.IntN(back)]
		w.erasing = true
		picked = append(picked, w)
		lsns = append(lsns, w.lsn)
	}
	if err := l.Erase(lsns); err != nil {
		return err
	}
	for _, w := range picked {
		w.erased = true
	}
	return nil
}

// same compares a frame with what was written.
func (w *written) same(f *journal.Frame) error {
	switch {
	case f.LSN != w.lsn:
		return fmt.Errorf("frame at %d where %d was written", f.LSN, w.lsn)
	case !bytes.Equal(f.Header, w.header):
		return fmt.Errorf("frame %d: header differs", w.lsn)
	case w.erased && !f.Erased && len(w.body) > 0: // an empty body cannot be erased
		return fmt.Errorf("frame %d: not erased", w.lsn)
	case f.Erased && !w.erasing:
		return fmt.Errorf("frame %d: erased, and nobody asked for it", w.lsn)
	case !f.Erased && !bytes.Equal(f.Body, w.body):
		return fmt.Errorf("frame %d: body differs", w.lsn)
	}
	return nil
}

// verify compares the whole log with the model. The model takes over what was
// kept of a pending group.
func (m *model) verify(l *journal.Log) error {
	var again []journal.LSN
	for _, d := range l.Damages() {
		if d.Part != journal.PartBody {
			return fmt.Errorf("after a crash: %w", &d)
		}
	}
	scan := l.Scan(0)
	defer scan.Close()
	all := append(m.frames[:len(m.frames):len(m.frames)], m.pending...)
	n := 0
	var f journal.Frame
	for {
		err := scan.Next(&f)
		if errors.Is(err, io.EOF) {
			break
		}
		if n == len(all) {
			return fmt.Errorf("a frame at %d that was never written (%v)", f.LSN, err)
		}
		var d *journal.Damage
		unsure := all[n].erasing && !all[n].erased
		if unsure {
			again = append(again, all[n].lsn) // erased, half erased or not at all
		}
		if errors.As(err, &d) && d.Part == journal.PartBody && d.From == all[n].lsn && unsure {
			err = nil
		} else if err != nil {
			return fmt.Errorf("frame %d: %w", all[n].lsn, err)
		} else if err := all[n].same(&f); err != nil {
			return err
		}
		n++
	}
	if n < len(m.frames) {
		return fmt.Errorf("%d of %d committed frames are gone, the first at %d", len(m.frames)-n, len(m.frames), m.frames[n].lsn)
	}
	m.frames, m.pending = all[:n:n], nil
	m.end = l.End()
	if len(again) > 0 {
		if err := l.Erase(again); err != nil {
			return fmt.Errorf("mend: %w", err)
		}
		if left := l.Damages(); len(left) > 0 {
			return fmt.Errorf("not mended: %w", &left[0])
		}
	}
	var buf []byte
	for _, w := range m.frames {
		f, err := l.Read(w.lsn, buf)
		if err != nil {
			return err
		}
		if err := w.same(&f); err != nil {
			return err
		}
		w.erased = f.Erased
		w.erasing = f.Erased
		buf = f.Buffer()
	}
	return nil
}
