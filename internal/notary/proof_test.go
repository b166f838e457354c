package notary

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// board is a log of records of one tenant, with all proofs about it.
type board struct {
	notary  *Notary
	tenant  string
	headers [][]byte
	bodies  [][]byte
	leaves  []merkle.Hash
	grove   *grove
}

// newBoard returns a log of n records.
func newBoard(t testing.TB, tenant string, n int) *board {
	t.Helper()
	b := &board{notary: open(t, optionsOn(disk.NewMem(), 1)), tenant: tenant, grove: newGrove("", 0)}
	for i := range n {
		body := fmt.Appendf(bytes.Repeat([]byte{byte(i)}, record.SaltSize), `{"text":"record %d"}`, i)
		h := record.Header{
			Kind: record.Event, Trust: record.User, Time: int64(1_700_000_000_000_000_000 + i),
			ID: record.ID(tenant, record.Event, fmt.Sprint(i)), Commitment: record.Commit(body),
			Position: uint64(i), Tenant: tenant, Actor: "tester",
		}
		b.headers = append(b.headers, h.Append(nil))
		b.bodies = append(b.bodies, body)
		b.leaves = append(b.leaves, merkle.LeafHash(b.headers[i]))
		b.grove.grow(string(b.headers[i]))
	}
	return b
}

// Node computes a node from the leaves.
func (b *board) Node(level uint, index uint64) (merkle.Hash, error) {
	if level == 0 {
		return b.leaves[index], nil
	}
	l, _ := b.Node(level-1, 2*index)
	r, _ := b.Node(level-1, 2*index+1)
	return merkle.NodeHash(&l, &r), nil
}

// prove returns the proof of a record, and a checkpoint.
func (b *board) prove(t testing.TB, position, size uint64) (*Proof, []byte) {
	t.Helper()
	path, err := merkle.Inclusion(b, position, size)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.notary.SignAt(b.tenant, b.grove.at(uint64(len(b.leaves))), size)
	if err != nil {
		t.Fatal(err)
	}
	body := b.bodies[position]
	return &Proof{
		Tenant: b.tenant, Position: position, Header: b.headers[position],
		Salt: body[:record.SaltSize], Payload: body[record.SaltSize:],
		LeafHash: b.leaves[position], Size: size, Root: b.grove.trees[size].Root(), Path: path,
	}, s.Note
}

func TestProofs(t *testing.T) {
	b := newBoard(t, "acme/Zürich", 21)
	for size := uint64(1); size <= 21; size++ {
		for position := range size {
			p, note := b.prove(t, position, size)
			for _, key := range []string{b.notary.VerifierKey(b.tenant), b.notary.DirectoryKey() + "\n"} {
				v, err := VerifyProof(p, note, key)
				if err != nil || !v.Payload || v.Header.Position != position || v.Checkpoint.Size != size {
					t.Fatalf("%d in %d: %+v, %v", position, size, v, err)
				}
			}
			// Erased or withheld: the header is still proved.
			p.Salt, p.Payload, p.Checkpoint = nil, nil, string(note)
			if v, err := VerifyProof(p, nil, b.notary.VerifierKey(b.tenant)); err != nil || v.Payload {
				t.Fatalf("%d in %d: %+v, %v", position, size, v, err)
			}
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			back, err := ParseProof(data)
			if err != nil || fmt.Sprintf("%#v", back) != fmt.Sprintf("%#v", *p) && len(p.Path) > 0 {
				t.Fatalf("%#v, %v, want %#v", back, err, *p)
			}
		}
	}
}

