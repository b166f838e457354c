// Package record defines an entry of the journal: a header that the Merkle tree
// commits to, a salt, and a payload.
//
// # The header
//
//	offset  size  field
//	     0     1  format, 1
//	     1     1  kind
//	     2     1  trust
//	     3     8  time, nanoseconds since 1970 in UTC, big-endian, signed
//	    11    32  id: SHA-256 over the domain, the kind and the record's own id; see [ID]
//	    43    32  commitment: SHA-256(salt ‖ payload)
//	    75     …  position, uvarint
//	     …     …  tenant, uvarint length and bytes
//	     …     …  actor, uvarint length and bytes
//
// Varints are minimal and nothing follows the actor, so that a header has one
// encoding and an encoding one header.
//
// # What is guaranteed
//
// A leaf of the tenant's tree hashes the header alone. The commitment binds the
// payload, and the salt hides it: once salt and payload are erased, the
// commitment neither reveals the payload nor confirms a guess at it, while
// every root and proof over the header still holds. Ids appear as digests for
// the same reason: an id can be a person's address.
//
// # What is not
//
// A reader who guesses an id can confirm it by its digest. Tenant and actor are
// in the clear. This package reads and writes no files.
package record

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Format is the version of the header's layout.
const Format = 1

const (
	// SaltSize is the length of a salt in bytes.
	SaltSize = 16
	// HashSize is the length of ids and commitments in bytes.
	HashSize = sha256.Size
	// MaxTenant is the longest name of a tenant in bytes.
	MaxTenant = 255
	// MaxActor is the longest name of an actor in bytes.
	MaxActor = 1024
	// MaxHeader is the longest encoding of a header in bytes.
	MaxHeader = fixed + binary.MaxVarintLen64 + 2 + MaxTenant + 2 + MaxActor
)

// fixed is the length of the part of a header that does not vary.
const fixed = 3 + 8 + 2*HashSize

// Hash is a SHA-256.
type Hash = [HashSize]byte

// Header is the permanent part of a record, which the tenant's tree commits to.
type Header struct {
	Kind       Kind
	Trust      Trust
	Time       int64  // nanoseconds since 1970 in UTC, never falling within a tenant
	ID         Hash   // digest of the record's id; see [ID]
	Commitment Hash   // see [Commit]
	Position   uint64 // within the tenant, from 0 without gaps
	Tenant     string
	Actor      string // who wrote it, as the engine identified the writer
}

// Append appends the encoding of h to dst.
func (h *Header) Append(dst []byte) []byte {
	dst = append(dst, Format, byte(h.Kind), byte(h.Trust))
	dst = binary.BigEndian.AppendUint64(dst, uint64(h.Time))
	dst = append(dst, h.ID[:]...)
	dst = append(dst, h.Commitment[:]...)
	dst = binary.AppendUvarint(dst, h.Position)
	dst = binary.AppendUvarint(dst, uint64(len(h.Tenant)))
	dst = append(dst, h.Tenant...)
	dst = binary.AppendUvarint(dst, uint64(len(h.Actor)))
	return append(dst, h.Actor...)
}

// ParseHeader decodes the output of Append, and refuses anything else. The
// header does not share memory with b.
func ParseHeader(b []byte) (Header, error) {
	var h Header
	if len(b) < fixed {
		return h, fmt.Errorf("record header: %d bytes are too few for one", len(b))
	}
	if b[0] != Format {
		return h, fmt.Errorf("record header: format %d is not %d", b[0], Format)
	}
	h.Kind, h.Trust = Kind(b[1]), Trust(b[2])
	if !h.Kind.Known() {
		return h, fmt.Errorf("record header: there is no kind %d", b[1])
	}
	if !h.Trust.Known() {
		return h, fmt.Errorf("record header: there is no trust tier %d", b[2])
	}
	h.Time = int64(binary.BigEndian.Uint64(b[3:]))
	copy(h.ID[:], b[11:])
	copy(h.Commitment[:], b[11+HashSize:])
	rest := b[fixed:]
	var err error
	if h.Position, rest, err = cutUvarint(rest); err != nil {
		return h, err
	}
	if h.Tenant, rest, err = cutString(rest, MaxTenant); err != nil {
		return h, err
	}
	if h.Actor, rest, err = cutString(rest, MaxActor); err != nil {
		return h, err
	}
	if len(rest) > 0 {
		return h, fmt.Errorf("record header: %d bytes after its end", len(rest))
	}
	return h, nil
}

// cutUvarint takes a minimal uvarint off the front of b.
func cutUvarint(b []byte) (uint64, []byte, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 {
		return 0, nil, fmt.Errorf("record header: a number is cut short, too large or padded")
	}
	return v, b[n:], nil
}

// cutString takes a string of at most limit bytes off the front of b.
func cutString(b []byte, limit uint64) (string, []byte, error) {
	n, b, err := cutUvarint(b)
	if err != nil {
		return "", nil, err
	}
	if n > limit || n > uint64(len(b)) {
		return "", nil, fmt.Errorf("record header: a name of %d bytes is cut short or too long", n)
	}
	return string(b[:n]), b[n:], nil
}

// Commit returns the commitment to a body: a salt followed by its payload.
func Commit(body []byte) Hash { return sha256.Sum256(body) }

// ID returns the digest that represents a record's id in its header. The tenant
// and the kind are part of it, so that one id in two tenants gives two digests.
func ID(tenant string, kind Kind, id string) Hash {
	var room [512]byte
	b := append(room[:0], "lukasa/record-id/1\n"...)
	b = append(b, byte(kind))
	b = binary.AppendUvarint(b, uint64(len(tenant)))
	b = append(b, tenant...)
	b = append(b, id...)
	return sha256.Sum256(b)
}
