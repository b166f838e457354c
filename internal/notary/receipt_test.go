package notary

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// anErasure returns a receipt for two records, in no particular order.
func anErasure() Receipt {
	return Receipt{
		Erased: []Erased{
			{Kind: record.Event, ID: record.ID("acme", record.Event, "e1"), Positions: []uint64{5}},
			{Kind: record.Memory, ID: record.ID("acme", record.Memory, "m1"), Positions: []uint64{9, 2, 11}},
		},
		Time:      time.Date(2026, 1, 2, 4, 4, 5, 600, time.FixedZone("", 3600)),
		Redaction: 12,
	}
}

func signReceipt(t testing.TB) (n *Notary, signed []byte) {
	t.Helper()
	n = open(t, optionsOn(disk.NewMem(), 1))
	s, err := n.SignReceipt("acme", anErasure(), newGrove("a", 20).at(20))
	if err != nil {
		t.Fatal(err)
	}
	return n, s.Note
}

func TestReceipt(t *testing.T) {
	n, signed := signReceipt(t)
	root := newGrove("a", 13).at(13).Root
	want := fmt.Sprintf(`lukasa.dev/%s/acme
erasure
erased memory %x 2,9,11
erased event %x 5
time 2026-01-02T03:04:05.0000006Z
redaction 12
size 13
root %s

— lukasa.dev/%s/acme `, directory, record.ID("acme", record.Memory, "m1"), record.ID("acme", record.Event, "e1"), base64Of(root), directory)
	if !strings.HasPrefix(string(signed), want) {
		t.Errorf("got\n%s\nwant\n%s", signed, want)
	}
	for _, key := range []string{n.VerifierKey("acme"), n.DirectoryKey()} {
		r, err := VerifyReceipt(signed, key)
		if err != nil {
			t.Fatal(err)
		}
		if r.Tenant() != "acme" || r.Redaction != 12 || r.Size != 13 || r.Root != root || len(r.Erased) != 2 ||
			!r.Time.Equal(anErasure().Time) || r.Erased[0].Kind != record.Memory {
			t.Errorf("%+v", r)
		}
	}
	_, err := VerifyReceipt(signed, n.VerifierKey("other"))
	wants(t, err, fault.NotProven, "key")

	// A receipt is no checkpoint, and a checkpoint is no receipt.
	v, _ := merkle.NewVerifier(n.VerifierKey("acme"))
	if _, err := merkle.OpenCheckpoint(signed, v); err == nil {
		t.Error("a receipt passed for a checkpoint")
	}
	note := mustSign(t, n, "acme", newGrove("a", 20).at(20))
	_, err = VerifyReceipt(note, n.VerifierKey("acme"))
	wants(t, err, fault.NotProven, "receipt", "line 2")

	// A receipt is guarded like a checkpoint.
	_, err = n.SignReceipt("acme", anErasure(), newGrove("b", 30).at(30))
	wants(t, err, fault.RolledBack)
	_, err = n.SignReceipt("acme", anErasure(), newGrove("a", 13).at(13))
	wants(t, err, fault.RolledBack)
}

func base64Of(h merkle.Hash) string {
	c := merkle.Checkpoint{Origin: "o", Root: h}
	text, _ := c.Marshal()
	return strings.Split(string(text), "\n")[2]
}

func TestReceiptThatCannotBe(t *testing.T) {
	n := open(t, optionsOn(disk.NewMem(), 1))
	tree := newGrove("a", 20).at(20)
	for name, change := range map[string]func(*Receipt){
		"nothing erased":          func(r *Receipt) { r.Erased = nil },
		"no position":             func(r *Receipt) { r.Erased[0].Positions = nil },
		"a position twice":        func(r *Receipt) { r.Erased[1].Positions = []uint64{2, 2} },
		"a position in two lines": func(r *Receipt) { r.Erased[1].Positions = []uint64{2, 5} },
		"erased afterwards":       func(r *Receipt) { r.Erased[0].Positions = []uint64{12} },
		"an unknown kind":         func(r *Receipt) { r.Erased[0].Kind = 99 },
		"outside of the tree":     func(r *Receipt) { r.Size = 12 },
		"beyond the tree":         func(r *Receipt) { r.Redaction = 25 },
		"beyond all numbers":      func(r *Receipt) { r.Redaction = 1<<64 - 1 },
		"a year of five digits":   func(r *Receipt) { r.Time = time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		r := anErasure()
		change(&r)
		if s, err := n.SignReceipt("acme", r, tree); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %s, %v", name, s.Note, err)
		}
	}
	r := anErasure()
	if _, err := n.SignReceipt("acme", r, tree); err != nil || r.Erased[1].Positions[0] != 9 {
		t.Errorf("the caller's receipt was changed, %v", err)
	}
}

