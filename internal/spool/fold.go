package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"slices"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/statement"
)

// Board is where events go.
type Board interface {
	Append(ctx context.Context, w lukasa.Writer, events ...*hmx.Event) (*lukasa.AppendResult, error)
	Tenant(name string, w lukasa.Writer) *lukasa.Tenant
}

// Options say how files are folded in.
type Options struct {
	// FS is where they are. Nil means the machine's.
	FS disk.FS
	// Tenant names the tenant of events that have none. Nil means "default".
	Tenant func(context.Context) (string, error)
	// Actor stands in the records as their writer.
	Actor string
	// Except is a file that is left for later.
	Except string
}

// Report says what became of files and events.
type Report struct {
	Files, Events int // events that were not there before
	Duplicates    int
	Aside         []Aside
	// Stated are the ids of prompts that were folded in and plainly state something, by
	// tenant, in order: to be learned from.
	Stated map[string][]string
}

// Aside is a file that could not be folded in, or one event of it.
type Aside struct {
	File string // as it is called in the directory aside
	Why  string
}

// Limits of what is held at a time.
const (
	maxFiles = 1000
	maxHeld  = 32 << 20
)

// Pending reports whether a data directory has files that wait.
func Pending(fs disk.FS, dir string) bool {
	names, err := files(fs, dir)
	return err == nil && len(names) > 0
}

// Fold records what waits in a data directory on its board, which must be open in this
// process. An error is the board's or the disk's: what was not folded in is still there. Two
// who do it at once in one process do no harm.
func Fold(ctx context.Context, dir string, b Board, o Options) (r Report, err error) {
	if o.FS == nil {
		o.FS = disk.OS()
	}
	for {
		f := &fold{dir: dir, board: b, o: o, report: &r}
		more, err := f.once(ctx)
		if err != nil || !more {
			return r, err
		}
	}
}

// fold is one round: as many files as may be held.
type fold struct {
	dir    string
	board  Board
	o      Options
	report *Report
	held   []held
	names  []string
}

// held is an event in its place.
type held struct {
	Item
	scope, file string
}

// once folds in some files and reports whether there are more.
func (f *fold) once(ctx context.Context) (more bool, err error) {
	names, err := files(f.o.FS, f.dir)
	if err != nil || len(names) == 0 {
		return false, err
	}
	size := 0
	for _, name := range names {
		if name == f.o.Except {
			continue
		}
		if len(f.names) >= maxFiles || size > maxHeld {
			more = true
			break
		}
		n, err := f.take(ctx, name)
		if err != nil {
			return false, err
		}
		size += n
	}
	if err := f.append(ctx); err != nil {
		return false, err
	}
	for _, name := range f.names {
		if err := f.o.FS.Remove(f.path(name)); err != nil && !notThere(err) {
			return false, fmt.Errorf("remove %s, which is folded in: %w", name, disk.Fault(err))
		}
		f.report.Files++
	}
	return more && len(f.names) > 0, nil
}

func (f *fold) path(elem ...string) string {
	return f.o.FS.PathJoin(append([]string{f.dir, Dir}, elem...)...)
}

// take reads a file. One that is damaged is put aside.
func (f *fold) take(ctx context.Context, name string) (int, error) {
	if info, err := f.o.FS.Stat(f.path(name)); err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		return 0, f.aside(name, "it is no file of at most 64 MB")
	}
	data, err := disk.ReadFile(f.o.FS, f.path(name))
	if notThere(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, disk.Fault(err))
	}
	b, err := decode(data)
	if errors.Is(err, errNewer) {
		f.report.Aside = append(f.report.Aside, Aside{name, err.Error() + "; it is left where it is"})
		return 0, nil
	}
	if err != nil {
		return 0, f.aside(name, err.Error())
	}
	if b.Tenant == "" {
		if b.Tenant, err = f.tenant(ctx); err != nil {
			return 0, err
		}
	}
	for _, it := range b.Items {
		it.Event.TenantID = b.Tenant
		f.held = append(f.held, held{it, b.Scope, name})
	}
	f.names = append(f.names, name)
	return len(data), nil
}

