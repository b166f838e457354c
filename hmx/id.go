package hmx

import (
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"time"
)

// NewID returns a UUIDv7 (RFC 9562) made of the time and ten bytes read from random, such as
// crypto/rand.Reader. Ids of different milliseconds sort by time; for ids that also sort within
// a millisecond, use an IDSource.
func NewID(now time.Time, random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[6:]); err != nil {
		return "", fmt.Errorf("new id: %w", err)
	}
	stamp(&b, now.UnixMilli())
	return format(&b), nil
}

// IDSource makes strictly increasing UUIDv7 ids, even if many fall into one millisecond or the
// clock steps back. It is safe for concurrent use.
type IDSource struct {
	clock  func() time.Time
	random io.Reader

	mu   sync.Mutex
	last [16]byte
	used bool
}

// NewIDSource returns a source that takes time from clock and entropy from
// random.
func NewIDSource(clock func() time.Time, random io.Reader) *IDSource {
	return &IDSource{clock: clock, random: random}
}

// Next returns the next id.
func (s *IDSource) Next() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b [16]byte
	if _, err := io.ReadFull(s.random, b[6:]); err != nil {
		return "", fmt.Errorf("new id: %w", err)
	}
	stamp(&b, s.clock().UnixMilli())
	if s.used && string(b[:6]) <= string(s.last[:6]) {
		// Same millisecond, or the clock went back: increment the last id. The 74 free bits are
		// one number, its low byte last.
		b = s.last
		increment(&b)
	}
	s.last, s.used = b, true
	return format(&b), nil
}

// stamp writes the milliseconds, version 7 and the variant.
func stamp(b *[16]byte, ms int64) {
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	b[6] = b[6]&0x0F | 0x70
	b[8] = b[8]&0x3F | 0x80
}

// increment adds one to the free bits, carrying around version and variant and, if all 74 are
// exhausted, into the milliseconds.
func increment(b *[16]byte) {
	for i := 15; i >= 0; i-- {
		fixed := [16]byte{6: 0xF0, 8: 0xC0}[i]
		free := (b[i]&^fixed + 1) &^ fixed
		b[i] = b[i]&fixed | free
		if free != 0 {
			return
		}
	}
}

func format(b *[16]byte) string {
	var out [36]byte
	hex.Encode(out[0:8], b[0:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:36], b[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}
