// Package notary signs checkpoints of a tenant's tree and receipts of erasures.
// It also defines the documents that carry proofs, verifies all of these without
// a data directory, and derives the key of scope tokens.
//
// # Keys
//
// A data directory has one Ed25519 key, created on first start. Each tenant's log
// has its own name, the origin, and the key signs for a log under that name; so
// every log has its own verifier key, and none can pass for another. The keys
// directory, mode 0700, holds
//
//	checkpoint.key     the private key, one line, as C2SP signed-note spells it
//	checkpoint.pub     the public key under the directory's name
//	checkpoint-1.pub   the public key before that, and so on
//	signed             what was signed
//
// # The memory of what was signed
//
// Before a signature leaves, the size and root of the largest tree signed for
// the log are durable in the file "signed". Its lines are
//
//	crc "lukasa-signed" "1" verifier-key
//	crc size root time origin+key-id
//	crc size root time origin+key-id
//	…
//
// with single spaces between the words, the CRC-32C of what follows it in eight
// hex digits, the root in base64 and the time in RFC 3339. The largest size of a
// log counts. Lines are only added; when too many are outdated the file is
// replaced as a whole. A last line that a crash cut short is dropped; any other
// invalid line makes the notary refuse to sign.
//
// # What is guaranteed
//
// No two signatures of one key contradict each other: the signed tree extends
// every tree that was signed before, or else the answer is [fault.RolledBack]
// without a signature. A released signature is remembered, also across a crash.
// Signing the same content again gives the same bytes.
//
// # What is not
//
// A process that can write the keys directory can make the notary forget: a
// restored copy of the whole directory knows only what was signed before the
// copy. Only a [Witness] outside the directory detects that. A process that can
// read the keys directory can sign.
package notary

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

// Options are what a notary needs.
type Options struct {
	FS          disk.FS          // where the keys are; the machine's file system if nil
	Dir         string           // the keys directory, created if it is missing
	DirectoryID string           // names the data directory: letters, digits and "-._~"
	Random      io.Reader        // the source of keys; crypto/rand if nil
	Now         func() time.Time // when a tree was signed; time.Now if nil
	Witness     Witness          // a second memory outside the data directory, or nil
	// Used says that the directory has records, so that it must have had a key. A
	// missing key was then lost, and is not silently replaced.
	Used bool
}

// Notary signs for the logs of one data directory. It is safe for concurrent
// use. One process at a time may have one for a directory.
type Notary struct {
	opts Options
	name string // of the directory; the names of logs begin with it

	mu     sync.Mutex
	key    ed25519.PrivateKey
	vkey   string // public half under the directory's name
	former []string
	memory *memory
	broken error // why nothing can be signed, or nil

	// scope is derived from the key scopeOf; see ScopeKey.
	scope, scopeOf ed25519.PrivateKey
}

// Tree is the current state of a tenant's log.
type Tree struct {
	Size uint64
	Root merkle.Hash
	// RootAt returns the root of the first size leaves. It is only called for 0 <
	// size < Size.
	RootAt func(size uint64) (merkle.Hash, error)
	// Fresh calls use with the current log, and returns its result. It is called
	// when the tree is smaller than a signed one, because two trees may have been
	// read in one order and signed in the other. Without Fresh such a tree counts
	// as rolled back. It must not call the notary.
	Fresh func(use func(now Tree) error) error
}

// Signed is a signature that may be released.
type Signed struct {
	// Note is the signed note.
	Note []byte
	// Warning is a problem with the witness, or nil. The signature is still
	// valid; only a later rollback of the whole directory might go unnoticed.
	Warning error
}

