package cli

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/fault"
)

// errServed says that a directory is in use by a server that takes commands.
var errServed = errors.New("a server has the directory")

// carriedOut is the exit code of a command that a server has carried out.
type carriedOut int

// Error implements error.
func (c carriedOut) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// orForward runs a command, or has the server do it that has its directory. Only
// a server that comes in between may find standard input begun; then it is too
// late to hand it over.
func (s *shell) orForward(c *cobra.Command, args []string, run func() error) error {
	dir, ok := s.forwardable(c)
	if !ok {
		return run()
	}
	if isServed(dir) {
		err := s.forward(c.Context(), dir, args)
		if !errors.Is(err, errNobody) {
			return err
		}
	}
	err := run()
	if !errors.Is(err, errServed) {
		return err
	}
	if s.begun {
		return fault.Newf(fault.Locked, "%s was taken by a server just now", dir).WithFix("run it again: the server will do it")
	}
	err = s.forward(c.Context(), dir, args)
	if errors.Is(err, errNobody) {
		err = fault.Newf(fault.Locked, "%s was in use by a server that has ended", dir).WithFix("run it again")
	}
	return err
}

// forwardable returns the data directory that a command works on, if it does.
func (s *shell) forwardable(c *cobra.Command) (dir string, ok bool) {
	flag := c.Flags().Lookup("data")
	if s.served.board != nil || flag == nil || c.Annotations[alone] != "" {
		return "", false
	}
	for _, name := range []string{"proof", "receipt", "consistency"} {
		if c.Name() == "verify" && c.Flags().Changed(name) {
			return "", false // that is checked without a directory
		}
	}
	if c.Flags().Changed(nameBackground) {
		return "", false // it goes to the server by itself
	}
	dir, err := s.dataDir(c, &boardFlags{data: flag.Value.String()})
	return dir, err == nil
}

// alone is the annotation of a command that never asks a server to do it.
const alone = "alone"

// isServed reports whether a server is or was at a directory.
func isServed(dir string) bool {
	_, err := readAddress(dir)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// errNobody says that a server has left a directory without taking its address
// with it.
var errNobody = errors.New("nobody listens")

// errand is what a server is asked to do.
type errand struct {
	args []string
	// input is all of standard input, if whoever asks has it. A longer one than a message
	// holds is handed over piece by piece.
	input []byte
	// vars are the variables that the command will look at, as far as that is known. They go
	// with it, so that the server need not ask.
	vars []string
}

// forward has the server at dir carry out a command line. It returns the exit
// code as an error, or errNobody if there is no server.
func (s *shell) forward(ctx context.Context, dir string, args []string) error {
	return s.forwardAll(ctx, dir, errand{args: args})
}

// forwardAll is forward with what is known of the command beforehand.
func (s *shell) forwardAll(ctx context.Context, dir string, do errand) error {
	a, err := readAddress(dir)
	if errors.Is(err, fs.ErrPermission) {
		return fault.Newf(fault.Locked, "%s is served by a process of another user", dir).WithCause(err).
			WithFix("run it as that user, such as with sudo -u, or ask the server over HTTP with a key")
	}
	if err != nil {
		return errNobody
	}
	conn, err := net.DialTimeout(a.Network, a.Address, dialTime)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return errNobody
	}
	if err != nil {
		return unanswered(dir, err)
	}
	defer func() { _ = conn.Close() }() // everything was said
	l := &caller{shell: s, talk: newTalk(conn), args: do.args, before: do, open: map[int]*handed{}}
	if err := l.introduce(a); err != nil {
		return unanswered(dir, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = l.talk.send(&head{Op: opCancel}, nil) }) // if it is lost, so is the rest
	defer stop()
	code, err := l.serve()
	if err != nil {
		return unanswered(dir, err)
	}
	return carriedOut(code)
}

func unanswered(dir string, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	return fault.Newf(fault.NoServer, "the server that has %s ended before it had answered: %w", dir, err).
		WithFix("look whether it still runs, and run it again; what was acknowledged is on the disk")
}

