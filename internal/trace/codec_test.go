package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"path/filepath"
	"reflect"
	"testing"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/testsize"
	"lukasa.dev/internal/trace/provenance"
	"lukasa.dev/internal/trace/shapes"
)

// sealed returns an encoding with a checksum that fits.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(bytes.Clone(b), crc32.Checksum(b, castagnoli))
}

// sampleTraces are traces with something in every field.
func sampleTraces(t testing.TB) []*Trace {
	var all []*Trace
	for _, name := range []string{"session", "parcels"} {
		for _, events := range sessionsOf(t, filepath.Join("..", "..", "examples", name+".ndjson")) {
			all = append(all, traceOf(t, events))
		}
	}
	at := Ref{ID: "e-1", Position: 1 << 60, Time: -62167219200000}
	return append(all, &Trace{}, &Trace{Tasks: []Task{{}}}, &Trace{Tasks: []Task{{Steps: []Step{{}}}}}, &Trace{
		Session: "s", Part: 2, End: Mark{-1, 1 << 60, 1<<64 - 1}, Agent: "a", Events: 3, Abroad: []Verdict{{Target: "x", Outcome: Failed, Judge: at}, {}},
		Tasks: []Task{{
			Goal: "a goal", Words: []string{"goal"}, From: at, To: Ref{ID: "z"}, Steps: []Step{
				{}, {Call: at}, {Result: at}, {Call: at, Result: at, Tool: "t", Shape: "x=<id>", Error: "goal", Said: []string{"one", "two"}, Asked: 1, Times: 9, Cost: 1 << 50, Known: true,
					State: Broken, Got: GotList, Open: provenance.MaxOpen, Left: 3, Trust: 5, Args: []Arg{{Name: "x", Tool: "t", Slot: shapes.SlotObject, From: provenance.FromWorld, Back: 255}}},
				{Call: at, Result: Ref{ID: "e-2"}},
			},
			Choices: []Choice{{Ref: at, Step: -1, Question: "q", Chosen: "c", Reason: "r", Others: []string{"", "o"}}, {Step: 4}},
			Dropped: 7, Said: []string{"goal"}, Asked: 1, Open: 2, Left: 1, Trust: 4, Outcome: Succeeded, By: ByFeedback, Judge: at,
		}},
	})
}

func TestCodec(t *testing.T) {
	want := sampleTraces(t)
	for n := range len(want) + 1 {
		b := Append([]byte("before"), want[:n])[len("before"):]
		var shared Strings
		got, err := Decode(b, &shared)
		if err != nil {
			t.Fatalf("%d traces: %v", n, err)
		}
		if n > 0 && !reflect.DeepEqual(got, want[:n]) {
			t.Fatalf("%d traces come back otherwise", n)
		}
		if again := Append(nil, got); !bytes.Equal(again, b) {
			t.Fatalf("%d traces are encoded otherwise again", n)
		}
	}
}

// TestCodecRefuses holds that no damaged encoding is read: every one cut short, with a
// byte changed or added, and with a checksum that fits, those that are not canonical.
func TestCodecRefuses(t *testing.T) {
	testsize.OneGoroutine(t)
	b := Append(nil, sampleTraces(t))
	for i := range b {
		if _, err := Decode(b[:i], nil); err == nil {
			t.Fatalf("it is read when cut at %d", i)
		}
		c := bytes.Clone(b)
		c[i] ^= 1
		if _, err := Decode(c, nil); err == nil {
			t.Fatalf("it is read with byte %d changed", i)
		}
	}
	body := b[:len(b)-4]
	for i := range body {
		for _, change := range []byte{1, 2, 0x80, 0xFF} {
			c := bytes.Clone(body)
			c[i] ^= change
			refusedOrCanonical(t, sealed(c))
		}
		refusedOrCanonical(t, sealed(body[:i]))
	}
	for name, c := range map[string][]byte{
		"something after the end": append(bytes.Clone(body), 0),
		"a text nobody uses":      {Format, Version, 1, 1, 'x', 0},
		"a text twice":            {Format, Version, 2, 1, 'x', 1, 'x', 0},
		"an empty text":           {Format, Version, 1, 0, 0},
		"a padded number":         {Format, 0x80 | Version, 0, 0, 0},
		"more traces than bytes":  {Format, Version, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F},
	} {
		if _, err := Decode(sealed(c), nil); !errors.Is(err, fault.Damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string][]byte{"another format": {Format + 1, Version, 0, 0}, "another version": {Format, Version + 1, 0, 0}} {
		if _, err := Decode(sealed(c), nil); !errors.Is(err, fault.NewerFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// refusedOrCanonical fails if an encoding is read that Append would write otherwise.
func refusedOrCanonical(t testing.TB, b []byte) {
	t.Helper()
	got, err := Decode(b, nil)
	if err != nil {
		return
	}
	if again := Append(nil, got); !bytes.Equal(again, b) {
		t.Fatalf("%x is read, and written as %x", b, again)
	}
}

func FuzzDecode(f *testing.F) {
	for _, tr := range sampleTraces(f) {
		b := Append(nil, []*Trace{tr})
		f.Add(b[:len(b)-4])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		refusedOrCanonical(t, b)
		refusedOrCanonical(t, sealed(b))
	})
}

func TestStrings(t *testing.T) {
	var s Strings
	a, b := s.take([]byte("same")), s.take([]byte("same"))
	if a != "same" || b != a || s.take(nil) != "" {
		t.Error("a text is not what it was")
	}
	long := bytes.Repeat([]byte("x"), maxShare+1)
	if s.take(long) != string(long) || len(s.known) != 1 {
		t.Errorf("%d texts are kept", len(s.known))
	}
}
