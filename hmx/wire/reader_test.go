package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"lukasa.dev/hmx"
)

// gotLine is a copy of a Line, or the error in its place.
type gotLine struct {
	Number int
	Offset int64
	Text   string
	Err    string
}

// readLines reads everything, and the counts. The last entry is how it ended, if not by io.EOF.
func readLines(src io.Reader, o Options) (lines []gotLine, counts LineCounts) {
	r := NewReader(src, o)
	for {
		line, err := r.Next()
		if err == io.EOF {
			if _, again := r.Next(); again != io.EOF {
				panic("io.EOF does not stay")
			}
			return lines, r.Counts()
		}
		got := gotLine{line.Number, line.Offset, string(line.Text), ""}
		if err != nil {
			got.Err = err.Error()
		}
		lines = append(lines, got)
		var bad *LineError
		if err != nil && !errors.As(err, &bad) {
			return lines, r.Counts()
		}
		if bad != nil && (bad.Line != line.Number || bad.Offset != line.Offset) {
			panic("the error is about another line")
		}
	}
}

func TestReader(t *testing.T) {
	for _, row := range []struct {
		name, in string
		lines    []gotLine
		counts   LineCounts
	}{
		{"empty input", "", nil, LineCounts{}},
		{"only blank lines", "\n \t\r\n\n  ", nil, LineCounts{Bytes: 8, Lines: 4, Blank: 4, CRLF: 1}},
		{"two lines", "a\nb\n", []gotLine{{1, 0, "a", ""}, {2, 2, "b", ""}}, LineCounts{Bytes: 4, Lines: 2}},
		{"last line without newline", "a\nb", []gotLine{{1, 0, "a", ""}, {2, 2, "b", ""}}, LineCounts{Bytes: 3, Lines: 2}},
		{"blank lines count", "\n\na\n\nb\n", []gotLine{{3, 2, "a", ""}, {5, 5, "b", ""}}, LineCounts{Bytes: 7, Lines: 5, Blank: 3}},
		{"CRLF", "a\r\nb\n\r\nc\r\n", []gotLine{{1, 0, "a\r", ""}, {2, 3, "b", ""}, {4, 7, "c\r", ""}}, LineCounts{Bytes: 10, Lines: 4, Blank: 1, CRLF: 3}},
		{"a carriage return elsewhere", "a\rb\nc\r", []gotLine{{1, 0, "a\rb", ""}, {2, 4, "c\r", ""}}, LineCounts{Bytes: 6, Lines: 2}},
		{"a byte order mark stays", bom + "a\nb\n", []gotLine{{1, 0, bom + "a", ""}, {2, 5, "b", ""}}, LineCounts{Bytes: 7, Lines: 2}},
		{"a byte order mark alone is not blank", bom + "\n", []gotLine{{1, 0, bom, ""}}, LineCounts{Bytes: 4, Lines: 1}},
		{"binary", "\x00\xFF\n\x00", []gotLine{{1, 0, "\x00\xFF", ""}, {2, 3, "\x00", ""}}, LineCounts{Bytes: 4, Lines: 2}},
		{"as long as may be", "12345678\nx\n", []gotLine{{1, 0, "12345678", ""}, {2, 9, "x", ""}}, LineCounts{Bytes: 11, Lines: 2}},
		{"too long", "a\n123456789\nb\n", []gotLine{{1, 0, "a", ""}, {2, 2, "", "line 2: 9 bytes are too long: at most 8 are read"}, {3, 12, "b", ""}}, LineCounts{Bytes: 14, Lines: 3, TooLong: 1}},
		{"much too long", strings.Repeat("x", 100) + "\nb\n", []gotLine{{1, 0, "", "line 1: 100 bytes are too long: at most 8 are read"}, {2, 101, "b", ""}}, LineCounts{Bytes: 103, Lines: 2, TooLong: 1}},
		{"too long at the end", "a\n" + strings.Repeat("x", 100), []gotLine{{1, 0, "a", ""}, {2, 2, "", "line 2: 100 bytes are too long: at most 8 are read"}}, LineCounts{Bytes: 102, Lines: 2, TooLong: 1}},
		{"too long with CRLF", "123456789\r\n12345678\r\n1234567\r\n", []gotLine{
			{1, 0, "", "line 1: 10 bytes are too long: at most 8 are read"}, {2, 11, "", "line 2: 9 bytes are too long: at most 8 are read"}, {3, 21, "1234567\r", ""},
		}, LineCounts{Bytes: 30, Lines: 3, CRLF: 3, TooLong: 2}},
		{"blank but too long", strings.Repeat(" ", 9) + "\nb", []gotLine{{1, 0, "", "line 1: 9 bytes are too long: at most 8 are read"}, {2, 10, "b", ""}}, LineCounts{Bytes: 11, Lines: 2, TooLong: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, chunk := range []int{1, 3, 8, 9, 10, 64} {
				for name, src := range cuts([]byte(row.in)) {
					lines, counts := readLines(src, Options{MaxBytes: 8, ChunkBytes: chunk})
					if d := cmp.Diff(row.lines, lines); d != "" {
						t.Errorf("%s, chunks of %d: %s", name, chunk, d)
					}
					if counts != row.counts {
						t.Errorf("%s, chunks of %d: %+v", name, chunk, counts)
					}
				}
			}
		})
	}
}

