package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// artifact returns an artifact of HMX-A.
func artifact(t testing.TB, tenant, id, text string) *memory.Artifact {
	t.Helper()
	data, err := os.ReadFile("../../examples/artifact.json")
	if err != nil {
		t.Fatal(err)
	}
	body, err := memory.Decode(record.Artifact, data)
	if err != nil {
		t.Fatal(err)
	}
	a := body.(*memory.Artifact)
	a.HMX.ArtifactID, a.HMX.TenantID, a.HMX.Status = id, hmx.Opt[string]{Value: tenant, Set: true}, "draft"
	a.HMX.Summary = text
	return a
}

// exported makes a tenant with records of every kind and returns its export.
func exported(t *testing.T) (*engine.Board, []byte) {
	t.Helper()
	b := openWith(t, "data", small(disk.NewMem()))
	odd := []string{"plain", "line\nbreak", "tab\tand \"quotes\" and \\", "zero\x00byte", "\u2028 and \u2029", "<html>&amp;", "日本語 🙂", strings.Repeat("long ", 500)}
	for i, text := range odd {
		must(t)(b.AppendEvents(ctx, user, []*hmx.Event{
			eventWith(t, "acme", fmt.Sprint("e", i), "s", int64(i), text, `,"tags" : [ "a" ,  "b" ], "embeddings" : [ 1.0 , 2e3, 1.10 ]`),
		}))
		must(t)(b.Put(ctx, engine.Writer{Actor: "agent <" + fmt.Sprint(i) + ">", Trust: record.Agent}, "acme", fact(fmt.Sprint("m", i), "", text), engine.AnyVersion()))
	}
	must(t)(b.Put(ctx, user, "acme", fact("m1", "", "a second version"), engine.AnyVersion()))
	must(t)(b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: "m2"}, "for \"no\" reason", engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Entity{ID: "ent", Name: "Somebody", Type: "person"}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", &memory.Edge{
		ID: "edge", From: memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m0"}, To: memory.URI{Tenant: "acme", Kind: record.Event, ID: "e0"}, EdgeKind: memory.EdgeDerivedFrom,
	}, engine.AnyVersion()))
	must(t)(b.Put(ctx, user, "acme", artifact(t, "acme", "art", "kept"), engine.AnyVersion()))
	must(t)(b.Transition(ctx, user, engine.Ref{Tenant: "acme", ID: "art"}, "active", "", "it is time", engine.AnyVersion()))
	must(t)(b.Redact(ctx, user, []memory.URI{{Tenant: "acme", Kind: record.Event, ID: "e3"}, {Tenant: "acme", Kind: record.Memory, ID: "m1"}}))
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "after", 100, "after the erasure")}))
	var out bytes.Buffer
	must(t)(b.Export(ctx, "acme", &out, nil))
	return b, out.Bytes()
}

// onlyReader hides that a reader can seek.
type onlyReader struct{ io.Reader }

// TestTransfer exports, imports elsewhere and compares.
func TestTransfer(t *testing.T) {
	b, data := exported(t)
	want, err := b.Root(ctx, "acme")
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]io.Reader{"a file": bytes.NewReader(data), "a pipe": onlyReader{bytes.NewReader(data)}} {
		t.Run(name, func(t *testing.T) {
			fs := disk.NewMem()
			c := openWith(t, "data", small(fs))
			must(t)(c.AppendEvents(ctx, user, []*hmx.Event{event(t, "first", "e", 1, "a tenant with another number")}))
			rep, err := c.Import(ctx, src, nil)
			if err != nil || rep.Root != want || rep.Imported != want.Size {
				t.Fatalf("%+v %v", rep, err)
			}
			var again bytes.Buffer
			must(t)(c.Export(ctx, "acme", &again, nil))
			_, a, _ := bytes.Cut(data, []byte("\n"))
			_, b2, _ := bytes.Cut(again.Bytes(), []byte("\n"))
			if !bytes.Equal(a, b2) {
				t.Fatal("the export of the import is another one")
			}
			x, _ := ask(b)
			y, _ := ask(c)
			for q := range x {
				if strings.HasPrefix(q, "acme") && !strings.HasSuffix(q, "export") && x[q] != y[q] {
					t.Fatalf("%s: %s\nnot\n%s", q, y[q], x[q])
				}
			}
			if res, err := c.AppendEvents(ctx, user, []*hmx.Event{eventWith(t, "acme", "e3", "s", 3, "zero\x00byte", "")}); err != nil || res.Receipts[0].Fault == nil || res.Receipts[0].Fault.Code != fault.Erased {
				t.Fatalf("%+v %v", res, err)
			}
			if rep, err := c.Import(ctx, bytes.NewReader(data), nil); err != nil || rep.Present != want.Size || rep.Imported != 0 {
				t.Fatalf("a second time: %+v %v", rep, err)
			}
			if err := c.Rebuild(ctx, nil); err != nil {
				t.Fatal(err)
			}
			sound(t, c)
			if path, _, _ := grep(fs, "data", "zero"); path != "" && strings.Contains(path, "spool") {
				t.Fatalf("%s was left behind", path)
			}
		})
	}
}

