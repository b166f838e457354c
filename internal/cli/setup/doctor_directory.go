package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"lukasa.dev"
	"lukasa.dev/internal/agents"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/files"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/spool"
)

// firstSteps is what to do where there is nothing yet.
const firstSteps = "begin with `lukasa install AGENT`, such as claude-code, or with `lukasa remember KEY TEXT`; `lukasa demo` shows how it works"

// directory checks the data directory.
func (x *examination) directory(ctx context.Context) {
	info, err := os.Stat(x.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.absent()
		return
	case err != nil:
		x.say("exists", mend, "check the owner of its parent directories", "%s cannot be read: %v", x.dir, term.Cause(err))
		return
	case !info.IsDir():
		x.say("exists", mend, "name a directory with --data", "%s is a file, not a directory", x.dir)
		return
	}
	if _, err := os.Stat(filepath.Join(x.dir, "LUKASA")); err != nil {
		x.unmarked(err)
		return
	}
	x.say("exists", sound, "", "it is a data directory")
	if !x.rights(info) {
		return
	}
	x.room()
	x.spooled()
	x.witness()
	x.inside(ctx)
}

// absent reports that there is no data directory. The first session of an agent with hooks creates
// one.
func (x *examination) absent() {
	for _, agent := range agents.All() {
		setup, _, err := setup(x.Shell, agent.Name, &installFlags{})
		if err != nil {
			continue // reported with the agents
		}
		if state := agentStateOf(setup); state.Server {
			x.say("exists", heed, "start a session of "+agent.Title+", and look again; or name another with --data", "there is no directory %s yet; the first session makes it", x.dir)
			return
		}
	}
	x.say("exists", mend, firstSteps+"; or name another with --data", "there is no directory %s", x.dir)
}

// unmarked reports a directory without the file that marks a data directory.
func (x *examination) unmarked(err error) {
	entries, listed := os.ReadDir(x.dir)
	switch {
	case listed != nil:
		x.say("rights", mend, "let its owner run this, or correct its permissions with chmod", "it cannot be read: %v", term.Cause(listed))
	case !errors.Is(err, fs.ErrNotExist):
		x.say("exists", mend, "let its owner run this, or correct its permissions with chmod", "LUKASA cannot be read: %v", term.Cause(err))
	case len(entries) == 0:
		x.say("exists", mend, firstSteps, "%s is empty, not a data directory", x.dir)
	default:
		x.say("exists", mend, "name another with --data; or bring the file LUKASA back from a copy, if it was one", "%s is no data directory: the file LUKASA is missing", x.dir)
	}
}

// rights checks the permissions of the directory, and reports whether this process may read
// and write it.
func (x *examination) rights(info fs.FileInfo) bool {
	if _, err := os.ReadDir(x.dir); err != nil {
		x.say("rights", mend, "run it as the owner, or correct the permissions of the directory with chmod", "it cannot be read: %v", term.Cause(err))
		return false
	}
	f, err := os.OpenFile(filepath.Join(x.dir, "LUKASA"), os.O_RDWR, 0) // nothing is written
	if err != nil {
		x.say("rights", mend, "run it as the owner, or correct the permissions of the directory with chmod -R u+rw", "it cannot be written to: %v", term.Cause(err))
		return false
	}
	_ = f.Close() // nothing was written to it
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		x.say("rights", mend, "chmod 700 "+ask.QuoteShell(x.dir), "others on this machine may look into it: its mode is %04o", mode)
		return true
	}
	x.say("rights", sound, "", "for its owner alone")
	return true
}

// Free space on the disk: less than the first is an error, less than the second a warning.
const (
	tooLittle = 64 << 20
	little    = 1 << 30
)

// room checks the free space.
func (x *examination) room() {
	free, err := disk.Usage(disk.OS(), x.dir)
	switch {
	case err != nil:
		x.say("room", heed, "", "the free space on the disk is unknown: %v", term.Cause(err))
	case free < tooLittle:
		x.say("room", mend, "make room on the disk: writes are refused before it is full", "%s are left on the disk", term.BytesOf(int64(free)))
	case free < little:
		x.say("room", heed, "make room on the disk before long", "%s are left on the disk", term.BytesOf(int64(free)))
	default:
		x.say("room", sound, "", "%s are left on the disk", term.BytesOf(int64(min(free, 1<<62))))
	}
}

// spooled checks the spool.
func (x *examination) spooled() {
	waiting := fileCount(filepath.Join(x.dir, spool.Dir))
	aside := fileCount(filepath.Join(x.dir, spool.Dir, "aside"))
	switch {
	case aside > 0:
		x.say("spool", heed, "HOOK.log says why; remove them when they are not needed: rm -r "+filepath.Join(x.dir, spool.Dir, "aside"),
			"%s of hooks could not be taken in", term.Counted(aside, "file"))
	case waiting > 0:
		x.say("spool", heed, "any command that opens the directory takes them in, such as `lukasa root`", "%s of hooks are waiting to be taken in", term.Counted(waiting, "file"))
	default:
		x.say("spool", sound, "", "nothing is waiting")
	}
}

// fileCount is how many files a directory has; 0 if it does not exist.
func fileCount(dir string) (n int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") && !strings.HasSuffix(e.Name(), ".tmp") {
			n++
		}
	}
	return n
}

// witness checks whether a rollback of the whole directory would be detected.
func (x *examination) witness() {
	dir := x.WitnessDir()
	switch info, err := os.Stat(dir); {
	case dir == "":
		x.say("witness", heed, "unset LUKASA_WITNESS, or name a directory with it", "it is turned off: a rollback of the whole directory would not be noticed")
	case errors.Is(err, fs.ErrNotExist):
		x.say("witness", sound, "", "nothing was signed yet; %s will remember it", dir)
	case err != nil:
		x.say("witness", mend, "let yourself read it, or name another directory with LUKASA_WITNESS", "%s cannot be read: %v", dir, term.Cause(err))
	case !info.IsDir():
		x.say("witness", mend, "remove it, or name another with LUKASA_WITNESS", "%s is a file, not a directory", dir)
	default:
		x.say("witness", sound, "", "what is signed is remembered in %s", dir)
	}
}

