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

// Board receives the events.
type Board interface {
	Append(ctx context.Context, w lukasa.Writer, events ...*hmx.Event) (*lukasa.AppendResult, error)
	Tenant(name string, w lukasa.Writer) *lukasa.Tenant
}

// Options say how files are folded in.
type Options struct {
	// FS is the file system of the files. Nil means the machine's.
	FS disk.FS
	// Tenant returns the tenant of events that name none. Nil means "default".
	Tenant func(context.Context) (string, error)
	// Actor is the writer in the records.
	Actor string
	// Except is a file to leave for later.
	Except string
}

// Report counts the files and events of a fold.
type Report struct {
	Files, Events int // new events only
	Duplicates    int
	Aside         []Aside
	// Stated are the ids of folded prompts that plainly state something, by tenant, in
	// order. The caller learns from them.
	Stated map[string][]string
}

// Aside is a file, or one event of it, that could not be folded in.
type Aside struct {
	File string // its name in the directory aside
	Why  string
}

// Limits on what is held in memory at a time.
const (
	maxFiles = 1000
	maxHeld  = 32 << 20
)

// Pending reports whether a data directory has spooled files.
func Pending(fs disk.FS, dir string) bool {
	names, err := files(fs, dir)
	return err == nil && len(names) > 0
}

// Fold records the spooled events of a data directory on its board, which must be open in
// this process. An error comes from the board or the disk: what was not folded in stays. Two
// concurrent folds in one process are safe.
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

// fold is one round: as many files as may be held at a time.
type fold struct {
	dir    string
	board  Board
	o      Options
	report *Report
	held   []held
	names  []string
}

// held is an event with its order.
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

// take reads a file, and puts a damaged one aside.
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

// aside moves a file to where no fold reads it.
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

// append records the held events, by session and sequence.
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

// record records events with the same trust.
func (f *fold) record(ctx context.Context, some []held) error {
	w := lukasa.Writer{Actor: f.o.Actor, Trust: some[0].Ceiling, Scope: some[0].scope}
	if w.Scope != "" {
		w.Actor = "" // the agent of the scope
	}
	events := make([]*hmx.Event, len(some))
	for i, h := range some {
		events[i] = h.Event
	}
	res, err := Record(ctx, f.board, w, events...)
	switch fault.CodeOf(err) {
	case fault.ScopeInvalid, fault.ScopeExpired, fault.OutOfScope:
		// A retry would fail as well, and other batches wait behind it.
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

// note records a prompt that states something.
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

// refused puts aside an event that the board refuses, unless the board has it or must not
// have it.
func (f *fold) refused(h held, why *fault.Error) error {
	switch why.Code {
	case fault.IDConflict:
		f.report.Duplicates++ // the first version stands
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
