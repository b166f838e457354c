package hmx

import (
	"bytes"
	"reflect"
	"testing"
)

// FuzzDecode checks the promises of the decoder on arbitrary text: no panic, the same answer
// twice, problems that explain themselves, and nothing lost of what is accepted.
func FuzzDecode(f *testing.F) {
	for _, k := range Kinds() {
		for _, s := range seedDocuments(f, k) {
			f.Add([]byte(s))
		}
	}
	f.Add([]byte("\xef\xbb\xbf{}"))
	f.Add([]byte(`{"event_id":NaN,"event_id":"\ud800","a":1e999}x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		quickAgrees(t, data)
		if e, warnings, err := DecodeEvent(data); err != nil {
			explained(t, err)
		} else {
			again, err := e.AppendJSON(nil)
			if err != nil || !sameJSON(again, bytes.TrimSpace(data)) {
				t.Fatalf("lost something: %v\n%s\n%s", err, data, again)
			}
			second, _, err := DecodeEvent(again)
			if err != nil || CompareEvents(e, second) != 0 || len(warnings) > 2 {
				t.Fatalf("%v %v", err, warnings)
			}
			e.Message()
			e.ToolResult()
		}
		if a, _, err := DecodeArtifact(data); err != nil {
			explained(t, err)
		} else if again, err := a.AppendJSON(nil); err != nil || !sameJSON(again, bytes.TrimSpace(data)) {
			t.Fatalf("lost something: %v\n%s\n%s", err, data, again)
		}
		if p, _, err := DecodePack(data); err != nil {
			explained(t, err)
		} else if again, err := p.AppendJSON(nil); err != nil || !sameJSON(again, bytes.TrimSpace(data)) {
			t.Fatalf("lost something: %v\n%s\n%s", err, data, again)
		}
	})
}

// FuzzQuickEvent edits valid events, so that the quick decoder gets texts that are nearly
// plain.
func FuzzQuickEvent(f *testing.F) {
	seeds := seedDocuments(f, KindEvent)
	for edit := range byte(12) {
		f.Add([]byte{edit, 3, 7, edit + 1, 200, 9, 5, 40, 2}, byte(' '), uint16(edit)*37)
	}
	f.Fuzz(func(t *testing.T, script []byte, put byte, at uint16) {
		data := mutate(seeds, script)
		quickAgrees(t, data)
		data[int(at)%len(data)] = put
		quickAgrees(t, data)
	})
}

// quickAgrees checks that what the quick decoder accepts, the general one accepts as well,
// without a warning and as the same event.
func quickAgrees(t *testing.T, data []byte) {
	d := borrow()
	defer d.giveBack()
	quick := d.quickEvent(data)
	// Earlier use of a decoder must not matter.
	if fresh := new(decoder).quickEvent(data); !reflect.DeepEqual(quick, fresh) {
		t.Fatalf("a used decoder reads %+v, a new one %+v", quick, fresh)
	}
	if quick == nil {
		return
	}
	general, warnings, err := d.generalEvent(data)
	if err != nil || warnings != nil {
		t.Fatalf("the quick decoder accepts what the general one does not: %v %v\n%s", warnings, err, data)
	}
	if !reflect.DeepEqual(quick, general) {
		t.Fatalf("the quick decoder reads another event:\n%+v\n%+v", quick, general)
	}
}

func explained(t *testing.T, err error) {
	invalid, ok := err.(*InvalidError)
	if !ok || len(invalid.Problems) == 0 || err.Error() == "" {
		t.Fatalf("%T %v", err, err)
	}
	last := 0
	for _, p := range invalid.Problems {
		if p.Rule == "" || p.Found == "" || p.Allowed == "" || p.Offset < last {
			t.Fatalf("%+v after offset %d", p, last)
		}
		last = p.Offset
	}
}
