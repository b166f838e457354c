package graph

import (
	"bytes"
	"testing"

	"lukasa.dev/internal/index"
)

func rowsOfAllForms() []docRow {
	mentions := docRow{form: formMentions}
	mentions.add("name", "Ana")
	mentions.add("Firm", "Acme")
	entity := docRow{form: formEntity, from: index.DigestOf("e")}
	entity.add("person", "Ana")
	return []docRow{mentions, entity, {
		form: formRelation, from: index.DigestOf("a"), to: index.DigestOf("b"), weight: 0.25, since: always, until: 7, predicate: "knows",
	}}
}

// FuzzDecode: what decodes encodes to the same bytes, and everything else is refused.
func FuzzDecode(f *testing.F) {
	for _, row := range rowsOfAllForms() {
		v := row.encode(nil)
		f.Add(v)
		f.Add(v[:len(v)-1])
		f.Add(append(v, 0))
	}
	f.Add([]byte{})
	f.Add([]byte{layout, 'm', 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, v []byte) {
		var row docRow
		if row.decode(v) == nil && !bytes.Equal(row.encode(nil), v) {
			t.Errorf("%x is read as %+v", v, row)
		}
		if row.decodeEdge(v) == nil && !bytes.Equal(row.encodeEdge(nil), v) {
			t.Errorf("%x is read as %+v", v, row)
		}
		if n, err := decodeCount(v); err == nil && n == 0 {
			t.Errorf("%x is no count", v)
		}
	})
}

func TestCode(t *testing.T) {
	for _, row := range rowsOfAllForms() {
		v := row.encode(nil)
		var back docRow
		if err := back.decode(v); err != nil || !bytes.Equal(back.encode(nil), v) {
			t.Errorf("%+v: %v", row, err)
		}
		for i := range v {
			if back.decode(v[:i]) == nil {
				t.Errorf("%x is cut short", v[:i])
			}
		}
	}
}

func TestRarity(t *testing.T) {
	if rarity(3, 5) <= 0 || rarity(100, 1) <= rarity(100, 2) {
		t.Error("what is rare says no more")
	}
}
