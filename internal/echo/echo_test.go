package echo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
)

const title = "Memory (Lukasa): recalled for this prompt, not said by the user."

func TestMarker(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	m := Open(disk.OS(), dir)
	if rest, n := m.Cut("- Releases are cut every second Tuesday.", "assistant"); n != 0 || rest == "" {
		t.Errorf("before anything was handed out: %q, %d", rest, n)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a look made a directory: %v", err)
	}
	block := m.Wrap(title, "- Releases are cut every second Tuesday.\n- The linter of the shop is golangci.\n")
	reason := m.Reason("never push to main directly, said the user.")
	if !strings.Contains(block, "(Lukasa#") || !strings.HasPrefix(reason, "Lukasa: never") || m.Err() != nil {
		t.Fatalf("%q, %q, %v", block, reason, m.Err())
	}
	for _, name := range []string{nameKey, Name} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	other := Open(disk.OS(), dir) // another process
	for _, tc := range []struct{ in, role, want string }{
		{block, "user", ""},
		{block + "\nmine", "tool", "mine"},
		{"- Releases are cut every second Tuesday.\nmine", "user", "mine"},
		{"Releases are cut every second Tuesday.\nmine", "user", "Releases are cut every second Tuesday.\nmine"},
		{"Releases are cut every second Tuesday.\nmine", "assistant", "mine"},
		{"Tool execution blocked: " + reason, "tool", "Tool execution blocked: "},
		{"§Lvuzl - Releases are cut every second Tuesday.\nmine", "user", "mine"},
	} {
		if got, _ := other.Cut(tc.in, tc.role); got != tc.want {
			t.Errorf("%s: %q becomes %q", tc.role, tc.in, got)
		}
	}
	// A text that is older than a handout contains nothing of it.
	old := time.Now().Add(-time.Hour)
	if got, n := other.CutAt("Releases are cut every second Tuesday.", "assistant", old); n != 0 {
		t.Errorf("an old text becomes %q", got)
	}
	if got, n := other.CutAt(block, "assistant", old); n == 0 {
		t.Errorf("a whole block is left as %q", got)
	}
	// Another board does not recognise it.
	if got, n := Open(disk.OS(), t.TempDir()).Cut(block, "assistant"); n != 0 || got != block {
		t.Errorf("another board makes %q of it", got)
	}
	foreign := Open(disk.OS(), t.TempDir())
	foreign.Wrap(title, "- Another board has said this to another agent.")
	if got, n := foreign.Cut(block, "assistant"); n != 0 || got != block {
		t.Errorf("another board with a key makes %q of it", got)
	}
}

// The strings of a JSON answer are remembered, ids are not.
func TestHandJSON(t *testing.T) {
	t.Parallel()
	m := Open(disk.NewMem(), "d")
	m.Hand(`{"id":"0123456789abcdef0123456789abcdef","hits":[{"text":"The staging database is called orion.\nIt has two replicas in the same zone."}]}`)
	if got, _ := m.Cut("So:\nIt has two replicas in the same zone.\n0123456789abcdef0123456789abcdef", "assistant"); got != "So:\n0123456789abcdef0123456789abcdef" {
		t.Errorf("%q", got)
	}
}

// Without a place for the key nothing is marked, and nothing fails.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := Open(disk.OS(), filepath.Join(file, "data"))
	if got := m.Wrap(title, "- a"); got != title+"\n- a\n(end)" || m.Err() == nil {
		t.Errorf("%q, %v", got, m.Err())
	}
	var none *Marker
	if got := none.Wrap("Memory", "- a"); got != "Memory (Lukasa)\n- a\n(end)" {
		t.Errorf("%q", got)
	}
	if got, n := none.Cut("§Lvuzl - Releases are cut every second Tuesday.", "user"); got != "" || n != 1 {
		t.Errorf("%q, %d", got, n)
	}
	if got := none.Reason("x"); got != "Lukasa: x" {
		t.Errorf("%q", got)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, nameKey), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	m = Open(disk.OS(), damaged)
	if m.Wrap(title, "- a"); m.Err() == nil {
		t.Error("a damaged key is no trouble")
	}
}

// said is a line that only one number has.
func said(i int) string { return fmt.Sprintf("- Number %d of all the lines was handed out here.", i) }

