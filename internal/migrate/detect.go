package migrate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// How many values of a source are read to detect its format, after how many certain values
// of the named format the detection stops, and how many bytes it needs.
const (
	mostLooked  = 64
	fewLooked   = 8
	leastLooked = 16
)

// OtherFormat is the cause of an error for a source that is not of the format that was named.
type OtherFormat struct {
	// Named is the format that was named.
	Named foreign.Format
	// Looks is the format that the source has instead; empty if it has no known format.
	Looks foreign.Format
	why   string
}

// Error implements error.
func (o *OtherFormat) Error() string {
	text := "this is not " + What(o.Named)
	if o.Looks != "" {
		return text + ": it looks like " + What(o.Looks)
	}
	return text + ": " + o.why
}

// fault returns it with the advice.
func (o *OtherFormat) fault(fix string) error {
	if fix == "" {
		fix = "name the file that the program writes; docs/import.md says which"
		if o.Looks != "" {
			fix = "use --from " + string(o.Looks)
		}
	}
	return fault.New(fault.InvalidDocument, o.Error()).WithCause(o).WithFix(fix)
}

// Check reads the beginning of a source, and returns the error with the cause [OtherFormat] that
// [Read] would return if nothing there has the shape of the format. It returns nil if it cannot
// decide, such as for an empty source or one that cannot be read. It consumes the source.
func Check(f foreign.Format, src source.Source) error {
	text, err := source.Open(src, source.PeekBytes)
	if err != nil {
		return nil // Read reports the error
	}
	return check(f, src.Name, text)
}

// Detect returns the format of a source by its first bytes, or nothing if they do not tell. It
// consumes the source.
func Detect(src source.Source) foreign.Format {
	text, err := source.Open(src, source.PeekBytes)
	if err != nil {
		return ""
	}
	if o, ok := errors.AsType[*OtherFormat](check("", src.Name, text)); ok {
		return o.Looks
	}
	return ""
}

// check detects a source of another format than the named one before any of it is taken.
func check(named foreign.Format, name string, text *bufio.Reader) error {
	head, err := text.Peek(source.PeekBytes)
	if err != nil && !errors.Is(err, io.EOF) || len(bytes.TrimSpace(head)) < leastLooked {
		return nil // an error of reading shows up when it is read
	}
	table := readers()
	if packed := find(table, func(x source.Reader) bool { return x.Binary != nil && x.Binary(head) }); packed.Format != "" && unprintable(head) {
		if named == packed.Format {
			return nil
		}
		if len(bytes.Trim(head, "\x00")) == 0 {
			return (&OtherFormat{Named: named, why: "it is all zeros, as a crash may leave a file"}).fault("bring the file back from where it is whole")
		}
		return (&OtherFormat{Named: named, Looks: packed.Format}).fault("")
	}
	s := &sample{table: table, named: named, cut: len(head) == source.PeekBytes, counts: map[foreign.Format]*[source.Certain + 1]int{}}
	s.look(head)
	if find(table, func(x source.Reader) bool { return x.Format == named }).Prose != nil {
		return s.note()
	}
	if s.pieces == 0 && !s.json {
		o := &OtherFormat{Named: named, why: "it is not JSON"}
		o.Looks = find(table, func(x source.Reader) bool { return x.Prose != nil && x.Prose(name, head) }).Format
		return o.fault("")
	}
	return s.verdict()
}

// unprintable reports whether the beginning of a source is not text.
func unprintable(head []byte) bool {
	head = head[:min(len(head), 4096)]
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return true
		}
	}
	return !utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)])
}

// sample is what the first values of a source look like.
type sample struct {
	table  []source.Reader
	named  foreign.Format
	json   bool // it begins as JSON
	cut    bool // there is more than was peeked at
	open   bool // the text ends within a value
	pieces int
	export bool // it is an export of Lukasa
	// counts has the number of values of each level for each format.
	counts map[foreign.Format]*[source.Certain + 1]int
}

// look reads the first values of a source. Of a value that is longer than the peeked bytes, it
// reads the part that is there.
func (s *sample) look(head []byte) {
	begin := skipSpace(head, 0)
	s.json = begin < len(head) && (head[begin] == '{' || head[begin] == '[')
	for at := begin; at < len(head) && !s.enough(); {
		if head[at] != '{' && head[at] != '[' {
			at = nextLine(head, at)
			continue
		}
		next, err := s.values(head[at:])
		if err == nil {
			at = skipSpace(head, at+next)
			continue
		}
		s.open = ended(err)
		if head[at] == '[' {
			s.json = s.json && (s.open || s.pieces > 0 || errors.Is(err, source.ErrDeep))
			return // the rest is within the list
		}
		at = nextLine(head, at)
	}
}

