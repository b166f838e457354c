package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"lukasa.dev/internal/fault"
)

// coding is the compression of a body.
type coding uint8

const (
	identity coding = iota
	gzipped
	zstandard
)

// String returns the name in headers.
func (c coding) String() string { return [...]string{"identity", "gzip", "zstd"}[c] }

// windowBytes is the largest window of a zstd stream, as in RFC 9659.
const windowBytes = 8 << 20

// grace is how much output of a stream is allowed before its ratio counts.
const grace = 1 << 20

// unpackers holds decompressors for reuse. Only a few whole zstd bodies are decompressed at the
// same time, since each may need as much memory as its window.
type unpackers struct {
	gzip, zstd sync.Pool
	turns      chan struct{}
}

func newUnpackers() *unpackers {
	return &unpackers{turns: make(chan struct{}, 4)}
}

// coding returns the compression of the body.
func (c *call) coding() (coding, error) {
	lines := c.r.Header["Content-Encoding"]
	if len(lines) == 0 {
		return identity, nil
	}
	if len(lines) == 1 {
		switch strings.ToLower(strings.TrimSpace(lines[0])) {
		case "", "identity":
			return identity, nil
		case "gzip", "x-gzip":
			return gzipped, nil
		case "zstd":
			return zstandard, nil
		}
	}
	return 0, fault.Newf(fault.WrongMedia, "Content-Encoding: %.80q is not read", strings.Join(lines, ", ")).WithFix("send gzip, zstd or no encoding")
}

// unpack decompresses a whole body.
func (c *call) unpack(how coding, raw []byte) ([]byte, error) {
	if how == zstandard {
		select {
		case c.s.unpackers.turns <- struct{}{}:
			defer func() { <-c.s.unpackers.turns }()
		case <-c.r.Context().Done():
			return nil, c.r.Context().Err()
		}
	}
	src, done, err := c.s.unpackers.reader(how, bytes.NewReader(raw))
	if err != nil {
		return nil, errUnpack(how, err)
	}
	defer done()
	packed := int64(len(raw))
	limited := &ratioReader{src: src, packed: func() int64 { return packed }, ratio: c.s.limits.Ratio}
	text, err := c.readAll(&unpackedReader{limited, how}, c.s.limits.BodyBytes, -1)
	if err == nil {
		c.reuse(raw)
	}
	return text, err
}

// reader returns a reader of the decompressed src. The caller must call done when it no longer
// reads.
func (u *unpackers) reader(how coding, src io.Reader) (r io.Reader, done func(), err error) {
	if how == gzipped {
		z, ok := u.gzip.Get().(*gzip.Reader)
		if !ok {
			z = new(gzip.Reader)
		}
		if err := z.Reset(src); err != nil {
			return nil, nil, err
		}
		return z, func() { u.gzip.Put(z) }, nil
	}
	z, ok := u.zstd.Get().(*zstd.Decoder)
	if !ok {
		if z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(windowBytes)); err != nil {
			return nil, nil, err
		}
	}
	if err := z.Reset(src); err != nil {
		return nil, nil, err
	}
	return z, func() {
		if z.Reset(nil) == nil {
			u.zstd.Put(z)
		}
	}, nil
}

// ratioReader refuses a stream whose compression ratio is too high.
type ratioReader struct {
	src    io.Reader
	packed func() int64 // bytes read so far
	ratio  int64
	read   int64
}

func (r *ratioReader) Read(b []byte) (int, error) {
	n, err := r.src.Read(b)
	r.read += int64(n)
	if r.read > grace && r.read > r.ratio*max(r.packed(), 1) {
		return 0, fault.Newf(fault.TooLarge, "the body is more than %d times larger when it is unpacked", r.ratio).WithFix("send it less compressed")
	}
	return n, err
}

// unpackedReader distinguishes errors of the compression from errors of the connection.
type unpackedReader struct {
	src io.Reader
	how coding
}

func (u *unpackedReader) Read(b []byte) (int, error) {
	n, err := u.src.Read(b)
	if err != nil && err != io.EOF {
		err = errUnpack(u.how, err)
	}
	return n, err
}

// errUnpack says that a body is not compressed as its header says.
func errUnpack(how coding, err error) error {
	if known := unreadable(err); fault.CodeOf(known) != fault.UnreadableInput {
		return known
	}
	return fault.Newf(fault.UnreadableInput, "Content-Encoding: the body is not complete %s: %w", how, err).WithFix("send it again, whole, or without the header")
}