// Open returns the notary of a keys directory. It creates key and directory on
// first start.
//
// A directory with damaged or mismatched files opens too, since records can be
// read and written without a notary: [Notary.Check] returns the problem, and
// nothing is signed until the files are restored or [Notary.Rekey] creates new
// ones. Open fails if the disk fails.
func Open(opts Options) (*Notary, error) {
	if opts.FS == nil {
		opts.FS = disk.OS()
	}
	if opts.Random == nil {
		opts.Random = rand.Reader
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if !validDirectory(opts.DirectoryID) {
		return nil, fault.Newf(fault.InvalidArgument, "directory id %q: it must be 1 to %d letters, digits or characters of \"-._~\"", clip(opts.DirectoryID), maxDirectory)
	}
	n := &Notary{opts: opts, name: host + opts.DirectoryID}
	if err := makePrivate(opts.FS, opts.Dir); err != nil {
		return nil, err
	}
	if err := n.load(); err != nil {
		if code := fault.CodeOf(err); code != fault.Damaged && code != fault.NewerFormat {
			return nil, err
		}
		n.broken = err
	}
	return n, nil
}

// Check returns why nothing can be signed, or nil.
func (n *Notary) Check() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.broken
}

// Close closes the notary's files.
func (n *Notary) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.memory != nil {
		n.memory.close()
	}
	n.broken = fault.New(fault.Closed, "the notary is closed")
	return nil
}

// Origin returns the name of a tenant's log.
func (n *Notary) Origin(tenant string) string { return OriginOf(n.opts.DirectoryID, tenant) }

// VerifierKey returns the key that verifies a tenant's notes, or "" if the
// directory's key is unknown.
func (n *Notary) VerifierKey(tenant string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.tenantKey(n.vkey, tenant)
}

// FormerKeys returns the keys that verify a tenant's older notes, oldest first.
func (n *Notary) FormerKeys(tenant string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	keys := make([]string, 0, len(n.former))
	for _, vkey := range n.former {
		keys = append(keys, n.tenantKey(vkey, tenant))
	}
	return keys
}

// tenantKey returns a directory's key under the name of a tenant's log.
func (n *Notary) tenantKey(vkey, tenant string) string {
	if vkey == "" {
		return ""
	}
	own, err := renamed(vkey, n.Origin(tenant))
	if err != nil {
		return "" // unreachable: only valid keys are kept
	}
	return own
}

// Sign returns a checkpoint over the tenant's whole tree.
func (n *Notary) Sign(tenant string, tree Tree) (Signed, error) {
	return n.SignAt(tenant, tree, tree.Size)
}

// SignAt returns a checkpoint over the first size records of the tenant. The tree
// is still the whole one: it must extend what was signed.
func (n *Notary) SignAt(tenant string, tree Tree, size uint64) (Signed, error) {
	return n.sign(tenant, tree, size, func(origin string, root merkle.Hash) ([]byte, error) {
		c := merkle.Checkpoint{Origin: origin, Size: size, Root: root}
		return c.Marshal()
	})
}