func TestConsistencyProofs(t *testing.T) {
	testsize.OneGoroutine(t)
	b := newBoard(t, "acme", 21)
	key := b.notary.VerifierKey("acme")
	for to := uint64(0); to <= 21; to++ {
		for from := uint64(0); from <= to; from++ {
			path, err := merkle.Consistency(b, from, to)
			if err != nil {
				t.Fatal(err)
			}
			p := &ConsistencyProof{Tenant: "acme", From: from, To: to, FromRoot: b.grove.trees[from].Root(), ToRoot: b.grove.trees[to].Root(), Path: path}
			whole := b.grove.at(21)
			earlier, err := b.notary.SignAt("acme", whole, from)
			if err != nil {
				t.Fatal(err)
			}
			later, err := b.notary.SignAt("acme", whole, to)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := VerifyConsistency(p, earlier.Note, later.Note, key); err != nil || v.From.Origin == "" || v.To.Size != to {
				t.Fatalf("%d to %d: %+v, %v", from, to, v, err)
			}
			if v, err := VerifyConsistency(p, nil, later.Note, key); err != nil || v.From.Origin != "" || v.From.Size != from {
				t.Fatalf("%d to %d: %+v, %v", from, to, v, err)
			}
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			back, err := ParseConsistencyProof(data)
			if err != nil || back.From != from || back.To != to || !slices.Equal(back.Path, path) {
				t.Fatalf("%+v, %v", back, err)
			}
			if from < to {
				_, err = VerifyConsistency(p, later.Note, earlier.Note, key)
				wants(t, err, fault.NotProven, "later tree", "size")
				bad := *p
				bad.FromRoot[0] ^= 1
				_, err = VerifyConsistency(&bad, nil, later.Note, key)
				wants(t, err, fault.NotProven, "path")
			}
			_, err = VerifyConsistency(p, nil, nil, key)
			wants(t, err, fault.NotProven)
		}
	}
}

// TestStepsAreNamed: each failure of a proof names its step.
func TestStepsAreNamed(t *testing.T) {
	b := newBoard(t, "acme", 9)
	other := newBoard(t, "other", 9)
	_, otherNote := other.prove(t, 3, 9)
	_, olderNote := b.prove(t, 3, 8)
	stranger := optionsOn(disk.NewMem(), 77)
	strange := open(t, stranger)
	elsewhere := optionsOn(disk.NewMem(), 1)
	elsewhere.DirectoryID = "elsewhere"
	for name, c := range map[string]struct {
		change func(p *Proof, note *[]byte, key *string)
		words  string
	}{
		"header":          {func(p *Proof, _ *[]byte, _ *string) { p.Header = p.Header[1:] }, "the header fails"},
		"no header":       {func(p *Proof, _ *[]byte, _ *string) { p.Header = nil }, "the header fails"},
		"tenant":          {func(p *Proof, _ *[]byte, _ *string) { p.Tenant = "other" }, "the tenant fails"},
		"position":        {func(p *Proof, _ *[]byte, _ *string) { p.Position++ }, "the position fails"},
		"leaf":            {func(p *Proof, _ *[]byte, _ *string) { p.LeafHash[9] ^= 1 }, "the leaf hash fails"},
		"size":            {func(p *Proof, _ *[]byte, _ *string) { p.Size++ }, "the size fails"},
		"root":            {func(p *Proof, _ *[]byte, _ *string) { p.Root[0] ^= 1 }, "the root fails"},
		"path":            {func(p *Proof, _ *[]byte, _ *string) { p.Path[1][0] ^= 1 }, "the path fails"},
		"huge path":       {func(p *Proof, _ *[]byte, _ *string) { p.Path = make([]merkle.Hash, 1<<20) }, "the path fails"},
		"no checkpoint":   {func(_ *Proof, n *[]byte, _ *string) { *n = nil }, "the checkpoint fails"},
		"other log":       {func(_ *Proof, n *[]byte, _ *string) { *n = otherNote }, "the key fails"},
		"older tree":      {func(_ *Proof, n *[]byte, _ *string) { *n = olderNote }, "the size fails"},
		"bad signature":   {func(_ *Proof, n *[]byte, _ *string) { (*n)[len(*n)-9] ^= 1 }, "the checkpoint's signature fails"},
		"huge checkpoint": {func(_ *Proof, n *[]byte, _ *string) { *n = append(*n, make([]byte, 1<<20)...) }, "the checkpoint's signature fails"},
		"not UTF-8":       {func(_ *Proof, n *[]byte, _ *string) { *n = append(*n, 0xff) }, "the checkpoint's signature fails"},
		"other key":       {func(_ *Proof, _ *[]byte, k *string) { *k = strange.VerifierKey("acme") }, "the checkpoint's signature fails"},
		"other name":      {func(_ *Proof, _ *[]byte, k *string) { *k = open(t, elsewhere).VerifierKey("acme") }, "the key fails"},
		"other directory": {func(_ *Proof, _ *[]byte, k *string) { *k = open(t, elsewhere).DirectoryKey() }, "the key fails"},
		"no key":          {func(_ *Proof, _ *[]byte, k *string) { *k = "" }, "the key fails"},
		"signer's key":    {func(_ *Proof, _ *[]byte, k *string) { *k = "PRIVATE+KEY+" + *k }, "the key fails"},
		"payload":         {func(p *Proof, _ *[]byte, _ *string) { p.Payload = append(p.Payload, 'x') }, "the commitment fails"},
		"salt":            {func(p *Proof, _ *[]byte, _ *string) { p.Salt = p.Salt[1:] }, "the commitment fails"},
		"no salt":         {func(p *Proof, _ *[]byte, _ *string) { p.Salt = nil }, "the commitment fails"},
		"no payload":      {func(p *Proof, _ *[]byte, _ *string) { p.Payload = nil }, "the commitment fails"},
		"second note":     {func(p *Proof, _ *[]byte, _ *string) { p.Checkpoint = string(olderNote) }, "the size fails"},
	} {
		t.Run(name, func(t *testing.T) {
			p, note := b.prove(t, 3, 9)
			key := b.notary.VerifierKey("acme")
			c.change(p, &note, &key)
			_, err := VerifyProof(p, note, key)
			wants(t, err, fault.NotProven, c.words)
		})
	}
}

