package files

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// Earlier versions of OpenCode kept a file of each session, message and part below a directory
// storage: session/PROJECT/SESSION.json, message/SESSION/MESSAGE.json and part/MESSAGE/PART.json.
// Put together they are what `opencode export` writes.

// openCodeStorage returns the sessions of such a directory, and reports whether it is one.
func (m *migration) openCodeStorage(ctx context.Context, dir string) (found []foundFile, ok bool, err error) {
	if m.format != foreign.OpenCode || !isDirectory(m.shell, filepath.Join(dir, "session")) || !isDirectory(m.shell, filepath.Join(dir, "message")) {
		return nil, false, nil
	}
	all, err := findFiles(ctx, m.shell, filepath.Join(dir, "session"), m.format, func(file string, why source.Reason, detail string) {
		m.file = file
		m.leave(source.Left{Reason: why, Detail: detail})
	})
	if err != nil {
		return nil, true, err
	}
	for _, f := range all {
		id := strings.TrimSuffix(filepath.Base(f.name), ".json")
		f.assemble = func(ctx context.Context, whole bool) io.Reader { return m.openCodeSession(ctx, dir, f.name, id, whole) }
		found = append(found, f)
	}
	return found, true, nil
}

// openCodeSession puts a session together, with its messages if the whole is wanted.
func (m *migration) openCodeSession(ctx context.Context, dir, file, id string, whole bool) io.Reader {
	var b bytes.Buffer
	b.WriteString(`{"info":`)
	b.Write(m.stored(ctx, file, whole))
	b.WriteString(`,"messages":[`)
	if whole {
		for i, message := range m.storedBelow(filepath.Join(dir, "message", id)) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n" + `{"info":`)
			b.Write(m.stored(ctx, message, true))
			b.WriteString(`,"parts":[`)
			for k, part := range m.storedBelow(filepath.Join(dir, "part", strings.TrimSuffix(filepath.Base(message), ".json"))) {
				if k > 0 {
					b.WriteByte(',')
				}
				b.Write(m.stored(ctx, part, true))
			}
			b.WriteString("]}")
		}
	}
	b.WriteString("]}\n")
	return &b
}

// stored reads a file that is one value. One that is none is reported, and read as null.
func (m *migration) stored(ctx context.Context, name string, tell bool) []byte {
	src, err := m.shell.Open(ctx, []string{name})
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(src, source.MaxPiece+1))
		_ = src.Close() // nothing was written to it
	}
	why, detail := source.Broken, "this is not JSON"
	switch {
	case err != nil:
		why, detail = source.Unreadable, term.Cause(err).Error()
	case len(data) > source.MaxPiece:
		why, detail = source.TooLarge, "the file is longer than is read"
	case json.Valid(data):
		return bytes.TrimSpace(data)
	}
	if was := m.file; tell {
		m.file = name
		m.leave(source.Left{Reason: why, Detail: detail})
		m.file = was
	}
	return []byte("null")
}

// storedBelow lists the files of a directory by their names, which is the order in which they
// were made. One that is not there has none.
func (m *migration) storedBelow(dir string) []string {
	entries, err := m.shell.Files.List(dir)
	if err != nil {
		return nil
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	var out []string
	for _, e := range entries {
		if e.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".json") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// source opens a file that was found, as a whole or as far as it takes to tell what it is.
func (m *migration) source(ctx context.Context, f foundFile, whole bool) (io.ReadCloser, error) {
	if f.assemble != nil {
		return io.NopCloser(f.assemble(ctx, whole)), nil
	}
	return m.shell.Open(ctx, []string{f.name})
}