// caller is the end of whoever gave a command that a server carries out.
type caller struct {
	shell *shell
	talk  *talk
	args  []string
	// before is what the server is told before it asks.
	before errand

	mu   sync.Mutex
	open map[int]*handed
	next int
}

// handed is something that the server reads or makes.
type handed struct {
	file file
	// to and done are of a file that is made.
	to   *io.PipeWriter
	done chan error
}

// introduce begins the conversation. Nothing is said to someone who does not know
// the secret.
func (l *caller) introduce(a *address) error {
	_ = l.talk.conn.SetDeadline(time.Now().Add(dialTime)) // a connection that cannot have one is left to wait
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // it never fails
	if err := l.talk.send(&head{Op: opHello, Version: wireVersion, Nonce: nonce}, nil); err != nil {
		return err
	}
	h, _, err := l.talk.receive()
	if err != nil {
		return err
	}
	if h.Op == opExit {
		return h.Error.unpack()
	}
	if h.Op != opServer || !hmac.Equal(h.Proof, a.proof(opServer, nonce)) {
		return errors.New("it is somebody else who listens there")
	}
	run := &head{Op: opRun, Proof: a.proof(opRun, h.Nonce)}
	for _, arg := range l.args {
		run.Args = append(run.Args, []byte(arg))
	}
	for _, stream := range []any{l.shell.stdin, l.shell.stdout.target, l.shell.stderr} {
		run.Ends = append(run.Ends, packEnd(l.shell.detect(stream)))
	}
	for _, name := range l.before.vars {
		value, ok := l.shell.lookup(name)
		run.Vars = append(run.Vars, wireVar{Name: name, Value: []byte(value), Set: ok})
	}
	var input []byte
	if run.Whole = l.before.input != nil && len(l.before.input) <= maxData; run.Whole {
		input = l.before.input
	}
	if err := l.talk.send(run, input); err != nil {
		return err
	}
	return l.talk.conn.SetDeadline(time.Time{})
}

// serve does what the server asks for, until it has the exit code. Each wish is
// attended to by itself: one may be waiting for a key to be pressed.
func (l *caller) serve() (int, error) {
	l.next = handleNext
	defer l.closeAll()
	for {
		h, data, err := l.talk.receive()
		if err != nil {
			return 0, err
		}
		if h.Op == opExit {
			return h.Code, h.Error.unpack()
		}
		go func() {
			answer, data := l.attend(h, data)
			answer.ID = h.ID
			_ = l.talk.send(answer, data) // whoever left wants no answer
		}()
	}
}

// closeAll lets go of what the server did not.
func (l *caller) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.open {
		if h.file != nil {
			_ = h.file.Close() // nothing was written to it
		}
		if h.to != nil {
			_ = h.to.CloseWithError(io.ErrUnexpectedEOF) // it never fails
			<-h.done
		}
	}
}

// attend does one thing that the server asked for.
func (l *caller) attend(h *head, data []byte) (*head, []byte) {
	switch h.Op {
	case opLookup:
		return l.lookup(string(h.Name)), nil
	case opStat, opOpen, opMake, opList:
		if !l.named(string(h.Name)) && (h.Op == opMake || !l.below(string(h.Name))) && !l.inVault(string(h.Name)) {
			return failure(fs.ErrPermission), nil
		}
		return l.byName(h), nil
	case opMkdir, opRemove:
		return l.vaulted(h), nil
	case opWrite:
		return l.write(h.Handle, data), nil
	}
	f := l.handle(h.Handle)
	if f == nil {
		return failure(fs.ErrClosed), nil
	}
	switch h.Op {
	case opKeep, opDrop:
		return l.finish(h, f), nil
	case opRead:
		return l.read(f, min(max(h.Size, 1), maxData))
	case opInfo:
		return infoOf(f), nil
	case opSeek:
		if f.file == nil {
			return failure(fs.ErrInvalid), nil
		}
		offset, err := f.file.Seek(h.Offset, h.Whence)
		return &head{Offset: offset, Error: packError(err)}, nil
	case opClose:
		l.forget(h.Handle)
		if f.file == nil {
			return &head{}, nil
		}
		return failure(f.file.Close()), nil
	}
	return failure(errors.ErrUnsupported), nil
}

