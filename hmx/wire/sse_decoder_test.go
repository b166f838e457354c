package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"lukasa.dev/hmx"
)

func TestDecoder(t *testing.T) {
	message := func(line int, offset int64, data string) gotBlock {
		return gotBlock{Line: line, Offset: offset, Type: "message", Data: data}
	}
	for _, row := range []struct {
		name, in string
		want     gotStream
	}{
		{"empty stream", "", gotStream{}},
		{"one block", "data: a\n\n", gotStream{Blocks: []gotBlock{message(1, 0, "a")}}},
		{"LF, CR and CRLF", "data:a\ndata:b\rdata:c\r\ndata:d\r\r\ndata:e\n\rdata:f\r\n\r\n", gotStream{Blocks: []gotBlock{
			message(1, 0, "a\nb\nc\nd"), message(6, 31, "e"), message(8, 39, "f"),
		}}},
		{"a byte order mark", bom + "data: a\n\n", gotStream{Blocks: []gotBlock{message(1, 3, "a")}}},
		{"two byte order marks", bom + bom + "data: a\ndata: b\n\n", gotStream{Blocks: []gotBlock{message(1, 3, "b")}}},
		{"a byte order mark later", "data: a\n\n" + bom + "data: b\n\n", gotStream{Blocks: []gotBlock{message(1, 0, "a")}}},
		{"half a byte order mark", bom[:2], gotStream{Incomplete: true}},
		{"nothing but a byte order mark", bom, gotStream{}},
		{"comments", ": hello\n:\n:data: x\ndata: a\n: in between\n\n: end\n\n", gotStream{Blocks: []gotBlock{message(1, 0, "a")}}},
		{"lines are joined", "data: a\ndata: b\ndata:\ndata: c\n\n", gotStream{Blocks: []gotBlock{message(1, 0, "a\nb\n\nc")}}},
		{"one space is dropped", "data:a\n\ndata:  a \n\ndata:\ta\n\n", gotStream{Blocks: []gotBlock{message(1, 0, "a"), message(3, 8, " a "), message(5, 19, "\ta")}}},
		{"a field without colon", "data\n\ndata\ndata\n\n", gotStream{Blocks: []gotBlock{message(1, 0, ""), message(3, 6, "\n")}}},
		{"empty data is a block, no data is none", "data:\n\nevent: x\nid: 7\n\ndata: a\n\n", gotStream{LastID: "7", Blocks: []gotBlock{
			message(1, 0, ""), {Line: 6, Offset: 23, Type: "message", ID: "7", Data: "a"},
		}}},
		{"unknown fields, names with case and space", "Data: x\n data: x\ndata : x\ndatas: x\nevents: x\ndat: x\nx\ndata: a\n\n", gotStream{Blocks: []gotBlock{message(1, 0, "a")}}},
		{"colons in values", "data:: a:b\n\n", gotStream{Blocks: []gotBlock{message(1, 0, ": a:b")}}},
		{"types", "event: hmx\ndata: a\n\ndata: b\n\nevent: x\nevent:y\ndata: c\n\nevent: x\nevent\ndata: d\n\n", gotStream{Blocks: []gotBlock{
			{1, 0, "hmx", "", "a", ""}, message(4, 20, "b"), {6, 29, "y", "", "c", ""}, message(10, 55, "d"),
		}}},
		{"ids stay until there is another", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", gotStream{Blocks: []gotBlock{
			{1, 0, "message", "1", "a", ""}, {4, 15, "message", "1", "b", ""}, {6, 24, "message", "", "c", ""},
		}}},
		{"an id with NUL is ignored", "id: 1\nid: 2\x003\ndata: a\n\n", gotStream{LastID: "1", Blocks: []gotBlock{{1, 0, "message", "1", "a", ""}}}},
		{"the id of a block that does not end does not count", "id: 1\ndata: a\n\nid: 2\ndata: b\n", gotStream{LastID: "1", Incomplete: true, Blocks: []gotBlock{{1, 0, "message", "1", "a", ""}}}},
		{"a block that does not end", "data: a\n\ndata: b\n", gotStream{Incomplete: true, Blocks: []gotBlock{message(1, 0, "a")}}},
		{"a line that does not end", "data: a\n\ndata", gotStream{Incomplete: true, Blocks: []gotBlock{message(1, 0, "a")}}},
		{"retry", "retry: 2500\n\n", gotStream{Retry: "2.5s"}},
		{"retry counts without a block", "retry:10\nretry: 20\n", gotStream{Retry: "20ms", Incomplete: true}},
		{"retry is digits only", "retry: 7\nretry: 1s\nretry: -1\nretry: +1\nretry:  8\nretry:\nretry\nretry: 1.5\n\n", gotStream{Retry: "7ms"}},
		{"retry beyond all bounds", "retry: 99999999999999999999999\n\n", gotStream{Retry: "2562047h47m16.854s"}},
		{"bytes that are not UTF-8 stay", "data: \xFF\x00\n\n", gotStream{Blocks: []gotBlock{message(1, 0, "\xFF\x00")}}},
		{"as long as may be", "data: " + strings.Repeat("x", 30) + "\n\nid: 123\ndata: " + strings.Repeat("x", 26) + "\ndata:\n\n", gotStream{LastID: "123", Blocks: []gotBlock{
			message(1, 0, strings.Repeat("x", 30)), {3, 38, "message", "123", strings.Repeat("x", 26) + "\n", ""},
		}}},
		{"too long", "id: 1\ndata: " + strings.Repeat("x", 30) + "\nid: 2\n\ndata: b\n\n", gotStream{LastID: "1", Blocks: []gotBlock{
			{1, 0, "", "", "", "line 1: 49 bytes are too long: at most 30 are read"}, {5, 50, "message", "1", "b", ""},
		}}},
		{"too long in many lines", strings.Repeat("data:\n", 40) + "\ndata: b\n\n", gotStream{Blocks: []gotBlock{
			{1, 0, "", "", "", "line 1: 240 bytes are too long: at most 30 are read"}, message(42, 241, "b"),
		}}},
		{"an id that is too long", "id: " + strings.Repeat("x", 31) + "\n\ndata: b\n\n", gotStream{Blocks: []gotBlock{
			{1, 0, "", "", "", "line 1: 36 bytes are too long: at most 30 are read"}, message(3, 37, "b"),
		}}},
		{"comments and what is unknown may be of any length", ":" + strings.Repeat("x", 99) + "\nnever: " + strings.Repeat("x", 99) + "\n" + strings.Repeat("y", 99) + "\ndata: b\n\n", gotStream{Blocks: []gotBlock{
			message(1, 0, "b"),
		}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if d := cmp.Diff(row.want, reference([]byte(row.in), 30)); d != "" {
				t.Fatalf("the reference: %s", d)
			}
			for _, chunk := range []int{1, 3, 7, 64} {
				for name, src := range cuts([]byte(row.in)) {
					if d := cmp.Diff(row.want, readStream(src, Options{MaxBytes: 30, ChunkBytes: chunk})); d != "" {
						t.Errorf("%s, chunks of %d: %s", name, chunk, d)
					}
				}
			}
		})
	}
}

