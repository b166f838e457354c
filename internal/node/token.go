package node

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lukasa.dev/internal/fault"
)

// nameToken is the file in the data directory with the operator's token.
const nameToken = "TOKEN"

// tokenFile returns the path of the file with the operator's token.
func tokenFile(dir string) string { return filepath.Join(dir, nameToken) }

// bootstrap returns the operator's token and the file that contains it; the file is empty if
// the token was configured. If there is neither, it creates a token. This process must hold the
// directory.
func bootstrap(dir string, configured Secret) (token, file string, err error) {
	if configured != "" {
		return string(configured), "", nil
	}
	file = tokenFile(dir)
	text, err := os.ReadFile(file)
	switch token = strings.TrimSpace(string(text)); {
	case err == nil && len(token) >= leastToken:
		return token, file, readableByOthers(file)
	case err == nil:
		return "", "", fault.Newf(fault.BadConfig, "%s has no token of at least %d characters in it", file, leastToken).
			WithFix("remove the file to have one made, or set LUKASA_TOKEN")
	case !errors.Is(err, fs.ErrNotExist):
		return "", "", fault.Newf(fault.BadConfig, "cannot read the operator's token: %w", err).WithFix("make it a file that the server may read")
	}
	token = newToken()
	if err := writeSecret(file, token+"\n"); err != nil {
		return "", "", fault.Newf(fault.ReadOnly, "cannot keep the operator's token: %w", err)
	}
	return token, file, nil
}

// newToken makes a random token.
func newToken() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	return "lukasa_operator_" + hex.EncodeToString(secret[:])
}

// readableByOthers refuses a token file that other users can read.
func readableByOthers(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fault.Newf(fault.BadConfig, "cannot look at the operator's token: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		return fault.Newf(fault.BadConfig, "%s can be read by others", file).WithFix("chmod 600 " + file + ", or remove it to have a new one made")
	}
	return nil
}

// writeSecret atomically writes a file that only its owner can read.
func writeSecret(name, text string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is reported
		}
	}()
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