// TestDamagedExports drops, swaps, repeats, cuts and flips, one place at a time.
// Each is refused, and nothing of it is served.
func TestDamagedExports(t *testing.T) {
	_, data := exported(t)
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	c := openWith(t, "data", small(disk.NewMem()))
	refused := func(what string, bad []byte) {
		t.Helper()
		_, err := c.Import(ctx, bytes.NewReader(bad), nil)
		switch code := fault.CodeOf(err); {
		case err == nil:
			t.Errorf("%s: it was taken", what)
		case code == fault.Internal:
			t.Errorf("%s: %v", what, err)
		}
		if n, err := c.CountTenants(ctx); err != nil || n != 0 {
			t.Fatalf("%s: it left something behind: %d tenants, %v", what, n, err)
		}
	}
	join := func(parts ...[][]byte) []byte {
		var all []byte
		for _, p := range parts {
			all = append(all, bytes.Join(p, nil)...)
		}
		return all
	}
	for i := range lines {
		refused(fmt.Sprintf("line %d dropped", i+1), join(lines[:i], lines[i+1:]))
		refused(fmt.Sprintf("line %d twice", i+1), join(lines[:i+1], lines[i:]))
		if i > 0 {
			swapped := append([][]byte{}, lines...)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			refused(fmt.Sprintf("lines %d and %d swapped", i, i+1), join(swapped))
			refused(fmt.Sprintf("cut behind line %d", i), join(lines[:i]))
		}
	}
	rng := rand.New(rand.NewPCG(testsize.Seed(t, 1), 5))
	for range testsize.Of(t, "export-flips", 20, 100, 20000) {
		bad := bytes.Clone(data)
		at, bit := rng.IntN(len(bad)), rng.IntN(8)
		bad[at] ^= 1 << bit
		if harmless(data, bad, at) {
			continue
		}
		refused(fmt.Sprintf("bit %d of byte %d (%q)", bit, at, data[max(0, at-20):min(len(data), at+20)]), bad)
	}
	if rep, err := c.Import(ctx, bytes.NewReader(data), nil); err != nil {
		t.Fatalf("the whole one: %+v %v", rep, err)
	}
	sound(t, c)
}

// harmless reports whether a change keeps the meaning of the export: the
// directory it came from is only informative, and JSON has more than one
// spelling of a value.
func harmless(data, bad []byte, at int) bool {
	from := bytes.Index(data, []byte(`,"directory":"`))
	end := bytes.IndexByte(data, '\n')
	if at >= from && at <= end {
		return true
	}
	return data[at]^bad[at] == 0x20 && (isHex(data[at]) || isName(data, at))
}

func isHex(c byte) bool { return c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// isName reports whether a place is within the name of a field.
func isName(data []byte, at int) bool {
	end := bytes.IndexByte(data[at:], '"')
	return end >= 0 && at+end+1 < len(data) && data[at+end+1] == ':'
}

// cutReader fails after some bytes.
type cutReader struct {
	r    io.Reader
	left int
}

var errCut = errors.New("the line went dead")

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errCut
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// TestImportGoesOn imports after an interrupted import: by its source, and by a
// crash between two groups.
func TestImportGoesOn(t *testing.T) {
	testsize.Long(t, "it imports thousands of records")
	b := openWith(t, "data", small(disk.NewMem()))
	var evs []*hmx.Event
	for i := range 5000 {
		evs = append(evs, event(t, "acme", fmt.Sprint("e", i), int64(i), "said"))
	}
	must(t)(b.AppendEvents(ctx, user, evs))
	var out bytes.Buffer
	want, err := b.Export(ctx, "acme", &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	mem := disktest.NewCrashable()
	c := openWith(t, "data", small(mem))
	_, err = c.Import(ctx, &cutReader{bytes.NewReader(out.Bytes()), out.Len() / 2}, nil)
	if fault.CodeOf(err) != fault.UnreadableInput || !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	var crashed *disk.Mem
	_, err = c.Import(ctx, bytes.NewReader(out.Bytes()), func(done, _ uint64) {
		if done > 2500 && crashed == nil {
			crashed = mem.CrashClone(disktest.CrashConfig{})
		}
	})
	if err != nil || crashed == nil {
		t.Fatal(err)
	}
	d := openWith(t, "data", small(crashed))
	part, err := d.Root(ctx, "acme")
	if err != nil || part.Size == 0 || part.Size >= want.Size {
		t.Fatalf("%+v %v", part, err)
	}
	rep, err := d.Import(ctx, onlyReader{bytes.NewReader(out.Bytes())}, nil)
	if err != nil || rep.Root != want || rep.Present != part.Size || rep.Imported != want.Size-part.Size {
		t.Fatalf("%+v %v", rep, err)
	}
	sound(t, d)
	must(t)(d.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "mine", 9999, "of its own")}))
	if _, err := d.Import(ctx, bytes.NewReader(out.Bytes()), nil); err != nil {
		t.Fatalf("an export that is a beginning of what is there: %v", err)
	}
	other := openWith(t, "data", small(disk.NewMem()))
	must(t)(other.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "mine", 1, "of its own")}))
	if _, err := other.Import(ctx, bytes.NewReader(out.Bytes()), nil); fault.CodeOf(err) != fault.IDConflict {
		t.Fatal(err)
	}
	sound(t, other)
}
