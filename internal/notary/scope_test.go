package notary

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

// TestScopeKey: the scope key belongs to the directory, stays the same with
// the signing key, changes with it, and is in no file.
func TestScopeKey(t *testing.T) {
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	key, err := n.ScopeKey()
	if err != nil {
		t.Fatal(err)
	}
	again, err := n.ScopeKey()
	if err != nil || !bytes.Equal(key, again) {
		t.Errorf("asked again, the key is another one: %v", err)
	}
	if bytes.Equal(key, n.key) || bytes.Contains(n.key, key[:16]) {
		t.Error("the key of scopes is the signing key")
	}
	// Computed with another implementation of HKDF-SHA256, RFC 5869.
	if got := hex.EncodeToString(key.Seed()); got != pinnedScopeSeed {
		t.Errorf("the seed is %s", got)
	}
	names, err := fs.List("data/keys")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := disk.ReadFile(fs, fs.PathJoin("data/keys", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{string(key.Seed()), base64.StdEncoding.EncodeToString(key.Seed()), hex.EncodeToString(key.Seed())} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("the key of scopes is in %s", name)
			}
		}
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.ScopeKey(); fault.CodeOf(err) != fault.Closed {
		t.Errorf("after the end: %v", err)
	}
	n = open(t, optionsOn(fs, 2))
	if again, err = n.ScopeKey(); err != nil || !bytes.Equal(key, again) {
		t.Errorf("opened anew, the key is another one: %v", err)
	}
	if err := n.Rekey(); err != nil {
		t.Fatal(err)
	}
	if again, err = n.ScopeKey(); err != nil || bytes.Equal(key, again) {
		t.Errorf("with a new signing key, the key of scopes stays: %v", err)
	}
	// The same signing key in another directory has another scope key.
	o := optionsOn(disk.NewMem(), 1)
	o.DirectoryID = "another"
	if again, err = open(t, o).ScopeKey(); err != nil || bytes.Equal(key, again) {
		t.Errorf("another directory has the same key: %v", err)
	}
}

// TestScopeKeyOfBrokenNotary: without a valid key there are no scopes.
func TestScopeKeyOfBrokenNotary(t *testing.T) {
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteFile(fs, "data/keys/"+keyFile, []byte("nonsense\n")); err != nil {
		t.Fatal(err)
	}
	n = open(t, optionsOn(fs, 2))
	if key, err := n.ScopeKey(); fault.CodeOf(err) != fault.Damaged || key != nil {
		t.Errorf("with a damaged key: %v", err)
	}
	if err := n.Rekey(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.ScopeKey(); err != nil {
		t.Errorf("with a new key: %v", err)
	}
}

const pinnedScopeSeed = "93e9d987399014ed468443730e5e6af45d458667fdd0376a312b95498bd70585"
