package notary

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

// The files of the keys directory.
const (
	keyFile    = "checkpoint.key"
	pubFile    = "checkpoint.pub"
	memoryFile = "signed"
	oldPrefix  = "checkpoint-" // and a number, and .pub
	oldSuffix  = ".pub"
)

// maxKeyFile limits how many bytes of a key file are read.
const maxKeyFile = 4096

// algEd25519 is the byte before an Ed25519 key in the keys of notes.
const algEd25519 = 1

// newKey draws a key.
func newKey(random io.Reader) (ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fmt.Errorf("draw a signing key: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// verifierKey returns the public half of key under a name.
func verifierKey(name string, key ed25519.PublicKey) string {
	vkey, err := note.NewEd25519VerifierKey(name, key)
	if err != nil {
		panic(err) // unreachable: a public key has one length
	}
	return vkey
}

// signerKey returns the private half under a name, in the form of notes.
func signerKey(name string, key ed25519.PrivateKey) string {
	_, rest, _ := strings.Cut(verifierKey(name, key.Public().(ed25519.PublicKey)), "+")
	id, _, _ := strings.Cut(rest, "+")
	return "PRIVATE+KEY+" + name + "+" + id + "+" +
		base64.StdEncoding.EncodeToString(append([]byte{algEd25519}, key.Seed()...))
}

// parseSignerKey parses the output of signerKey, and refuses anything else.
func parseSignerKey(text string) (name string, key ed25519.PrivateKey, err error) {
	signer, err := note.NewSigner(text)
	if err != nil {
		return "", nil, fmt.Errorf("it is not a note's signer key: %w", err)
	}
	parts := strings.SplitN(text, "+", 5) // the key itself may contain a plus
	seed, err := base64.StdEncoding.Strict().DecodeString(parts[4])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return "", nil, errors.New("it is not an Ed25519 key in canonical base64")
	}
	key = ed25519.NewKeyFromSeed(seed[1:])
	if name = signer.Name(); signerKey(name, key) != text {
		return "", nil, errors.New("it is not spelled as it should be")
	}
	return name, key, nil
}

// renamed returns the same verifier key under another name.
func renamed(vkey, name string) (string, error) {
	if _, err := merkle.NewVerifier(vkey); err != nil {
		return "", err
	}
	parts := strings.SplitN(strings.TrimSpace(vkey), "+", 3)
	key, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return "", fmt.Errorf("verifier key: %w", err)
	}
	return note.NewEd25519VerifierKey(name, key[1:])
}

// readLine returns the one line of a key file, or "" if the file does not exist.
func readLine(fsys disk.FS, path string) (string, error) {
	info, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", disk.Fault(fmt.Errorf("look at %s: %w", path, err))
	}
	if info.Size() > maxKeyFile {
		return "", fault.Newf(fault.Damaged, "%s has %d bytes, more than a key has", path, info.Size())
	}
	data, err := disk.ReadFile(fsys, path)
	if err != nil {
		return "", disk.Fault(err)
	}
	line, rest, whole := strings.Cut(string(data), "\n")
	if !whole || rest != "" || line == "" {
		return "", fault.Newf(fault.Damaged, "%s is not one line", path)
	}
	return line, nil
}

// formerKeys returns the directory's earlier verifier keys, oldest first, and the
// number of the next one.
func formerKeys(fsys disk.FS, dir string) (keys []string, next int, err error) {
	names, err := fsys.List(dir)
	if err != nil {
		return nil, 0, disk.Fault(fmt.Errorf("list %s: %w", dir, err))
	}
	next = 1
	found := map[int]string{}
	for _, name := range names {
		middle, ok := strings.CutPrefix(name, oldPrefix)
		if !ok {
			continue
		}
		middle, ok = strings.CutSuffix(middle, oldSuffix)
		n, err := strconv.Atoi(middle)
		if !ok || err != nil || n < 1 || n > 1<<20 || strconv.Itoa(n) != middle {
			continue
		}
		next = max(next, n+1)
		line, err := readLine(fsys, fsys.PathJoin(dir, name))
		if err != nil && fault.CodeOf(err) != fault.Damaged {
			return nil, 0, err
		}
		// An unreadable former key is skipped, and blocks nothing.
		if _, err := merkle.NewVerifier(line); err == nil {
			found[n] = line
		}
	}
	for n := range next {
		if key, ok := found[n]; ok {
			keys = append(keys, key)
		}
	}
	return keys, next, nil
}