// A failure of the source is neither a line nor a bad line.
func TestReaderSourceFails(t *testing.T) {
	trouble := errors.New("the cable was pulled")
	for _, row := range []struct {
		name, in string
		lines    []gotLine
	}{
		{"at once", "", []gotLine{{Err: "reading line 1: the cable was pulled"}}},
		{"between lines", "a\n\n", []gotLine{{1, 0, "a", ""}, {Err: "reading line 3: the cable was pulled"}}},
		{"within a line", "a\n{\"half\":", []gotLine{{1, 0, "a", ""}, {Err: "reading line 2: the cable was pulled"}}},
		{"within a line that is too long", "a\n" + strings.Repeat("x", 50), []gotLine{{1, 0, "a", ""}, {Err: "reading line 2: the cable was pulled"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, chunk := range []int{1, 7, 64} {
				r := NewReader(lastly(row.in, trouble), Options{MaxBytes: 10, ChunkBytes: chunk})
				var got []gotLine
				for {
					line, err := r.Next()
					if err == nil {
						got = append(got, gotLine{line.Number, line.Offset, string(line.Text), ""})
						continue
					}
					got = append(got, gotLine{Err: err.Error()})
					var failed *ReadError
					if !errors.Is(err, trouble) || !errors.As(err, &failed) || failed.Offset != int64(len(row.in)) {
						t.Errorf("%#v", err)
					}
					if _, again := r.Next(); again != err {
						t.Errorf("then %v", again)
					}
					break
				}
				if d := cmp.Diff(row.lines, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
	t.Run("timeout", func(t *testing.T) {
		r := NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a\nb\n"))), Options{})
		if _, err := r.Next(); !errors.Is(err, iotest.ErrTimeout) {
			t.Error(err)
		}
	})
	t.Run("unexpected EOF", func(t *testing.T) {
		r := NewReader(lastly("a\n", io.ErrUnexpectedEOF), Options{})
		r.Next()
		if _, err := r.Next(); err == io.EOF || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	})
	t.Run("no progress", func(t *testing.T) {
		if _, err := NewReader(misbehaved(0), Options{}).Next(); !errors.Is(err, io.ErrNoProgress) {
			t.Error(err)
		}
	})
	for _, n := range []misbehaved{-1, 1 << 30} {
		if _, err := NewReader(n, Options{}).Next(); err == nil || !strings.Contains(err.Error(), fmt.Sprint(int(n))) {
			t.Error(err)
		}
	}
}

// misbehaved is a source that returns a wrong number of bytes.
type misbehaved int

func (m misbehaved) Read([]byte) (int, error) { return int(m), nil }

func TestStreamProblem(t *testing.T) {
	if p, ok := (LineCounts{Lines: 3}).Problem(); ok {
		t.Error(p)
	}
	p, ok := (LineCounts{Lines: 3, CRLF: 2}).Problem()
	if !ok || p.Warning || p.Rule != "HMX-E/8" || p.Found != "CR LF at the end of 2 of 3 lines" {
		t.Errorf("%+v", p)
	}
	if !slices.ContainsFunc(hmx.Rules(), func(r hmx.Rule) bool { return r.Code == p.Rule }) {
		t.Errorf("%s is not among the rules", p.Rule)
	}
}

// A line of any length costs no memory.
func TestReaderMemory(t *testing.T) {
	const size = 256 << 20
	allocated := allocation(func() {
		lines, counts := readLines(&long{size, "\nb\n"}, Options{})
		want := []gotLine{{1, 0, "", fmt.Sprintf("line 1: %d bytes are too long: at most %d are read", size, DefaultMaxBytes)}, {2, size + 1, "b", ""}}
		if d := cmp.Diff(want, lines); d != "" || counts.Bytes != size+3 {
			t.Error(d, counts)
		}
	})
	if allocated > 4*DefaultMaxBytes {
		t.Errorf("%d bytes allocated for a line of %d", allocated, size)
	}
}

// allocation returns how many bytes f allocates, freed or not.
func allocation(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestReaderAllocatesNothingPerLine(t *testing.T) {
	one := sampleJSON(t, 1) + "\n"
	r := NewReader(strings.NewReader(strings.Repeat(one, 3000)), Options{})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(2000, func() {
		if line, err := r.Next(); err != nil || len(line.Text) != len(one)-1 {
			t.Fatal(line, err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a line", allocs)
	}
}

func TestReaderEvents(t *testing.T) {
	in := bom + sampleJSON(t, 0) + "\n" + // refused: byte order mark
		sampleJSON(t, 1) + "\r\n" +
		"\n" +
		"{\"half\":\n" +
		"\x00\x01\x02\n" +
		sampleJSON(t, 2) + " " + sampleJSON(t, 3) + "\n" + // two on a line
		strings.Repeat("y", DefaultMaxBytes+1) + "\n" +
		strings.Repeat(" ", DefaultMaxBytes-len(sampleJSON(t, 4))) + sampleJSON(t, 4) + "\n" +
		strings.ReplaceAll(sampleJSON(t, 5), `"message"`, `"odd"`) // accepted with a warning
	r := NewReader(strings.NewReader(in), Options{})
	var got []string
	offsets := map[int]int64{}
	for item, err := range r.Events() {
		offsets[item.Line] = item.Offset
		var bad *LineError
		var invalid *hmx.InvalidError
		var tooLong *TooLongError
		switch {
		case err == nil:
			got = append(got, fmt.Sprintf("%d: event %d, %d warnings", item.Line, item.Event.Sequence, len(item.Warnings)))
		case !errors.As(err, &bad) || bad.Line != item.Line || bad.Offset != item.Offset || item.Event != nil:
			t.Fatalf("%+v: %v", item, err)
		case errors.As(err, &invalid):
			got = append(got, fmt.Sprintf("%d: %s", item.Line, invalid.Problems[0].Rule))
		case errors.As(err, &tooLong):
			got = append(got, fmt.Sprintf("%d: %d bytes", item.Line, tooLong.Size))
		}
	}
	want := []string{
		"1: HMX-JSON/bom", "2: event 1, 0 warnings", "4: HMX-JSON/syntax", "5: HMX-JSON/syntax", "6: HMX-JSON/trailing-data",
		fmt.Sprintf("7: %d bytes", DefaultMaxBytes+1), "8: event 4, 0 warnings", "9: event 5, 1 warnings",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for n, offset := range offsets {
		before := bytes.Count([]byte(in[:offset]), []byte("\n"))
		if before != n-1 || offset > 0 && in[offset-1] != '\n' {
			t.Errorf("line %d is not at %d", n, offset)
		}
	}
	if c := r.Counts(); c.Lines != 9 || c.Blank != 1 || c.CRLF != 1 || c.TooLong != 1 {
		t.Errorf("%+v", c)
	}
}

// A loop over events can be left and another one continues; an error of the source is its last
// item.
func TestReaderEventsEnd(t *testing.T) {
	trouble := errors.New("trouble")
	r := NewReader(lastly(sampleJSON(t, 0)+"\n"+sampleJSON(t, 1)+"\n", trouble), Options{})
	for item, err := range r.Events() {
		if err != nil || item.Event.Sequence != 0 {
			t.Fatal(item, err)
		}
		break
	}
	n := 0
	for item, err := range r.Events() {
		switch n++; {
		case n == 1 && (err != nil || item.Event.Sequence != 1):
			t.Error(item, err)
		case n == 2 && (!errors.Is(err, trouble) || item.Event != nil):
			t.Error(item, err)
		}
	}
	if n != 2 {
		t.Errorf("%d items", n)
	}
}
