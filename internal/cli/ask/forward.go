package ask

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

// ErrServed says that a directory is in use by a server that takes commands.
var ErrServed = errors.New("a server has the directory")

// CarriedOut is the exit code of a command that a server has run.
type CarriedOut int

// Error implements error.
func (c CarriedOut) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// OrForward runs a command, or forwards it to the server that has its directory open. If
// a server starts after the command has begun to read standard input, it is too late to
// forward.
func (s *Shell) OrForward(c *cobra.Command, args []string, run func() error) error {
	dir, ok := s.forwardable(c)
	if !ok {
		return run()
	}
	if IsServed(dir) {
		err := s.Forward(c.Context(), dir, args)
		if !errors.Is(err, ErrNobody) {
			return err
		}
	}
	err := run()
	if !errors.Is(err, ErrServed) {
		return err
	}
	if s.begun {
		return fault.Newf(fault.Locked, "%s was taken by a server just now", dir).WithFix("run it again: the server will do it")
	}
	err = s.Forward(c.Context(), dir, args)
	if errors.Is(err, ErrNobody) {
		err = fault.Newf(fault.Locked, "%s was in use by a server that has ended", dir).WithFix("run it again")
	}
	return err
}

// forwardable returns the data directory of a command that may be forwarded.
func (s *Shell) forwardable(c *cobra.Command) (dir string, ok bool) {
	flag := c.Flags().Lookup("data")
	if s.Served.Board != nil || flag == nil || c.Annotations[Alone] != "" {
		return "", false
	}
	for _, name := range []string{"proof", "receipt", "consistency"} {
		if c.Name() == "verify" && c.Flags().Changed(name) {
			return "", false // this check needs no directory
		}
	}
	if c.Flags().Changed(NameBackground) {
		return "", false // it goes to the server by itself
	}
	dir, err := s.DataDir(c, &BoardFlags{data: flag.Value.String()})
	return dir, err == nil
}

// Alone is the annotation of a command that is never forwarded to a server.
const Alone = "alone"

// IsServed reports whether a server is or was at a directory.
func IsServed(dir string) bool {
	_, err := ReadAddress(dir)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// ErrNobody says that the address of a server is stale: no server listens there.
var ErrNobody = errors.New("no process listens there")

// Errand is a command for a server.
type Errand struct {
	Args []string
	// Input is all of standard input, if the caller has it. Input that does not fit into one
	// message is sent in pieces.
	Input []byte
	// Vars are the variables that the command is known to read. They are sent with it, so that
	// the server need not ask.
	Vars []string
}

// Forward sends a command line to the server at dir, which runs it. It returns the exit
// code as an error, or ErrNobody if there is no server.
func (s *Shell) Forward(ctx context.Context, dir string, args []string) error {
	return s.ForwardAll(ctx, dir, Errand{Args: args})
}

// ForwardAll is Forward with input and variables that are known in advance.
func (s *Shell) ForwardAll(ctx context.Context, dir string, do Errand) error {
	a, err := ReadAddress(dir)
	if errors.Is(err, fs.ErrPermission) {
		return fault.Newf(fault.Locked, "%s is served by a process of another user", dir).WithCause(err).
			WithFix("run it as that user, such as with sudo -u, or ask the server over HTTP with a key")
	}
	if err != nil {
		return ErrNobody
	}
	conn, err := net.DialTimeout(a.Network, a.Address, dialTime)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return ErrNobody
	}
	if err != nil {
		return unanswered(dir, err)
	}
	defer func() { _ = conn.Close() }() // all messages are sent
	l := &Caller{Shell: s, talk: NewTalk(conn), Args: do.Args, before: do, Open: map[int]*Handed{}}
	if err := l.introduce(a); err != nil {
		return unanswered(dir, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = l.talk.Send(&Head{Op: opCancel}, nil) }) // if it is lost, so is the rest
	defer stop()
	code, err := l.serve()
	if err != nil {
		return unanswered(dir, err)
	}
	return CarriedOut(code)
}

func unanswered(dir string, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	return fault.Newf(fault.NoServer, "the server that has %s ended before it had answered: %w", dir, err).
		WithFix("check whether it still runs, and run the command again; what was acknowledged is on the disk")
}

// Caller is the client's end of a command that a server runs.
type Caller struct {
	Shell *Shell
	talk  *talk
	Args  []string
	// before is what the client sends before the server asks.
	before Errand

	mu   sync.Mutex
	Open map[int]*Handed
	next int
}

// Handed is a file or stream that the server reads or writes.
type Handed struct {
	file file
	// to and done belong to a file that is written.
	to   *io.PipeWriter
	done chan error
}

// introduce begins the conversation. The client sends nothing of the command to a server
// that does not know the secret.
func (l *Caller) introduce(a *Address) error {
	_ = l.talk.conn.SetDeadline(time.Now().Add(dialTime)) // a connection without deadlines may wait
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // it never fails
	if err := l.talk.Send(&Head{Op: OpHello, Version: WireVersion, Nonce: nonce}, nil); err != nil {
		return err
	}
	h, _, err := l.talk.Receive()
	if err != nil {
		return err
	}
	if h.Op == OpExit {
		return h.Error.unpack()
	}
	if h.Op != OpServer || !hmac.Equal(h.Proof, a.proof(OpServer, nonce)) {
		return errors.New("another process listens there")
	}
	run := &Head{Op: OpRun, Proof: a.proof(OpRun, h.Nonce)}
	for _, arg := range l.Args {
		run.Args = append(run.Args, []byte(arg))
	}
	for _, stream := range []any{l.Shell.Stdin, l.Shell.Stdout.Target, l.Shell.Stderr} {
		run.Ends = append(run.Ends, packEnd(l.Shell.Detect(stream)))
	}
	for _, name := range l.before.Vars {
		value, ok := l.Shell.Lookup(name)
		run.Vars = append(run.Vars, wireVar{Name: name, Value: []byte(value), Set: ok})
	}
	var input []byte
	if run.Whole = l.before.Input != nil && len(l.before.Input) <= MaxData; run.Whole {
		input = l.before.Input
	}
	if err := l.talk.Send(run, input); err != nil {
		return err
	}
	return l.talk.conn.SetDeadline(time.Time{})
}

