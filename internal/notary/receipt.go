package notary

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// MaxReceipt is the longest receipt, signatures included, in bytes.
const MaxReceipt = 16 << 20

// Receipt says that payloads were erased. Its text is
//
//	origin
//	erasure
//	erased <kind> <id> <position>,<position>…
//	time <RFC 3339, UTC>
//	redaction <position>
//	size <size>
//	root <root, base64>
//
// with one line "erased" for each record id. The id is the digest in the
// records' headers, in hex. The second line distinguishes a receipt from a
// checkpoint, whose second line is a number.
type Receipt struct {
	Origin    string      // of the tenant's log; the notary sets it
	Erased    []Erased    // what was erased
	Time      time.Time   // when
	Redaction uint64      // position of the redaction in the log
	Size      uint64      // of the tree that the receipt is signed under; larger than Redaction
	Root      merkle.Hash // of that tree; the notary sets it
}

// Erased is one record id and the positions at which its payloads were erased.
type Erased struct {
	Kind      record.Kind
	ID        record.Hash
	Positions []uint64
}

// SignReceipt signs a receipt under the tree of r.Size records; 0 means the
// smallest tree that includes the redaction, so that a second call gives the
// same bytes. It fills in origin and root.
func (n *Notary) SignReceipt(tenant string, r Receipt, tree Tree) (Signed, error) {
	if r.Size == 0 {
		r.Size = r.Redaction + 1
	}
	r.Time = r.Time.UTC()
	r.Erased = slices.Clone(r.Erased)
	for i := range r.Erased {
		e := &r.Erased[i]
		e.Positions = slices.Clone(e.Positions)
		slices.Sort(e.Positions)
	}
	slices.SortFunc(r.Erased, compareErased)
	return n.sign(tenant, tree, r.Size, func(origin string, root merkle.Hash) ([]byte, error) {
		r.Origin, r.Root = origin, root
		text, err := r.Marshal()
		if err == nil && len(text) > MaxReceipt-1024 {
			return nil, fault.Newf(fault.TooLarge, "receipt: %d bytes leave no room for a signature within %d", len(text), MaxReceipt)
		}
		return text, err
	})
}

// compareErased orders by first position.
func compareErased(a, b Erased) int {
	switch {
	case len(a.Positions) == 0 || len(b.Positions) == 0:
		return len(a.Positions) - len(b.Positions)
	case a.Positions[0] < b.Positions[0]:
		return -1
	case a.Positions[0] > b.Positions[0]:
		return 1
	}
	return 0
}

// Tenant returns the tenant whose records were erased.
func (r *Receipt) Tenant() string {
	_, tenant, err := ParseOrigin(r.Origin)
	if err != nil {
		return ""
	}
	return tenant
}

// Marshal returns the text of the receipt, which is what a signature covers.
// Positions have to rise within a line, and first positions from line to line.
func (r *Receipt) Marshal() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fault.Newf(fault.InvalidArgument, "receipt: %w", err)
	}
	b := append([]byte(r.Origin), "\nerasure\n"...)
	for _, e := range r.Erased {
		b = append(append(append(b, "erased "...), e.Kind.String()...), ' ')
		b = append(hex.AppendEncode(b, e.ID[:]), ' ')
		for i, p := range e.Positions {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendUint(b, p, 10)
		}
		b = append(b, '\n')
	}
	b = r.Time.UTC().AppendFormat(append(b, "time "...), time.RFC3339Nano)
	b = strconv.AppendUint(append(b, "\nredaction "...), r.Redaction, 10)
	b = strconv.AppendUint(append(b, "\nsize "...), r.Size, 10)
	b = base64.StdEncoding.AppendEncode(append(b, "\nroot "...), r.Root[:])
	return append(b, '\n'), nil
}

// check returns what is wrong with a receipt.
func (r *Receipt) check() error {
	if _, _, err := ParseOrigin(r.Origin); err != nil {
		return err
	}
	if len(r.Erased) == 0 {
		return errors.New("nothing was erased")
	}
	if r.Size > merkle.MaxSize || r.Redaction >= r.Size {
		return fmt.Errorf("the redaction at %d is not within the first %d records", r.Redaction, r.Size)
	}
	if y := r.Time.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("the year %d cannot be written", y)
	}
	var all []uint64
	for i, e := range r.Erased {
		if !e.Kind.Known() {
			return fmt.Errorf("there is no kind %d", uint8(e.Kind))
		}
		if len(e.Positions) == 0 {
			return fmt.Errorf("no position of %s %x is given", e.Kind, e.ID)
		}
		if i > 0 && compareErased(r.Erased[i-1], e) >= 0 {
			return errors.New("what was erased is not in the order of first positions")
		}
		for k, p := range e.Positions {
			if k > 0 && e.Positions[k-1] >= p {
				return fmt.Errorf("the positions of %s %x do not rise", e.Kind, e.ID)
			}
			if p >= r.Redaction {
				return fmt.Errorf("position %d is not before the redaction at %d", p, r.Redaction)
			}
		}
		all = append(all, e.Positions...)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != len(all) {
		return errors.New("a position is there twice")
	}
	return nil
}

