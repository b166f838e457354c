package notary

import (
	"bytes"
	"errors"
	"fmt"

	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// Verdict is what a proof proves.
type Verdict struct {
	// Header is the record's header, which is in the log.
	Header record.Header
	// Checkpoint is the signed checkpoint that the proof leads to.
	Checkpoint merkle.Checkpoint
	// Payload is true if salt and payload came with the proof and match the
	// header's commitment. Otherwise the proof covers the header alone.
	Payload bool
}

// ConsistencyVerdict is what a consistency proof proves.
type ConsistencyVerdict struct {
	// From is the earlier tree. It has no origin if no signed note for it was
	// given: the earlier root is then the one in the document.
	From merkle.Checkpoint
	// To is the signed checkpoint of the later tree.
	To merkle.Checkpoint
}

// VerifyProof checks that a record is in the log of vkey: that the header is the
// one at the tenant's position, that its leaf is in the tree, that the key
// signed the tree, and that salt and payload, if present, match the header's
// commitment. The checkpoint is a signed note; if it is empty, the one inside
// the proof is used; if both are present, both must hold. The key is that of the
// log or of its directory.
//
// Failures are [fault.NotProven] and name the step that fails.
func VerifyProof(p *Proof, checkpoint []byte, vkey string) (Verdict, error) {
	header, err := record.ParseHeader(p.Header)
	if err != nil {
		return Verdict{}, notProven("header", err)
	}
	if header.Tenant != p.Tenant {
		return Verdict{}, notProven("tenant", fmt.Errorf("the proof says %q and the header %q", clip(p.Tenant), clip(header.Tenant)))
	}
	if header.Position != p.Position {
		return Verdict{}, notProven("position", fmt.Errorf("the proof says %d and the header %d", p.Position, header.Position))
	}
	leaf := merkle.LeafHash(p.Header)
	if leaf != p.LeafHash {
		return Verdict{}, notProven("leaf hash", fmt.Errorf("the proof says %x, and that of the header is %x", p.LeafHash, leaf))
	}
	if len(checkpoint) == 0 && p.Checkpoint == "" {
		return Verdict{}, notProven("checkpoint", errors.New("there is none, neither in the proof nor given separately"))
	}
	var vouched merkle.Checkpoint
	for _, signed := range [][]byte{[]byte(p.Checkpoint), checkpoint} {
		if len(signed) == 0 {
			continue
		}
		if vouched, err = openFor(header.Tenant, signed, vkey, p.Size, p.Root); err != nil {
			return Verdict{}, err
		}
	}
	if len(p.Path) > merkle.MaxPath {
		return Verdict{}, notProven("path", fmt.Errorf("%d hashes are more than any tree needs", len(p.Path)))
	}
	if err := merkle.VerifyInclusion(leaf, p.Position, p.Size, p.Path, p.Root); err != nil {
		return Verdict{}, notProven("path", err)
	}
	whole, err := verifyBody(&header, p.Salt, p.Payload)
	if err != nil {
		return Verdict{}, notProven("commitment", err)
	}
	return Verdict{Header: header, Checkpoint: vouched, Payload: whole}, nil
}

// openFor opens a signed checkpoint of a tenant's log, which must be of a tree
// of this size and root.
func openFor(tenant string, signed []byte, vkey string, size uint64, root merkle.Hash) (merkle.Checkpoint, error) {
	origin, _, _ := bytes.Cut(signed[:min(len(signed), merkle.MaxNote)], []byte("\n"))
	v, err := verifierFor(vkey, string(origin))
	if err != nil {
		return merkle.Checkpoint{}, notProven("key", err)
	}
	c, err := merkle.OpenCheckpoint(signed, v)
	if err != nil {
		return merkle.Checkpoint{}, notProven("checkpoint's signature", err)
	}
	_, of, err := ParseOrigin(c.Origin)
	if err != nil {
		return merkle.Checkpoint{}, notProven("checkpoint's origin", err)
	}
	if of != tenant {
		return merkle.Checkpoint{}, notProven("checkpoint's origin", fmt.Errorf("it is of tenant %q, and the record of %q", clip(of), clip(tenant)))
	}
	if c.Size != size {
		return merkle.Checkpoint{}, notProven("size", fmt.Errorf("the proof is for %d records, and the checkpoint for %d", size, c.Size))
	}
	if c.Root != root {
		return merkle.Checkpoint{}, notProven("root", fmt.Errorf("the proof is for %x, and the checkpoint for %x", root, c.Root))
	}
	return c, nil
}

// verifyBody checks salt and payload against the header's commitment, and
// reports whether they are present.
func verifyBody(header *record.Header, salt, payload []byte) (bool, error) {
	switch {
	case salt == nil && payload == nil:
		return false, nil
	case salt == nil || payload == nil:
		return false, errors.New("salt and payload come together or not at all")
	case len(salt) != record.SaltSize:
		return false, fmt.Errorf("the salt has %d bytes, not %d", len(salt), record.SaltSize)
	}
	body := append(append(make([]byte, 0, len(salt)+len(payload)), salt...), payload...)
	if got := record.Commit(body); got != header.Commitment {
		return false, fmt.Errorf("that of salt and payload is %x, and the header has %x", got, header.Commitment)
	}
	return true, nil
}

// VerifyConsistency checks that the tenant's log only grew between two trees.
// Both notes are signed checkpoints; the earlier one may be empty, and then the
// verdict holds for the earlier root in the document.
//
// Failures are [fault.NotProven] and name the step that fails.
func VerifyConsistency(p *ConsistencyProof, from, to []byte, vkey string) (ConsistencyVerdict, error) {
	v := ConsistencyVerdict{From: merkle.Checkpoint{Size: p.From, Root: p.FromRoot}}
	var err error
	if v.To, err = openFor(p.Tenant, to, vkey, p.To, p.ToRoot); err != nil {
		return ConsistencyVerdict{}, fmt.Errorf("later tree: %w", err)
	}
	if len(from) > 0 {
		if v.From, err = openFor(p.Tenant, from, vkey, p.From, p.FromRoot); err != nil {
			return ConsistencyVerdict{}, fmt.Errorf("earlier tree: %w", err)
		}
		if v.From.Origin != v.To.Origin {
			return ConsistencyVerdict{}, notProven("origin", fmt.Errorf("the checkpoints are of two logs, %q and %q", clip(v.From.Origin), clip(v.To.Origin)))
		}
	}
	if len(p.Path) > merkle.MaxPath {
		return ConsistencyVerdict{}, notProven("path", fmt.Errorf("%d hashes are more than any tree needs", len(p.Path)))
	}
	if err := merkle.VerifyConsistency(p.From, p.To, p.Path, p.FromRoot, p.ToRoot); err != nil {
		return ConsistencyVerdict{}, notProven("path", err)
	}
	return v, nil
}
