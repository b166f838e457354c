// Package migrate reads what other programs recorded, as events and memories: transcripts of
// coding agents, logs of chats, exports of other memories, traces. It has the table of formats,
// and tells by the first bytes of a source which one it has.
//
// The readers are in packages by family: transcripts, chats, exports and traces, on top of
// package source, which says what is guaranteed of every source. docs/import.md maps the parts of
// each format to events and memories. To add a format, write its [source.Reader] and add it to its
// family.
//
// A source of another format than the named one is recognised before any of it is taken.
package migrate

import (
	"bufio"
	"context"
	"path"
	"slices"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate/chats"
	"lukasa.dev/internal/migrate/exports"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/traces"
	"lukasa.dev/internal/migrate/transcripts"
)

// readers is the table of formats, in the order in which they are documented.
func readers() []source.Reader {
	return slices.Concat(transcripts.Readers(), chats.Readers(), exports.Readers(), traces.Readers(), exports.EventReaders())
}

// find returns the first reader of a table that is wanted, and an empty one if there is none.
func find(table []source.Reader, wanted func(source.Reader) bool) source.Reader {
	if i := slices.IndexFunc(table, wanted); i >= 0 {
		return table[i]
	}
	return source.Reader{}
}

// of returns the reader of a format, and an empty one if there is none.
func of(f foreign.Format) source.Reader {
	return find(readers(), func(x source.Reader) bool { return x.Format == f })
}

// Formats lists the formats in the order in which they are documented.
func Formats() []foreign.Format {
	var out []foreign.Format
	for _, x := range readers() {
		out = append(out, x.Format)
	}
	return out
}

// ParseFormat returns the format called name.
func ParseFormat(name string) (foreign.Format, bool) {
	f := foreign.Format(name)
	return f, slices.Contains(Formats(), f)
}

// What describes a source of a format in a few words.
func What(f foreign.Format) string {
	if x := of(f); x.Read != nil {
		return x.What
	}
	return string(f)
}

// Wants reports whether a file of a directory is one that a format is written to, by its name.
func Wants(f foreign.Format, file string) bool {
	name := strings.TrimSuffix(strings.ToLower(path.Base(file)), ".gz")
	wants := of(f).Wants
	if wants == nil {
		wants = source.WantsJSON
	}
	return wants(name, path.Ext(name))
}

// Read reads a source to its end. It returns an error of the source, of the sink or of ctx;
// errors of single lines go to the sink. A source of another format is an error with the cause
// [OtherFormat], and none of it is taken.
func Read(ctx context.Context, f foreign.Format, src source.Source, o source.Options, sink source.Sink) error {
	x := of(f)
	if x.Read == nil {
		return fault.Newf(fault.InvalidArgument, "format: there is no %q", string(f)).WithFix("use one of docs/import.md")
	}
	return x.Take(ctx, src, o, sink, func(text *bufio.Reader) error { return check(f, src.Name, text) })
}