// inside checks journal, indexes and keys: through the server that has the directory open, or
// by opening it in memory.
func (x *examination) inside(ctx context.Context) {
	held, err := disk.Peek(disk.OS(), filepath.Join(x.dir, "LOCK"))
	if errors.Is(err, fault.Locked) {
		x.inUse(ctx, err)
		return
	}
	if err != nil {
		x.fails("lock", err)
		return
	}
	x.say("lock", sound, "", "no process has it open")
	if held != nil {
		defer func() { _ = held.Close() }() // nothing was written
	}
	x.opened(ctx)
}

// inUse reports a directory that another process has open.
func (x *examination) inUse(ctx context.Context, err error) {
	if ask.IsServed(x.dir) {
		x.say("lock", sound, "", "%v", err)
		if text, err := x.ask(ctx, "verify", "--json"); err == nil {
			x.verified(text)
		}
		return
	}
	x.say("lock", heed, "run this again when it is done; if it hangs, end that process", "%v, so journal and indexes were not checked", err)
}

// verified reports the verification of a server.
func (x *examination) verified(text []byte) {
	if bytes.Contains(text, []byte(`"ok":true`)) {
		x.say("journal", sound, "", "the server finds it in order")
		return
	}
	x.say("journal", mend, "`lukasa verify` lists what is wrong; restore from a copy, or `lukasa rebuild` if only the index is hit; "+files.SalvageLine+" saves what can still be read", "the server finds damage in it")
}

// ask runs a command in the server, and returns what it prints. A refusal of the server is an
// error.
func (x *examination) ask(ctx context.Context, args ...string) ([]byte, error) {
	var out, problems bytes.Buffer
	s := ask.NewShell(x.Program, strings.NewReader(""), &out, &problems, x.Lookup, func(any) term.Terminal { return term.Terminal{} })
	err := s.Forward(ctx, x.dir, args)
	if code, ok := errors.AsType[ask.CarriedOut](err); ok {
		err = nil
		if int(code) != 0 && out.Len() == 0 {
			err = fmt.Errorf("%s", bytes.TrimSpace(problems.Bytes()))
		}
	}
	return out.Bytes(), err
}

// maxBehind is how much of the journal is read into an index in memory. More is left to a
// command that may write the index to the disk.
const maxBehind = 32 << 20

// errBehind ends an opening that would read too much.
var errBehind = errors.New("the index is behind")

// opened opens the directory in memory and runs a quick verification.
func (x *examination) opened(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	behind := uint64(0)
	b, err := lukasa.OpenContext(ctx, x.dir, lukasa.Options{
		Shadow: true, WitnessDir: x.WitnessDir(), MustExist: true, CacheBytes: 16 << 20,
		Progress: func(done, end uint64) {
			if behind == 0 && end > done {
				behind = end - done
			}
			if behind > maxBehind {
				cancel(errBehind)
			}
		},
	})
	if context.Cause(ctx) == errBehind {
		x.say("indexes", heed, "the next command that opens the directory brings them up to date; `lukasa verify` then checks the rest",
			"about %s of the journal are not in them yet", term.BytesOf(int64(behind)))
		return
	}
	if err != nil {
		x.closed(ctx, err)
		return
	}
	defer func() { _ = b.Close() }() // it is all in memory
	x.looked(ctx, b, behind)
}

// closed reports a directory that cannot be opened.
func (x *examination) closed(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, fault.Damaged):
		x.say("opens", mend, "restore it from a copy, or `lukasa rebuild` if only the index is hit; "+files.SalvageLine+" saves what can still be read", "%v", err)
	default:
		x.fails("opens", err)
	}
}

// looked reports the result of a quick verification.
func (x *examination) looked(ctx context.Context, b *lukasa.Board, behind uint64) {
	r, err := b.Verify(ctx, lukasa.VerifyOptions{})
	if err != nil {
		x.fails("journal", err)
		return
	}
	bad := map[string]bool{}
	for _, f := range r.Findings {
		check, fix := "journal", "restore it from a copy; "+files.SalvageLine+" saves what can still be read"
		switch f.Where {
		case "index":
			check, fix = "indexes", "`lukasa rebuild` rebuilds the index from the journal"
		case "keys":
			check, fix = "keys", "bring the directory `keys` back from a copy, or make a new key with `lukasa root --new-key`"
		}
		if bad[check] {
			continue // the first has the advice; verify lists all
		}
		bad[check] = true
		x.say(check, mend, fix, "%s", f.Detail)
	}
	if !bad["journal"] {
		x.say("journal", sound, "", "%s of %s in %s", term.Counted(int(r.Records), "record"), term.Counted(r.Tenants, "tenant"), term.BytesOf(r.Bytes))
	}
	_, missing := os.Stat(filepath.Join(x.dir, "index"))
	switch {
	case bad["indexes"]:
	case errors.Is(missing, fs.ErrNotExist):
		x.say("indexes", heed, "the next command that opens the directory makes them from the journal", "there are none yet")
	case behind > 0:
		x.say("indexes", heed, "the next command that opens the directory brings them up to date", "about %s of the journal are not in them yet", term.BytesOf(int64(behind)))
	default:
		x.say("indexes", sound, "", "they have all of the journal")
	}
	if !bad["keys"] {
		x.say("keys", sound, "", "what was signed agrees with what is there")
	}
}