func TestDecoderSourceFails(t *testing.T) {
	trouble := errors.New("the cable was pulled")
	for _, in := range []string{"", "da", "data: a\n\ndata: b", "data: a\n\ndata: " + strings.Repeat("x", 99)} {
		for _, chunk := range []int{1, 64} {
			d := NewDecoder(lastly(in, trouble), Options{MaxBytes: 30, ChunkBytes: chunk})
			if len(in) > 2 {
				if b, err := d.Next(); err != nil || string(b.Data) != "a" {
					t.Fatal(b, err)
				}
			}
			_, err := d.Next()
			var failed *ReadError
			if !errors.Is(err, trouble) || !errors.As(err, &failed) || failed.Offset != int64(len(in)) || failed.Line != 1+strings.Count(in, "\n") {
				t.Errorf("%q: %#v", in, err)
			}
			if _, again := d.Next(); again != err {
				t.Errorf("then %v", again)
			}
		}
	}
	if _, err := NewDecoder(misbehaved(0), Options{}).Next(); err == nil {
		t.Error("no progress is no error")
	}
}

// A block of any length costs no memory, in one line or in many.
func TestDecoderMemory(t *testing.T) {
	const size = 256 << 20
	for name, start := range map[string]string{"data": "data: ", "comment": ":", "unknown field": "never: ", "name": "n", "id": "id: "} {
		t.Run(name, func(t *testing.T) {
			allocated := allocation(func() {
				got := readStream(&prefixed{start, &long{size, "\n\ndata: b\n\n"}}, Options{})
				last := got.Blocks[len(got.Blocks)-1]
				if last.Data != "b" || last.Line != 3 || last.Offset != size+int64(len(start))+2 {
					t.Errorf("%+v", last)
				}
				if tooLong := len(got.Blocks) == 2; tooLong != (name == "data" || name == "id") {
					t.Errorf("%d blocks", len(got.Blocks))
				}
			})
			if allocated > 6*DefaultMaxBytes {
				t.Errorf("%d bytes allocated for a block of %d", allocated, size)
			}
		})
	}
}

