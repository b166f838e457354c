package hippocortex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"lukasa.dev/internal/canon"
)

// compareText returns where two JSON texts differ, ignoring the order of members but comparing
// numbers and strings as written. If more is set, objects of b may have additional members.
func compareText(a, b []byte, more bool) error {
	var da, db canon.Doc
	if f := da.Parse(a); f != nil {
		return &canon.Error{Flaws: f}
	}
	if f := db.Parse(b); f != nil {
		return &canon.Error{Flaws: f}
	}
	return compareNodes(&da, &db, da.Root(), db.Root(), more)
}

func compareNodes(da, db *canon.Doc, a, b canon.Node, more bool) error {
	ka, kb := da.Kind(a), db.Kind(b)
	if ka != kb {
		return fmt.Errorf("%s is %s, then %s", da.Pointer(a), da.Raw(a), db.Raw(b))
	}
	switch ka {
	case canon.Object:
		if !more && da.Len(a) != db.Len(b) {
			return fmt.Errorf("%s has %d members, then %d", da.Pointer(a), da.Len(a), db.Len(b))
		}
		for c := da.First(a); c != canon.None; c = da.Next(a, c) {
			other := db.Member(b, string(da.Key(c)))
			if other == canon.None {
				return fmt.Errorf("%s is gone", da.Pointer(c))
			}
			if err := compareNodes(da, db, c, other, more); err != nil {
				return err
			}
		}
	case canon.Array:
		if da.Len(a) != db.Len(b) {
			return fmt.Errorf("%s has %d items, then %d", da.Pointer(a), da.Len(a), db.Len(b))
		}
		cb := db.First(b)
		for ca := da.First(a); ca != canon.None; ca, cb = da.Next(a, ca), db.Next(b, cb) {
			if err := compareNodes(da, db, ca, cb, more); err != nil {
				return err
			}
		}
	default:
		if !bytes.Equal(da.Raw(a), db.Raw(b)) {
			return fmt.Errorf("%s is %s, then %s", da.Pointer(a), da.Raw(a), db.Raw(b))
		}
	}
	return nil
}

// failer is what testing.T, testing.F and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameText fails if the texts differ by more than order and white space.
func sameText(t failer, a, b []byte) {
	t.Helper()
	if err := compareText(a, b, false); err != nil {
		t.Fatalf("not the same: %v\n%s\n%s", err, a, b)
	}
}

// keepsMembers fails if b lacks anything of a.
func keepsMembers(t failer, a, b []byte) {
	t.Helper()
	if err := compareText(a, b, true); err != nil {
		t.Fatalf("not kept: %v\n%s\n%s", err, a, b)
	}
}

func indent(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	out.WriteByte('\n')
	return out.Bytes()
}

func TestComparisonSeesDifferences(t *testing.T) {
	for _, tc := range []struct {
		a, b       string
		same, kept bool
	}{
		{`{"a":1,"b":[{}]}`, `{"b":[{}],"a":1}`, true, true},
		{`{"a":1}`, `{"a":1,"b":2}`, false, true},
		{`{"a":1,"b":2}`, `{"a":1}`, false, false},
		{`{"a":1.0}`, `{"a":1}`, false, false},
		{`[1]`, `[1,2]`, false, false},
		{`{"a":null}`, `{"a":{}}`, false, false},
	} {
		if got := compareText([]byte(tc.a), []byte(tc.b), false) == nil; got != tc.same {
			t.Errorf("%s, %s: same is %v", tc.a, tc.b, got)
		}
		if got := compareText([]byte(tc.a), []byte(tc.b), true) == nil; got != tc.kept {
			t.Errorf("%s, %s: kept is %v", tc.a, tc.b, got)
		}
	}
}
