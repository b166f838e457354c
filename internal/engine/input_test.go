package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/testsize"
)

// TestForeignDirectories opens directories that are not, or not yet, ours, and
// checks that they are unchanged.
func TestForeignDirectories(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(fs disk.FS)
		code fault.Code
	}{
		{"someone else's files", func(fs disk.FS) { put(t, fs, "data/thesis.tex", []byte("mine")) }, fault.ForeignDir},
		{"someone else's directory", func(fs disk.FS) { put(t, fs, "data/journal/x", []byte("mine")) }, fault.ForeignDir},
		{"a newer format", func(fs disk.FS) { put(t, fs, "data/LUKASA", []byte("format: 2\ndirectory: x\n")) }, fault.NewerFormat},
		{"a mark without a format", func(fs disk.FS) { put(t, fs, "data/LUKASA", []byte("directory: x\n")) }, fault.Damaged},
		{"an empty mark", func(fs disk.FS) { put(t, fs, "data/LUKASA", nil) }, fault.Damaged},
		{"a mark without its check", func(fs disk.FS) { put(t, fs, "data/LUKASA", []byte("format: 1\ndirectory: x\n")) }, fault.Damaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := disk.NewMem()
			c.make(fs)
			before := snapshot(t, fs)
			_, err := engine.Open(ctx, "data", small(fs))
			if fault.CodeOf(err) != c.code {
				t.Fatal(err)
			}
			after := snapshot(t, fs)
			for name := range after {
				if before[name] != after[name] && !strings.HasPrefix(name, "data/LOCK") {
					t.Fatalf("%s was changed", name)
				}
			}
		})
	}
	if _, err := engine.Open(ctx, "", engine.Options{FS: disk.NewMem()}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Fatal(err)
	}
	if _, err := engine.Open(ctx, "nowhere", engine.Options{FS: disk.NewMem(), MustExist: true}); fault.CodeOf(err) != fault.NotFound {
		t.Fatal(err)
	}
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(ctx, file, engine.Options{}); fault.CodeOf(err) != fault.ForeignDir {
		t.Fatal(err)
	}
}

func snapshot(t *testing.T, fs disk.FS) map[string]string {
	t.Helper()
	all, err := files(fs, "data")
	if err != nil {
		t.Fatal(err)
	}
	content := make(map[string]string)
	for _, name := range all {
		data, err := disk.ReadFile(fs, name)
		if err != nil {
			t.Fatal(err)
		}
		content[name] = string(data)
	}
	return content
}

// TestNewerJournal opens a journal of a future format.
func TestNewerJournal(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e", 1, "one")}))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	name := "data/journal/00000000000000000000.seg"
	data, err := disk.ReadFile(fs, name)
	if err != nil {
		t.Fatal(err)
	}
	data[11] = 9
	put(t, fs, name, data)
	b, err = engine.Open(ctx, "data", small(fs))
	if err == nil {
		// A header that does not match its checksum is damage, not a newer
		// format.
		defer b.Close()
		if len(b.Damages()) == 0 {
			t.Fatal("a journal of format 9 was opened without a word")
		}
		if _, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "f", 2, "two")}); err == nil {
			t.Fatal("a journal of format 9 was written to")
		}
		return
	}
	if code := fault.CodeOf(err); code != fault.NewerFormat && code != fault.Damaged {
		t.Fatal(err)
	}
}

// TestSecondOpen tries to open a directory twice.
func TestSecondOpen(t *testing.T) {
	dir := os.Getenv("LUKASA_TEST_DIRECTORY")
	if dir != "" { // the child
		_, err := engine.Open(ctx, dir, engine.Options{})
		fmt.Printf("code=%s %v\n", string(fault.CodeOf(err)), err)
		return
	}
	dir = t.TempDir() + "/data"
	o := small(disk.OS())
	o.Note = "the first of two"
	b := openWith(t, dir, o)
	_, err := engine.Open(ctx, dir, o)
	if fault.CodeOf(err) != fault.Locked || !strings.Contains(err.Error(), "the first of two") {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSecondOpen$")
	cmd.Env = append(os.Environ(), "LUKASA_TEST_DIRECTORY="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "code=locked") || !strings.Contains(string(out), "the first of two") {
		t.Fatalf("%s %v", out, err)
	}
	must(t)(b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", "e", 1, "one")}))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal("a second close: ", err)
	}
	if _, err := b.Root(ctx, "acme"); fault.CodeOf(err) != fault.Closed {
		t.Fatal(err)
	}
	b = openWith(t, dir, o)
	must(t)(b.Event(ctx, "acme", "e", engine.View{}))
	sound(t, b)
}

// TestClockBackwards writes with a clock that jumps.
func TestClockBackwards(t *testing.T) {
	c := newClock()
	o := small(disk.NewMem())
	o.Clock = c.Now
	b := openWith(t, "data", o)
	for i := range 40 {
		c.Move(time.Duration([]int{5, -700, 3, 86400 * -3, 1, 900}[i%6]) * time.Second)
		if i == 20 {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			b = openWith(t, "data", o)
		}
		res, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, "acme", fmt.Sprint("e", i), int64(i), "tick")})
		if err != nil || res.Receipts[0].Position != uint64(2*i) {
			t.Fatalf("%+v %v", res, err)
		}
		put, err := b.Put(ctx, user, "acme", fact("", fmt.Sprint("k/", i), fmt.Sprint("tock ", i)), engine.Version(0))
		if err != nil || put.Position != uint64(2*i+1) {
			t.Fatalf("%+v %v", put, err)
		}
	}
	lines, err := readJournal(o.FS, "data")
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines["acme"][1:] {
		if before := lines["acme"][i]; l.Time < before.Time {
			t.Fatalf("time falls from %d to %d at position %d", before.Time, l.Time, i+1)
		}
	}
	sound(t, b)
}

