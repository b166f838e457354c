package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quote"
)

// digestMember is the member of a pack's metadata that holds its digest.
const digestMember = "digest"

// Digest returns the SHA-256 of a pack in canonical form, in hexadecimal. It covers everything
// except the assembly time and the digest itself.
func Digest(p *hmx.Pack) (string, error) {
	bare := *p
	bare.AssemblyMetadata.AssemblyDurationMS = 0
	metadata, err := members(p.Metadata)
	if err != nil {
		return "", err
	}
	if _, there := metadata[digestMember]; there {
		delete(metadata, digestMember)
		data, err := json.Marshal(metadata)
		if err != nil {
			return "", fault.Wrap(fault.InvalidDocument, err)
		}
		bare.Metadata = hmx.Raw(data)
	}
	room := digestRooms.Get().(*[]byte)
	defer digestRooms.Put(room)
	if *room, err = bare.AppendCanonical((*room)[:0]); err != nil {
		return "", fault.Wrap(fault.InvalidDocument, err)
	}
	sum := sha256.Sum256(*room)
	return hex.EncodeToString(sum[:]), nil
}

// digestRooms holds buffers for packs while they are hashed.
var digestRooms = sync.Pool{New: func() any { return new([]byte) }}

// CheckDigest compares a pack with the digest that it states.
func CheckDigest(p *hmx.Pack) error {
	metadata, err := members(p.Metadata)
	if err != nil {
		return err
	}
	var stated string
	if err := json.Unmarshal(metadata[digestMember], &stated); err != nil {
		return fault.New(fault.NotProven, "metadata.digest: the pack states none").WithFix("use a pack as it was made")
	}
	digest, err := Digest(p)
	if err != nil {
		return err
	}
	if digest != stated {
		return fault.Newf(fault.NotProven, "metadata.digest: it is %s, but the pack has %s", quote.Name(stated), digest).
			WithFix("the pack was changed; use it as it was made")
	}
	return nil
}

// members returns the members of an object.
func members(r hmx.Raw) (map[string]json.RawMessage, error) {
	if len(r) == 0 {
		return map[string]json.RawMessage{}, nil
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(r), &m); err != nil {
		return nil, fault.Wrap(fault.InvalidDocument, err)
	}
	return m, nil
}
