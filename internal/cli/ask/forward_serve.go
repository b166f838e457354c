package ask

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// Counter accepts commands of the command line in a server, and runs them
// concurrently on the board that the server has open.
type Counter struct {
	served   Served
	Dir      string
	Address  *Address
	listener net.Listener
	program  Program
	Room     chan struct{} // has an item for each conversation

	ending func() // ends commands that would otherwise never end
	cancel context.CancelFunc
	closed chan struct{} // when no more commands are taken
	once   sync.Once
	all    sync.WaitGroup
}

// maxCommands is how many commands a server runs at a time, including those that
// wait for input and agents on standard input.
const maxCommands = 1000

// lastWords is how long a cancelled command may take to report that.
const lastWords = 3 * time.Second

// longestSocket is the length of the longest socket name that every system allows.
const longestSocket = 100

// OpenCounter starts to accept commands for the board at dir. This process must hold
// the lock of the directory.
func OpenCounter(dir string, what Served, p Program) (*Counter, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.Newf(fault.Internal, "where is %s: %w", dir, err)
	}
	what.Dir = dir
	c := &Counter{served: what, Dir: dir, program: p, Room: make(chan struct{}, maxCommands), closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	ending := make(chan struct{})
	c.served.Ending, c.ending = ending, sync.OnceFunc(func() { close(ending) })
	if err := c.listen(); err != nil {
		c.cancel()
		return nil, fault.Newf(fault.ReadOnly, "%s: cannot listen for commands there: %w", dir, term.Cause(err))
	}
	c.all.Go(func() { c.accept(ctx) })
	c.all.Go(func() { c.foldIn(ctx) })
	return c, nil
}

// foldEvery is the interval at which a server reads the spool.
const foldEvery = 10 * time.Second

// foldIn records the events in the spool, now and at each interval.
func (c *Counter) foldIn(ctx context.Context) {
	tick := time.NewTicker(foldEvery)
	defer tick.Stop()
	for {
		report, err := FoldSpool(ctx, c.Dir, c.served.Board, "")
		for _, a := range report.Aside {
			HookLog(c.Dir, time.Now(), "server", "put aside "+a.File+": "+a.Why)
		}
		if err != nil && ctx.Err() == nil {
			HookLog(c.Dir, time.Now(), "server", "fold in what waits: "+err.Error())
		}
		select {
		case <-tick.C:
		case <-c.closed:
			return
		}
	}
}

// listen opens the socket and writes the file with its address. It replaces files of an
// earlier server, which cannot run any more, since this process holds the lock.
func (c *Counter) listen() (err error) {
	c.Address = &Address{Version: WireVersion, Network: "unix", Secret: make([]byte, 32), URL: c.served.URL}
	_, _ = rand.Read(c.Address.Secret) // it never fails
	if err := c.forget(); err != nil {
		return err
	}
	socket := filepath.Join(c.Dir, NameSocket)
	if len(socket) <= longestSocket && runtime.GOOS != "windows" {
		if c.listener, err = net.Listen("unix", socket); err == nil {
			err = os.Chmod(socket, 0o600)
		}
	}
	if c.listener == nil || err != nil {
		// A file system without sockets, or a name that is too long.
		if c.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
		c.Address.Network, c.Address.Address, c.Address.Dir = "tcp", c.listener.Addr().String(), c.Dir
	}
	text, err := json.Marshal(c.Address)
	if err == nil {
		err = OwnFiles{}.Replace(filepath.Join(c.Dir, NameServer), func(w io.Writer) error {
			_, err := w.Write(append(text, '\n'))
			return err
		})
	}
	if err != nil {
		_ = c.listener.Close() // the first error is the one to return
	}
	return err
}

