package merkle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// keysOf returns a new signer and its verifier's key.
func keysOf(t testing.TB, name string) (note.Signer, string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(bytes.NewReader(bytes.Repeat([]byte(name), 32)), name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	return s, vkey
}

func verifierOf(t testing.TB, vkey string) note.Verifier {
	t.Helper()
	v, err := NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheckpointText(t *testing.T) {
	c := Checkpoint{Origin: "example.com/behind-the-sofa", Size: 20852163, Extensions: []string{"one", "two words"}}
	root, err := ParseHash64("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")
	if err != nil {
		t.Fatal(err)
	}
	c.Root = root
	const want = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\none\ntwo words\n"
	text, err := c.Marshal()
	if err != nil || string(text) != want {
		t.Fatalf("%q, %v", text, err)
	}
	back, err := ParseCheckpoint(text)
	if err != nil || fmt.Sprint(back) != fmt.Sprint(c) {
		t.Errorf("%v, %v", back, err)
	}
}

func TestParseCheckpointRefuses(t *testing.T) {
	const root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
	for name, text := range map[string]string{
		"nothing":               "",
		"no last newline":       "o\n1\n" + root,
		"no root":               "o\n1\n",
		"an empty origin":       "\n1\n" + root + "\n",
		"a space in the origin": "a b\n1\n" + root + "\n",
		"a plus in the origin":  "a+b\n1\n" + root + "\n",
		"a no-break space":      "a\u00a0b\n1\n" + root + "\n",
		"not UTF-8":             "a\xff\n1\n" + root + "\n",
		"a NUL":                 "a\x00\n1\n" + root + "\n",
		"a leading zero":        "o\n01\n" + root + "\n",
		"a sign":                "o\n+1\n" + root + "\n",
		"a negative size":       "o\n-1\n" + root + "\n",
		"a fraction":            "o\n1.0\n" + root + "\n",
		"a size of 2^63":        "o\n9223372036854775808\n" + root + "\n",
		"a size of 2^64":        "o\n18446744073709551616\n" + root + "\n",
		"a size of many digits": "o\n" + strings.Repeat("9", 100) + "\n" + root + "\n",
		"a short root":          "o\n1\nAAAA\n",
		"an unpadded root":      "o\n1\n" + root[:43] + "\n",
		"bits behind the root":  "o\n1\n" + strings.Replace(root, "2I=", "2J=", 1) + "\n",
		"base64 of URLs":        "o\n1\n" + strings.Replace(root, "/", "_", 1) + "\n",
		"an empty extension":    "o\n1\n" + root + "\n\n",
		"a tab":                 "o\n1\n" + root + "\na\tb\n",
		"a carriage return":     "o\r\n1\n" + root + "\n",
		"far too much":          "o\n1\n" + root + "\n" + strings.Repeat("x\n", MaxNote),
	} {
		if c, err := ParseCheckpoint([]byte(text)); err == nil {
			t.Errorf("%s was accepted: %+v", name, c)
		}
	}
	for _, c := range []Checkpoint{{}, {Origin: "a b"}, {Origin: "o", Size: 1 << 63}, {Origin: "o", Extensions: []string{""}}, {Origin: "o", Extensions: []string{"a\nb"}}} {
		if text, err := c.Marshal(); err == nil {
			t.Errorf("%+v was written as %q", c, text)
		}
	}
}

func TestSignedCheckpoint(t *testing.T) {
	signer, vkey := keysOf(t, "example.com/log")
	v := verifierOf(t, vkey+"\n")
	c := Checkpoint{Origin: "example.com/log", Size: 7, Root: Hash{1, 2, 3}}
	signed, err := SignCheckpoint(&c, signer)
	if err != nil {
		t.Fatal(err)
	}
	got, err := OpenCheckpoint(signed, v)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(c) {
		t.Fatalf("%v, %v", got, err)
	}

	// Each byte of the note matters, and so does each byte of the key.
	for i := range signed {
		for _, x := range []byte{1, 2, 4, 0x20, 0x80} {
			bad := bytes.Clone(signed)
			bad[i] ^= x
			if _, err := OpenCheckpoint(bad, v); err == nil {
				t.Errorf("byte %d of the note, %q, was changed to %q unnoticed", i, signed[i], bad[i])
			}
		}
	}
	for i := range vkey {
		for _, x := range []byte{1, 2, 4, 0x20, 0x80} {
			bad := []byte(vkey)
			bad[i] ^= x
			v, err := NewVerifier(string(bad))
			if err != nil {
				continue
			}
			if _, err := OpenCheckpoint(signed, v); err == nil {
				t.Errorf("byte %d of the key, %q, was changed to %q unnoticed", i, vkey[i], bad[i])
			}
		}
	}

	// An additional signature of another key is ignored; alone it is not enough.
	other, otherKey := keysOf(t, "example.com/witness")
	n, err := note.Open(signed, note.VerifierList(v))
	if err != nil {
		t.Fatal(err)
	}
	both, err := note.Sign(n, other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCheckpoint(both, v); err != nil {
		t.Errorf("with a second signature: %v", err)
	}
	if _, err := OpenCheckpoint(signed, verifierOf(t, otherKey)); err == nil {
		t.Error("a note without the key's signature was accepted")
	}
	if _, err := OpenCheckpoint(both, verifierOf(t, otherKey)); err == nil {
		t.Error("a checkpoint was accepted from a key that is not its origin's")
	}
	if _, err := SignCheckpoint(&c, other); err == nil {
		t.Error("a key signed for an origin that is not its name")
	}
	if _, err := OpenCheckpoint(append(signed, make([]byte, MaxNote)...), v); err == nil {
		t.Error("a note without bounds was read")
	}
}

func TestNewVerifierRefuses(t *testing.T) {
	_, vkey := keysOf(t, "example.com/log")
	keyOf := func(alg byte, n int) string {
		key := append([]byte{alg}, make([]byte, n)...)
		sum := sha256.Sum256(append([]byte("x\n"), key...))
		return fmt.Sprintf("x+%08x+%s", binary.BigEndian.Uint32(sum[:]), base64.StdEncoding.EncodeToString(key))
	}
	if _, err := NewVerifier(keyOf(1, ed25519.PublicKeySize)); err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{
		"nothing":               "",
		"a name alone":          "example.com/log",
		"a private key":         "PRIVATE+KEY+x+00000000+AA==",
		"another algorithm":     keyOf(2, 32),
		"a cosignature key":     keyOf(4, 32),
		"a key too short":       keyOf(1, 31),
		"a key too long":        keyOf(1, 33),
		"no key":                keyOf(1, 0),
		"an id in capitals":     upperID(vkey),
		"a line end in the key": vkey[:len(vkey)-4] + "\n" + vkey[len(vkey)-4:],
		"not UTF-8":             "\xff" + vkey,
		"far too much":          strings.Repeat("x", MaxNote) + vkey,
	} {
		if _, err := NewVerifier(key); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// upperID returns the key with its id in capitals.
func upperID(vkey string) string {
	name, rest, _ := strings.Cut(vkey, "+")
	id, key, _ := strings.Cut(rest, "+")
	return name + "+" + strings.ToUpper(id) + "+" + key
}

func FuzzParseCheckpoint(f *testing.F) {
	f.Add([]byte("o\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"))
	f.Add([]byte("o\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nmore\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCheckpoint(text)
		if err != nil {
			return
		}
		if again, err := c.Marshal(); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%q is written back as %q, %v", text, again, err)
		}
	})
}

func FuzzOpenCheckpoint(f *testing.F) {
	signer, vkey := keysOf(f, "o")
	v := verifierOf(f, vkey)
	c := Checkpoint{Origin: "o", Size: 1}
	signed, err := SignCheckpoint(&c, signer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := OpenCheckpoint(b, v); err == nil && (got.Size != c.Size || got.Root != c.Root) {
			t.Fatalf("%q was accepted", b)
		}
	})
}