func failure(err error) *head { return &head{Error: packError(err)} }

// variables are those besides LUKASA_… that commands look at. No other leaves
// this process.
func variables() []string {
	return []string{"HOME", "USERPROFILE", "USER", "USERNAME", "XDG_DATA_HOME", "XDG_STATE_HOME", "COLUMNS", "TERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"}
}

func (l *caller) lookup(name string) *head {
	if !strings.HasPrefix(name, "LUKASA_") && !slices.Contains(variables(), name) {
		return &head{}
	}
	value, ok := l.shell.lookup(name)
	return &head{Set: ok, Name: []byte(value)}
}

// named reports whether the command line names a file, or the variable with a
// scope does. The server gets to see no other.
func (l *caller) named(name string) bool {
	for _, arg := range append(l.args, l.shell.env("LUKASA_SCOPE")) {
		if name != "" && strings.HasSuffix(arg, name) {
			return true
		}
	}
	return false
}

func (l *caller) byName(h *head) *head {
	name := string(h.Name)
	switch h.Op {
	case opStat:
		info, err := l.shell.files.stat(name)
		if err != nil {
			return failure(err)
		}
		return &head{Info: packInfo(info)}
	case opList:
		return l.listed(name, h.Offset)
	case opOpen:
		f, err := l.shell.files.open(context.Background(), name)
		if err != nil {
			return failure(err)
		}
		return &head{Handle: l.keep(&handed{file: f})}
	}
	from, to := io.Pipe()
	made := &handed{to: to, done: make(chan error, 1)}
	go func() {
		err := l.shell.files.replace(name, func(w io.Writer) error {
			_, err := io.Copy(w, from)
			return err
		})
		_ = from.CloseWithError(io.ErrClosedPipe) // it never fails
		made.done <- err
	}()
	return &head{Handle: l.keep(made)}
}

// keep remembers what is open under a new number.
func (l *caller) keep(f *handed) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.next
	l.next++
	l.open[n] = f
	return n
}

func (l *caller) forget(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, n)
}

// handle returns what is open under a number. Standard input always is.
func (l *caller) handle(n int) *handed {
	if n == handleIn {
		f, _ := l.shell.stdin.(file)
		return &handed{file: f}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[n]
}

func (l *caller) read(f *handed, size int) (*head, []byte) {
	from := l.shell.stdin
	if f.file != nil {
		from = f.file
	}
	if f.to != nil || from == nil {
		return failure(fs.ErrInvalid), nil
	}
	buf := make([]byte, size)
	n, err := from.Read(buf)
	return failure(err), buf[:n]
}

// infoOf tells what is open. A stream that is no file is like a pipe.
func infoOf(f *handed) *head {
	if f.file == nil {
		return &head{Info: &wireInfo{Bits: fs.ModeNamedPipe}}
	}
	info, err := f.file.Stat()
	if err != nil {
		return failure(err)
	}
	return &head{Info: packInfo(info)}
}

func (l *caller) write(n int, data []byte) *head {
	var to io.Writer
	switch n {
	case handleOut:
		to = l.shell.stdout.target
	case handleErr:
		to = l.shell.stderr
	default:
		f := l.handle(n)
		if f == nil || f.to == nil {
			return failure(fs.ErrClosed)
		}
		to = f.to
	}
	_, err := io.Copy(to, bytes.NewReader(data))
	return failure(err)
}

// finish ends a file that was made.
func (l *caller) finish(h *head, f *handed) *head {
	l.forget(h.Handle)
	if f.to == nil {
		return failure(fs.ErrInvalid)
	}
	var why error // a file that is complete ends well
	if h.Op == opDrop {
		why = errDropped
	}
	_ = f.to.CloseWithError(why) // it never fails
	return failure(<-f.done)
}

// errDropped is why a file is not made after all.
var errDropped = errors.New("it is not wanted any more")