// serve carries out requests of the server until the exit code arrives. Each request has
// its own goroutine, since one may wait for a key press.
func (l *Caller) serve() (int, error) {
	l.next = handleNext
	defer l.CloseAll()
	for {
		h, data, err := l.talk.Receive()
		if err != nil {
			return 0, err
		}
		if h.Op == OpExit {
			return h.Code, h.Error.unpack()
		}
		go func() {
			answer, data := l.Attend(h, data)
			answer.ID = h.ID
			_ = l.talk.Send(answer, data) // a server that is gone needs no answer
		}()
	}
}

// CloseAll closes the files that the server did not close.
func (l *Caller) CloseAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.Open {
		if h.file != nil {
			_ = h.file.Close() // nothing was written to it
		}
		if h.to != nil {
			_ = h.to.CloseWithError(io.ErrUnexpectedEOF) // it never fails
			<-h.done
		}
	}
}

// Attend carries out one request of the server.
func (l *Caller) Attend(h *Head, data []byte) (*Head, []byte) {
	switch h.Op {
	case OpLookup:
		return l.lookup(string(h.Name)), nil
	case OpStat, OpOpen, OpMake, opList:
		if !l.named(string(h.Name)) && (h.Op == OpMake || !l.below(string(h.Name))) && !l.inVault(string(h.Name)) {
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
		return l.read(f, min(max(h.Size, 1), MaxData))
	case opInfo:
		return infoOf(f), nil
	case opSeek:
		if f.file == nil {
			return failure(fs.ErrInvalid), nil
		}
		offset, err := f.file.Seek(h.Offset, h.Whence)
		return &Head{Offset: offset, Error: packError(err)}, nil
	case opClose:
		l.forget(h.Handle)
		if f.file == nil {
			return &Head{}, nil
		}
		return failure(f.file.Close()), nil
	}
	return failure(errors.ErrUnsupported), nil
}

func failure(err error) *Head { return &Head{Error: packError(err)} }

// forwardedVariables are those besides LUKASA_… that commands read. No other leaves this
// process.
func forwardedVariables() []string {
	return []string{"HOME", "USERPROFILE", "USER", "USERNAME", "XDG_DATA_HOME", "XDG_STATE_HOME", "COLUMNS", "TERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"}
}

func (l *Caller) lookup(name string) *Head {
	if !strings.HasPrefix(name, "LUKASA_") && !slices.Contains(forwardedVariables(), name) {
		return &Head{}
	}
	value, ok := l.Shell.Lookup(name)
	return &Head{Set: ok, Name: []byte(value)}
}

// named reports whether the command line, or the variable with a scope, names a file. The
// server may read no other.
func (l *Caller) named(name string) bool {
	for _, arg := range append(l.Args, l.Shell.Env("LUKASA_SCOPE")) {
		if name != "" && strings.HasSuffix(arg, name) {
			return true
		}
	}
	return false
}

func (l *Caller) byName(h *Head) *Head {
	name := string(h.Name)
	switch h.Op {
	case OpStat:
		info, err := l.Shell.Files.Stat(name)
		if err != nil {
			return failure(err)
		}
		return &Head{Info: packInfo(info)}
	case opList:
		return l.listed(name, h.Offset)
	case OpOpen:
		f, err := l.Shell.Files.Open(context.Background(), name)
		if err != nil {
			return failure(err)
		}
		return &Head{Handle: l.keep(&Handed{file: f})}
	}
	from, to := io.Pipe()
	made := &Handed{to: to, done: make(chan error, 1)}
	go func() {
		err := l.Shell.Files.Replace(name, func(w io.Writer) error {
			_, err := io.Copy(w, from)
			return err
		})
		_ = from.CloseWithError(io.ErrClosedPipe) // it never fails
		made.done <- err
	}()
	return &Head{Handle: l.keep(made)}
}

// keep stores an open file under a new handle.
func (l *Caller) keep(f *Handed) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.next
	l.next++
	l.Open[n] = f
	return n
}

func (l *Caller) forget(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.Open, n)
}

// handle returns the open file of a handle. Standard input is always open.
func (l *Caller) handle(n int) *Handed {
	if n == handleIn {
		f, _ := l.Shell.Stdin.(file)
		return &Handed{file: f}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Open[n]
}

func (l *Caller) read(f *Handed, size int) (*Head, []byte) {
	from := l.Shell.Stdin
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

// infoOf returns the info of an open file. A stream that is no file counts as a pipe.
func infoOf(f *Handed) *Head {
	if f.file == nil {
		return &Head{Info: &wireInfo{Bits: fs.ModeNamedPipe}}
	}
	info, err := f.file.Stat()
	if err != nil {
		return failure(err)
	}
	return &Head{Info: packInfo(info)}
}

func (l *Caller) write(n int, data []byte) *Head {
	var to io.Writer
	switch n {
	case handleOut:
		to = l.Shell.Stdout.Target
	case handleErr:
		to = l.Shell.Stderr
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

// finish ends a file that was written.
func (l *Caller) finish(h *Head, f *Handed) *Head {
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

// errDropped is why a file is not written after all.
var errDropped = errors.New("it is not wanted any more")

// NameBackground is the flag of a compile that a hook started.
const NameBackground = "background"
