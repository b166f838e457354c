// Package source reads the files and streams of other programs for readers of single formats, and
// makes events and memories of what they find. It knows no format: a [Reader] says how one is
// recognised and read, and calls the methods of a [Run], which hands items to a [Sink].
//
// # What is guaranteed
//
//   - Streaming: a source is read once, front to back. At most [MaxPiece] bytes of it,
//     one line or one element of an array, are held at a time, and a few thousand
//     names of open tool calls.
//   - The same source gives the same events, with the same ids: an id is a hash of the
//     format and of the source's own id of the item, or of its place in the source. A
//     source that grew at its end gives the same and more.
//   - A bad line does not affect good ones. [Sink.Leave] receives its place and the reason.
//   - Every event obeys the rules of HMX, every memory its own: names are cleaned and long
//     texts cut, and the metadata says what was cut.
//   - Text that people did not write never gets the trust of a user: see [Item.Ceiling].
//
// # What is not
//
// The package looks nothing up: the sink decides whether an item is on record already. Where a
// source has no times, [Source.Modified] is used.
package source

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
)

// Reader is how sources of one format are recognised and read. A table of readers is all that is
// known of formats above the packages that read them.
type Reader struct {
	Format foreign.Format
	// What describes a source of the format in a few words.
	What string
	// Wants reports whether a file of a directory is one that the format is written to, by its
	// name in lower case and the extension of that. Nil stands for [WantsJSON].
	Wants func(name, ext string) bool
	// Level returns how certain it is that a value has the format. It is nil for a format whose
	// sources are not JSON.
	Level func(Shape) Level
	// Within is Level for a value that certainly has another format. It is nil unless values of
	// other formats have values of this one in them.
	Within func(Shape) Level
	// Binary reports whether a source that is not text has the format, by its beginning. Nil
	// means that none has.
	Binary func(head []byte) bool
	// Prose reports whether a text that is not JSON has the format, by its name and its beginning.
	// Nil means that none has.
	Prose func(name string, head []byte) bool
	// Exact says that values with bytes that are not UTF-8 are refused.
	Exact bool
	// Read reads a source to its end.
	Read func(context.Context, *Run) error
}

// WantsJSON reports whether a file is JSON or lines of JSON, by its extension.
func WantsJSON(_, ext string) bool {
	return ext == ".json" || ext == ".jsonl" || ext == ".ndjson"
}

// Take reads a source to its end. It returns an error of the source, of the sink or of ctx; errors
// of single lines go to the sink. An error of look, which may peek at the beginning of the source
// and may be nil, ends the reading before any of it is taken.
func (x Reader) Take(ctx context.Context, src Source, o Options, sink Sink, look func(*bufio.Reader) error) error {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return err
	}
	text, err := Open(src, PeekBytes)
	if err != nil {
		return unreadable(ctx, err)
	}
	if look != nil {
		if err := look(text); err != nil {
			return err
		}
	}
	r := NewRun(x, src, o, sink)
	r.Text = text
	return unreadable(ctx, x.Read(ctx, r))
}

// unreadable gives an error of the source itself a code.
func unreadable(ctx context.Context, err error) error {
	if err == nil || err == io.EOF {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.Wrap(fault.UnreadableInput, err)
}

// Run is one source being read.
type Run struct {
	Format  foreign.Format
	Source  Source
	Options Options
	// Text is the source as UTF-8, unpacked.
	Text *bufio.Reader

	exact bool
	sink  Sink
	calls map[string]openCall
	// own are calls of Lukasa's own tools, whose results are left out.
	own map[string]bool
	// said counts equal messages of a turn.
	said map[string]int
	// projects are those of the working directories that were met.
	projects map[string][2]string
	// latest is the turn of the last line, of formats whose order is that of time.
	latest *Turn
}

// NewRun returns a run that has read nothing yet.
func NewRun(x Reader, src Source, o Options, sink Sink) *Run {
	return &Run{Format: x.Format, Source: src, Options: o, exact: x.Exact, sink: sink, calls: map[string]openCall{}, own: map[string]bool{}, said: map[string]int{}}
}

// Stem is the name of the source without what follows the first dot of its end.
func (r *Run) Stem() string {
	name := strings.TrimSuffix(r.Source.Name, ".gz")
	if s := strings.TrimSuffix(name, path.Ext(name)); s != "" {
		return s
	}
	return "stream"
}

// Take passes the sink an item as it is.
func (r *Run) Take(ctx context.Context, it Item) error { return r.sink.Take(ctx, it) }

// Leave passes the sink what was left out.
func (r *Run) Leave(p Place, why Reason, detail string) {
	r.sink.Leave(Left{Line: p.Line, Reason: why, Detail: detail})
}
