package vector

import (
	"encoding/binary"
	"errors"
	"strconv"
	"unicode/utf8"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
)

// chunkRows is how many positions share a chunk, as in [index.Filter].
const chunkRows = 1024

// chunkOf returns the chunk of a position.
func chunkOf(position uint64) uint64 { return position / chunkRows }

// offsetOf returns the offset of a position within its chunk.
func offsetOf(position uint64) int { return int(position % chunkRows) }

// builtin is the space of the built-in model. Every other one is a digest.
var builtin = index.Digest{}

// spaceOf returns the space of a model that is not built in.
func spaceOf(model string, dimensions int) index.Digest {
	return index.DigestOf(model + "\x00" + strconv.Itoa(dimensions))
}

// place is the place of a vector.
type place struct {
	tenant   uint32
	space    index.Digest
	position uint64
}

func rowKey(room []byte, p place) index.Key {
	return rowsFrom(room, p.tenant, p.position).Digest(p.space)
}

// rowsFrom begins the keys of the rows of a document.
func rowsFrom(room []byte, tenant uint32, position uint64) index.Key {
	return index.NewKey(room, Prefix, tableRow, tenant).Uint64(position)
}

// placeOf reads the output of rowKey.
func placeOf(key []byte) (place, error) {
	if len(key) != 6+8+16 {
		return place{}, damaged("the key of a row", errLength)
	}
	return place{binary.BigEndian.Uint32(key[2:]), index.Digest(key[14:]), index.Uint64At(key[6:])}, nil
}

func withoutKey(room []byte, tenant uint32, position uint64) index.Key {
	return index.NewKey(room, Prefix, tableWithout, tenant).Uint64(position)
}

func embeddedKey(room []byte, tenant uint32, position uint64) index.Key {
	return index.NewKey(room, Prefix, tableEmbedding, tenant).Uint64(position)
}

// appendEmbedded appends the place of an embedding's vector.
func appendEmbedded(dst []byte, p place) []byte {
	return append(binary.BigEndian.AppendUint64(dst, p.position), p.space[:]...)
}

// decodeEmbedded reads the output of appendEmbedded.
func decodeEmbedded(tenant uint32, v []byte) (place, error) {
	if len(v) != 8+16 {
		return place{}, damaged("the note of an embedding", errLength)
	}
	return place{tenant, index.Digest(v[8:]), binary.BigEndian.Uint64(v)}, nil
}

func codesKey(room []byte, tenant uint32, space index.Digest, chunk uint64) index.Key {
	return index.NewKey(room, Prefix, tableCodes, tenant).Digest(space).Uint64(chunk)
}

func directoryKey(room []byte, tenant uint32, space index.Digest, part uint32) index.Key {
	return index.NewKey(room, Prefix, tableDirectory, tenant).Digest(space).Uint32(part)
}

func spaceKey(room []byte, tenant uint32, space index.Digest) index.Key {
	return index.NewKey(room, Prefix, tableSpace, tenant).Digest(space)
}

// maxName is how many bytes of a model's name are kept. The space depends on the
// whole name.
const maxName = 256

// listing is the stored description of a space.
type listing struct {
	model      string
	dimensions int
	vectors    uint64
}

// name sets the name of a space.
func (l *listing) name(model string, dimensions int) {
	if len(model) > maxName {
		cut := maxName
		for cut > 0 && !utf8.RuneStart(model[cut]) {
			cut--
		}
		model = model[:cut]
	}
	l.model, l.dimensions = model, dimensions
}

// encode appends the value of a space: dimensions (2 bytes), vectors (8), model.
func (l *listing) encode(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(l.dimensions))
	dst = binary.BigEndian.AppendUint64(dst, l.vectors)
	return append(dst, l.model...)
}

// decodeListing reads the output of encode.
func decodeListing(v []byte) (listing, error) {
	if len(v) < 10 || len(v) > 10+maxName {
		return listing{}, damaged("a space", errLength)
	}
	l := listing{string(v[10:]), int(binary.BigEndian.Uint16(v)), binary.BigEndian.Uint64(v[2:])}
	if l.dimensions == 0 || l.dimensions > maxDimensions || l.vectors == 0 {
		return listing{}, damaged("a space", errContent)
	}
	return l, nil
}

// The reasons why a stored value is unreadable.
var (
	errLength  = errors.New("it is cut short or too long")
	errContent = errors.New("its parts disagree")
)

// damaged says that a value of the index is unreadable.
func damaged(what string, err error) error {
	return fault.Newf(fault.Damaged, "%s in the index of vectors cannot be read: %w", what, err).
		WithFix("`lukasa rebuild` rebuilds the index from the journal")
}
