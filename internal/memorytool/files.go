package memorytool

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// filesPart is how many files are read at once. They may be large.
const filesPart = 16

// Tag is the tag of memories that are files of the memory tool. Listings select by
// it.
const Tag = "memory-tool"

// Limits of one call.
const (
	mostFiles    = 1000 // below a directory
	mostAttempts = 64   // while other callers write the same file
	longestPause = 50 * time.Millisecond
)

// file is a file as it was read: a memory, or a free path.
type file struct {
	path    Path
	version uint32 // of the memory with this key, live or not; 0 if there is none
	live    bool
	body    *lukasa.Memory // nil unless it is live
	text    string
}

// entry is a file in a listing.
type entry struct {
	path Path
	size int
}

// read returns the file at a path. A missing file is no error.
func (t *tool) read(ctx context.Context, p Path) (*file, error) {
	f := &file{path: p}
	if p.root() {
		return f, nil
	}
	thing, err := t.tenant.Get(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, Key: p.key()}, t.view)
	switch fault.CodeOf(err) {
	case "":
	case fault.NotFound, fault.Erased:
		return f, nil
	default:
		return nil, err
	}
	f.version = thing.Version
	if m, ok := thing.Body.(*lukasa.Memory); ok && thing.State == lukasa.Live {
		f.live, f.body, f.text = true, m, fileText(m)
	}
	return f, nil
}

// below returns the files below a directory, sorted.
func (t *tool) below(ctx context.Context, dir Path) ([]entry, error) {
	var files []entry
	o := lukasa.ListOptions{Kind: lukasa.MemoryKind, Under: dir.key(), Tag: Tag, Limit: filesPart, View: t.view}
	for {
		page, err := t.tenant.List(ctx, o)
		if fault.CodeOf(err) == fault.NotFound {
			return nil, nil // the tenant is empty
		}
		if err != nil {
			return nil, err
		}
		for _, x := range page.Things {
			m, ok := x.Body.(*lukasa.Memory)
			if !ok {
				continue
			}
			if p, ok := pathOf(m.Key); ok && len(p) > len(dir) && p.within(dir) {
				files = append(files, entry{p, len(fileText(m))})
			}
		}
		if len(files) > mostFiles {
			return nil, wrong("Error: There are more than %d files below %s; name a directory below it", mostFiles, dir)
		}
		if o.After = page.Next; o.After == "" {
			break
		}
	}
	slices.SortFunc(files, func(a, b entry) int { return slices.Compare(a.path, b.path) })
	return files, nil
}

// attempt reads a file and calls do with it. It retries with a growing pause while other
// callers change the file. If that does not stop, it tells the model to try again.
func (t *tool) attempt(ctx context.Context, p Path, do func(*file) (string, error)) (string, error) {
	for n := 1; ; n++ {
		f, err := t.read(ctx, p)
		if err != nil {
			return "", err
		}
		if n > 2 && f.version == 0 {
			// It exists and is not visible: it is private to another agent.
			return "", wrong("Error: The path %s is taken by another writer. Use another name.", p)
		}
		done, err := do(f)
		if err == nil {
			return done, nil
		}
		if fault.CodeOf(err) != fault.VersionConflict {
			return "", err
		}
		if n == mostAttempts {
			return "", wrong("Error: The file %s was not changed, because other writers keep changing it. View it and try again.", p)
		}
		if err := pause(ctx, n); err != nil {
			return "", err
		}
	}
}

