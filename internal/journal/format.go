package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// Format is the version of the layout that this package writes.
const Format = 1

const (
	// MaxHeader is the longest header of a frame in bytes.
	MaxHeader = 4096
	// MaxBody is the longest body of a frame in bytes.
	MaxBody = 64 << 20
)

const (
	blockSize = 64 // segment header, trailer and end mark
	fixedSize = 20 // bytes before a frame's header
	checkSize = 4  // bytes before a frame's body
	align     = 8  // of frames, and of segments in the log
	minFrame  = (fixedSize + checkSize + align - 1) / align * align

	frameMark = 0x4c66 // "Lf"
)

const (
	headerMagic  = "LUKASAJH"
	trailerMagic = "LUKASAJX"
	endMagic     = "LUKASAJE"
)

// The parts that seeds are for.
const (
	partHead   = 0
	partBody   = 1
	partErased = 2
	partIndex  = 3
)

// id identifies a log. Its first half enters every check, so that bytes of
// another log, or bytes that the author of a payload made up, pass none.
type id [16]byte

// castagnoli returns the table of CRC-32C, which the standard library builds
// once.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// checker computes the checks of one log.
type checker struct {
	table *crc32.Table
	key   uint64
}

func newChecker(log id) checker {
	return checker{table: castagnoli(), key: binary.BigEndian.Uint64(log[:8])}
}

// seed returns the start value of the check of a part of the frame at lsn.
func (c *checker) seed(lsn LSN, part uint32) uint32 {
	return uint32((c.key+uint64(lsn))*0x9e3779b97f4a7c15>>32) + part
}

func (c *checker) sum(lsn LSN, part uint32, b []byte) uint32 {
	return crc32.Update(c.seed(lsn, part), c.table, b)
}

// frameSize returns the size of a frame, padding included.
func frameSize(header, body int) int {
	return (fixedSize + header + checkSize + body + align - 1) &^ (align - 1)
}

// putFrame fills f, which has the size of the frame. What f held before does
// not matter.
func (c *checker) putFrame(f []byte, lsn, durable LSN, header, body []byte) {
	binary.BigEndian.PutUint16(f[4:], frameMark)
	binary.BigEndian.PutUint16(f[6:], uint16(len(header)))
	binary.BigEndian.PutUint32(f[8:], uint32(len(body)))
	binary.BigEndian.PutUint64(f[12:], uint64(durable))
	at := fixedSize + copy(f[fixedSize:], header)
	binary.BigEndian.PutUint32(f, c.sum(lsn, partHead, f[4:at]))
	binary.BigEndian.PutUint32(f[at:], c.sum(lsn, partBody, body))
	at += checkSize
	at += copy(f[at:], body)
	clear(f[at:])
}

// head is the content of a valid head.
type head struct {
	header  int // length
	body    int // length
	durable LSN
}

func (h head) size() int64 { return int64(frameSize(h.header, h.body)) }

// peek reads the fixed part of a head and validates what it can without the
// check. room is the number of bytes available from the frame's start.
func peek(b []byte, lsn LSN, room int64) (head, bool) {
	if len(b) < fixedSize || binary.BigEndian.Uint16(b[4:]) != frameMark {
		return head{}, false
	}
	h := head{
		header:  int(binary.BigEndian.Uint16(b[6:])),
		durable: LSN(binary.BigEndian.Uint64(b[12:])),
	}
	body := binary.BigEndian.Uint32(b[8:])
	if h.header > MaxHeader || body > MaxBody || h.durable > lsn {
		return head{}, false
	}
	h.body = int(body)
	return h, h.size() <= room
}

// headOK reports whether the head of h at the start of b passes its check.
func (c *checker) headOK(b []byte, lsn LSN, h head) bool {
	end := fixedSize + h.header
	return len(b) >= end && binary.BigEndian.Uint32(b) == c.sum(lsn, partHead, b[4:end])
}

// bodyState is the result of a body's check.
type bodyState uint8

const (
	bodyIntact bodyState = iota
	bodyErased
	bodyDamaged
)

// bodyState checks the body of the whole frame b.
func (c *checker) bodyState(b []byte, lsn LSN, h head) bodyState {
	at := fixedSize + h.header
	check := binary.BigEndian.Uint32(b[at:])
	body := b[at+checkSize : at+checkSize+h.body]
	switch {
	case check == c.sum(lsn, partBody, body):
		return bodyIntact
	case h.body > 0 && check == c.seed(lsn, partErased) && allZero(body): // one flipped bit turns the check of an empty body into this one
		return bodyErased
	}
	return bodyDamaged
}

// block is one of the three 64-byte blocks: the header of a segment, its
// trailer, or the end mark.
type block struct {
	magic  string
	format uint32 // header and end mark
	lsn    LSN    // base of the segment, or the durable end
	id     id
	end    uint64 // trailer: offset behind the last frame
	frames uint64 // trailer
	index  uint32 // trailer: length of the index in bytes
	check  uint32 // trailer: of the index
}

func (b *block) encode() []byte {
	p := make([]byte, blockSize)
	copy(p, b.magic)
	binary.BigEndian.PutUint32(p[8:], b.format)
	binary.BigEndian.PutUint64(p[16:], uint64(b.lsn))
	copy(p[24:], b.id[:])
	binary.BigEndian.PutUint64(p[40:], b.end)
	binary.BigEndian.PutUint32(p[12:], b.index)
	binary.BigEndian.PutUint64(p[48:], b.frames)
	binary.BigEndian.PutUint32(p[56:], b.check)
	binary.BigEndian.PutUint32(p[60:], crc32.Checksum(p[:60], castagnoli()))
	return p
}

// decodeBlock returns the block in p and whether its magic and its check hold.
func decodeBlock(p []byte, magic string) (b block, magicOK, ok bool) {
	if len(p) < blockSize || string(p[:8]) != magic {
		return b, false, false
	}
	b = block{
		magic:  magic,
		format: binary.BigEndian.Uint32(p[8:]),
		index:  binary.BigEndian.Uint32(p[12:]),
		lsn:    LSN(binary.BigEndian.Uint64(p[16:])),
		end:    binary.BigEndian.Uint64(p[40:]),
		frames: binary.BigEndian.Uint64(p[48:]),
		check:  binary.BigEndian.Uint32(p[56:]),
	}
	copy(b.id[:], p[24:])
	return b, true, binary.BigEndian.Uint32(p[60:]) == crc32.Checksum(p[:60], castagnoli())
}

// allZero reports whether b holds nothing but zeros.
func allZero(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
