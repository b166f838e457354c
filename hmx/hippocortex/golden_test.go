package hippocortex

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lukasa.dev/hmx"
)

var update = flag.Bool("update", false, "rewrite golden files")

// documents returns the HMX documents under testdata by file name: every example of the three
// specifications, and one of each kind that shadows everything possible.
func documents(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	out := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(p)] = data
	}
	return out
}

func formOf(name string) Form {
	kind, _, _ := strings.Cut(name, "-")
	return Form(kind)
}

func TestDocumentsInTheOlderForm(t *testing.T) {
	for name, data := range documents(t) {
		t.Run(name, func(t *testing.T) {
			form := formOf(name)
			older := roundTrip(t, form, data)
			// An envelope takes precedence: options change nothing.
			back, _, err := Convert(form.Counterpart(), form, older, generous())
			if err != nil {
				t.Fatal(err)
			}
			sameText(t, data, back)
			got := indent(t, older)
			path := filepath.Join("testdata", "golden", name)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s differs; run with -update if this is meant:\n%s", path, diff)
			}
			for _, text := range []struct {
				data []byte
				form Form
			}{{data, form}, {older, form.Counterpart()}} {
				if f, ok := DetectForm(text.data); f != text.form || !ok {
					t.Errorf("detected as %q, %v; want %q", f, ok, text.form)
				}
			}
		})
	}
}

// roundTrip converts data, a valid HMX document, to the older form and back, as text and as Go
// values, and returns the older form.
func roundTrip(t failer, form Form, data []byte) []byte {
	t.Helper()
	older, _, err := Convert(form, form.Counterpart(), data, nil)
	if err != nil {
		t.Fatalf("to %s: %v\n%s", form.Counterpart(), err, data)
	}
	back, _, err := Convert(form.Counterpart(), form, older, nil)
	if err != nil {
		t.Fatalf("from %s: %v\n%s", form.Counterpart(), err, older)
	}
	sameText(t, data, back)
	again, _, err := Convert(form.Counterpart(), form.Counterpart(), older, nil)
	if err != nil {
		t.Fatalf("again: %v", err)
	}
	sameText(t, older, again)
	valueTrip(t, form.Kind(), data)
	return older
}

// valueTrip is roundTrip by way of Event, Artifact or Pack.
func valueTrip(t failer, kind hmx.Kind, data []byte) {
	t.Helper()
	var older []byte
	var before, after document
	var err, errBack error
	switch kind {
	case hmx.KindEvent:
		e, _, _ := hmx.DecodeEvent(data)
		older, err = EncodeEpisodeTrace(e)
		before = e
		after, _, errBack = DecodeEpisodeTrace(older, nil)
	case hmx.KindArtifact:
		a, _, _ := hmx.DecodeArtifact(data)
		older, err = EncodeCompiledArtifact(a)
		before = a
		after, _, errBack = DecodeCompiledArtifact(older, nil)
	case hmx.KindPack:
		p, _, _ := hmx.DecodePack(data)
		older, err = EncodeContextPack(p)
		before = p
		after, _, errBack = DecodeContextPack(older, nil)
	}
	if err != nil || errBack != nil {
		t.Fatalf("by value: %v, %v\n%s", err, errBack, data)
	}
	if a, b := canonical(t, before), canonical(t, after); !bytes.Equal(a, b) {
		t.Fatalf("canonical forms differ:\n%s\n%s", a, b)
	}
	if a, err := hmx.Canonicalize(data); err != nil || !bytes.Equal(a, canonical(t, after)) {
		t.Fatalf("canonical form differs from the text's: %v\n%s\n%s", err, a, canonical(t, after))
	}
}

func canonical(t failer, v document) []byte {
	t.Helper()
	data, err := v.AppendJSON(nil)
	if err == nil {
		data, err = hmx.Canonicalize(data)
	}
	if err != nil {
		t.Fatalf("canonical: %v", err)
	}
	return data
}