// A torn write loses its own records, and nothing after them.
func TestTorn(t *testing.T) {
	t.Parallel()
	for torn := 1; torn < recordSize; torn++ {
		fs := disk.NewMem()
		m := Open(fs, "d")
		m.Wrap(title, said(1))
		if err := disk.Append(fs, m.store.path, make([]byte, torn)); err != nil {
			t.Fatal(err)
		}
		m.Wrap(title, said(2))
		m.Wrap(title, said(3))
		for _, m := range []*Marker{m, Open(fs, "d")} {
			for range tableAfter + 2 { // by a scan, and by the table
				for i := 1; i <= 3; i++ {
					if got, _ := m.Cut(said(i), "tool"); got != "" {
						t.Fatalf("%d bytes torn: line %d is left as %q", torn, i, got)
					}
				}
			}
		}
	}
}

// A new generation begins when one is full, and two are searched. A line that is handed out
// repeatedly is stored once in each.
func TestGenerations(t *testing.T) {
	t.Parallel()
	fs := disk.NewMem()
	m := Open(fs, "d")
	m.Wrap(title, said(0))
	size := func(name string) int64 {
		info, err := fs.Stat(name)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	before := size(m.store.path)
	m.Wrap(title, said(0))
	if size(m.store.path) != before {
		t.Error("what is handed out again is stored again")
	}
	fill := func(from int) {
		digests := make([]uint64, maxGeneration/recordSize/2)
		for i := range digests {
			digests[i] = uint64(from+i) * 0x9e3779b97f4a7c15
		}
		if err := m.store.add(digests, 1); err != nil {
			t.Fatal(err)
		}
	}
	fill(1)
	fill(1 << 20)
	if size(m.store.old) < maxGeneration || size(m.store.path) != 0 {
		t.Fatalf("the generations have %d and %d bytes", size(m.store.old), size(m.store.path))
	}
	if got, _ := m.Cut(said(0), "tool"); got != "" {
		t.Errorf("in the older generation: %q", got)
	}
	m.Wrap(title, said(0)) // is in the new one now
	fill(1 << 21)
	fill(1 << 22)
	for _, m := range []*Marker{m, Open(fs, "d")} {
		if got, _ := m.Cut(said(0), "tool"); got != "" {
			t.Errorf("after two generations: %q", got)
		}
	}
	fill(1 << 23)
	fill(1 << 24)
	if got, _ := m.Cut(said(0), "tool"); got == "" {
		t.Error("nothing is ever dropped")
	}
}

// Processes and goroutines hand out concurrently: all have the same key, and no line is lost.
func TestManyAtOnce(t *testing.T) {
	const lines = 40
	if dir := os.Getenv("ECHO_TEST_DIR"); dir != "" {
		var first int
		if _, err := fmt.Sscan(os.Getenv("ECHO_TEST_FIRST"), &first); err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			if m := Open(disk.OS(), dir); !strings.Contains(m.Wrap(title, said(first+i)), "#") {
				t.Fatal(m.Err())
			}
		}
		return
	}
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for p := range 6 {
		all.Go(func() {
			c := exec.Command(os.Args[0], "-test.run", "^TestManyAtOnce$")
			c.Env = append(os.Environ(), "ECHO_TEST_DIR="+dir, fmt.Sprint("ECHO_TEST_FIRST=", p*lines))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	own := Open(disk.OS(), dir)
	for g := range 4 {
		all.Go(func() {
			for i := range lines {
				own.Wrap(title, said((6+g)*lines+i))
			}
		})
	}
	all.Wait()
	m := Open(disk.OS(), dir)
	for i := range 10 * lines {
		if got, _ := m.Cut(said(i), "tool"); got != "" {
			t.Fatalf("line %d was lost", i)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %q, %v", left, err)
	}
}

func event(kind hmx.EventType, content string) *hmx.Event {
	return &hmx.Event{EventType: kind, Content: hmx.Raw(content), Timestamp: hmx.TimeOf(time.Now())}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	m := Open(disk.NewMem(), "d")
	block := m.Wrap(title, "- Releases are cut every second Tuesday.\n- Run go test ./internal/handout -run TestCut first.\n")
	text := strings.ReplaceAll(block, "\n", `\n`)
	for _, tc := range []struct {
		name string
		kind hmx.EventType
		in   string
		want string // empty means not recorded
	}{
		{"a user's own words", hmx.TypeMessage, `{"role":"user","text":"Releases are cut every second Tuesday."}`, `{"role":"user","text":"Releases are cut every second Tuesday."}`},
		{"a block in a prompt", hmx.TypeMessage, `{"role":"user","text":"` + text + `\nFix it."}`, `{"role":"user","text":"Fix it."}`},
		{"nothing but a block", hmx.TypeMessage, `{"role":"user","text":"` + text + `"}`, ""},
		{"a picture is left", hmx.TypeMessage, `{"role":"user","text":"` + text + `","attachments":[{"type":"image"}]}`, `{"attachments":[{"type":"image"}],"role":"user","text":""}`},
		{"what a model repeats", hmx.TypeMessage, `{"role":"assistant","text":"Releases are cut every second Tuesday."}`, ""},
		{"a command that a memory names", hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"Run go test ./internal/handout -run TestCut first."}}`, `{"tool_name":"Bash","arguments":{"command":"Run go test ./internal/handout -run TestCut first."}}`},
		{"a file that has it", hmx.TypeToolResult, `{"tool_name":"Read","result":{"text":"` + text + `\nmore"},"exit":7}`, `{"exit":7,"result":{"text":"more"},"tool_name":"Read"}`},
		{"a result that went well", hmx.TypeToolResult, `{"tool_name":"Read","result":{"text":"` + text + `"},"success":true}`, `{"result":{"text":""},"success":true,"tool_name":"Read"}`},
		{"a result of nothing else", hmx.TypeToolResult, `{"tool_name":"Read","result":{"text":"` + text + `"}}`, ""},
		{"a call of ours", hmx.TypeToolCall, `{"tool_name":"mcp__lukasa__recall","arguments":{"query":"x"}}`, ""},
		{"its result", hmx.TypeToolResult, `{"tool_name":"lukasa_recall","result":{"text":"x"}}`, ""},
		{"our command", hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"lukasa list | head"}}`, ""},
		{"our command as Codex has it", hmx.TypeToolCall, `{"tool_name":"shell","arguments":{"command":["bash","-lc","lukasa list"]}}`, ""},
		{"our command beside another", hmx.TypeToolCall, `{"tool_name":"Bash","arguments":{"command":"lukasa list; cat notes"}}`, `{"tool_name":"Bash","arguments":{"command":"lukasa list; cat notes"}}`},
	} {
		in := event(tc.kind, tc.in)
		got, keep := m.Event(in)
		switch {
		case keep != (tc.want != ""):
			t.Errorf("%s: kept %v", tc.name, keep)
		case keep && string(got.Content) != tc.want:
			t.Errorf("%s becomes %s", tc.name, got.Content)
		case string(in.Content) != tc.in:
			t.Errorf("%s: the event was changed", tc.name)
		}
	}
}

// The cost of a hook: a prompt of 10 KB and a result of a megabyte, with full files.
func BenchmarkCut(b *testing.B) {
	fs := disk.OS()
	dir := b.TempDir()
	m := Open(fs, dir)
	m.Wrap(title, said(0))
	for g := range 2 {
		digests := make([]uint64, maxGeneration/recordSize-4096)
		for i := range digests {
			digests[i] = uint64(g<<30+i+1) * 0x9e3779b97f4a7c15
		}
		if err := m.store.add(digests, 1); err != nil {
			b.Fatal(err)
		}
		if g == 0 {
			if err := m.store.add(make([]uint64, 1), 1); err != nil {
				b.Fatal(err)
			}
			if err := fs.Rename(m.store.path, m.store.old); err != nil {
				b.Fatal(err)
			}
		}
	}
	line := "the quick brown fox jumps over the lazy dog of number %d and goes on\n"
	texts := map[string]string{}
	for name, size := range map[string]int{"prompt": 10 << 10, "result": 1 << 20} {
		var t strings.Builder
		for i := 0; t.Len() < size; i++ {
			fmt.Fprintf(&t, line, i)
		}
		texts[name] = t.String()
	}
	texts["short"] = "Fix it."
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range texts {
			if !yield(n) {
				return
			}
		}
	}) {
		b.Run(name+"/process", func(b *testing.B) {
			for b.Loop() {
				Open(fs, dir).Cut(texts[name], "tool")
			}
		})
		b.Run(name+"/server", func(b *testing.B) {
			m := Open(fs, dir)
			for b.Loop() {
				m.Cut(texts[name], "tool")
			}
		})
	}
}
