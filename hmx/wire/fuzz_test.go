package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const fuzzLimit = 40

// naiveLines is a naive splitter of newline-delimited JSON.
func naiveLines(data []byte) (lines []gotLine, counts LineCounts) {
	counts.Bytes = int64(len(data))
	offset := int64(0)
	for number := 1; len(data) > 0; number++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		counts.Lines++
		if ended && bytes.HasSuffix(text, []byte("\r")) {
			counts.CRLF++
		}
		switch {
		case len(text) > fuzzLimit:
			counts.TooLong++
			lines = append(lines, gotLine{number, offset, "", fmt.Sprintf("line %d: %d bytes are too long: at most %d are read", number, len(text), fuzzLimit)})
		case len(bytes.Trim(text, " \t\r")) == 0:
			counts.Blank++
		default:
			lines = append(lines, gotLine{number, offset, string(text), ""})
		}
		offset += int64(len(text)) + 1
		data = rest
	}
	return lines, counts
}

// FuzzNDJSON: the lines equal those of the naive splitter, for any split of the input.
func FuzzNDJSON(f *testing.F) {
	for _, s := range []string{
		"", "\n", "a\nb", "a\r\n\r\nb\r", bom + "{}\n[]", "\x00\n\xFF\n", "0123456789012345678901234567890123456789\n",
		"01234567890123456789012345678901234567890\n1", "01234567890123456789012345678901234567890123456789012345678901234567890123456789\r\n{}",
		"                                           \n \n{}",
	} {
		f.Add([]byte(s), byte(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, chunk byte) {
		want, wantCounts := naiveLines(data)
		for name, src := range cuts(data) {
			got, counts := readLines(src, Options{MaxBytes: fuzzLimit, ChunkBytes: int(chunk)})
			if d := cmp.Diff(want, got); d != "" || counts != wantCounts {
				t.Fatalf("%s: %s %+v, want %+v", name, d, counts, wantCounts)
			}
		}
		checkCut(t, data, int(chunk), want)
	})
}

// checkCut makes the source fail in the middle of data: exactly the lines that were complete
// before must be returned.
func checkCut(t *testing.T, data []byte, chunk int, want []gotLine) {
	cut := bytes.LastIndexByte(data[:len(data)/2], '\n') + 1
	r := NewReader(io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(io.ErrClosedPipe)), Options{MaxBytes: fuzzLimit, ChunkBytes: chunk})
	n := 0
	for {
		line, err := r.Next()
		if errors.Is(err, io.ErrClosedPipe) {
			break
		}
		if n == len(want) || line.Number != want[n].Number || string(line.Text) != want[n].Text || line.Offset >= int64(cut) {
			t.Fatalf("line %d came from half a stream: %v", line.Number, err)
		}
		n++
	}
	if n < len(want) && want[n].Offset < int64(cut) {
		t.Fatalf("line %d is lost", want[n].Number)
	}
}

// FuzzSSE: the stream equals that of the reference, for any split of the input.
func FuzzSSE(f *testing.F) {
	for _, s := range []string{
		"", "data: a\n\n", "data:a\r\rdata\r\n\r\n", bom + "id: 1\nevent: hmx\ndata: {}\n\n", bom[:2] + "data: a\n\n",
		": c\n\nretry: 12\n\nretry: x\n\n", "id: a\x00b\ndata: x\n\n", "data: 01234567890123456789012345678901234567890\n\ndata: b\n\n",
		"event\ndata\nid\n\n", "datas: x\neventx: y\n\n", "\r\n\n\r\rdata: x\n\r\n",
	} {
		f.Add([]byte(s), byte(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, chunk byte) {
		want := reference(data, fuzzLimit)
		for name, src := range cuts(data) {
			got := readStream(src, Options{MaxBytes: fuzzLimit, ChunkBytes: int(chunk)})
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		}
	})
}

// FuzzSSEBlocks: what is written as a block is read back, with a line feed for each line break.
func FuzzSSEBlocks(f *testing.F) {
	f.Add("", "", []byte("x"))
	f.Add("7", "end", []byte("{\"a\":1}"))
	f.Add("a\nb", "x\r\ny", []byte("one\ntwo\r\nthree\rfour\n"))
	f.Fuzz(func(t *testing.T, id, kind string, data []byte) {
		stream := AppendKeepAlive(AppendRetry(nil, time.Second), id)
		stream = AppendBlock(AppendBlock(stream, kind, data), "", []byte("after"))
		d := NewDecoder(bytes.NewReader(stream), Options{MaxBytes: len(stream)})
		kind, _, _ = strings.Cut(strings.ReplaceAll(kind, "\r", "\n"), "\n")
		if kind == "" {
			kind = "message"
		}
		text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\r", "\n")
		if len(id) > maxID || strings.ContainsAny(id, "\r\n\x00") {
			id = ""
		}
		for _, want := range []Block{{Type: kind, ID: id, Data: []byte(text)}, {Type: "message", ID: id, Data: []byte("after")}} {
			got, err := d.Next()
			if err != nil || got.Type != want.Type || got.ID != want.ID || string(got.Data) != string(want.Data) {
				t.Fatalf("%+v, %v, want %+v in %q", got, err, want, stream)
			}
		}
		if after, ok := d.Retry(); !ok || after != time.Second {
			t.Errorf("retry after %v, %v", after, ok)
		}
		if _, err := d.Next(); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
	})
}
