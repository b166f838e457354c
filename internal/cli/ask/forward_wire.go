package ask

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// The protocol by which a command line reaches the server that has the directory open.
//
// The caller connects, and both sides prove that they know the secret in the data
// directory. Then the caller sends the command line, and the server runs it with the
// same code as a process of its own would. The server requests the environment of the
// command from the caller: standard input and output, variables, files. So files are
// those that the caller sees, with the caller's permissions. The last message is the
// exit code.
//
// A message is two lengths of four bytes, a head in JSON, and data.

// The names of the files that a server writes to its data directory for the command
// line.
const (
	NameServer = "SERVER"
	NameSocket = "SERVER.sock"
)

// WireVersion changes when an older program would misunderstand a newer one.
const WireVersion = 1

// Limits of a message.
const (
	maxHead = 4 << 20
	MaxData = 1 << 20
)

// dialTime is how long a connection and its handshake may take.
const dialTime = 10 * time.Second

// Address is the content of the file that says where a server listens.
type Address struct {
	Version int    `json:"version"`
	Network string `json:"network"` // unix or tcp
	Address string `json:"address"`
	Dir     string `json:"dir,omitempty"` // the directory, of an address that is not a file in it
	Secret  []byte `json:"secret"`
	URL     string `json:"url,omitempty"` // where it is over HTTP
}

// ReadAddress returns where the server of a directory listens. It fails with
// fs.ErrNotExist if no server is or was there.
func ReadAddress(dir string) (*Address, error) {
	f, err := os.Open(filepath.Join(dir, NameServer))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	var a Address
	if err := json.NewDecoder(io.LimitReader(f, 4096)).Decode(&a); err != nil || len(a.Secret) < 16 {
		return nil, fs.ErrNotExist // cut short by a crash
	}
	if a.Network == "unix" {
		a.Address = filepath.Join(dir, NameSocket)
	} else if !sameDir(a.Dir, dir) {
		return nil, fs.ErrNotExist // a copy of a directory that is served
	}
	return &a, nil
}

// sameDir reports whether two names are of one directory.
func sameDir(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// proof returns the MAC by which one side proves that it knows the secret.
func (a *Address) proof(who string, nonce []byte) []byte {
	h := hmac.New(sha256.New, a.Secret)
	_, _ = h.Write(append([]byte(who+"\x00"), nonce...)) // a hash takes everything
	return h.Sum(nil)
}

// Head is the head of a message. Which fields are set depends on what it is for.
// What may be no Unicode is in bytes.
type Head struct {
	// ID numbers the requests of the server, from 1; an answer has the same. The
	// messages of the beginning and the end have none.
	ID uint64 `json:"id,omitempty"`
	// Op is the operation of a request, or the kind of a message without a number.
	Op string `json:"op,omitempty"`

	Version int       `json:"version,omitempty"`
	Nonce   []byte    `json:"nonce,omitempty"`
	Proof   []byte    `json:"proof,omitempty"`
	Args    [][]byte  `json:"args,omitempty"`
	Ends    []WireEnd `json:"ends,omitempty"`  // of standard input, output and error
	Vars    []wireVar `json:"vars,omitempty"`  // that the command will read
	Whole   bool      `json:"whole,omitempty"` // the data is all of standard input

	Handle int         `json:"handle,omitempty"`
	Name   []byte      `json:"name,omitempty"`
	Offset int64       `json:"offset,omitempty"`
	Whence int         `json:"whence,omitempty"`
	Size   int         `json:"size,omitempty"`
	Set    bool        `json:"set,omitempty"`
	Info   *wireInfo   `json:"info,omitempty"`
	Infos  []*wireInfo `json:"infos,omitempty"`
	Error  *wireErr    `json:"error,omitempty"`
	Code   int         `json:"code,omitempty"`
}

// The kinds of messages without a number.
const (
	OpHello  = "hello"  // from the caller: its nonce
	OpServer = "server" // from the server: its nonce and proof
	OpRun    = "run"    // from the caller: its proof, and the command line
	opCancel = "cancel" // from the caller: stop
	OpExit   = "exit"   // from the server: the exit code, or why it was not begun
)

// The requests of the server.
const (
	OpLookup = "lookup" // a variable
	OpStat   = "stat"
	opList   = "list" // what is in a directory, from an offset on
	OpOpen   = "open"
	opInfo   = "info" // of what is open
	opRead   = "read"
	opSeek   = "seek"
	opClose  = "close"
	opWrite  = "write"
	OpMake   = "make" // a file that replaces what is there
	opKeep   = "keep" // it is complete
	opDrop   = "drop" // it is discarded
	opMkdir  = "mkdir"
	opRemove = "remove"
)

// The handles of the standard streams.
const (
	handleIn = iota
	handleOut
	handleErr
	handleNext
)

// talk is a connection in messages. Sending is safe for concurrent use, receiving
// is for one goroutine.
type talk struct {
	conn net.Conn
	in   *bufio.Reader
	mu   sync.Mutex
	out  []byte
}

func NewTalk(conn net.Conn) *talk { return &talk{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)} }

