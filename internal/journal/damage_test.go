package journal_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/testsize"
)

// specimen is a log of several segments, partly erased, that was closed or
// left as after a kill.
func specimen(t testing.TB, closed bool) (*model, map[string][]byte) {
	t.Helper()
	m := newModel(5)
	mem := disk.NewMem()
	opts := m.options(mem)
	opts.Ahead = 2 << 10
	l, err := journal.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	// The last segment holds more than one group.
	for n := 0; n < 30 || m.group <= l.Segments()[len(l.Segments())-1].Base+64; n++ {
		if err := m.step(l); err != nil {
			t.Fatal(err)
		}
	}
	if closed {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return m, contents(t, mem)
}

func contents(t testing.TB, fs disk.FS) map[string][]byte {
	t.Helper()
	names, err := fs.List("j")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = disk.ReadFile(fs, "j/"+name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func restore(t testing.TB, files map[string][]byte) *disk.Mem {
	t.Helper()
	mem := disk.NewMem()
	if err := disk.MkdirAll(mem, "j"); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := disk.WriteFile(mem, "j/"+name, data); err != nil {
			t.Fatal(err)
		}
	}
	return mem
}

// intact reports which frames can still be read. It fails if a frame is read
// with other bytes, or is missing without reported damage.
func intact(l *journal.Log, m *model) (map[journal.LSN]bool, error) {
	ok := map[journal.LSN]bool{}
	for _, w := range m.frames {
		f, err := l.Read(w.lsn, nil)
		var d *journal.Damage
		switch {
		case errors.As(err, &d):
			if !errors.Is(err, fault.Damaged) || d.From != w.lsn || d.Segment == "" {
				return nil, fmt.Errorf("frame %d: %w", w.lsn, err)
			}
		case err != nil:
			return nil, err
		default:
			if err := w.same(&f); err != nil {
				return nil, err
			}
			ok[w.lsn] = true
		}
	}
	ranges := l.Damages()
	scan := l.Scan(0)
	defer scan.Close()
	seen := map[journal.LSN]bool{}
	at := 0
	var f journal.Frame
	for {
		err := scan.Next(&f)
		if errors.Is(err, io.EOF) {
			break
		}
		var d *journal.Damage
		if errors.As(err, &d) {
			ranges = append(ranges, *d)
			continue
		}
		if err != nil {
			return nil, err
		}
		for at < len(m.frames) && m.frames[at].lsn < f.LSN {
			at++
		}
		if at == len(m.frames) {
			return nil, fmt.Errorf("a frame at %d that was never written", f.LSN)
		}
		if err := m.frames[at].same(&f); err != nil {
			return nil, err
		}
		seen[f.LSN] = true
	}
	for _, w := range m.frames {
		if ok[w.lsn] != seen[w.lsn] {
			return nil, fmt.Errorf("frame %d: readable %v, scanned %v", w.lsn, ok[w.lsn], seen[w.lsn])
		}
		covered := slices.ContainsFunc(ranges, func(d journal.Damage) bool { return d.From <= w.lsn && w.lsn < d.To })
		if !seen[w.lsn] && !covered {
			return nil, fmt.Errorf("frame %d is missing, and no damage says so: %v", w.lsn, ranges)
		}
	}
	return ok, nil
}

func TestBitFlips(t *testing.T) {
	testsize.OneGoroutine(t)
	m, files := specimen(t, true)
	names := slices.Sorted(maps.Keys(files))
	if len(names) < 4 {
		t.Fatalf("only %v", names)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 400 {
		name := names[rng.IntN(len(names))]
		data := slices.Clone(files[name])
		pos := rng.IntN(len(data))
		data[pos] ^= 1 << rng.IntN(8)
		broken := maps.Clone(files)
		broken[name] = data
		where := fmt.Sprintf("flip %d, %s at %d", i, name, pos)

		opts := m.options(restore(t, broken))
		opts.ReadOnly = true
		l, err := journal.Open(opts)
		if err != nil {
			t.Fatalf("%s: open: %v", where, err)
		}
		ok, err := intact(l, m)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		// One flipped bit loses one record at most.
		if lost := len(m.frames) - len(ok); lost > 1 {
			t.Fatalf("%s: %d records lost", where, lost)
		}
		hit := baseOf(name) + journal.LSN(pos)
		for j, w := range m.frames {
			next := journal.LSN(1 << 62)
			if j+1 < len(m.frames) {
				next = m.frames[j+1].lsn
			}
			if !ok[w.lsn] && (hit < w.lsn || hit >= next) {
				t.Fatalf("%s: the record at %d is lost", where, w.lsn)
			}
		}
		found, err := l.Check(context.Background(), func(p journal.Progress) {
			if p.Done > p.Total {
				t.Errorf("%s: progress %+v", where, p)
			}
		})
		if err != nil {
			t.Fatalf("%s: check: %v", where, err)
		}
		ahead := hit >= l.End() && !strings.HasPrefix(name, "END")
		if len(found) == 0 && !ahead {
			t.Fatalf("%s: check found nothing", where)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}

		// Opening it for writing loses nothing more.
		opts = m.options(restore(t, broken))
		opts.AtLeast = 0
		if l, err = journal.Open(opts); err != nil {
			t.Fatalf("%s: open: %v", where, err)
		}
		if ok2, err := intact(l, m); err != nil || len(ok2) != len(ok) {
			t.Fatalf("%s: opened for writing, %d of %d are there, %v", where, len(ok2), len(ok), err)
		}
		l.Close()
	}
}

func TestTruncations(t *testing.T) {
	testsize.OneGoroutine(t)
	m, files := specimen(t, true)
	names := slices.Sorted(maps.Keys(files))
	rng := rand.New(rand.NewPCG(2, 1))
	for i := range 300 {
		name := names[rng.IntN(len(names))]
		broken := maps.Clone(files)
		size := rng.IntN(len(files[name]))
		where := fmt.Sprintf("cut %d, %s to %d", i, name, size)
		if rng.IntN(8) == 0 {
			delete(broken, name)
			where = fmt.Sprintf("cut %d, %s removed", i, name)
		} else {
			broken[name] = files[name][:size]
		}
		for _, readOnly := range []bool{true, false} {
			opts := m.options(restore(t, broken))
			opts.ReadOnly = readOnly
			opts.AtLeast = 0
			if name == "END" {
				opts.AtLeast = m.end
			}
			l, err := journal.Open(opts)
			if err != nil {
				t.Fatalf("%s: open: %v", where, err)
			}
			ok, err := intact(l, m)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if lost := len(m.frames) - len(ok); lost > 0 && !readOnly {
				if _, err := l.Append(nil, nil); !errors.Is(err, fault.Damaged) {
					t.Fatalf("%s: %d records lost, and append says %v", where, lost, err)
				}
			}
			l.Close()
		}
	}
}

// Without a clean close and without AtLeast, only the last group may be taken
// for torn. Everything before it is damage.
func TestTornOrDamaged(t *testing.T) {
	m, files := specimen(t, false)
	delete(files, "END") // erasures write one
	last := slices.Max(slices.Collect(maps.Keys(files)))
	base := baseOf(last)
	before := 0
	for i, w := range m.frames {
		if w.lsn < base {
			continue
		}
		broken := maps.Clone(files)
		broken[last] = slices.Clone(files[last])
		broken[last][int(w.lsn-base)+8] ^= 1
		for _, atLeast := range []journal.LSN{0, m.end} {
			opts := m.options(restore(t, broken))
			opts.AtLeast = atLeast
			l, err := journal.Open(opts)
			if err != nil {
				t.Fatal(err)
			}
			torn := atLeast == 0 && w.lsn >= m.group
			if torn != (len(l.Damages()) == 0) {
				t.Errorf("frame %d damaged, last group at %d, durable %d: %v", w.lsn, m.group, atLeast, l.Damages())
			}
			want := len(m.frames) - 1
			if torn {
				want = i
			} else if w.lsn < m.group {
				before++
			}
			if !torn {
				if ok, err := intact(l, m); err != nil || len(ok) != want {
					t.Errorf("frame %d damaged: %d of %d are left, %v", w.lsn, len(ok), want, err)
				}
			}
			l.Close()
		}
	}
	if before == 0 {
		t.Error("no frame before the last group was tried")
	}
}

// A crash may keep the trailer of a seal and lose the index. No record is
// lost, and the seal is written again.
func TestTornSeal(t *testing.T) {
	m, files := specimen(t, true)
	const first = "00000000000000000000.seg"
	data := slices.Clone(files[first])
	index := int(binary.BigEndian.Uint32(data[len(data)-64+12:]))
	clear(data[len(data)-64-index : len(data)-64])
	opts := m.options(restore(t, map[string][]byte{first: data}))
	opts.AtLeast = 0
	m.frames = slices.DeleteFunc(m.frames, func(w *written) bool { return w.lsn >= journal.LSN(len(data)) })
	l, err := journal.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := m.verify(l); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := m.step(l); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := l.Check(context.Background(), nil); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// In a sealed segment, the index tells records apart even if all their bytes
// are lost.
func TestEveryLostRecordIsNamed(t *testing.T) {
	m, files := specimen(t, true)
	const first = "00000000000000000000.seg"
	data := slices.Clone(files[first])
	from, to := m.frames[1].lsn, m.frames[4].lsn
	clear(data[from:to])
	broken := maps.Clone(files)
	broken[first] = data
	opts := m.options(restore(t, broken))
	l, err := journal.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := l.Scan(0)
	defer s.Close()
	var f journal.Frame
	for i, w := range m.frames[:6] {
		err := s.Next(&f)
		var d *journal.Damage
		if lost := i >= 1 && i < 4; lost != errors.As(err, &d) {
			t.Fatalf("frame %d: %v", i, err)
		}
		if d != nil && (d.From != w.lsn || d.To != m.frames[i+1].lsn) {
			t.Errorf("frame %d at %d: damage from %d to %d", i, w.lsn, d.From, d.To)
		}
	}
}

// baseOf returns the base in a segment's name.
func baseOf(name string) journal.LSN {
	n, err := strconv.ParseUint(strings.TrimSuffix(name, ".seg"), 10, 64)
	if err != nil {
		return 0
	}
	return journal.LSN(n)
}

func TestForeignAndNewer(t *testing.T) {
	m, files := specimen(t, true)
	names := slices.Sorted(maps.Keys(files)) // END comes last
	first, second, last := names[0], names[1], names[len(names)-2]
	other := newModel(77)
	omem := disk.NewMem()
	oopts := other.options(omem)
	oopts.Rand = rand.NewChaCha8([32]byte{200, 201})
	ol, err := journal.Open(oopts)
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		if err := other.step(ol); err != nil {
			t.Fatal(err)
		}
	}
	ol.Close()
	foreign := contents(t, omem)[first]

	for _, c := range []struct {
		name   string
		change func(files map[string][]byte)
		names  string // what the damage must name
		part   journal.Part
	}{
		{"wrong magic", func(f map[string][]byte) { copy(f[second], "%PDF-1.7") }, second, journal.PartHeader},
		{"segment of another log", func(f map[string][]byte) { f[first] = foreign }, first, journal.PartHeader},
		{"renamed segment", func(f map[string][]byte) { f[second] = f[first][:len(f[first]):len(f[first])] }, second, journal.PartHeader},
		{"missing segment", func(f map[string][]byte) { delete(f, second) }, second, journal.PartSegment},
		{"missing first segment", func(f map[string][]byte) { delete(f, first) }, first, journal.PartSegment},
		{"missing last segment", func(f map[string][]byte) { delete(f, last) }, last, journal.PartEnd},
		{"odd name", func(f map[string][]byte) { f["copy of 1.seg"] = f[first] }, "copy of 1.seg", journal.PartSegment},
		{"lost end mark of another", func(f map[string][]byte) { f["END"] = []byte("x") }, "END", journal.PartMark},
		{"longer", func(f map[string][]byte) { f[first] = append(f[first], 0) }, first, journal.PartSegment},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken := map[string][]byte{}
			for n, b := range files {
				broken[n] = slices.Clone(b)
			}
			c.change(broken)
			opts := m.options(restore(t, broken))
			l, err := journal.Open(opts)
			if err != nil {
				t.Fatal(err)
			}
			named := slices.ContainsFunc(l.Damages(), func(d journal.Damage) bool { return d.Segment == c.names && d.Part == c.part })
			if !named {
				t.Errorf("%s of %s is not among %+v", c.part, c.names, l.Damages())
			}
			if _, err := l.Append(nil, nil); !errors.Is(err, fault.Damaged) {
				t.Errorf("append: %v", err)
			}
			if _, err := intact(l, m); err != nil {
				t.Error(err)
			}
			l.Close()

			// With accepted damage, the log continues and loses nothing more.
			opts = m.options(restore(t, broken))
			opts.AcceptDamage = true
			if l, err = journal.Open(opts); err != nil {
				t.Fatal(err)
			}
			before, err := intact(l, m)
			if err != nil {
				t.Fatal(err)
			}
			lsn, err := l.Append([]byte("h"), []byte("b"))
			if err != nil {
				t.Fatal(err)
			}
			if lsn < m.end {
				t.Errorf("address %d was used before: the log reached %d", lsn, m.end)
			}
			if err := l.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if l, err = journal.Open(opts); err != nil {
				t.Fatal(err)
			}
			if f, err := l.Read(lsn, nil); err != nil || string(f.Body) != "b" {
				t.Errorf("read back %q, %v", f.Body, err)
			}
			for _, w := range m.frames {
				if _, err := l.Read(w.lsn, nil); (err == nil) != before[w.lsn] {
					t.Errorf("frame %d: %v, readable before: %v", w.lsn, err, before[w.lsn])
				}
			}
			l.Close()
		})
	}
}

func TestRollback(t *testing.T) {
	m, files := specimen(t, true)
	opts := m.options(restore(t, files))
	opts.AtLeast = m.end + 4096
	l, err := journal.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := l.Damages()
	if len(d) != 1 || d[0].Part != journal.PartEnd || d[0].From != m.end || d[0].To != opts.AtLeast {
		t.Errorf("damages %+v", d)
	}
}
