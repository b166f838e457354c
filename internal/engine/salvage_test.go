package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// wreck is an intact directory with a tenant that has records of every kind, to be
// damaged in copies, and what is known of it.
type wreck struct {
	fs     *disk.Mem
	lines  []string // of the tenant's export, by position, without the head
	frames []frameAt
}

// frameAt is the place of a record.
type frameAt struct {
	segment    string
	from, body int64 // offsets in the segment: of the frame, and of the check of its body
	end, to    int64 // behind its body, and behind the padding that is no part of what is read
	erased     bool
}

func newWreck(t *testing.T) *wreck {
	t.Helper()
	a := newEmbeddingBoard(t)
	a.fill()
	a.embed(6, 0, 0)
	var evs []*hmx.Event
	for i := range 70 {
		noise := ""
		if i%7 == 3 {
			noise = `,"tags":["noise"]`
		}
		evs = append(evs, eventWith(t, "acme", fmt.Sprintf("s%d", i), fmt.Sprintf("session-%d", i%3), int64(i), strings.Repeat(fmt.Sprintf("event %d. ", i), 8), noise))
	}
	a.append(user, evs[:40]...)
	for i := range 12 {
		a.Move(time.Second)
		m := fact(fmt.Sprintf("k%d", i), fmt.Sprintf("keys/%d", i), fmt.Sprintf("What number %d says.", i))
		if i%4 == 1 {
			m.TTLSeconds = 100
		}
		a.put(user, m)
		if i%3 == 0 {
			again := *m
			again.Text = "Now it says something else: " + m.Text
			a.put(user, &again)
		}
	}
	forget := func(id string) {
		must(t)(a.b.Forget(ctx, user, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: id}, "no longer", engine.AnyVersion()))
	}
	forget("k3")
	a.put(user, fact("heir", "keys/3", "What has the key of another."))
	a.put(user, fact("k3", "", "It is back, and has no key."))
	a.put(operator, retain("old", memory.RetainErase, memory.Scope{Tags: []string{"noise"}}, record.Event))
	must(t)(a.b.Put(ctx, user, "acme", artifact(t, "acme", "art", "kept"), engine.AnyVersion()))
	for _, to := range []hmx.Status{"active", "archived"} {
		must(t)(a.b.Transition(ctx, user, engine.Ref{Tenant: "acme", ID: "art"}, to, "", "it is time", engine.AnyVersion()))
	}
	must(t)(a.b.Redact(ctx, user, []memory.URI{a.uri(record.Event, "s9"), a.uri(record.Memory, "k6"), a.uri(record.Memory, "m1")}))
	a.Move(200 * time.Second)
	if got, err := a.b.Expire(ctx, operator, "acme", a.Now()); err != nil || got.Things == 0 || got.Events == 0 {
		t.Fatalf("expired %+v: %v", got, err)
	}
	a.append(user, evs[40:]...)
	must(t)(a.b.Put(ctx, user, "other", fact("m", "", "Somebody else's."), engine.AnyVersion()))
	a.put(user, fact("last", "", "The last word."))
	must(t)(soundness(a.b))
	var out bytes.Buffer
	must(t)(a.b.Export(ctx, "acme", &out, nil))
	if err := a.b.Close(); err != nil {
		t.Fatal(err)
	}
	w := &wreck{fs: a.fs, lines: strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")[1:]}
	w.lines[len(w.lines)-1] += "\n"
	w.locate(t)
	return w
}