func parseReceipt(text []byte) (r Receipt, err error) {
	if len(text) > MaxReceipt {
		return r, fmt.Errorf("%d bytes are more than %d", len(text), MaxReceipt)
	}
	rest, number := string(text), 0
	next := func(word string) (value string, err error) {
		number++
		line, after, whole := strings.Cut(rest, "\n")
		value, ok := strings.CutPrefix(line, word)
		if !whole || !ok {
			return "", fmt.Errorf("line %d: it should begin with %q", number, word)
		}
		rest = after
		return value, nil
	}
	if r.Origin, err = next(""); err != nil {
		return r, err
	}
	if what, err := next("erasure"); err != nil || what != "" {
		return r, errors.New("line 2: it should be \"erasure\"")
	}
	for strings.HasPrefix(rest, "erased ") {
		line, err := next("erased ")
		if err != nil {
			return r, err
		}
		e, err := parseErased(line)
		if err != nil {
			return r, fmt.Errorf("line %d: %w", number, err)
		}
		r.Erased = append(r.Erased, e)
	}
	when, err := next("time ")
	if err != nil {
		return r, err
	}
	if r.Time, err = time.Parse(time.RFC3339Nano, when); err != nil || r.Time.UTC().Format(time.RFC3339Nano) != when {
		return r, fmt.Errorf("line %d: %q is not a time of RFC 3339 in UTC", number, clip(when))
	}
	r.Time = r.Time.UTC()
	for _, field := range []struct {
		word string
		to   *uint64
	}{{"redaction ", &r.Redaction}, {"size ", &r.Size}} {
		value, err := next(field.word)
		if err != nil {
			return r, err
		}
		if *field.to, err = merkle.ParseSize(value); err != nil {
			return r, fmt.Errorf("line %d: %w", number, err)
		}
	}
	root, err := next("root ")
	if err != nil {
		return r, err
	}
	if r.Root, err = merkle.ParseHash64(root); err != nil {
		return r, fmt.Errorf("line %d: %w", number, err)
	}
	if rest != "" {
		return r, fmt.Errorf("line %d: there should be no such line", number+1)
	}
	return r, r.check()
}

// parseErased parses what follows the word "erased".
func parseErased(line string) (e Erased, err error) {
	name, rest, _ := strings.Cut(line, " ")
	id, positions, _ := strings.Cut(rest, " ")
	kind, ok := record.ParseKind(name)
	if !ok {
		return e, fmt.Errorf("there is no kind of record %q", clip(name))
	}
	e.Kind = kind
	if e.ID, err = parseHex(id); err != nil {
		return e, err
	}
	for more := true; more; {
		var p string
		p, positions, more = strings.Cut(positions, ",")
		v, err := merkle.ParseSize(p)
		if err != nil {
			return e, err
		}
		e.Positions = append(e.Positions, v)
	}
	return e, nil
}

// parseHex reads a hash in lower-case hex.
func parseHex(s string) (h merkle.Hash, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) || strings.ToLower(s) != s {
		return h, fmt.Errorf("%q is not a hash of %d bytes in lower-case hex", clip(s), len(h))
	}
	copy(h[:], b)
	return h, nil
}

// VerifyReceipt returns the receipt in a signed note, if the key verifies it.
// The key is that of the log or of its directory. Failures are [fault.NotProven]
// and name the step.
func VerifyReceipt(signed []byte, vkey string) (Receipt, error) {
	// The origin determines which log's key is needed; the signature then covers
	// it.
	origin, _, _ := strings.Cut(string(signed[:min(len(signed), merkle.MaxNote)]), "\n")
	v, err := verifierFor(vkey, origin)
	if err != nil {
		return Receipt{}, notProven("key", err)
	}
	text, err := merkle.OpenNote(signed, v, MaxReceipt)
	if err != nil {
		return Receipt{}, notProven("signature", err)
	}
	r, err := parseReceipt(text)
	if err != nil {
		return Receipt{}, notProven("receipt", err)
	}
	if r.Origin != v.Name() {
		return Receipt{}, notProven("origin", fmt.Errorf("the receipt is of %q, and the key of %q", clip(r.Origin), clip(v.Name())))
	}
	return r, nil
}

// notProven names the step at which a proof fails.
func notProven(step string, err error) error {
	return fault.Newf(fault.NotProven, "not proven, the %s fails: %w", step, err)
}
