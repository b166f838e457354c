// Package merkle is the tree over a tenant's records: the hashes of RFC 6962,
// the compact form in which a tree is carried from append to append, the proofs
// about it, and the C2SP checkpoint that a signature covers.
//
// # The tree
//
//	leaf  = SHA-256(0x00 ‖ data)
//	node  = SHA-256(0x01 ‖ left ‖ right)
//	empty = SHA-256()
//
// A node is named by its level, leaves being level 0, and by its index on that
// level from the left: node (l, i) covers the leaves i·2^l up to (i+1)·2^l. A
// node is complete when all of those leaves exist; from then on it never
// changes. Only complete nodes are ever stored, and of those only the levels 0,
// 8, 16…; [NodesOf] computes the others when a proof needs them.
//
// # What is guaranteed
//
// Everything is a pure function of its arguments: no file, no clock, no
// randomness. Hashing and appending allocate nothing once a tree has its
// memory. What is read from outside (a range, a checkpoint, a key, a proof) has
// one accepted spelling, and its length is checked before it is decoded.
// transparency-dev/merkle decides which nodes a proof consists of, and whether
// it holds.
//
// # What is not
//
// A valid proof holds for the root it was given. The checkpoint's signature
// shows whether that root is the right one. Only a comparison of checkpoints
// shows whether the signer signed another one.
package merkle

import (
	"crypto/sha256"
	"math"
)

// HashSize is the length of a hash in bytes.
const HashSize = sha256.Size

// MaxSize is the largest supported tree. It keeps sizes inside the integers of
// every database and language that might carry them.
const MaxSize = math.MaxInt64

// Hash is a SHA-256.
type Hash = [HashSize]byte

// The first hashed byte distinguishes leaves from nodes, so that no leaf passes
// for a node.
const (
	leafPrefix = 0
	nodePrefix = 1
)

// EmptyRoot returns the root of a tree without leaves.
func EmptyRoot() Hash { return sha256.Sum256(nil) }

// LeafHash returns the hash of a leaf that holds data.
func LeafHash(data []byte) Hash {
	// Two buffer sizes on the stack: clearing the large one for each small
	// header would cost as much as a quarter of its hash.
	switch {
	case len(data) < 256:
		var room [256]byte
		room[0] = leafPrefix
		return sha256.Sum256(room[:1+copy(room[1:], data)])
	case len(data) < 2048:
		var room [2048]byte
		room[0] = leafPrefix
		return sha256.Sum256(room[:1+copy(room[1:], data)])
	}
	h := sha256.New()
	h.Write([]byte{leafPrefix})
	h.Write(data)
	var sum Hash
	h.Sum(sum[:0])
	return sum
}

// NodeHash returns the hash of the node above l and r.
func NodeHash(l, r *Hash) Hash {
	var room [1 + 2*HashSize]byte
	room[0] = nodePrefix
	copy(room[1:], l[:])
	copy(room[1+HashSize:], r[:])
	return sha256.Sum256(room[:])
}