// sign signs a text about the first size leaves of a tree.
func (n *Notary) sign(tenant string, tree Tree, size uint64, text func(origin string, root merkle.Hash) ([]byte, error)) (Signed, error) {
	if size > tree.Size || tree.Size > merkle.MaxSize {
		return Signed{}, fault.Newf(fault.InvalidArgument, "size %d: tenant %q has %d records", size, tenant, tree.Size)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken != nil {
		return Signed{}, n.broken
	}
	origin := n.Origin(tenant)
	signer, err := note.NewSigner(signerKey(origin, n.key))
	if err != nil {
		return Signed{}, fmt.Errorf("signing key: %w", err)
	}
	log := fmt.Sprintf("%s+%08x", origin, signer.KeyHash())
	var out Signed
	if out.Warning, err = n.contradicted(tenant, log, tree); err != nil {
		return Signed{}, err
	}
	own, known := n.memory.last[log]
	root, err := tree.at(size)
	if err != nil {
		return Signed{}, err
	}
	body, err := text(origin, root)
	if err != nil {
		return Signed{}, err
	}
	seen := Seen{Size: size, Root: root, Time: n.opts.Now().UTC().Truncate(time.Second)}
	if !known || size > own.Size {
		if err := n.memory.remember(log, seen); err != nil {
			return Signed{}, err
		}
	}
	if n.opts.Witness != nil {
		if known && own.Size > size {
			seen = own // a witness that lost its memory gets it back
		}
		if err := n.opts.Witness.Remember(log, seen); err != nil {
			out.Warning = errors.Join(out.Warning, witnessDoubt(err))
		}
	}
	if out.Note, err = note.Sign(&note.Note{Text: string(body)}, signer); err != nil {
		return Signed{}, fmt.Errorf("sign for %s: %w", origin, err)
	}
	return out, nil
}

// contradicted refuses a tree that does not extend what was signed for its log.
// The warning says that the witness did not answer.
func (n *Notary) contradicted(tenant, log string, tree Tree) (warning, err error) {
	if own, ok := n.memory.last[log]; ok {
		if err := guard(tenant, tree, own, n.memory.path); err != nil {
			return nil, err
		}
	}
	if n.opts.Witness == nil {
		return nil, nil
	}
	seen, ok, err := n.opts.Witness.Last(log)
	warning = witnessDoubt(err)
	if ok {
		if err := guard(tenant, tree, seen, "the witness outside of the directory"); err != nil {
			return warning, err
		}
	}
	return warning, nil
}

// Agrees checks without signing that a tree extends everything that was signed
// for its log. It returns nil, or the error that Sign would return.
func (n *Notary) Agrees(tenant string, tree Tree) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken != nil {
		return nil // Check reports it
	}
	origin := n.Origin(tenant)
	signer, err := note.NewSigner(signerKey(origin, n.key))
	if err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	_, err = n.contradicted(tenant, fmt.Sprintf("%s+%08x", origin, signer.KeyHash()), tree)
	return err
}

// at returns the root of the first size leaves.
func (t *Tree) at(size uint64) (merkle.Hash, error) {
	switch size {
	case t.Size:
		return t.Root, nil
	case 0:
		return merkle.EmptyRoot(), nil
	}
	if t.RootAt == nil {
		return merkle.Hash{}, fmt.Errorf("root of the first %d records: only that of all %d is known", size, t.Size)
	}
	root, err := t.RootAt(size)
	if err != nil {
		return root, fmt.Errorf("root of the first %d records: %w", size, err)
	}
	return root, nil
}

// guard refuses a tree that contradicts one that was signed.
func guard(tenant string, tree Tree, seen Seen, where string) error {
	if tree.Size >= seen.Size || tree.Fresh == nil {
		return extends(tenant, tree, seen, where)
	}
	checked := false
	err := tree.Fresh(func(now Tree) error {
		if err := extends(tenant, now, seen, where); err != nil {
			return err
		}
		checked = true
		// now is larger than tree, or else it would have been refused.
		return extends(tenant, now, Seen{Size: tree.Size, Root: tree.Root, Time: seen.Time}, "the tree to be signed")
	})
	if err == nil && !checked {
		return extends(tenant, tree, seen, where)
	}
	return err
}

// extends refuses a tree that does not extend a signed one.
func extends(tenant string, tree Tree, seen Seen, where string) error {
	when := seen.Time.Format(time.RFC3339)
	if tree.Size < seen.Size {
		return fault.Newf(fault.RolledBack, "tenant %q has %d records here, but %d were signed for on %s with root %x (remembered in %s); the directory is older than that",
			tenant, tree.Size, seen.Size, when, seen.Root, where)
	}
	root, err := tree.at(seen.Size)
	if err != nil {
		return err
	}
	if root != seen.Root {
		return fault.Newf(fault.RolledBack, "tenant %q has another history here: its first %d records have root %x, but root %x was signed for them on %s (remembered in %s)",
			tenant, seen.Size, root, seen.Root, when, where)
	}
	return nil
}

// witnessDoubt describes a problem with a witness.
func witnessDoubt(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the witness could not be used, so a rollback of the whole directory may go unnoticed: %w", err)
}
