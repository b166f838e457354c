package serving

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strconv"
	"strings"

	"lukasa.dev/internal/fault"
)

// chunk is the chunk size of a stream.
const chunk = 64 << 10

// wire is a minimal client on one connection for one path.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	head string
	buf  []byte
}

// dial connects to the server of path. Header lines end with CRLF.
func dial(url, path, token string, header ...string) (*wire, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil, fault.Wrap(fault.NoServer, err)
	}
	head := "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n" + strings.Join(header, "")
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), head: head}, nil
}

// Header lines for what is sent.
const (
	sendsJSON  = "Content-Type: application/json\r\n"
	sendsLines = "Content-Type: application/x-ndjson\r\n"
)

func (w *wire) close() { _ = w.conn.Close() } // everything was answered

// post sends a body and returns the answer, which is valid until the next call.
func (w *wire) post(body []byte) ([]byte, error) {
	w.buf = strconv.AppendInt(append(append(w.buf[:0], w.head...), "Content-Length: "...), int64(len(body)), 10)
	w.buf = append(append(w.buf, "\r\n\r\n"...), body...)
	if _, err := w.conn.Write(w.buf); err != nil {
		return nil, fault.Wrap(fault.NoServer, err)
	}
	return w.answer()
}

// stream sends a body in chunks and returns the answer.
func (w *wire) stream(body []byte) ([]byte, error) {
	if _, err := io.WriteString(w.conn, w.head+"Transfer-Encoding: chunked\r\n\r\n"); err != nil {
		return nil, fault.Wrap(fault.NoServer, err)
	}
	for len(body) > 0 {
		n := min(len(body), chunk)
		w.buf = append(strconv.AppendInt(w.buf[:0], int64(n), 16), "\r\n"...)
		w.buf = append(append(w.buf, body[:n]...), "\r\n"...)
		if _, err := w.conn.Write(w.buf); err != nil {
			return nil, fault.Wrap(fault.NoServer, err)
		}
		body = body[n:]
	}
	if _, err := io.WriteString(w.conn, "0\r\n\r\n"); err != nil {
		return nil, fault.Wrap(fault.NoServer, err)
	}
	return w.answer()
}

// answer reads an answer, which must be a success of a known length or in chunks.
func (w *wire) answer() ([]byte, error) {
	status, length := "", -1
	for {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return nil, fault.Wrap(fault.NoServer, err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if status == "" {
			status = string(line)
		} else if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(n)); err != nil {
				return nil, fault.Wrap(fault.NoServer, err)
			}
		}
	}
	body, err := w.body(length)
	if err != nil {
		return nil, fault.Wrap(fault.NoServer, err)
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return nil, fault.Newf(fault.Internal, "the answer is %s: %.500s", status, body)
	}
	return body, nil
}

// body reads a body of a length, or in chunks if the length is unknown.
func (w *wire) body(length int) ([]byte, error) {
	w.buf = w.buf[:0]
	for {
		n := length
		if length < 0 {
			line, err := w.in.ReadSlice('\n')
			if err != nil {
				return nil, err
			}
			size, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
			if err != nil {
				return nil, err
			}
			n = int(size) + 2 // and the line end
		}
		at := len(w.buf)
		w.buf = append(w.buf, make([]byte, n)...)
		if _, err := io.ReadFull(w.in, w.buf[at:]); err != nil {
			return nil, err
		}
		if length >= 0 {
			return w.buf, nil
		}
		w.buf = w.buf[:len(w.buf)-2]
		if n == 2 {
			return w.buf, nil
		}
	}
}
