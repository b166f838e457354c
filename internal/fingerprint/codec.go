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

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
)

// maxRead is the longest text that is read: white space may make it longer than what is
// written.
const maxRead = 4 * MaxBytes

// seal writes the hash.
func (f *Fingerprint) seal() error {
	sum, err := f.sum()
	if err != nil {
		return err
	}
	f.Hash = sum
	return nil
}

// sum returns the hash of all but the hash.
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

// Encode returns the fingerprint as canonical JSON, of less than MaxBytes. It refuses one
// that breaks the rules or whose hash is wrong.
func (f *Fingerprint) Encode() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := f.Verify(); err != nil {
		return nil, err
	}
	data, err := f.canonical()
	if err == nil && len(data) >= MaxBytes {
		return nil, fault.Newf(fault.TooLarge, "fingerprint: it has %d bytes", len(data)).WithFix("give one that Make or Merge made")
	}
	return data, err
}

// Verify reports whether the hash is that of the content.
func (f *Fingerprint) Verify() error {
	sum, err := f.sum()
	if err != nil {
		return err
	}
	if sum != f.Hash {
		return fault.Newf(fault.InvalidDocument, "fingerprint: /hash: it is %q, and that of the content is %s", cut(f.Hash), sum).
			WithFix("take the fingerprint as it was exported; somebody has changed it")
	}
	return nil
}

// Decode reads a fingerprint and applies every rule but that the hash is right, which
// Verify does.
func Decode(data []byte) (*Fingerprint, error) {
	if len(data) > maxRead {
		return nil, fault.Newf(fault.TooLarge, "fingerprint: it has %d bytes", len(data)).WithFix(fmt.Sprintf("give one of less than %d", MaxBytes))
	}
	var d canon.Doc
	if flaws := d.Parse(data); flaws != nil {
		err := &canon.Error{Flaws: slices.Clone(flaws)}
		return nil, fault.Newf(fault.InvalidDocument, "fingerprint: it is no strict JSON: %v", err).WithCause(err).WithFix("give the fingerprint as it was exported")
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
		return nil, fault.Newf(fault.TooLarge, "fingerprint: it has %d bytes", len(again)).WithFix(fmt.Sprintf("give one of less than %d", MaxBytes))
	}
	if !bytes.Equal(again, d.AppendCanonical(nil, d.Root())) {
		return nil, broken("", "a number has more digits than are kept")
	}
	return f, nil
}

// formatOf refuses another format before anything else is looked at.
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

// match compares a value with the type that it is read into: its kind, and of an object
// the names of its members, which must all be there and no others.
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

// cut returns a text short enough for a message.
func cut(v string) string {
	const most = 80
	if len(v) > most {
		v = v[:most]
	}
	return strings.ToValidUTF8(v, "\uFFFD")
}