// locate finds the places of the tenant's records.
func (w *wreck) locate(t *testing.T) {
	t.Helper()
	log, err := journal.Open(journal.Options{FS: w.fs, Dir: "data/journal", ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	scan := log.Scan(0)
	defer scan.Close()
	var f journal.Frame
	for {
		err := scan.Next(&f)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		h, err := record.ParseHeader(f.Header)
		if err != nil {
			t.Fatal(err)
		}
		if h.Tenant != "acme" {
			continue
		}
		for _, s := range log.Segments() {
			if s.Base <= f.LSN && f.LSN < s.End {
				from := int64(f.LSN - s.Base)
				// docs/formats/journal.md: 20 bytes, the header, the check of the body.
				body := from + 20 + int64(len(f.Header))
				w.frames = append(w.frames, frameAt{s.Name, from, body, body + 4 + int64(len(f.Body)), int64(f.Next - s.Base), f.Erased})
			}
		}
	}
	if len(w.frames) != len(w.lines) {
		t.Fatalf("%d frames, %d lines", len(w.frames), len(w.lines))
	}
}

// lost returns the positions that are unreadable after a file was cut to a length
// or, for length -1, one byte of it was changed.
func (w *wreck) lost(segment string, at, length int64) (list []uint64) {
	for i, f := range w.frames {
		if f.segment != segment {
			continue
		}
		hit := at >= f.from && at < f.end && !(f.erased && at >= f.body)
		if length >= 0 {
			hit = f.to > length
		}
		if hit {
			list = append(list, uint64(i))
		}
	}
	return list
}

// segments returns the names of the tenant's segments.
func (w *wreck) segments() (names []string) {
	for _, f := range w.frames {
		if !slices.Contains(names, f.segment) {
			names = append(names, f.segment)
		}
	}
	return names
}

// salvaged salvages the tenant of a directory.
func salvaged(fs disk.FS) (*engine.Salvaged, string, error) {
	s, err := engine.OpenSalvage(fs, "data")
	if err != nil {
		return nil, "", err
	}
	defer s.Close()
	var out bytes.Buffer
	r, err := s.Write(ctx, "acme", &out, nil)
	return r, out.String(), err
}

// TestSalvage damages a journal at many places. The result is the export of the
// intact one without the damaged records, and can be imported elsewhere.
func TestSalvage(t *testing.T) {
	w := newWreck(t)
	seed := testsize.Seed(t, 1)
	rng := rand.New(rand.NewPCG(seed, 9))
	names := w.segments()
	if len(names) < 3 {
		t.Fatalf("segments %q", names)
	}
	for n := range testsize.Of(t, "flips", 4, 40, 2000) {
		hurt := copyFiles(t, w.fs, "data")
		var want []uint64
		var what []string
		bare := rng.IntN(2) == 0
		for range 1 + rng.IntN(4) {
			// In one of its records, head or body. The record of an erasure may be
			// hit as well, and then only the index knows of it.
			f := w.frames[rng.IntN(len(w.frames))]
			if bare && f.erased {
				continue
			}
			at := f.from + rng.Int64N(f.to-f.from)
			name := "data/journal/" + f.segment
			data, err := disk.ReadFile(hurt, name)
			if err != nil {
				t.Fatal(err)
			}
			data[at] ^= 1 << rng.IntN(8)
			put(t, hurt, name, data)
			want = append(want, w.lost(f.segment, at, -1)...)
			what = append(what, fmt.Sprintf("%s at %d", f.segment, at))
		}
		slices.Sort(want)
		want = slices.Compact(want)
		if bare {
			what = append(what, "no index")
			if err := hurt.RemoveAll("data/index"); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.judge(t, hurt, want); err != nil {
			t.Fatalf("seed %d, %d: %q: %v", seed, n, what, err)
		}
	}
}

// judge salvages a damaged directory and imports the salvage elsewhere.
func (w *wreck) judge(t *testing.T, hurt disk.FS, lost []uint64) error {
	before := fingerprints(t, hurt)
	r, text, err := salvaged(hurt)
	if err != nil {
		return err
	}
	if after := fingerprints(t, hurt); after != before {
		return fmt.Errorf("the damaged directory was changed")
	}
	head, rest, _ := strings.Cut(text, "\n")
	var want strings.Builder
	for i, line := range w.lines {
		if !slices.Contains(lost, uint64(i)) {
			want.WriteString(line)
		}
	}
	if rest != want.String() {
		return fmt.Errorf("it is not what is left of the export without %v:\n%s", lost, head)
	}
	var told []uint64
	for _, l := range r.Lost {
		for p := l.From; p <= l.To; p++ {
			told = append(told, p)
		}
		if l.Why == "" || l.Segment == "" {
			return fmt.Errorf("it is not told why %d is lost: %+v", l.From, l)
		}
	}
	if r.Whole() != (len(lost) == 0) || r.Records != uint64(len(w.lines)-len(lost)) || r.LostRecords != uint64(len(told)) {
		return fmt.Errorf("lost %v, told %v: %+v", lost, told, r)
	}
	// Without an index nothing shows how many records followed the last.
	for end := uint64(len(w.lines)); r.Behind != "" && len(lost) > len(told) && lost[len(lost)-1] == end-1; end-- {
		lost = lost[:len(lost)-1]
	}
	if !slices.Equal(told, lost) {
		return fmt.Errorf("lost %v, told %v: %+v", lost, told, r)
	}
	return bringIn(t, text, len(told))
}

// fingerprints returns every file of a directory with its content.
func fingerprints(t *testing.T, fs disk.FS) string {
	t.Helper()
	all, err := files(fs, "data")
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	for _, name := range all {
		data, err := disk.ReadFile(fs, name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "%s %x\n", name, data)
	}
	return s.String()
}

// bringIn imports a salvage into a new directory, checks its content and soundness,
// and imports it again, which changes nothing.
func bringIn(t *testing.T, text string, lost int) error {
	o := small(disk.NewMem())
	b, err := engine.Open(ctx, "new", o)
	if err != nil {
		return err
	}
	defer b.Close()
	r, err := b.Import(ctx, strings.NewReader(text), nil)
	if err != nil {
		return err
	}
	if r.Salvage == nil || r.Salvage.Lost != uint64(lost) || uint64(len(r.Salvage.Reasons)) != r.Salvage.LeftOut {
		return fmt.Errorf("imported %+v", r)
	}
	if lost == 0 && r.Salvage.LeftOut+r.Salvage.Rewrote > 0 {
		return fmt.Errorf("nothing is lost, but %+v", r.Salvage)
	}
	if _, err := soundness(b); err != nil {
		return err
	}
	if err := readable(b, text); err != nil {
		return fmt.Errorf("%w; left out %+v", err, r.Salvage.Reasons)
	}
	again, err := b.Import(ctx, strings.NewReader(text), nil)
	if err != nil || again.Imported != 0 || again.Present != r.Imported || again.Root != r.Root {
		return fmt.Errorf("again: %+v, %v", again, err)
	}
	return nil
}

// readable checks that a board has the events and the last versions of memories in
// a salvage.
func readable(b *engine.Board, text string) error {
	type spoken struct{ ID, Text, Kind string }
	last := map[string]string{}
	over := map[uint64]bool{}
	where := map[string]uint64{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		var l struct {
			Position uint64
			Kind     string
			Erased   bool
			Payload  json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return err
		}
		switch {
		case l.Erased:
		case l.Kind == "event":
			var ev struct {
				ID string `json:"event_id"`
			}
			if err := json.Unmarshal(l.Payload, &ev); err != nil {
				return err
			}
			got, err := b.Event(ctx, "acme", ev.ID, engine.View{})
			if err != nil {
				return fmt.Errorf("event %s: %w", ev.ID, err)
			}
			if js, err := got.Event.AppendJSON(nil); err != nil || string(js) != string(l.Payload) {
				return fmt.Errorf("event %s is %s, not %s: %v", ev.ID, js, l.Payload, err)
			}
		case l.Kind == "memory" || l.Kind == "tombstone":
			var m spoken
			if err := json.Unmarshal(l.Payload, &m); err != nil {
				return err
			}
			if l.Kind == "tombstone" {
				m.Text = ""
			}
			last[m.ID], where[m.ID] = m.Text, l.Position
		case l.Kind == "expiry":
			var x struct{ Targets []struct{ Position uint64 } }
			if err := json.Unmarshal(l.Payload, &x); err != nil {
				return err
			}
			for _, t := range x.Targets {
				over[t.Position] = true
			}
		}
	}
	for id, text := range last {
		thing, err := b.Get(ctx, engine.Ref{Tenant: "acme", Kind: record.Memory, ID: id}, engine.View{})
		switch {
		case text == "" || over[where[id]]:
			if err == nil && thing.State == "live" {
				return fmt.Errorf("memory %s is live, but is over", id)
			}
		case err != nil:
			return fmt.Errorf("memory %s: %w", id, err)
		case thing.Body.(*memory.Memory).Text != text:
			return fmt.Errorf("memory %s says %q, not %q", id, thing.Body.(*memory.Memory).Text, text)
		}
	}
	return nil
}

// TestSalvageCut removes and truncates segments, and destroys the files around the
// journal.
func TestSalvageCut(t *testing.T) {
	w := newWreck(t)
	names := w.segments()
	whole := func(int) int64 { return 0 }
	for name, c := range map[string]struct {
		segment int // from the end if negative
		keep    func(size int) int64
		gone    bool
	}{
		"the first is missing":        {0, whole, true},
		"one in the middle":           {1, whole, true},
		"the last is missing":         {-1, whole, true},
		"the first is cut":            {0, func(n int) int64 { return int64(n / 2) }, false},
		"one in the middle is cut":    {1, func(n int) int64 { return int64(n / 3) }, false},
		"the last is cut":             {-1, func(n int) int64 { return 5000 }, false},
		"one in the middle is empty":  {1, whole, false},
		"only its trailer is missing": {1, func(n int) int64 { return int64(n - 64) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			hurt := copyFiles(t, w.fs, "data")
			segment := names[(c.segment+len(names))%len(names)]
			path := "data/journal/" + segment
			data, err := disk.ReadFile(hurt, path)
			if err != nil {
				t.Fatal(err)
			}
			keep := c.keep(len(data))
			if c.gone {
				err = hurt.Remove(path)
			} else {
				put(t, hurt, path, data[:keep])
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.judge(t, hurt, w.lost(segment, 0, keep)); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Run("all but the journal", func(t *testing.T) {
		hurt := copyFiles(t, w.fs, "data")
		for _, name := range []string{"data/index", "data/keys", "data/LUKASA", "data/LOCK"} {
			if err := hurt.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.judge(t, hurt, nil); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("the last without an index to ask", func(t *testing.T) {
		hurt := copyFiles(t, w.fs, "data")
		put(t, hurt, "data/journal/"+names[len(names)-1], nil)
		if err := hurt.RemoveAll("data/index"); err != nil {
			t.Fatal(err)
		}
		r, text, err := salvaged(hurt)
		if err != nil || r.Whole() || r.Behind == "" {
			t.Fatalf("%+v, %v", r, err)
		}
		if err := bringIn(t, text, int(r.LostRecords)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSalvageGoesOn imports a salvage after a part of it.
func TestSalvageGoesOn(t *testing.T) {
	w := newWreck(t)
	hurt := copyFiles(t, w.fs, "data")
	for _, i := range []int{2, 30, 50, 51, 52} {
		name := "data/journal/" + w.frames[i].segment
		data, err := disk.ReadFile(hurt, name)
		if err != nil {
			t.Fatal(err)
		}
		data[w.frames[i].from] ^= 1
		put(t, hurt, name, data)
	}
	r, text, err := salvaged(hurt)
	if err != nil || r.LostRecords != 5 {
		t.Fatalf("%+v, %v", r, err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	want := openWith(t, "data", small(disk.NewMem()))
	all, err := want.Import(ctx, onlyReader{strings.NewReader(text)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 20, 60, len(lines) - 2} {
		part := strings.Replace(lines[0], fmt.Sprintf(`"records":%d`, r.Records), fmt.Sprintf(`"records":%d`, n), 1) + strings.Join(lines[1:n+1], "")
		b := openWith(t, "data", small(disk.NewMem()))
		// What is erased only later in the file is left out of a part.
		before, err := b.Import(ctx, strings.NewReader(part), nil)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		got, err := b.Import(ctx, strings.NewReader(text), nil)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if before.Salvage.LeftOut == 0 && got.Root != all.Root || got.Present != before.Imported {
			t.Errorf("%d: %+v after %+v, not %+v", n, got, before, all)
		}
	}
	// A tenant with a history of its own.
	b := openWith(t, "data", small(disk.NewMem()))
	must(t)(b.Put(ctx, user, "acme", fact("own", "", "My own."), engine.AnyVersion()))
	if _, err := b.Import(ctx, strings.NewReader(text), nil); fault.CodeOf(err) != fault.IDConflict {
		t.Errorf("a history of its own: %v", err)
	}
	if root, err := b.Root(ctx, "acme"); err != nil || root.Size != 1 {
		t.Errorf("a history of its own: %+v, %v", root, err)
	}
}

// TestSalvageStrict imports invalid salvages.
func TestSalvageStrict(t *testing.T) {
	w := newWreck(t)
	_, text, err := salvaged(w.fs)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old, new string
		code     fault.Code
	}{
		"a newer format":          {`"lukasa_salvage":1`, `"lukasa_salvage":2`, fault.NewerFormat},
		"no format":               {`"lukasa_salvage":1`, `"lukasa_salvage":0`, fault.InvalidDocument},
		"an unknown member":       {`"lukasa_salvage":1`, `"lukasa_salvage":1,"root":"00"`, fault.InvalidDocument},
		"fewer records than told": {fmt.Sprintf(`"records":%d`, len(w.lines)), fmt.Sprintf(`"records":%d`, len(w.lines)+1), fault.InvalidDocument},
		"the same position twice": {`"position":1,`, `"position":0,`, fault.InvalidDocument},
		"another payload":         {`in the cellar`, `in the garden`, fault.InvalidDocument},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Fatalf("%s: nothing changed", name)
		}
		b := openWith(t, "data", small(disk.NewMem()))
		if _, err := b.Import(ctx, strings.NewReader(bad), nil); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if n, err := b.CountTenants(ctx); err != nil || n != 0 {
			t.Errorf("%s: %d tenants, %v", name, n, err)
		}
	}
}

// TestSalvageOfOpenBoard salvages while the board is in use, as a server does.
func TestSalvageOfOpenBoard(t *testing.T) {
	w := newWreck(t)
	hurt := copyFiles(t, w.fs, "data")
	at := slices.IndexFunc(w.frames, func(f frameAt) bool { return !f.erased && f.from > 4000 })
	f := w.frames[at]
	name := "data/journal/" + f.segment
	data, err := disk.ReadFile(hurt, name)
	if err != nil {
		t.Fatal(err)
	}
	data[f.body+20] ^= 1
	put(t, hurt, name, data)
	b, err := engine.Open(ctx, "data", small(hurt))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Export(ctx, "acme", io.Discard, nil); fault.CodeOf(err) != fault.Damaged {
		t.Fatalf("export: %v", err)
	}
	var out bytes.Buffer
	r, err := b.Salvage(ctx, "acme", &out, nil)
	if err != nil || len(r.Lost) != 1 || r.Lost[0].From != uint64(at) || r.Lost[0].Segment != f.segment || r.Lost[0].Offset != f.from {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := bringIn(t, out.String(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Salvage(ctx, "nobody", io.Discard, nil); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("nobody: %v", err)
	}
}