// TestADirectoryKeyDoesNotMixTenants: the directory's key verifies every tenant,
// but each only for its own records.
func TestADirectoryKeyDoesNotMixTenants(t *testing.T) {
	b := newBoard(t, "acme", 5)
	p, _ := b.prove(t, 2, 5)
	s, err := b.notary.Sign("other", b.grove.at(5))
	if err != nil {
		t.Fatal(err)
	}
	_, err = VerifyProof(p, s.Note, b.notary.DirectoryKey())
	wants(t, err, fault.NotProven, "the checkpoint's origin fails")
}

// TestEveryChangeFails changes one byte of the document, the checkpoint or the
// key. A proof that still holds gives the same verdict.
func TestEveryChangeFails(t *testing.T) {
	testsize.OneGoroutine(t)
	b := newBoard(t, "acme", 13)
	p, note := b.prove(t, 6, 13)
	p.Checkpoint = string(note)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	key := b.notary.VerifierKey("acme")
	for i := range data {
		for x := 1; x < 256; x <<= 1 {
			bad := bytes.Clone(data)
			bad[i] ^= byte(x)
			got, err := ParseProof(bad)
			if err != nil {
				continue
			}
			if _, err := VerifyProof(&got, nil, key); err == nil {
				t.Fatalf("byte %d, %q, was changed to %q in …%s…", i, data[i], bad[i], data[max(0, i-20):min(len(data), i+20)])
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k := []byte(key)
		k[rapid.IntRange(0, len(k)-1).Draw(t, "at")] ^= rapid.ByteRange(1, 255).Draw(t, "bits")
		if string(bytes.TrimSpace(k)) == key {
			return
		}
		if _, err := VerifyProof(p, nil, string(k)); err == nil {
			t.Fatalf("the key %q was accepted", k)
		}
	})
}

func TestParseProofRefuses(t *testing.T) {
	b := newBoard(t, "acme", 5)
	p, note := b.prove(t, 2, 5)
	p.Checkpoint = string(note)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	swap := func(old, to string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in the proof", old)
		}
		return strings.Replace(good, old, to, 1)
	}
	for name, bad := range map[string]string{
		"nothing":              "",
		"no object":            "[]",
		"null":                 "null",
		"an empty object":      "{}",
		"two objects":          good + good,
		"an unknown member":    swap(`{`, `{"more":1,`),
		"a member twice":       swap(`{`, `{"tenant":"acme",`),
		"an escaped twin":      swap(`{`, `{"\u0074enant":"acme",`),
		"a name in capitals":   swap(`"tenant"`, `"Tenant"`),
		"a missing member":     swap(`"size":5,`, ``),
		"a null member":        swap(`"size":5`, `"size":null`),
		"a number as text":     swap(`"size":5`, `"size":"5"`),
		"a fraction":           swap(`"size":5`, `"size":5.0`),
		"an exponent":          swap(`"size":5`, `"size":5e0`),
		"a negative number":    swap(`"size":5`, `"size":-5`),
		"2^63":                 swap(`"size":5`, `"size":9223372036854775808`),
		"2^64":                 swap(`"size":5`, `"size":18446744073709551616`),
		"beyond doubles":       swap(`"size":5`, `"size":1e999`),
		"text as a number":     swap(`"tenant":"acme"`, `"tenant":7`),
		"a path as text":       swap(`"path":[`, `"path":"",`),
		"a number in the path": swap(`"path":[`, `"path":[1,`),
		"a long path":          swap(`"path":[`, `"path":[`+strings.Repeat(`"`+strings.Repeat("0", 64)+`",`, 65)),
		"a short hash":         swap(`"root":"`, `"root":"00`),
		"capitals in hex":      swap(`"header":"01`, `"header":"AB01`),
		"half a byte":          swap(`"header":"01`, `"header":"1`),
		"bad base64":           swap(`"payload":"`, `"payload":"=`),
		"a line end in base64": swap(`"payload":"`, `"payload":"\n`),
		"an empty checkpoint":  swap(`"checkpoint":"lukasa`, `"checkpoint":"","x":"`),
		"not UTF-8":            swap(`acme`, "ac\xffme"),
		"a lone surrogate":     swap(`acme`, `\ud800`),
		"a byte order mark":    "\ufeff" + good,
		"deep":                 strings.Repeat("[", 1<<20),
		"wide":                 `{"path":[` + strings.Repeat(`0,`, 1<<20) + `0]}`,
		"many members":         `{` + strings.Repeat(`"a":0,`, 1<<20) + `"b":0}`,
	} {
		_, err := ParseProof([]byte(bad))
		if fault.CodeOf(err) != fault.InvalidDocument || len(err.Error()) > 600 {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = ParseProof(make([]byte, 100<<20))
	wants(t, err, fault.TooLarge, "bytes are more than")
	if _, err := ParseProof([]byte(" " + strings.ReplaceAll(good, ",", " ,\n") + "\n")); err != nil {
		t.Errorf("with white space: %v", err)
	}
	if _, err := json.Marshal(&Proof{Tenant: "\xff"}); err == nil {
		t.Error("a tenant that JSON cannot carry was written")
	}
}

// TestGolden compares the documents with examples, and docs/formats/proof.md
// with the same examples.
func TestGolden(t *testing.T) {
	b := newBoard(t, "acme", 5)
	p, note := b.prove(t, 2, 5)
	doc, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	_, receipt := signReceipt(t)
	manual, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats", "proof.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{
		"proof.json": append(doc, '\n'), "checkpoint.txt": note, "receipt.txt": receipt,
		"key.txt": []byte(b.notary.VerifierKey("acme") + "\n"),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		if !bytes.Contains(manual, append([]byte("```\n"), append(want, "```"...)...)) && !bytes.Contains(manual, append([]byte("```json\n"), append(want, "```"...)...)) {
			t.Errorf("docs/formats/proof.md does not show %s as it is", name)
		}
	}
}

func FuzzParseProof(f *testing.F) {
	b := newBoard(f, "acme", 5)
	p, note := b.prove(f, 2, 5)
	key := b.notary.VerifierKey("acme")
	for range 2 {
		data, err := json.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		p.Checkpoint = string(note)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ParseProof(data)
		if err != nil {
			return
		}
		text, err := got.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseProof(text)
		if err != nil || fmt.Sprintf("%#v", again) != fmt.Sprintf("%#v", got) {
			t.Fatalf("%s: %v", text, err)
		}
		if v, err := VerifyProof(&got, note, key); err == nil && v.Header.Tenant != "acme" {
			t.Fatal("another tenant's record was proved")
		}
	})
}

func FuzzParseConsistencyProof(f *testing.F) {
	data, err := json.Marshal(&ConsistencyProof{Tenant: "acme", From: 1, To: 3, Path: make([]merkle.Hash, 2)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ParseConsistencyProof(data)
		if err != nil {
			return
		}
		text, err := got.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParseConsistencyProof(text); err != nil || fmt.Sprintf("%#v", again) != fmt.Sprintf("%#v", got) {
			t.Fatalf("%s: %v", text, err)
		}
	})
}
