package spool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/disk/disktest"
	"lukasa.dev/internal/record"
)

func event(session string, n int64) *hmx.Event {
	return &hmx.Event{
		HMXVersion: hmx.Version, EventID: fmt.Sprintf("%s-%d", session, n), EventType: hmx.TypeMessage, AgentID: "a", SessionID: session,
		Timestamp: hmx.TimeOf(time.Unix(1794819702+n, 0)), Sequence: n, Content: hmx.Raw(fmt.Sprintf(`{"role":"user","text":"number %d"}`, n)), Metadata: "{}",
	}
}

func leave(t testing.TB, fs disk.FS, dir string, b Batch) string {
	t.Helper()
	name, err := Write(fs, dir, b)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func open(t testing.TB, dir string) *lukasa.Board {
	t.Helper()
	b, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // a second close does nothing
	return b
}

// sequences returns those of a session, in the order of recording.
func sequences(t testing.TB, b *lukasa.Board, tenant, session string) []int64 {
	t.Helper()
	page, err := b.Tenant(tenant, lukasa.Writer{}).Events(t.Context(), lukasa.EventQuery{Session: session, Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	var out []int64
	slices.SortFunc(page.Events, func(x, y *lukasa.StoredEvent) int { return int(x.Position) - int(y.Position) })
	for _, e := range page.Events {
		out = append(out, e.Event.Sequence)
	}
	return out
}

// Batches that were left in any order are folded in by session and sequence, once, into a
// directory that did not exist, and nothing is left.
func TestFold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	fs := disk.OS()
	r := rand.New(rand.NewPCG(1, 2))
	const n = 60
	for _, i := range r.Perm(n) {
		b := Batch{Items: []Item{{Event: event("s", int64(i)), Ceiling: []record.Trust{0, record.Agent, record.Operator}[i%3]}}}
		if i%2 == 0 {
			b.Tenant = "acme"
		}
		leave(t, fs, dir, b)
		if i%5 == 0 {
			leave(t, fs, dir, b) // a hook that retried
		}
	}
	if !Pending(fs, dir) {
		t.Fatal("nothing waits")
	}
	b := open(t, dir)
	report, err := Fold(t.Context(), dir, b, Options{Actor: "hook"})
	if err != nil || report.Events != n || report.Duplicates != n/5 || len(report.Aside) != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	if again, err := Fold(t.Context(), dir, b, Options{}); err != nil || again.Files != 0 || Pending(fs, dir) {
		t.Errorf("again: %+v, %v", again, err)
	}
	for tenant, first := range map[string]int64{"acme": 0, "default": 1} {
		got := sequences(t, b, tenant, "s")
		if len(got) != n/2 || !slices.IsSorted(got) || got[0] != first {
			t.Errorf("%s has %v", tenant, got)
		}
	}
	page, err := b.Tenant("acme", lukasa.Writer{}).Events(t.Context(), lukasa.EventQuery{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Events {
		want := record.User
		if e.Event.Sequence%3 == 1 {
			want = record.Agent
		}
		if e.Trust != want {
			t.Errorf("number %d has the trust of %v and not of %v", e.Event.Sequence, e.Trust, want)
		}
	}
}

// failing is a board that fails before or after it records.
type failing struct {
	Board
	before, after int // how often
}

var errFailed = errors.New("failed")

func (f *failing) Append(ctx context.Context, w lukasa.Writer, events ...*hmx.Event) (*lukasa.AppendResult, error) {
	if f.before > 0 {
		f.before--
		return nil, errFailed
	}
	res, err := f.Board.Append(ctx, w, events...)
	if f.after > 0 {
		f.after--
		return nil, errFailed
	}
	return res, err
}

// A file is removed only after its events are recorded; events that were recorded before a
// failure are not recorded twice.
func TestFoldFails(t *testing.T) {
	for _, f := range []failing{{before: 2}, {after: 2}} {
		dir := filepath.Join(t.TempDir(), "data")
		leave(t, disk.OS(), dir, Batch{Items: []Item{{Event: event("s", 1)}, {Event: event("s", 2), Ceiling: record.Agent}}})
		b := open(t, dir)
		f.Board = b
		for range 2 {
			if _, err := Fold(t.Context(), dir, &f, Options{}); !errors.Is(err, errFailed) || !Pending(disk.OS(), dir) {
				t.Fatalf("%v, and the file is gone", err)
			}
		}
		report, err := Fold(t.Context(), dir, &f, Options{})
		if err != nil || Pending(disk.OS(), dir) {
			t.Errorf("%+v, %v", report, err)
		}
		if got := sequences(t, b, "default", "s"); !slices.Equal(got, []int64{1, 2}) {
			t.Errorf("there are %v", got)
		}
	}
}

// Damage affects only its own file: the others are folded in, and it is put aside and
// reported.
func TestFoldDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	fs := disk.OS()
	whole, err := (&Batch{Items: []Item{{Event: event("s", 1)}, {Event: event("s", 2)}}}).encode()
	if err != nil {
		t.Fatal(err)
	}
	leave(t, fs, dir, Batch{Items: []Item{{Event: event("s", 9)}}})
	var bad [][]byte
	for cut := 0; cut < len(whole); cut += 7 {
		bad = append(bad, whole[:cut])
	}
	for at := 3; at < len(whole); at += 11 {
		b := slices.Clone(whole)
		b[at] ^= 0x41
		bad = append(bad, b)
	}
	bad = append(bad, []byte(strings.Replace(string(whole), `"events":2`, `"events":3`, 1)), append(slices.Clone(whole), "{}\n"...))
	for i, data := range bad {
		if err := disk.WriteFile(fs, filepath.Join(dir, Dir, fmt.Sprintf("%04d%s", i, ext)), data); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, dir)
	report, err := Fold(t.Context(), dir, b, Options{})
	if err != nil || len(report.Aside) != len(bad) || report.Events != 1 {
		t.Fatalf("of %d damaged files %d are put aside, %d events, %v", len(bad), len(report.Aside), report.Events, err)
	}
	if got := sequences(t, b, "default", "s"); !slices.Equal(got, []int64{9}) {
		t.Errorf("there are %v", got)
	}
	names, err := fs.List(filepath.Join(dir, Dir, aside))
	if err != nil || len(names) != len(bad) {
		t.Errorf("%d files are aside, %v", len(names), err)
	}
}

// A file of a newer program stays, for that program.
func TestFoldNewer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	leave(t, disk.OS(), dir, Batch{Items: []Item{{Event: event("s", 1)}}})
	if err := disk.WriteFile(disk.OS(), filepath.Join(dir, Dir, "9"+ext), []byte("{\"lukasa_spool\":2,\"other\":1}\n")); err != nil {
		t.Fatal(err)
	}
	report, err := Fold(t.Context(), dir, open(t, dir), Options{})
	if err != nil || report.Events != 1 || len(report.Aside) != 1 || !Pending(disk.OS(), dir) {
		t.Errorf("%+v, %v", report, err)
	}
}

// What the board refuses is put aside. An event that it has with another text stays as it
// is.
func TestFoldRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b := open(t, dir)
	was := event("s", 1)
	was.TenantID, was.Content = "default", `{"role":"user","text":"other words"}`
	if _, err := b.Append(t.Context(), lukasa.Writer{Trust: lukasa.User}, was); err != nil {
		t.Fatal(err)
	}
	leave(t, disk.OS(), dir, Batch{Items: []Item{{Event: event("s", 1)}}})
	leave(t, disk.OS(), dir, Batch{Tenant: "no/tenant\nat all", Items: []Item{{Event: event("s", 2)}}})
	report, err := Fold(t.Context(), dir, b, Options{})
	if err != nil || report.Events != 0 || report.Duplicates != 1 || len(report.Aside) != 1 || Pending(disk.OS(), dir) {
		t.Errorf("%+v, %v", report, err)
	}
}

// Secrets do not reach the files.
func TestWriteWithoutSecrets(t *testing.T) {
	fs := disk.NewMem()
	ev := event("s", 1)
	ev.Content = `{"role":"user","text":"my key is ghp_` + "R4nD0mZq8LmT2vX7cWbY5kPhJ3sNfG6dA1eU" + `"}`
	name := leave(t, fs, "/data", Batch{Items: []Item{{Event: ev}}})
	data, err := disk.ReadFile(fs, fs.PathJoin("/data", Dir, name))
	if err != nil || strings.Contains(string(data), "R4nD0mZq8") {
		t.Errorf("%s, %v", data, err)
	}
}

// After a crash at any time a file is complete or missing, and complete if Write returned
// nil.
func TestWriteCrash(t *testing.T) {
	for seed := range uint64(40) {
		fs := disktest.NewCrashable()
		r := rand.New(rand.NewPCG(seed, 1))
		said := 0
		for i := range 1 + r.IntN(4) {
			leave(t, fs, "/data", Batch{Items: []Item{{Event: event("s", int64(i))}}})
			said++
		}
		after := fs.CrashClone(disktest.CrashConfig{UnsyncedDataPercent: 50, RNG: r})
		names, err := files(after, "/data")
		if err != nil || len(names) != said {
			t.Fatalf("seed %d: of %d files are %d there, %v", seed, said, len(names), err)
		}
		for _, n := range names {
			data, err := disk.ReadFile(after, after.PathJoin("/data", Dir, n))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := decode(data); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
}

// Unrecognizable input is kept, up to a limit.
func TestKeep(t *testing.T) {
	fs := disk.NewMem()
	for i := range maxKept {
		if _, err := Keep(fs, "/data", int64(i), []byte(fmt.Sprint("nonsense", i))); err != nil {
			t.Fatal(err)
		}
	}
	last, err := Keep(fs, "/data", 1e6, []byte("more, with AKIAQ3EGRXPZ7LKDWM2T"))
	if err != nil {
		t.Fatal(err)
	}
	in := fs.PathJoin("/data", Dir, aside)
	names, err := fs.List(in)
	slices.Sort(names)
	if err != nil || len(names) != maxKept || names[len(names)-1] != last || !strings.HasPrefix(names[0], "00000000000000000001-") {
		t.Errorf("of %d are kept %v, %v", maxKept+1, names, err)
	}
	if text, err := disk.ReadFile(fs, fs.PathJoin(in, last)); err != nil || !strings.HasPrefix(string(text), "more, with ") || strings.Contains(string(text), "AKIA") {
		t.Errorf("kept is %q, %v", text, err)
	}
	if Pending(fs, "/data") {
		t.Error("it would be folded in")
	}
}

// For any bytes: no panic, and what is accepted encodes to the same bytes.
func FuzzDecode(f *testing.F) {
	whole, err := (&Batch{Tenant: "acme", Items: []Item{{Event: event("s", 1)}}}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("{\"lukasa_spool\":1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := decode(data)
		if err != nil {
			return
		}
		again, err := b.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(again); err != nil {
			t.Errorf("%q is not read again: %v", again, err)
		}
	})
}

// An invalid or expired scope affects only its own batch: the others do not wait behind it.
func TestBadScopeHoldsNobodyUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	fs := disk.OS()
	leave(t, fs, dir, Batch{Tenant: "acme", Scope: "no such scope", Items: []Item{{Event: event("scoped", 0)}}})
	leave(t, fs, dir, Batch{Tenant: "acme", Items: []Item{{Event: event("s", 1)}}})
	b := open(t, dir)
	report, err := Fold(t.Context(), dir, b, Options{Actor: "hook"})
	if err != nil || report.Events != 1 || len(report.Aside) != 1 || Pending(fs, dir) {
		t.Fatalf("%+v, %v", report, err)
	}
	if got := sequences(t, b, "acme", "s"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if got := sequences(t, b, "acme", "scoped"); len(got) != 0 {
		t.Errorf("%v was recorded without its scope", got)
	}
}

// An agent that restarts the numbering of its tool calls in each session loses none of them,
// and repeated events are recorded once.
func TestIDsOfAnotherSession(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "data"))
	w := lukasa.Writer{Actor: "hook", Trust: record.User}
	make := func(session, text string) *hmx.Event {
		ev := event(session, 1)
		ev.TenantID, ev.EventID, ev.Content, ev.ParentEventID = "acme", "call_1", hmx.Raw(`{"role":"user","text":"`+text+`"}`), hmx.Some("call_0")
		return ev
	}
	for range 2 {
		for _, session := range []string{"sa", "sb", "sc"} {
			if _, err := Record(t.Context(), b, w, make(session, session)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if res, err := Record(t.Context(), b, w, make("sa", "told otherwise")); err != nil || res.Accepted > 0 {
		t.Errorf("%+v, %v", res, err)
	}
	for _, session := range []string{"sa", "sb", "sc"} {
		page, err := b.Tenant("acme", lukasa.Writer{}).Events(t.Context(), lukasa.EventQuery{Session: session})
		if err != nil || len(page.Events) != 1 || string(page.Events[0].Event.Content) != `{"role":"user","text":"`+session+`"}` {
			t.Errorf("%s has %+v, %v", session, page, err)
		}
	}
}