// pause waits before the next attempt, unless the context is done. The pause is random and
// grows up to a bound.
func pause(ctx context.Context, attempt int) error {
	most := min(time.Millisecond<<min(attempt, 10), longestPause)
	timer := time.NewTimer(time.Duration(rand.Int64N(int64(most))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// write writes a file if it has not changed since it was read.
func (t *tool) write(ctx context.Context, f *file, text string) error {
	if len(text) > memory.MaxText {
		return wrong("Error: The file %s would have %d bytes, but may have at most %d", f.path, len(text), memory.MaxText)
	}
	m := &lukasa.Memory{Type: memory.TypeFact, Key: f.path.key()}
	if f.body != nil {
		m = f.body
	}
	if err := t.charge(1, int64(len(text))); err != nil {
		return err
	}
	return t.put(ctx, f, m, text, "")
}

// charge counts written files against the limits of the tenant.
func (t *tool) charge(files int, size int64) error {
	if t.c.Quotas == nil {
		return nil
	}
	return t.c.Quotas.Events(t.c.Who.Tenant, files, size)
}

// putBody writes a memory as a file. It keeps the fields other than the text.
func (t *tool) put(ctx context.Context, f *file, m *lukasa.Memory, text, from string) error {
	var err error
	if m.Metadata, err = fileMetadata(m.Metadata, text, from); err != nil {
		return err
	}
	m.Text, m.Forms = text, memory.Forms{}
	if strings.TrimSpace(text) == "" {
		m.Text = "The file " + f.path.String() + " is empty."
	}
	if !slices.Contains(m.Tags, Tag) {
		m.Tags = append(m.Tags, Tag)
	}
	_, err = t.tenant.Put(ctx, m, lukasa.Version(f.version))
	return told(f.path, err)
}

// forget deletes a file if it has not changed since it was read. A missing file is no error.
func (t *tool) forget(ctx context.Context, f *file) error {
	if !f.live {
		return nil
	}
	_, err := t.tenant.Forget(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, Key: f.path.key()}, "deleted with the memory tool", lukasa.Version(f.version))
	return told(f.path, err)
}

// move renames a file. A concurrent write to the old name moves along. If the old file may not
// be deleted, it stays, and no copy is left.
func (t *tool) move(ctx context.Context, from, to Path) error {
	moved := false
	_, err := t.attempt(ctx, from, func(f *file) (string, error) {
		if !f.live {
			if moved {
				return "", nil // another caller deleted it
			}
			return "", wrong("Error: The path %s does not exist", from)
		}
		there, err := t.read(ctx, to)
		if err != nil {
			return "", err
		}
		if there.live && !moved {
			return "", wrong("Error: The destination %s already exists", to)
		}
		m := *f.body
		m.ID, m.Key, m.Tags = "", to.key(), slices.Clone(f.body.Tags)
		if err := t.put(ctx, there, &m, f.text, from.String()); err != nil {
			return "", err
		}
		moved = true
		err = t.forget(ctx, f)
		if _, ok := errors.AsType[*toolError](err); ok {
			if there, undone := t.read(ctx, to); undone == nil {
				_ = t.forget(ctx, there) // it is a copy
			}
		}
		return "", err
	})
	return err
}

// told returns an error for the model if the model can act on it, and the error itself
// otherwise.
func told(p Path, err error) error {
	switch fault.CodeOf(err) {
	case fault.Untrusted, fault.Erased, fault.InvalidArgument, fault.TooLarge, fault.IDConflict:
		return wrong("Error: The file %s cannot be written: %s", p, err)
	}
	return err
}

// fileNote is the member memory_tool in the metadata of a file.
type fileNote struct {
	// Blank is the content of a file of only white space, which no memory may have.
	Blank *string `json:"blank,omitempty"`
	// RenamedFrom is its previous path.
	RenamedFrom string `json:"renamed_from,omitempty"`
}

const noteName = "memory_tool"

// fileText returns the content of a file.
func fileText(m *lukasa.Memory) string {
	var meta struct {
		Note fileNote `json:"memory_tool"`
	}
	if len(m.Metadata) > 0 && json.Unmarshal([]byte(m.Metadata), &meta) == nil && meta.Note.Blank != nil {
		return *meta.Note.Blank
	}
	return m.Text
}

// fileMetadata returns the metadata of a file with the given text, based on the metadata it
// had.
func fileMetadata(raw hmx.Raw, text, from string) (hmx.Raw, error) {
	meta := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal([]byte(raw), &meta) != nil {
		meta = map[string]json.RawMessage{} // it was no object, which the rules forbid
	}
	var note fileNote
	if old, ok := meta[noteName]; ok && json.Unmarshal(old, &note) != nil {
		note = fileNote{}
	}
	note.Blank = nil
	if strings.TrimSpace(text) == "" {
		note.Blank = &text
	}
	if from != "" {
		note.RenamedFrom = from
	}
	delete(meta, noteName)
	if note != (fileNote{}) {
		data, err := json.Marshal(note)
		if err != nil {
			return "", err
		}
		meta[noteName] = data
	}
	if len(meta) == 0 {
		return "", nil
	}
	data, err := json.Marshal(meta)
	return hmx.Raw(data), err
}
