package node

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/fault"
)

// The token is made once and readable only by its owner; a token that others can read is refused.
func TestBootstrapToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, file, err := bootstrap(dir, "")
	if err != nil || len(first) < 32 || file != filepath.Join(dir, "TOKEN") {
		t.Fatalf("%q in %q, %v", first, file, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, _, err := bootstrap(dir, ""); err != nil || again != first {
		t.Errorf("another one: %v", err)
	}
	if given, file, err := bootstrap(dir, "a token that was configured"); err != nil || given != "a token that was configured" || file != "" {
		t.Errorf("configured: %q in %q, %v", given, file, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := bootstrap(dir, ""); !errors.Is(err, fault.BadConfig) || !strings.Contains(err.Error(), "can be read by others") {
		t.Errorf("readable by others: %v", err)
	}
	if err := os.WriteFile(file, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := bootstrap(dir, ""); !errors.Is(err, fault.BadConfig) {
		t.Errorf("an empty token: %v", err)
	}
}

// pair writes a certificate for a name and its key.
func pair(t *testing.T, dir, name string, stamp time.Time) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name, "localhost"}}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "EC PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// A certificate is reloaded when its files change, and kept if the new one is invalid.
func TestCertificateChanges(t *testing.T) {
	t.Parallel()
	dir, start := t.TempDir(), time.Now()
	cert, key := pair(t, dir, "one", start)
	c, err := openCertificate(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	now := start
	c.now = func() time.Time { return now }
	name := func() string {
		t.Helper()
		now = now.Add(time.Minute)
		got, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(got.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.Subject.CommonName
	}
	if got := name(); got != "one" {
		t.Errorf("it is %s", got)
	}
	pair(t, dir, "two", start.Add(time.Hour))
	if got := name(); got != "two" {
		t.Errorf("after a change it is %s", got)
	}
	if err := os.WriteFile(cert, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != "two" {
		t.Errorf("after a bad change it is %s", got)
	}
	if _, err := openCertificate(cert, key, nil); !errors.Is(err, fault.BadConfig) {
		t.Errorf("a bad certificate: %v", err)
	}
}

// The shares never exceed the memory, and a small machine gets small shares.
func TestShares(t *testing.T) {
	t.Parallel()
	for _, total := range []Size{leastMemory, 512 << 20, 1 << 30, 16 << 30} {
		s := (&Config{Memory: total}).share()
		if sum := s.cache + s.recall + s.bodies + s.intake; sum > s.total*3/4 {
			t.Errorf("of %v, %v are given away", total, Size(sum))
		}
	}
	if s := (&Config{}).share(); s.total < usualLeast || s.total > usualMost {
		t.Errorf("without a setting it is %v", Size(s.total))
	}
}