// hostile are names that might cause trouble. Each is accepted unchanged, or
// refused.
func hostile() []string {
	return []string{
		"..", ".", "../../etc/passwd", "a/b", "a//b", "/", "a\\b", "con", "nul.txt", "~", "$HOME", "%2e%2e", "a%00b",
		"a\x00b", "a\nb", "\u202eabc", "abc\u200f", "\u2066x\u2069", "\xff\xfe", "a\xc0\xafb", "\ufeffacme", "acme\u200b",
		strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("y", 10_000), strings.Repeat("é", 127), "", " ", " acme", "acme ",
		"café", "cafe\u0301", "ACME", "acme", "Acme", "acme\u0000", "аcme", "ａｃｍｅ", "acme#1", "acme?x", "lukasa://acme/memory/x", "'; drop table", "<script>",
		"\U0001F468\u200D\U0001F469", "-rf", "LUKASA", "index", "journal",
	}
}

// TestHostileNames uses them as tenants, keys, ids, sessions and tags.
func TestHostileNames(t *testing.T) {
	fs := disk.NewMem()
	b := openWith(t, "data", small(fs))
	taken := make(map[string]bool)
	for i, name := range hostile() {
		ev, err := decodeEvent(name, name, name, int64(i), "said in "+fmt.Sprint(i), "")
		accepted := false
		if err == nil {
			res, err := b.AppendEvents(ctx, user, []*hmx.Event{ev})
			if err != nil {
				t.Fatalf("%.40q: %v", name, err)
			}
			if accepted = res.Accepted == 1; !accepted && res.Receipts[0].Fault.Code != fault.InvalidArgument {
				t.Fatalf("%.40q: %v", name, res.Receipts[0].Fault)
			}
		}
		body := fact(name, name, fmt.Sprintf("What %d says.", i))
		body.Tags = []string{name}
		_, err = b.Put(ctx, user, "things", body, engine.AnyVersion())
		if err != nil && fault.CodeOf(err) != fault.InvalidArgument {
			t.Fatalf("%.40q: %v", name, err)
		}
		if err == nil {
			for _, ref := range []engine.Ref{{ID: name}, {Key: name}} {
				ref.Tenant, ref.Kind = "things", record.Memory
				got, err := b.Get(ctx, ref, engine.View{})
				if err != nil || got.URI.ID != name || got.Body.(*memory.Memory).Text != body.Text {
					t.Fatalf("%.40q: %+v %v", name, got, err)
				}
			}
			page, err := b.List(ctx, engine.ListOptions{Tenant: "things", Tag: name})
			if err != nil || len(page.Things) != 1 || page.Things[0].URI.ID != name {
				t.Fatalf("%.40q: %+v %v", name, page, err)
			}
			uri, err := memory.ParseURI(page.Things[0].URI.String())
			if err != nil || uri != page.Things[0].URI {
				t.Fatalf("%.40q: %v %v", name, uri, err)
			}
		}
		_, err = b.Put(ctx, user, name, fact("id", "", fmt.Sprintf("What %d says.", i)), engine.AnyVersion())
		if (err == nil) != (memory.CheckTenant(name) == nil) || err != nil && fault.CodeOf(err) != fault.InvalidArgument {
			t.Fatalf("%.40q: %v", name, err)
		}
		if err == nil || accepted {
			taken[name] = true
		}
	}
	seen := 0
	for root, err := range b.Tenants(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if !taken[root.Tenant] && root.Tenant != "things" {
			t.Fatalf("nobody wrote to %q", root.Tenant)
		}
		if root.Tenant == "things" {
			continue
		}
		seen++
		got, err := b.Get(ctx, engine.Ref{Tenant: root.Tenant, Kind: record.Memory, ID: "id"}, engine.View{})
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("What %d says.", indexOf(hostile(), root.Tenant))
		if text := got.Body.(*memory.Memory).Text; text != want {
			t.Fatalf("tenant %q says %q, not %q", root.Tenant, text, want)
		}
		must(t)(b.Checkpoint(ctx, root.Tenant))
	}
	if seen != len(taken) {
		t.Fatalf("%d tenants of %d", seen, len(taken))
	}
	all, err := files(fs, "data")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.Contains(name, "passwd") || strings.Contains(name, "..") {
			t.Fatalf("a name became the file %s", name)
		}
	}
	if err := b.Rebuild(ctx, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, b)
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