func TestParseReceiptRefuses(t *testing.T) {
	n, signed := signReceipt(t)
	text, _, _ := strings.Cut(string(signed), "\n\n")
	text += "\n"
	if _, err := ParseReceipt([]byte(text)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text, "\n")
	for name, bad := range map[string]string{
		"nothing":            "",
		"no last newline":    strings.TrimSuffix(text, "\n"),
		"a line more":        text + "more\n",
		"lines swapped":      lines[0] + lines[1] + lines[3] + lines[2] + strings.Join(lines[4:], ""),
		"a line less":        lines[0] + lines[1] + strings.Join(lines[4:], ""),
		"a local time":       strings.Replace(text, "03:04:05.0000006Z", "04:04:05.0000006+01:00", 1),
		"a padded time":      strings.Replace(text, "0000006Z", "000000600Z", 1),
		"a comma in time":    strings.Replace(text, "05.0", "05,0", 1),
		"capitals in hex":    strings.Replace(text, lines[2], strings.ToUpper(lines[2][:80])+lines[2][80:], 1),
		"a padded position":  strings.Replace(text, "2,9,11", "2,09,11", 1),
		"falling positions":  strings.Replace(text, "2,9,11", "2,11,9", 1),
		"an empty position":  strings.Replace(text, "2,9,11", "2,,11", 1),
		"two spaces":         strings.Replace(text, "erased memory", "erased  memory", 1),
		"a carriage return":  strings.ReplaceAll(text, "\n", "\r\n"),
		"another word":       strings.Replace(text, "\nerasure\n", "\nErasure\n", 1),
		"a number for it":    strings.Replace(text, "\nerasure\n", "\n13\n", 1),
		"a foreign origin":   "example.com/x\n" + strings.Join(lines[1:], ""),
		"an enormous number": strings.Replace(text, "size 13", "size 18446744073709551615", 1),
		"far too much":       lines[0] + lines[1] + strings.Repeat(lines[2], 200_000),
	} {
		_, err := ParseReceipt([]byte(bad))
		if fault.CodeOf(err) != fault.InvalidDocument || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := VerifyReceipt(append(signed, make([]byte, MaxReceipt)...), n.VerifierKey("acme"))
	wants(t, err, fault.NotProven, "bytes")
}

// TestEveryByteOfAReceipt: no byte of a signed receipt can be changed.
func TestEveryByteOfAReceipt(t *testing.T) {
	testsize.OneGoroutine(t)
	n, signed := signReceipt(t)
	key := n.VerifierKey("acme")
	for i := range signed {
		for _, x := range []byte{1, 4, 32, 128} {
			bad := bytes.Clone(signed)
			bad[i] ^= x
			for _, k := range []string{key, n.DirectoryKey()} {
				if _, err := VerifyReceipt(bad, k); fault.CodeOf(err) != fault.NotProven {
					t.Fatalf("byte %d, %q, was changed to %q: %v", i, signed[i], bad[i], err)
				}
			}
		}
	}
}

func FuzzParseReceipt(f *testing.F) {
	_, signed := signReceipt(f)
	text, _, _ := strings.Cut(string(signed), "\n\n")
	f.Add([]byte(text + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseReceipt(text)
		if err != nil {
			return
		}
		if again, err := r.Marshal(); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%q is written back as %q, %v", text, again, err)
		}
	})
}
