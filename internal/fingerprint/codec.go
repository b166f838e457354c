package fingerprint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
)

// MaxRead is the maximum size of the input, in bytes: white space may make it longer than the
// encoding.
const MaxRead = 4 * MaxBytes

// seal sets the hash.
func (f *Fingerprint) seal() error {
	sum, err := f.sum()
	if err != nil {
		return err
	}
	f.Hash = sum
	return nil
}

// sum returns the hash of everything except the hash.
func (f *Fingerprint) sum() (string, error) {
	bare := *f
	bare.Hash = ""
	data, err := bare.canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// canonical returns the fingerprint in the form of RFC 8785.
func (f *Fingerprint) canonical() ([]byte, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("fingerprint: %w", err)
	}
	return canon.Append(nil, data)
}

// Encode returns the fingerprint as canonical JSON of less than MaxBytes. It refuses one that
// breaks the rules or has a wrong hash.
func (f *Fingerprint) Encode() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := f.Verify(); err != nil {
		return nil, err
	}
	data, err := f.canonical()
	if err == nil && len(data) >= MaxBytes {
		return nil, tooLarge(len(data))
	}
	return data, err
}

// Verify returns an error unless the hash matches the content.
func (f *Fingerprint) Verify() error {
	sum, err := f.sum()
	if err != nil {
		return err
	}
	if sum != f.Hash {
		return fault.Newf(fault.InvalidDocument, "fingerprint: /hash: it is %q, and that of the content is %s", cut(f.Hash), sum).
			WithFix("use the fingerprint as it was exported; it was changed since")
	}
	return nil
}

// Check refuses a document that is no fingerprint, or whose hash is wrong.
func Check(document []byte) error {
	f, err := Decode(document)
	if err != nil {
		return err
	}
	return f.Verify()
}

// Decode decodes a fingerprint and applies every rule except that the hash is right, which
// Verify checks.
func Decode(data []byte) (*Fingerprint, error) {
	if len(data) > MaxRead {
		return nil, tooLarge(len(data))
	}
	var d canon.Doc
	if flaws := d.Parse(data); flaws != nil {
		err := &canon.Error{Flaws: slices.Clone(flaws)}
		return nil, fault.Newf(fault.InvalidDocument, "fingerprint: it is %v", err).WithCause(err).WithFix("give the fingerprint as it was exported")
	}
	if err := formatOf(&d); err != nil {
		return nil, err
	}
	if err := match(&d, d.Root(), reflect.TypeFor[Fingerprint](), ""); err != nil {
		return nil, err
	}
	f := &Fingerprint{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, broken("", "it is no such document: "+err.Error())
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	again, err := f.canonical()
	if err != nil {
		return nil, err
	}
	if len(again) >= MaxBytes {
		return nil, tooLarge(len(again))
	}
	if !bytes.Equal(again, d.AppendCanonical(nil, d.Root())) {
		return nil, broken("", "a number has more digits than are kept")
	}
	return f, nil
}

func tooLarge(bytes int) error {
	return fault.Newf(fault.TooLarge, "fingerprint: it has %d bytes of JSON, and one has less than %d", bytes, MaxBytes).WithFix("give the fingerprint as it was exported")
}

// formatOf refuses another format before anything else is checked.
func formatOf(d *canon.Doc) error {
	if d.Kind(d.Root()) != canon.Object {
		return broken("", "it is no object")
	}
	n := d.Member(d.Root(), "lukasa_fingerprint")
	if n == canon.None {
		return broken("/lukasa_fingerprint", "it is missing")
	}
	if d.Kind(n) != canon.Number {
		return broken("/lukasa_fingerprint", "it is no number")
	}
	if v, ok := d.Int(n); !ok || v != Format {
		return fault.Newf(fault.NewerFormat, "fingerprint: format %s is not %d", cut(string(d.Raw(n))), Format).WithFix("read it with the version of lukasa that wrote it, or a newer one")
	}
	return nil
}

// match compares a value with the type it is decoded into: its kind, and for an object the
// names of its members, which must be exactly those of the type.
func match(d *canon.Doc, n canon.Node, t reflect.Type, at string) error {
	kind := d.Kind(n)
	switch t.Kind() {
	case reflect.String:
		if kind != canon.String {
			return broken(at, "it is no string")
		}
	case reflect.Int, reflect.Int64:
		if kind != canon.Number || !d.Integral(n) || !d.InRange(n, 0, 1<<53) {
			return broken(at, "it is no whole number from 0 to 2^53")
		}
	case reflect.Float64:
		if kind != canon.Number {
			return broken(at, "it is no number")
		}
	case reflect.Slice:
		if kind != canon.Array {
			return broken(at, "it is no array")
		}
		i := 0
		for c := d.First(n); c != canon.None; c = d.Next(n, c) {
			if err := match(d, c, t.Elem(), fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
			i++
		}
	case reflect.Struct:
		return matchObject(d, n, t, at)
	}
	return nil
}

func matchObject(d *canon.Doc, n canon.Node, t reflect.Type, at string) error {
	if d.Kind(n) != canon.Object {
		return broken(at, "it is no object")
	}
	known := map[string]bool{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known[name] = true
		c := d.Member(n, name)
		if c == canon.None {
			return broken(at+"/"+name, "it is missing")
		}
		if err := match(d, c, field.Type, at+"/"+name); err != nil {
			return err
		}
	}
	for c := d.First(n); c != canon.None; c = d.Next(n, c) {
		if name := string(d.Key(c)); !known[name] {
			return broken(at+"/"+cut(name), "there is no such member")
		}
	}
	return nil
}

func broken(at, what string) error {
	if at == "" {
		at = "/"
	}
	return fault.Newf(fault.InvalidDocument, "fingerprint: %s: %s", at, what).WithFix("give the fingerprint as it was exported")
}

// cut shortens a text for a message.
func cut(v string) string {
	const most = 80
	if len(v) > most {
		v = v[:most]
	}
	return strings.ToValidUTF8(v, "\uFFFD")
}
