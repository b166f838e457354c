package notary

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

// load reads the keys directory, creates it on first start, and completes an
// interrupted change of keys.
func (n *Notary) load() error {
	fs, dir := n.opts.FS, n.opts.Dir
	former, _, err := formerKeys(fs, dir)
	if err != nil {
		return err
	}
	n.former = former
	pub, pubErr := readLine(fs, fs.PathJoin(dir, pubFile))
	hadPub := pub != "" || pubErr != nil
	if pubErr != nil && fault.CodeOf(pubErr) != fault.Damaged {
		return pubErr
	}
	if v, err := merkle.NewVerifier(pub); err != nil {
		pub = "" // damaged; derived again from the private key
	} else if v.Name() == n.name {
		n.vkey = pub // known even if the private key is lost
	}
	line, err := readLine(fs, fs.PathJoin(dir, keyFile))
	if err != nil {
		return err
	}
	mem, memErr := loadMemory(fs, fs.PathJoin(dir, memoryFile), false)
	if line == "" {
		unused := !n.opts.Used && !hadPub && len(former) == 0 &&
			(errors.Is(memErr, errNoMemory) || memErr == nil && len(mem.last) == 0)
		if !unused {
			return fault.Newf(fault.Damaged, "%s is missing, though it has been there before", fs.PathJoin(dir, keyFile)).WithFix(fixKeys)
		}
		return n.make()
	}
	name, key, err := parseSignerKey(line)
	if err != nil {
		return fault.Newf(fault.Damaged, "%s: %w", fs.PathJoin(dir, keyFile), err).WithFix(fixKeys)
	}
	if name != n.name {
		return fault.Newf(fault.Damaged, "%s is the key of %q, and this directory is %q", fs.PathJoin(dir, keyFile), name, n.name).WithFix(fixKeys)
	}
	vkey := verifierKey(n.name, key.Public().(ed25519.PublicKey))
	n.vkey = vkey
	switch {
	case memErr == nil && mem.owner == vkey:
	case memErr == nil && mem.owner == pub && slices.Contains(former, pub):
		// A change of keys was interrupted after the new key was written. Had
		// it completed, the public key would be the new one.
		mem = &memory{fs: fs, path: mem.path, owner: vkey, last: map[string]Seen{}}
		if err := mem.rewrite(); err != nil {
			return err
		}
	case memErr == nil:
		return fault.Newf(fault.Damaged, "%s is the memory of another key than %s", mem.path, fs.PathJoin(dir, keyFile)).WithFix(fixKeys)
	case errors.Is(memErr, errNoMemory):
		return fault.Newf(fault.Damaged, "%s is missing, so it is not known what was signed", fs.PathJoin(dir, memoryFile)).WithFix(fixKeys)
	default:
		return memErr
	}
	if pub != vkey {
		if pub != "" && !slices.Contains(former, pub) {
			return fault.Newf(fault.Damaged, "%s and %s do not belong together", fs.PathJoin(dir, pubFile), fs.PathJoin(dir, keyFile)).WithFix(fixKeys)
		}
		if err := writeLine(fs, fs.PathJoin(dir, pubFile), vkey); err != nil {
			return err
		}
	}
	n.key, n.memory = key, mem
	return nil
}

// fixKeys is the advice for files that are damaged or do not match.
const fixKeys = "Bring the keys directory back from a copy. If there is none, make a new key with `lukasa root --new-key`; old proofs keep the old one."

// make creates a key. The order matters: on first start the memory is written
// before the key. On a rekey it is written after the key, since it belongs to
// the former key until then. Writing the key makes the new state the valid one.
func (n *Notary) make() error {
	fs, dir := n.opts.FS, n.opts.Dir
	key, err := newKey(n.opts.Random)
	if err != nil {
		return err
	}
	vkey := verifierKey(n.name, key.Public().(ed25519.PublicKey))
	if slices.Contains(n.former, vkey) {
		return fault.New(fault.Internal, "the source of randomness gave a key for the second time")
	}
	mem := &memory{fs: fs, path: fs.PathJoin(dir, memoryFile), owner: vkey, last: map[string]Seen{}}
	if len(n.former) == 0 {
		if err := mem.rewrite(); err != nil {
			return err
		}
	}
	if err := writeLine(fs, fs.PathJoin(dir, keyFile), signerKey(n.name, key)); err != nil {
		return err
	}
	if len(n.former) > 0 {
		// Until here the memory was that of the former key, whose public key is
		// on disk.
		if err := mem.rewrite(); err != nil {
			return err
		}
	}
	if err := writeLine(fs, fs.PathJoin(dir, pubFile), vkey); err != nil {
		return err
	}
	n.key, n.vkey, n.memory, n.broken = key, vkey, mem, nil
	return nil
}

// Rekey creates a new key with an empty memory. The former public key stays in
// the directory, so that its signatures can be verified; the former private key
// is deleted. A crash leaves either the old or the new state.
func (n *Notary) Rekey() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if fault.CodeOf(n.broken) == fault.Closed {
		return n.broken
	}
	fs, dir := n.opts.FS, n.opts.Dir
	former, next, err := formerKeys(fs, dir)
	if err != nil {
		return err
	}
	if n.vkey != "" && !slices.Contains(former, n.vkey) {
		if err := writeLine(fs, fs.PathJoin(dir, fmt.Sprintf("%s%d%s", oldPrefix, next, oldSuffix)), n.vkey); err != nil {
			return err
		}
		former = append(former, n.vkey)
	}
	if n.memory != nil {
		n.memory.close()
	}
	n.former = former
	if err := n.make(); err != nil {
		// The next start determines which of the two keys is valid.
		n.broken = fault.Newf(fault.WriteFailed, "the change of keys was cut short: %w", err)
		return n.broken
	}
	return nil
}

// writeLine makes a line the content of a key file.
func writeLine(fs disk.FS, path, line string) error {
	return disk.Fault(disk.WriteFile(fs, path, []byte(line+"\n")))
}