// TestTenantsNeverMeet writes to tenants with similar names, with the same
// ids, keys and sessions, and reads each with every query.
func TestTenantsNeverMeet(t *testing.T) {
	alike := []string{"acme", "Acme", "acme/", "acme/a", "acm", "acmee", "аcme", "café", "cafe\u0301", "acme\u200b", "a", "a/b", "a/b/c"}
	rapid.Check(t, func(rt *rapid.T) {
		b, err := engine.Open(ctx, "data", small(disk.NewMem()))
		if err != nil {
			rt.Fatal(err)
		}
		defer b.Close()
		sizes := make(map[string]uint64)
		for i := range rapid.IntRange(1, 40).Draw(rt, "writes") {
			tenant := rapid.SampledFrom(alike).Draw(rt, "tenant")
			mark := "belongs to " + tenant + "."
			switch rapid.IntRange(0, 2).Draw(rt, "what") {
			case 0:
				ev, err := decodeEvent(tenant, fmt.Sprint("e", i%5), "s", int64(i), mark, `,"trace_id":"t"`)
				if err != nil {
					rt.Fatal(err)
				}
				if res, err := b.AppendEvents(ctx, user, []*hmx.Event{ev}); err != nil {
					rt.Fatal(err)
				} else {
					sizes[tenant] += uint64(res.Accepted)
				}
			case 1:
				m := fact("", fmt.Sprint("k/", i%3), fmt.Sprint(mark, " Version ", i))
				m.Tags = []string{"tag"}
				if _, err := b.Put(ctx, user, tenant, m, engine.AnyVersion()); err != nil {
					rt.Fatal(err)
				}
				sizes[tenant]++
			case 2:
				id := fmt.Sprint("e", i%5)
				res, err := b.Redact(ctx, user, []memory.URI{{Tenant: tenant, Kind: record.Event, ID: id}})
				if err != nil && fault.CodeOf(err) != fault.NotFound {
					rt.Fatal(err)
				}
				if err == nil && res.Written {
					sizes[tenant]++
				}
			}
		}
		for _, tenant := range alike {
			root, err := b.Root(ctx, tenant)
			if err != nil || root.Size != sizes[tenant] {
				rt.Fatalf("%q has %d records, not %d: %v", tenant, root.Size, sizes[tenant], err)
			}
			var out strings.Builder
			things, err := b.List(ctx, engine.ListOptions{Tenant: tenant, Tag: "tag"})
			if err == nil {
				out.WriteString(showThings(things.Things...))
			}
			for _, q := range []engine.EventQuery{{Session: "s"}, {Agent: "a1"}, {Trace: "t"}} {
				q.Tenant = tenant
				if page, err := b.Events(ctx, q); err == nil {
					out.WriteString(showEvents(page.Events...))
				}
			}
			if _, err := b.Export(ctx, tenant, &out, nil); err != nil && fault.CodeOf(err) != fault.NotFound {
				rt.Fatal(err)
			}
			for _, other := range alike {
				if other != tenant && strings.Contains(out.String(), "belongs to "+other+".") {
					rt.Fatalf("%q sees what belongs to %q", tenant, other)
				}
			}
		}
		if _, err := soundness(b); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestManyTenants writes to very many tenants, and measures the cost.
func TestManyTenants(t *testing.T) {
	n := testsize.Of(t, "tenants", 100, 500, 100_000)
	fs := disk.NewMem()
	o := engine.Options{FS: fs, CacheBytes: 8 << 20, MemTableBytes: 4 << 20}
	b := openWith(t, "data", o)
	name := func(i int) string { return fmt.Sprintf("tenant-%06d", i) }
	for from := 0; from < n; from += 1000 {
		var evs []*hmx.Event
		for i := from; i < min(n, from+1000); i++ {
			evs = append(evs, event(t, name(i), "e", 1, fmt.Sprint("said by ", i)), event(t, name(n-1-i), "f", 2, fmt.Sprint("said of ", n-1-i)))
		}
		if res, err := b.AppendEvents(ctx, user, evs); err != nil || res.Accepted != len(evs) {
			t.Fatal(res, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = nil
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b = openWith(t, "data", o)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Fatalf("an open board of %d tenants takes %d MiB", n, grown>>20)
	}
	if count, err := b.CountTenants(ctx); err != nil || count != n {
		t.Fatal(count, err)
	}
	seen := 0
	for root, err := range b.Tenants(ctx) {
		if err != nil || root.Size != 2 {
			t.Fatal(root, err)
		}
		seen++
	}
	if seen != n {
		t.Fatalf("%d of %d tenants are listed", seen, n)
	}
	for i := 0; i < n; i += n / 50 {
		ev, err := b.Event(ctx, name(i), "e", engine.View{})
		if err != nil || !strings.Contains(string(ev.Event.Content), fmt.Sprintf(`"said by %d"`, i)) {
			t.Fatal(ev, err)
		}
	}
	sound(t, b)
}