// forget removes the file with the address of the server.
func (c *Counter) forget() error {
	for _, name := range []string{NameServer, NameSocket} {
		if err := os.Remove(filepath.Join(c.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close accepts no more commands, waits for those that run until ctx is done, and then
// cancels them.
func (c *Counter) Close(ctx context.Context) error {
	c.once.Do(func() { close(c.closed) })
	err := errors.Join(c.forget(), c.listener.Close())
	c.ending()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	done := make(chan struct{})
	go func() {
		c.all.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		c.cancel()
		<-done
	}
	c.cancel()
	return err
}

func (c *Counter) accept(ctx context.Context) {
	for {
		conn, err := c.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // too many open files: do not spin
			continue
		}
		c.all.Go(func() {
			defer func() { _ = conn.Close() }() // all messages are sent
			c.converse(ctx, NewTalk(conn))
		})
	}
}

// converse runs one command.
func (c *Counter) converse(server context.Context, w *talk) {
	_ = w.conn.SetDeadline(time.Now().Add(dialTime)) // a connection without deadlines may wait
	select {
	case c.Room <- struct{}{}:
		defer func() { <-c.Room }()
	default:
		_ = w.Send(&Head{Op: OpExit, Error: packError(fault.Newf(fault.Overloaded, "the server is at %d commands already", maxCommands))}, nil)
		return
	}
	run, input, err := c.Meet(w)
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(server)
	defer cancel()
	defer context.AfterFunc(server, func() {
		time.AfterFunc(lastWords, func() { _ = w.conn.Close() }) // a client that no longer reads is cut off
	})()
	r := &remote{talk: w, vars: run.Vars, asked: map[uint64]chan answered{}}
	if run.Whole {
		r.input = bytes.NewReader(input)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		r.listen(cancel)
	}()
	args := make([]string, len(run.Args))
	for i, arg := range run.Args {
		args[i] = string(arg)
	}
	_ = w.Send(&Head{Op: OpExit, Code: c.program.Run(ctx, r.shell(c.program, c.served, run.Ends), args)}, nil) // a client that left needs no code
	_ = w.conn.Close()                                                                                         // wakes the listener
	<-gone
}

// Meet begins a conversation with a client that proves that it knows the secret.
func (c *Counter) Meet(w *talk) (run *Head, input []byte, err error) {
	hello, _, err := w.Receive()
	if err != nil {
		return nil, nil, err
	}
	if hello.Op != OpHello || hello.Version != WireVersion {
		_ = w.Send(&Head{Op: OpExit, Error: packError(fault.New(fault.NoServer, "the server is of another version than this program").
			WithFix("use the program that the server runs"))}, nil)
		return nil, nil, errors.ErrUnsupported
	}
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // it never fails
	if err := w.Send(&Head{Op: OpServer, Nonce: nonce, Proof: c.Address.proof(OpServer, hello.Nonce)}, nil); err != nil {
		return nil, nil, err
	}
	if run, input, err = w.Receive(); err != nil {
		return nil, nil, err
	}
	if run.Op != OpRun || len(run.Ends) != 3 || !hmac.Equal(run.Proof, c.Address.proof(OpRun, nonce)) {
		return nil, nil, fs.ErrPermission
	}
	return run, input, w.conn.SetDeadline(time.Time{})
}

// remote is the environment of a command at the other end of a connection: streams,
// variables and files of the client.
type remote struct {
	talk *talk
	// vars and input are what the caller sent in advance: some variables, and all of
	// standard input or nil.
	vars  []wireVar
	input io.Reader

	mu    sync.Mutex
	last  uint64
	asked map[uint64]chan answered
	over  bool
}

// answered is the answer of the client.
type answered struct {
	head *Head
	data []byte
}

// listen dispatches answers until the client disconnects or cancels, which cancels the
// command.
func (r *remote) listen(cancel func()) {
	defer cancel()
	for {
		h, data, err := r.talk.Receive()
		if err != nil {
			r.end()
			return
		}
		if h.Op == opCancel {
			cancel()
			continue
		}
		r.mu.Lock()
		to := r.asked[h.ID]
		delete(r.asked, h.ID)
		r.mu.Unlock()
		if to != nil {
			to <- answered{h, data}
		}
	}
}

// end fails all pending requests.
func (r *remote) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for id, to := range r.asked {
		delete(r.asked, id)
		to <- answered{failure(io.ErrClosedPipe), nil}
	}
}

// ask sends a request to the client and waits for the answer, or for ctx.
func (r *remote) ask(ctx context.Context, h *Head, data []byte) (*Head, []byte, error) {
	to := make(chan answered, 1)
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		return nil, nil, io.ErrClosedPipe
	}
	r.last++
	h.ID = r.last
	r.asked[h.ID] = to
	r.mu.Unlock()
	if err := r.talk.Send(h, data); err != nil {
		return nil, nil, io.ErrClosedPipe
	}
	select {
	case a := <-to:
		return a.head, a.data, a.head.Error.unpack()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// shell returns the shell of a command, with the environment of the client.
func (r *remote) shell(p Program, what Served, ends []WireEnd) *Shell {
	stream := func(handle int) *remoteFile { return &remoteFile{remote: r, handle: handle} }
	in, out, problems := io.Reader(stream(handleIn)), stream(handleOut), stream(handleErr)
	if r.input != nil {
		in = r.input
	}
	known := map[any]term.Terminal{in: ends[0].unpack(), out: ends[1].unpack(), problems: ends[2].unpack()}
	s := NewShell(p, in, out, problems, r.lookup, func(stream any) term.Terminal { return known[stream] })
	s.Files, s.Served = r, what
	return s
}

// lookup returns a variable of the caller.
func (r *remote) lookup(name string) (string, bool) {
	for _, v := range r.vars {
		if v.Name == name {
			return string(v.Value), v.Set
		}
	}
	h, _, err := r.ask(context.Background(), &Head{Op: OpLookup, Name: []byte(name)}, nil)
	if err != nil {
		return "", false
	}
	return string(h.Name), h.Set
}

// Stat implements files.
func (r *remote) Stat(name string) (fs.FileInfo, error) {
	return r.info(&Head{Op: OpStat, Name: []byte(name)})
}

func (r *remote) info(h *Head) (fs.FileInfo, error) {
	h, _, err := r.ask(context.Background(), h, nil)
	if err != nil {
		return nil, err
	}
	if h.Info == nil {
		return nil, fs.ErrInvalid
	}
	return h.Info, nil
}

// List implements files.
func (r *remote) List(name string) ([]fs.FileInfo, error) {
	var out []fs.FileInfo
	for {
		h, _, err := r.ask(context.Background(), &Head{Op: opList, Name: []byte(name), Offset: int64(len(out))}, nil)
		if err != nil {
			return nil, err
		}
		for _, i := range h.Infos {
			out = append(out, i)
		}
		if len(h.Infos) < listPart {
			return out, nil
		}
	}
}

// Open implements files.
func (r *remote) Open(ctx context.Context, name string) (file, error) {
	h, _, err := r.ask(ctx, &Head{Op: OpOpen, Name: []byte(name)}, nil)
	if err != nil {
		return nil, err
	}
	return &remoteFile{remote: r, handle: h.Handle}, nil
}

// Mkdir implements files.
func (r *remote) Mkdir(name string) error {
	_, _, err := r.ask(context.Background(), &Head{Op: opMkdir, Name: []byte(name)}, nil)
	return err
}

// Remove implements files.
func (r *remote) Remove(name string) error {
	_, _, err := r.ask(context.Background(), &Head{Op: opRemove, Name: []byte(name)}, nil)
	return err
}

// Replace implements files.
func (r *remote) Replace(name string, write func(io.Writer) error) error {
	ctx := context.Background()
	h, _, err := r.ask(ctx, &Head{Op: OpMake, Name: []byte(name)}, nil)
	if err != nil {
		return err
	}
	out := &remoteFile{remote: r, handle: h.Handle}
	if err := write(out); err != nil && !out.failed {
		_, _, _ = r.ask(ctx, &Head{Op: opDrop, Handle: h.Handle}, nil) // the first error is the one to return
		return err
	}
	_, _, err = r.ask(ctx, &Head{Op: opKeep, Handle: h.Handle}, nil) // returns why writing failed
	return err
}

// remoteFile is a stream or file of the caller.
type remoteFile struct {
	*remote
	handle int
	failed bool // nothing more can be written to it
}

// Read implements io.Reader.
func (f *remoteFile) Read(p []byte) (int, error) {
	_, data, err := f.ask(context.Background(), &Head{Op: opRead, Handle: f.handle, Size: min(len(p), MaxData)}, nil)
	return copy(p, data), err
}

// Write implements io.Writer.
func (f *remoteFile) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		n := min(len(p), MaxData)
		if _, _, err := f.ask(context.Background(), &Head{Op: opWrite, Handle: f.handle}, p[:n]); err != nil {
			f.failed = true
			return written, err
		}
		written, p = written+n, p[n:]
	}
	return written, nil
}

// Seek implements io.Seeker.
func (f *remoteFile) Seek(offset int64, whence int) (int64, error) {
	h, _, err := f.ask(context.Background(), &Head{Op: opSeek, Handle: f.handle, Offset: offset, Whence: whence}, nil)
	if err != nil {
		return 0, err
	}
	return h.Offset, nil
}

// Stat returns the info of the open file.
func (f *remoteFile) Stat() (fs.FileInfo, error) {
	return f.info(&Head{Op: opInfo, Handle: f.handle})
}

// Close implements io.Closer.
func (f *remoteFile) Close() error {
	_, _, err := f.ask(context.Background(), &Head{Op: opClose, Handle: f.handle}, nil)
	return err
}

// Receive runs other commands on the same directory while this process has it open. It
// returns a function to call at the end, which waits for those that still run. In a server
// it does nothing, since the server does that already.
func (v *Visit) Receive(ctx context.Context) (func(), error) {
	if v.Shell.Served.Board != nil {
		return func() {}, nil
	}
	dir, err := v.Shell.DataDir(v.Cmd, v.Flags)
	if err != nil {
		return nil, err
	}
	desk, err := OpenCounter(dir, Served{Board: v.Board}, v.Shell.Program)
	if err != nil {
		return nil, err
	}
	return func() { _ = desk.Close(ctx) }, nil // at worst a stale address file remains
}
