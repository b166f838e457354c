package mcpapi

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
)

// ServeStdio serves one client, which writes messages to in, one a line, and reads answers from
// out. Nothing else may write to out. It returns nil at the end of in, after all requests are
// answered; the cause of ctx if that ends first; and a fault if the credential of who does. A
// line that is no message gets an error as its answer.
//
// If it returns before the end of in, one goroutine stays blocked in a read of in.
func (s *Server) ServeStdio(ctx context.Context, who *auth.Principal, in io.Reader, out io.Writer) error {
	if who == nil {
		return fault.New(fault.Unauthenticated, "the caller has no credential")
	}
	gone, stop := s.watch(who)
	defer stop()
	inner, cancel := until(ctx, gone)
	defer cancel()

	conn := newLines(in, out)
	c := &caller{who: who, gone: inner.Done()}
	session, err := (&connection{s, c}).newSDK().Connect(inner, conn, nil)
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-inner.Done():
		conn.Close()
		err = <-ended
	}
	select {
	case <-gone:
		return fault.New(fault.Unauthenticated, "the credential of this connection has ended")
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if werr := conn.failure(); werr != nil {
		return fault.Wrap(fault.OutputFailed, werr)
	}
	return err
}

// lines is a connection with one message per line.
type lines struct {
	incoming chan line
	closed   chan struct{}
	once     sync.Once
	doc      canon.Doc
	queue    []jsonrpc.Message // the rest of an array that came in one line

	mu      sync.Mutex
	out     io.Writer
	err     error // of the first write that failed
	version string
	waiting map[jsonrpc.ID]*array // unanswered calls; nil for those outside an array
	idle    chan struct{}         // closed when no call is waiting; nil unless requested
}

// line is a line that was read, or the error.
type line struct {
	text []byte
	long bool
	err  error
}

// array is the answers to the messages of one array.
type array struct {
	left    int
	answers [][]byte
}

func newLines(in io.Reader, out io.Writer) *lines {
	l := &lines{incoming: make(chan line), closed: make(chan struct{}), out: out, waiting: map[jsonrpc.ID]*array{}}
	go l.pump(in)
	return l
}

// Connect returns the connection itself.
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID returns nothing, since there is one client.
func (l *lines) SessionID() string { return "" }

// Close ends the connection. A pending read is lost.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// pump reads lines until the input ends.
func (l *lines) pump(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		next := readLine(r)
		select {
		case l.incoming <- next:
		case <-l.closed:
			return
		}
		if next.err != nil {
			return
		}
	}
}

// readLine reads a line without its end. It reads a line that is too long to its end and
// discards it. The last line needs no end.
func readLine(r *bufio.Reader) line {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxMessage; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case err == nil, err == io.EOF && (long || len(text) > 0):
			return line{text: text, long: long}
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			return line{err: err}
		}
	}
}

// Read returns the next message. At the end of the input it waits until all calls are answered,
// since the library abandons unanswered ones.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(l.queue) > 0 {
			next := l.queue[0]
			l.queue = l.queue[1:]
			return next, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.closed:
			return nil, io.EOF
		case next := <-l.incoming:
			if next.err != nil {
				select {
				case <-l.drained():
				case <-l.closed:
				}
				return nil, io.EOF
			}
			l.take(next)
		}
	}
}

// take puts the messages of a line into the queue, or answers the line if it has none.
func (l *lines) take(next line) {
	if next.long {
		l.complain(nil, invalid("the line has more than %d bytes", maxMessage))
		return
	}
	if len(strings.TrimSpace(string(next.text))) == 0 {
		return
	}
	if flaws := l.doc.Parse(next.text); len(flaws) > 0 {
		l.complain(nil, broken(flaws))
		return
	}
	root := l.doc.Root()
	if l.doc.Kind(root) != canon.Array {
		l.accept(root, nil)
		return
	}
	if l.revision() >= singly {
		l.complain(nil, invalid("since the revision %s messages come one by one and not in arrays", singly))
		return
	}
	if l.doc.Len(root) == 0 {
		l.complain(nil, invalid("the array is empty"))
		return
	}
	if n := l.doc.Len(root); n > maxArray {
		l.complain(nil, crowded(n))
		return
	}
	// One more than the number of calls, until all of them are known.
	together := &array{left: 1}
	first, end := l.doc.Children(root)
	for n := first; n < end; n = l.doc.After(n) {
		l.accept(n, together)
	}
	l.settle(together, nil)
}

// accept puts a message into the queue, as part of an array if there is one.
func (l *lines) accept(n canon.Node, together *array) {
	e, jerr := open(&l.doc, n)
	if jerr != nil {
		l.complain(together, jerr)
		return
	}
	msg, err := jsonrpc.DecodeMessage(l.doc.Raw(n))
	if err != nil {
		l.complain(together, invalid("%v", err))
		return
	}
	if e.method == "initialize" && e.params != canon.None && l.doc.Kind(e.params) == canon.Object {
		if v := l.doc.Member(e.params, "protocolVersion"); v != canon.None && l.doc.Kind(v) == canon.String {
			l.agree(l.doc.Text(v))
		}
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() && !l.await(req.ID, together) {
		l.complain(together, invalid("the id %s is that of a call which is not answered yet", brief(l.doc.Raw(e.id))))
		return
	}
	l.queue = append(l.queue, msg)
}

// await registers a call that waits for its answer, unless one with the same id is waiting
// already.
func (l *lines) await(id jsonrpc.ID, together *array) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, there := l.waiting[id]; there {
		return false
	}
	l.waiting[id] = together
	if together != nil {
		together.left++
	}
	return true
}

// agree stores the revision that a client requested, and revision returns it.
func (l *lines) agree(version string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = version
}

func (l *lines) revision() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// complain answers a line that is no message.
func (l *lines) complain(together *array, jerr *jsonrpc.Error) {
	text := answerError(nil, jerr)
	l.mu.Lock()
	defer l.mu.Unlock()
	if together != nil {
		together.answers = append(together.answers, text)
		return
	}
	l.write(text)
}

// settle adds an answer, or none, to those of an array, and writes them all when the array is
// complete.
func (l *lines) settle(together *array, answer []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(together, answer)
}

func (l *lines) add(together *array, answer []byte) {
	if answer != nil {
		together.answers = append(together.answers, answer)
	}
	if together.left--; together.left > 0 || len(together.answers) == 0 {
		return
	}
	all := []byte{'['}
	for i, a := range together.answers {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, a...)
	}
	l.write(append(all, ']'))
}

// Write writes a message.
func (l *lines) Write(_ context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	resp, answers := msg.(*jsonrpc.Response)
	if !answers {
		l.write(text)
		return l.err
	}
	together, waited := l.waiting[resp.ID]
	if waited && together != nil {
		l.add(together, text)
	} else {
		l.write(text)
	}
	delete(l.waiting, resp.ID)
	if len(l.waiting) == 0 && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
	return l.err
}

// write writes a line. The caller holds the lock.
func (l *lines) write(text []byte) {
	if l.err != nil {
		return
	}
	if _, l.err = l.out.Write(append(text, '\n')); l.err != nil {
		l.Close()
	}
}

// failure returns the first write error, or nil.
func (l *lines) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// drained returns a channel that is closed when all calls are answered.
func (l *lines) drained() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle := make(chan struct{})
	if len(l.waiting) == 0 || l.err != nil {
		close(idle)
		return idle
	}
	l.idle = idle
	return idle
}