// prefixed is a source of text and then of another source.
type prefixed struct {
	text string
	rest *long
}

func (p *prefixed) Read(b []byte) (int, error) {
	if p.text == "" {
		return p.rest.Read(b)
	}
	n := copy(b, p.text)
	p.text = p.text[n:]
	return n, nil
}

func TestDecoderEvents(t *testing.T) {
	in := "retry: 10\n\n: hello\n\n" +
		"id: a\nevent: hmx\ndata: " + sampleJSON(t, 1) + "\n\n" +
		"event: ping\ndata: {}\n\n" +
		"data: {\"half\":\n\n" +
		"data: " + strings.Replace(sampleJSON(t, 2), ",", ",\ndata: ", 3) + "\n\n" + // JSON over several lines
		"data: \xFF\n\n" +
		"id: b\ndata: " + strings.Repeat("y", DefaultMaxBytes+1) + "\n\n" +
		"data: " + strings.ReplaceAll(sampleJSON(t, 3), `"message"`, `"odd"`) + "\n\n" +
		"data: " + sampleJSON(t, 4)
	d := NewDecoder(strings.NewReader(in), Options{})
	var got []string
	for item, err := range d.Events() {
		var bad *LineError
		var invalid *hmx.InvalidError
		var tooLong *TooLongError
		if before := strings.Count(in[:item.Offset], "\n"); before != item.Line-1 {
			t.Errorf("line %d is not at %d", item.Line, item.Offset)
		}
		switch {
		case err == nil:
			got = append(got, fmt.Sprintf("%d: event %d, %d warnings, last id %s", item.Line, item.Event.Sequence, len(item.Warnings), d.LastEventID()))
		case !errors.As(err, &bad) || bad.Line != item.Line || bad.Offset != item.Offset || item.Event != nil:
			t.Fatalf("%+v: %v", item, err)
		case errors.As(err, &invalid):
			got = append(got, fmt.Sprintf("%d: %s", item.Line, invalid.Problems[0].Rule))
		case errors.As(err, &tooLong):
			got = append(got, fmt.Sprintf("%d: %d bytes", item.Line, tooLong.Size))
		}
	}
	want := []string{
		"5: event 1, 0 warnings, last id a", "12: HMX-JSON/syntax", "14: event 2, 0 warnings, last id a", "19: HMX-JSON/syntax",
		fmt.Sprintf("21: %d bytes", DefaultMaxBytes+1+len("id: b\ndata: \n")), "24: event 3, 1 warnings, last id b",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c := d.Counts(); c != (BlockCounts{Bytes: int64(len(in)), Blocks: 7, TooLong: 1, Foreign: 1, Incomplete: true}) {
		t.Errorf("%+v", c)
	}
}