func (f *fold) tenant(ctx context.Context) (string, error) {
	if f.o.Tenant == nil {
		return "default", nil
	}
	return f.o.Tenant(ctx)
}

// aside puts a file where nobody folds it in.
func (f *fold) aside(name, why string) error {
	if err := disk.MkdirAll(f.o.FS, f.path(aside)); err != nil {
		return fmt.Errorf("put %s aside: %w", name, disk.Fault(err))
	}
	if err := f.o.FS.Rename(f.path(name), f.path(aside, name)); err != nil && !notThere(err) {
		return fmt.Errorf("put %s aside: %w", name, disk.Fault(err))
	}
	f.report.Aside = append(f.report.Aside, Aside{name, why})
	return nil
}

// append records what is held, by session and sequence.
func (f *fold) append(ctx context.Context) error {
	slices.SortStableFunc(f.held, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.Event.TenantID, b.Event.TenantID), cmp.Compare(a.Event.SessionID, b.Event.SessionID),
			cmp.Compare(a.Event.Sequence, b.Event.Sequence), cmp.Compare(a.Event.EventID, b.Event.EventID))
	})
	for len(f.held) > 0 {
		n := 1
		for n < len(f.held) && f.held[n].Ceiling == f.held[0].Ceiling && f.held[n].scope == f.held[0].scope {
			n++
		}
		if err := f.record(ctx, f.held[:n]); err != nil {
			return err
		}
		f.held = f.held[n:]
	}
	return nil
}

// record records events that are trusted alike.
func (f *fold) record(ctx context.Context, some []held) error {
	w := lukasa.Writer{Actor: f.o.Actor, Trust: some[0].Ceiling, Scope: some[0].scope}
	if w.Scope != "" {
		w.Actor = "" // whom the scope is for
	}
	events := make([]*hmx.Event, len(some))
	for i, h := range some {
		events[i] = h.Event
	}
	res, err := Record(ctx, f.board, w, events...)
	switch fault.CodeOf(err) {
	case fault.ScopeInvalid, fault.ScopeExpired, fault.OutOfScope:
		// It is no better the next time, and others wait behind it.
		for _, h := range some {
			if err := f.refused(h, fault.Newf(fault.CodeOf(err), "%v", err)); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	f.report.Events += res.Accepted
	f.report.Duplicates += res.Duplicates
	for i, receipt := range res.Receipts {
		if receipt.Disposition != lukasa.Refused {
			f.report.note(&some[i])
			continue
		}
		if err := f.refused(some[i], receipt.Fault); err != nil {
			return err
		}
	}
	return nil
}

// note takes down a prompt that states something.
func (r *Report) note(h *held) {
	text, ok := Prompt(h.Event, h.Ceiling)
	if !ok || len(statement.Read(text)) == 0 {
		return
	}
	if r.Stated == nil {
		r.Stated = make(map[string][]string)
	}
	r.Stated[h.Event.TenantID] = append(r.Stated[h.Event.TenantID], h.Event.EventID)
}

// refused keeps an event that the board does not take, unless it has it or must not have it.
func (f *fold) refused(h held, why *fault.Error) error {
	switch why.Code {
	case fault.IDConflict:
		f.report.Duplicates++ // its first telling stands
		return nil
	case fault.Erased:
		return nil
	}
	b := Batch{Tenant: h.Event.TenantID, Scope: h.scope, Items: []Item{h.Item}}
	data, err := b.encode()
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(f.o.FS, f.path(aside)); err != nil {
		return fmt.Errorf("put an event aside: %w", disk.Fault(err))
	}
	name := b.name()
	if err := disk.WriteFile(f.o.FS, f.path(aside, name), data); err != nil {
		return fmt.Errorf("put an event aside: %w", disk.Fault(err))
	}
	f.report.Aside = append(f.report.Aside, Aside{name, why.Error()})
	return nil
}

func notThere(err error) bool { return errors.Is(err, iofs.ErrNotExist) }