// enough reports whether more values would change nothing.
func (s *sample) enough() bool {
	if s.pieces >= mostLooked {
		return true
	}
	c := s.counts[s.named]
	return c != nil && c[source.Certain] >= fewLooked && c[source.Certain] == s.pieces
}

// values takes one value, or the elements of a list, and returns where it ends.
func (s *sample) values(text []byte) (int, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if text[0] == '{' {
		err := s.value(d)
		return int(d.InputOffset()), err
	}
	if _, err := d.Token(); err != nil {
		return 0, err
	}
	for d.More() {
		if err := s.value(d); err != nil {
			return 0, err
		}
		if s.enough() {
			return len(text), nil
		}
	}
	_, err := d.Token()
	return int(d.InputOffset()), err
}

// value takes one value.
func (s *sample) value(d *json.Decoder) error {
	v, err := source.ShapeOf(d)
	// A value that is cut off counts if there is more, or if only one format can begin like it.
	if len(v) > 0 && (err == nil || ended(err) && s.pieces == 0 && (s.cut || s.plain(v))) {
		s.add(v)
	}
	return err
}

// plain reports whether a value is certainly of a format.
func (s *sample) plain(v source.Shape) bool {
	return slices.ContainsFunc(s.table, func(x source.Reader) bool { return s.level(x, v) == source.Certain })
}

// level returns how certain it is that a value has the format of a reader.
func (s *sample) level(x source.Reader, v source.Shape) source.Level {
	switch {
	case x.Level == nil:
		return 0
	case x.Within != nil && slices.ContainsFunc(s.table, func(x source.Reader) bool { return x.Within == nil && x.Level != nil && x.Level(v) == source.Certain }):
		return x.Within(v)
	}
	return x.Level(v)
}

// ended reports whether a value could not be read since the text ends within it.
func ended(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

// add counts a value for the formats that have its shape.
func (s *sample) add(v source.Shape) {
	s.pieces++
	s.export = s.export || v["lukasa_export"]
	for _, x := range s.table {
		if n := s.level(x, v); n > 0 {
			if s.counts[x.Format] == nil {
				s.counts[x.Format] = &[source.Certain + 1]int{}
			}
			s.counts[x.Format][n]++
		}
	}
}

// best returns the highest level that a format has, and how often.
func (s *sample) best(f foreign.Format) (level source.Level, count int) {
	c := s.counts[f]
	if c == nil {
		return 0, 0
	}
	for level := source.Certain; level > 0; level-- {
		if c[level] > 0 {
			return level, c[level]
		}
	}
	return 0, 0
}

// verdict returns an error if nothing, or next to nothing, is of the named format.
func (s *sample) verdict() error {
	const next = 20 // fewer than one in 20 is next to nothing
	own, n := s.best(s.named)
	looks, level, count := foreign.Format(""), source.Fits, 0
	for _, x := range s.table {
		if l, k := s.best(x.Format); x.Format != s.named && (l > level || l == level && l > source.Fits && k > count) {
			looks, level, count = x.Format, l, k
		}
	}
	o := &OtherFormat{Named: s.named, Looks: looks, why: "nothing in it has that Shape"}
	switch {
	case s.export:
		o.Looks, o.why = "", "it is an export of Lukasa"
		return o.fault("leave --from out: `lukasa import FILE` reads it")
	case s.pieces == 0:
		return nil // an empty list, or nothing that is whole
	case looks != "" && (own < level || own == level && n*next < count):
		return o.fault("")
	case own == 0:
		return o.fault("")
	}
	return nil
}

// note is the verdict for notes, which are text of any kind that does not begin as JSON.
func (s *sample) note() error {
	if !s.json || s.pieces == 0 {
		return nil
	}
	if err := s.verdict(); err != nil {
		o, _ := errors.AsType[*OtherFormat](err)
		if o.Looks == "" && !s.export {
			o.why = "it is JSON"
			return o.fault("")
		}
		return err
	}
	return nil
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// nextLine returns where the next line begins that is not blank.
func nextLine(text []byte, at int) int {
	i := bytes.IndexByte(text[at:], '\n')
	if i < 0 {
		return len(text)
	}
	return skipSpace(text, at+i)
}