// check applies the rules that types do not tell.
func (f *Fingerprint) check() error {
	b, p := &f.Behaviour, &f.Uses
	if f.Format != Format {
		return broken("/lukasa_fingerprint", "it is not 1")
	}
	if !hexadecimal(f.Hash, 64) {
		return broken("/hash", "it is no SHA-256 of 64 hexadecimal digits")
	}
	if b.Judged > b.Tasks || b.Succeeded > b.Judged || !counts(b.Tasks, b.Judged, b.Succeeded) {
		return broken("/behaviour", "its counts contradict each other")
	}
	section := func(u Use) bool { return slices.Contains(hmx.Sections(), hmx.Section(u.Name)) && u.good() }
	source := func(u Use) bool { return slices.Contains(hmx.SourceTypes(), hmx.SourceType(u.Name)) && u.good() }
	for _, err := range []error{
		checkList("/origins", f.Origins, MaxOrigins, Origin.good),
		checkList("/artifacts", f.Artifacts, MaxArtifacts, Artifact.good),
		checkList("/behaviour/tools", b.Tools, MaxTools, Tool.good),
		checkList("/behaviour/follows", b.Follows, MaxFollows, Follow.good),
		checkList("/behaviour/errors", b.Errors, MaxErrors, Error.good),
		checkList("/graph/kinds", f.Graph.Kinds, MaxKinds, Kind.good),
		checkList("/graph/pairs", f.Graph.Pairs, MaxPairs, Pair.good),
		checkList("/words", f.Words, MaxWords, Word.good),
		checkList("/priors/sections", p.Sections, len(hmx.Sections()), section),
		checkList("/priors/sources", p.Sources, len(hmx.SourceTypes()), source),
		checkList("/priors/tags", p.Tags, MaxTags, func(u Use) bool { return named(u.Name, maxName) && u.good() }),
		checkList("/priors/things", p.Things, MaxThings, func(u Use) bool { return identifier(u.Name) && u.good() }),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkList applies the rules of a list: its length, its order, no key twice, and each
// entry's own.
func checkList[T entry](at string, list []T, most int, good func(T) bool) error {
	if list == nil {
		return broken(at, "it is missing")
	}
	if len(list) > most {
		return broken(at, fmt.Sprintf("it has %d entries; %d are the most", len(list), most))
	}
	seen := make(map[string]bool, len(list))
	for i, e := range list {
		here := fmt.Sprintf("%s/%d", at, i)
		switch {
		case !good(e):
			return broken(here, "a name, a hash or a count of it breaks the rules")
		case seen[e.key()]:
			return broken(here, "it is about the same as one before it")
		case i > 0 && ordered(list[i-1], e) >= 0:
			return broken(here, "it is not in its place: most support first, then by name")
		}
		seen[e.key()] = true
	}
	return nil
}

// counts reports whether counts are in their bounds.
func counts(list ...int64) bool {
	for _, n := range list {
		if n < 0 || n > maxCount {
			return false
		}
	}
	return true
}

// hexadecimal reports whether a text is a hash of so many digits.
func hexadecimal(v string, digits int) bool {
	if len(v) != digits {
		return false
	}
	for i := range len(v) {
		if c := v[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func toolNamed(v string) bool {
	rest, ok := strings.CutPrefix(v, "tool:")
	return named(v, maxName) || ok && hexadecimal(rest, 32)
}

func (e Origin) good() bool {
	return hexadecimal(e.ID, 32) && (e.Root == "" || hexadecimal(e.Root, 64)) && whole(e.Size) == e.Size && whole(e.Events) == e.Events
}

func (e Artifact) good() bool {
	if e.Title != "" {
		for part := range strings.SplitSeq(e.Title, " > ") {
			if !toolNamed(part) {
				return false
			}
		}
	}
	known := slices.Contains(hmx.ArtifactTypes(), hmx.ArtifactType(e.Type)) || named(e.Type, maxType) && hmx.CustomType(e.Type)
	return identifier(e.ID) && known && e.Version >= 1 && whole(e.Version) == e.Version && (e.ContentHash == "" || hexadecimal(e.ContentHash, 64)) &&
		len(e.Title) <= maxTitle && share(e.Confidence) == e.Confidence && counts(e.Observed) && (e.SuccessRate == -1 || share(e.SuccessRate) == e.SuccessRate)
}

func (e Tool) good() bool {
	return toolNamed(e.Name) && counts(e.Taken, e.Went, e.Broke, e.Judged, e.Succeeded) && e.Taken > 0 && max(e.Went, e.Broke, e.Judged) <= e.Taken && e.Succeeded <= e.Judged
}

func (e Follow) good() bool {
	return (e.From == "" || toolNamed(e.From)) && toolNamed(e.To) && counts(e.Count) && e.Count > 0
}

func (e Error) good() bool {
	return hexadecimal(e.Signature, 32) && toolNamed(e.Tool) && counts(e.Count, e.Mended) && e.Count > 0 && e.Mended <= e.Count
}

func (e Kind) good() bool { return named(e.Name, maxName) && counts(e.Count) && e.Count > 0 }

func (e Pair) good() bool {
	return hexadecimal(e.A, 32) && hexadecimal(e.B, 32) && e.A < e.B && counts(e.Count) && e.Count > 0
}

func (e Word) good() bool {
	return common(e.Text) && counts(e.Tasks, e.Sessions) && e.Tasks >= MinWordTasks && e.Sessions >= MinWordSessions && e.Sessions <= e.Tasks
}

func (e Use) good() bool { return counts(e.Shown, e.Used) && e.Shown > 0 && e.Used <= e.Shown }
