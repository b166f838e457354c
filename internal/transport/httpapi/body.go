package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
)

// keptBody is the largest buffer that is kept for the next body.
const keptBody = 64 << 10

// body reads the whole body of the call, decompressed. The bytes are valid until the call ends.
func (c *call) body() ([]byte, error) {
	limit := c.s.limits.BodyBytes
	if c.r.ContentLength > limit {
		return nil, errTooLarge(limit)
	}
	coding, err := c.coding()
	if err != nil {
		return nil, err
	}
	raw, err := c.readAll(c.paced(c.r.Body), limit, c.r.ContentLength)
	if err != nil {
		return nil, err
	}
	c.bodyDone = true
	if coding == identity {
		return raw, nil
	}
	return c.unpack(coding, raw)
}

// readAll reads at most limit bytes of a source into memory that is taken from the budget as it
// fills. length is the expected size, or negative.
func (c *call) readAll(src io.Reader, limit, length int64) ([]byte, error) {
	buf := c.buffer()
	if room := length + 1; length >= 0 && room <= keptBody && int64(cap(buf)) < room {
		buf = make([]byte, 0, room)
	}
	if err := c.hold(int64(cap(buf))); err != nil {
		return nil, err
	}
	for {
		if len(buf) == cap(buf) {
			grown := max(4096, 2*cap(buf))
			if err := c.hold(int64(grown - cap(buf))); err != nil {
				return nil, err
			}
			buf = append(make([]byte, 0, grown), buf...)
		}
		n, err := src.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return nil, errTooLarge(limit)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, unreadable(err)
		}
	}
}

// buffer returns an empty buffer from the pool.
func (c *call) buffer() []byte {
	b := c.s.bodies.Get().(*[]byte)
	return (*b)[:0]
}

// reuse returns a buffer to the pool. Nothing may refer to it any more.
func (c *call) reuse(buf []byte) {
	if cap(buf) <= keptBody {
		c.s.bodies.Put(&buf)
	}
}

// hold takes bytes from the budget until the call ends. It is safe for concurrent use.
func (c *call) hold(n int64) error {
	c.holding.Lock()
	defer c.holding.Unlock()
	if c.given {
		return fault.New(fault.Overloaded, "the request has ended")
	}
	if n > 0 && !c.s.held.take(c.tenant(), n) {
		return fault.New(fault.Overloaded, "the bodies of calls take too much memory")
	}
	c.held += n
	return nil
}

// giveHeld returns what hold took, at the end.
func (c *call) giveHeld() {
	c.holding.Lock()
	defer c.holding.Unlock()
	c.s.held.give(c.tenant(), c.held)
	c.held, c.given = 0, true
}

func errTooLarge(limit int64) error {
	return fault.Newf(fault.TooLarge, "the body is larger than %d bytes", limit).
		WithFix("send it in parts; events by the thousand go as application/x-ndjson, which may be of any length")
}

// unreadable returns the error for a body that ended early.
func unreadable(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fault.New(fault.TooSlow, "the body did not arrive in time").WithCause(err)
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge(tooLarge.Limit)
	}
	return fault.Newf(fault.UnreadableInput, "the body ended too early: %w", err).WithFix("send it again, whole")
}

// pacedReader reads a body that must arrive at a minimum rate.
type pacedReader struct {
	c     *call
	src   io.Reader
	start time.Time
	idle  time.Duration // if not zero, it bounds silence instead of the rate
	over  func() bool   // the stream is to end; nil for never
	read  int64
}

// paced returns a reader of a body that must arrive in time.
func (c *call) paced(src io.Reader) *pacedReader {
	return &pacedReader{c: c, src: src, start: time.Now()}
}

func (p *pacedReader) Read(b []byte) (int, error) {
	l := &p.c.s.limits
	until := p.start.Add(l.BodyTime + time.Duration(p.read/l.BodyRate)*time.Second)
	if p.idle > 0 {
		until = time.Now().Add(p.idle)
	}
	_ = p.c.ctl.SetReadDeadline(until) // not every writer supports it
	if p.over != nil && p.over() {
		return 0, os.ErrDeadlineExceeded // over may have been set before the line above
	}
	n, err := p.src.Read(b)
	p.read += int64(n)
	p.c.in.Add(int64(n))
	if err == io.EOF {
		_ = p.c.ctl.SetReadDeadline(time.Time{}) // the deadline was for the body, not the connection
	}
	return n, err
}

// media returns the type of the body, in lower case without parameters. It refuses text in an
// encoding other than UTF-8.
func (c *call) media() (string, error) {
	lines := c.r.Header["Content-Type"]
	if len(lines) == 0 {
		return "", nil
	}
	if len(lines) > 1 {
		return "", fault.Newf(fault.WrongMedia, "Content-Type: it is given %d times", len(lines)).WithFix("send it once")
	}
	if lines[0] == mediaJSON {
		return mediaJSON, nil
	}
	media, params, err := mime.ParseMediaType(lines[0])
	if err != nil {
		return "", fault.Newf(fault.WrongMedia, "Content-Type: %.80q is not a content type", lines[0]).WithFix("send application/json")
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return "", fault.Newf(fault.WrongMedia, "Content-Type: the charset is %.40q", charset).WithFix("send UTF-8")
	}
	return media, nil
}

// jsonBody reads a body that must be JSON or empty.
func (c *call) jsonBody() ([]byte, error) {
	media, err := c.media()
	if err != nil {
		return nil, err
	}
	if media != "" && media != mediaJSON {
		return nil, fault.Newf(fault.WrongMedia, "Content-Type: %.80q is not read here", media).WithFix("send application/json")
	}
	return c.body()
}

// The types of bodies.
const (
	mediaJSON   = "application/json"
	mediaNDJSON = "application/x-ndjson"
)

// blank reports whether b has only white space.
func blank(b []byte) bool { return len(bytes.TrimLeft(b, " \t\r\n")) == 0 }
