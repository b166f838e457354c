package board

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/notary"
)

// The format of the directory as a whole: its files and their purpose. The parts have formats of their
// own.
const directoryFormat = 1

// maxMark is larger than any mark of a directory.
const maxMark = 64 << 10

// names of the files and directories of a data directory.
const (
	NameMark    = "LUKASA"
	NameLock    = "LOCK"
	NameIndex   = "index"
	nameRebuilt = "index.rebuild"
	nameOld     = "index.old"
	NameVerify  = "index.verify"
	NamePast    = "index.past"
	NameTraces  = "index.traces"
	nameSpool   = "import.spool"
	nameWaiting = "SPOOL"    // events that wait to be recorded, see package spool
	nameHookLog = "HOOK.log" // errors of hooks
	nameHanded  = "HANDED"   // digests of handed-out text, see package echo
)

// Path returns the name of a file of the directory.
func (b *Board) Path(elem ...string) string {
	return b.o.FS.PathJoin(append([]string{b.dir}, elem...)...)
}

// firstWrites is the advice for a missing directory.
const firstWrites = "`lukasa install AGENT`, `lukasa ingest` or `lukasa remember` begin one, and `lukasa demo` shows how it works; or name another with --data"

// claim checks that the directory is ours or can be, and locks it. Nothing is written to a foreign
// directory.
func (b *Board) claim() (io.Closer, error) {
	if b.dir == "" {
		return nil, fault.New(fault.InvalidArgument, "dir: the data directory has no name").WithFix("name one")
	}
	names, err := b.o.FS.List(b.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if b.o.MustExist {
			return nil, fault.Newf(fault.NotFound, "there is no data directory %s", b.dir).WithFix(firstWrites)
		}
		if err := disk.MkdirAll(b.o.FS, b.dir); err != nil {
			return nil, fmt.Errorf("make the data directory %s: %w", b.dir, disk.Fault(err))
		}
	case err != nil:
		if info, e := b.o.FS.Stat(b.dir); e == nil && !info.IsDir() {
			return nil, fault.Newf(fault.ForeignDir, "%s is a file, not a directory", b.dir)
		}
		return nil, fmt.Errorf("look into the data directory %s: %w", b.dir, disk.Fault(err))
	default:
		if err := b.ours(names); err != nil {
			return nil, err
		}
		if b.o.MustExist && !slices.Contains(names, NameMark) {
			return nil, fault.Newf(fault.NotFound, "%s is empty, not a data directory", b.dir).WithFix(firstWrites)
		}
	}
	return disk.Lock(b.o.FS, b.Path(NameLock), b.o.Note)
}

// ours reports whether a directory with these files was made by a board, or is empty.
func (b *Board) ours(names []string) error {
	var other []string
	for _, n := range names {
		switch {
		case n == NameMark:
			return nil
		case n == NameLock || strings.HasPrefix(n, NameLock+".") || strings.HasPrefix(n, NameMark+"."):
			// Left by a start that did not get as far as its mark.
		case n == nameWaiting || strings.HasPrefix(n, nameHookLog) || strings.HasPrefix(n, nameHanded):
			// Left by a hook before the board was created.
		default:
			other = append(other, n)
		}
	}
	if len(other) > 0 {
		return fault.Newf(fault.ForeignDir, "%s is not a data directory of Lukasa: it holds %q and has no %s file", b.dir, other[0], NameMark)
	}
	return nil
}

// Identify reads the directory's mark, or writes one into a new directory.
func (b *Board) Identify() error {
	if info, err := b.o.FS.Stat(b.Path(NameMark)); err == nil && (!info.Mode().IsRegular() || info.Size() > maxMark) {
		return fault.Newf(fault.ForeignDir, "%s is not a file of at most %d bytes", b.Path(NameMark), maxMark)
	}
	text, err := disk.ReadFile(b.o.FS, b.Path(NameMark))
	if errors.Is(err, fs.ErrNotExist) {
		return b.found()
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", b.Path(NameMark), disk.Fault(err))
	}
	fields := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		fields[name] = value
	}
	format, err := strconv.Atoi(fields["format"])
	if err != nil || format < 1 || fields["directory"] == "" {
		return fault.Newf(fault.Damaged, "%s does not say which format and directory this is", b.Path(NameMark)).
			WithFix("restore the file from a copy; the journal and the index are not touched by this")
	}
	if format > directoryFormat {
		return fault.Newf(fault.NewerFormat, "%s has format %d; this program knows formats up to %d", b.dir, format, directoryFormat)
	}
	// The id is part of what is signed, so that no bit of it may be wrong.
	if told, _, _ := bytes.Cut(text, []byte("check: ")); fields["check"] != checkOf(told) {
		return fault.Newf(fault.Damaged, "%s does not match its check", b.Path(NameMark)).
			WithFix("restore the file from a copy; the journal and the index are not touched by this")
	}
	b.id = fields["directory"]
	return nil
}

// found writes the mark of a new directory.
func (b *Board) found() error {
	now := b.o.Clock()
	id, err := hmx.NewID(now, b.o.Random)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("This is a data directory of Lukasa (lukasa.dev). Leave its files to it.\nformat: %d\ndirectory: %s\ncreated: %s\n",
		directoryFormat, id, now.UTC().Format("2006-01-02T15:04:05Z"))
	text += "check: " + checkOf([]byte(text)) + "\n"
	if err := disk.WriteFile(b.o.FS, b.Path(NameMark), []byte(text)); err != nil {
		return fmt.Errorf("write %s: %w", b.Path(NameMark), disk.Fault(err))
	}
	b.id = id
	return nil
}

// checkOf returns the CRC-32C of the text before the check of a mark.
func checkOf(text []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// sweep removes the leftovers of an interrupted rebuild, verification or import. The index that was in
// use stays, if it still exists.
func (b *Board) sweep() error {
	for _, name := range []string{nameRebuilt, nameOld, NameVerify, NamePast, nameSpool} {
		if _, err := b.o.FS.Stat(b.Path(name)); err != nil {
			continue
		}
		if err := b.o.FS.RemoveAll(b.Path(name)); err != nil {
			return fmt.Errorf("remove %s: %w", b.Path(name), disk.Fault(err))
		}
	}
	return nil
}

// notaryOptions returns the options of the notary; used says that there must be keys.
func (b *Board) notaryOptions(used bool) notary.Options {
	o := notary.Options{FS: b.o.FS, Dir: b.Path("keys"), DirectoryID: b.id, Random: b.o.Random, Now: b.o.Clock, Used: used}
	if b.o.WitnessDir != "" {
		o.Witness = notary.NewFileWitness(b.o.FS, b.o.FS.PathJoin(b.o.WitnessDir, b.id), b.id)
	}
	return o
}