func (t *talk) Send(h *Head, data []byte) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if len(text) > maxHead || len(data) > MaxData {
		return fault.New(fault.TooLarge, "the command line is too long for the server").WithFix("put the text into a file or pipe it in")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = binary.BigEndian.AppendUint32(t.out[:0], uint32(len(text)))
	t.out = binary.BigEndian.AppendUint32(t.out, uint32(len(data)))
	t.out = append(append(t.out, text...), data...)
	_, err = t.conn.Write(t.out)
	return err
}

func (t *talk) Receive() (*Head, []byte, error) {
	var sizes [8]byte
	if _, err := io.ReadFull(t.in, sizes[:]); err != nil {
		return nil, nil, err
	}
	n, m := binary.BigEndian.Uint32(sizes[:4]), binary.BigEndian.Uint32(sizes[4:])
	if n > maxHead || m > MaxData {
		return nil, nil, errors.New("a message is too long")
	}
	buf := make([]byte, int(n)+int(m))
	if _, err := io.ReadFull(t.in, buf); err != nil {
		return nil, nil, err
	}
	var h Head
	if err := json.Unmarshal(buf[:n], &h); err != nil {
		return nil, nil, err
	}
	return &h, buf[n:], nil
}

// wireVar is a variable on the wire.
type wireVar struct {
	Name  string `json:"name"`
	Value []byte `json:"value,omitempty"`
	Set   bool   `json:"set,omitempty"`
}

// WireEnd is a terminal on the wire.
type WireEnd struct {
	Is      bool `json:"is,omitempty"`
	ANSI    bool `json:"ansi,omitempty"`
	Unicode bool `json:"unicode,omitempty"`
	Columns int  `json:"columns,omitempty"`
}

func packEnd(t term.Terminal) WireEnd { return WireEnd{t.Is, t.ANSI, t.Unicode, t.Columns} }

func (e WireEnd) unpack() term.Terminal {
	return term.Terminal{Is: e.Is, ANSI: e.ANSI, Unicode: e.Unicode, Columns: e.Columns}
}

// wireErr is an error on the wire. The error numbers of the system are the same on both
// sides.
type wireErr struct {
	End    bool       `json:"end,omitempty"` // io.EOF
	Number int        `json:"number,omitempty"`
	Code   fault.Code `json:"code,omitempty"`
	Detail string     `json:"detail,omitempty"`
	Fix    string     `json:"fix,omitempty"`
}

func packError(err error) *wireErr {
	if err == nil {
		return nil
	}
	if err == io.EOF {
		return &wireErr{End: true}
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return &wireErr{Code: e.Code, Detail: e.Error(), Fix: e.Fix}
	}
	if n, ok := errors.AsType[syscall.Errno](err); ok {
		return &wireErr{Number: int(n)}
	}
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed) {
		return &wireErr{Number: int(syscall.EPIPE)}
	}
	return &wireErr{Detail: term.Cause(err).Error()}
}

func (e *wireErr) unpack() error {
	switch {
	case e == nil:
		return nil
	case e.End:
		return io.EOF
	case e.Code != "":
		return &fault.Error{Code: e.Code, Detail: e.Detail, Fix: e.Fix}
	case e.Number != 0:
		return syscall.Errno(e.Number)
	}
	return errors.New(e.Detail)
}

// wireInfo is a fs.FileInfo on the wire.
type wireInfo struct {
	Base  []byte      `json:"base"`
	Bytes int64       `json:"bytes"`
	Bits  fs.FileMode `json:"bits"`
	Time  time.Time   `json:"time"`
}

func packInfo(i fs.FileInfo) *wireInfo {
	if i == nil {
		return nil
	}
	return &wireInfo{[]byte(i.Name()), i.Size(), i.Mode(), i.ModTime()}
}

// The methods of fs.FileInfo.
func (i *wireInfo) Name() string       { return string(i.Base) }
func (i *wireInfo) Size() int64        { return i.Bytes }
func (i *wireInfo) Mode() fs.FileMode  { return i.Bits }
func (i *wireInfo) ModTime() time.Time { return i.Time }
func (i *wireInfo) IsDir() bool        { return i.Bits.IsDir() }
func (i *wireInfo) Sys() any           { return nil }
