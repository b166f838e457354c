package kind

import (
	"strings"
	"testing"

	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
	"pgregory.net/rapid"
)

func TestCleanRef(t *testing.T) {
	for _, tc := range []struct {
		kind      memory.ObjectKind
		ref, want string
	}{
		{memory.ObjFile, "internal/pack/pack.go", "internal/pack/pack.go"},
		{memory.ObjFile, "./internal//pack/../pack/pack.go", "internal/pack/pack.go"},
		{memory.ObjFile, "../x.go", "../x.go"},
		{memory.ObjFile, "a/b/", "a/b"},
		{memory.ObjFile, ".", "."},
		{memory.ObjFile, "/", "/"},
		{memory.ObjFile, "//a//b", "/a/b"},
		{memory.ObjFile, `src\a\b.go`, "src/a/b.go"},
		{memory.ObjFile, `c:\srv\a.go`, "C:/srv/a.go"},
		{memory.ObjFile, `C:/srv/../a.go`, "C:/a.go"},
		{memory.ObjFile, "file:///repo/a.go", "/repo/a.go"},
		{memory.ObjFile, "file:///c:/repo/a.go", "C:/repo/a.go"},
		{memory.ObjFile, "a:b", "a:b"},
		{memory.ObjFile, " a.go", " a.go"},
		{memory.ObjFile, "", ""},
		{memory.ObjFile, "file://", ""},
		{memory.ObjFile, "a\nb", ""},
		{memory.ObjFile, "a\u202eb", ""},
		{memory.ObjFile, "a\xffb", ""},
		{memory.ObjFile, strings.Repeat("a", memory.MaxRef), strings.Repeat("a", memory.MaxRef)},
		{memory.ObjFile, strings.Repeat("a", memory.MaxRef+1), ""},
		{memory.ObjFile, strings.Repeat("a", 1<<20), ""},
		{memory.ObjURL, "HTTPS://User:pw@Example.COM:8080/Path?Q=1#frag", "https://example.com:8080/Path?Q=1"},
		{memory.ObjURL, "https://example.com/", "https://example.com"},
		{memory.ObjURL, "https://example.com/#x", "https://example.com"},
		{memory.ObjURL, "https://example.com/a/", "https://example.com/a/"},
		{memory.ObjURL, "https://example.com?x", "https://example.com?x"},
		{memory.ObjURL, " https://example.com/a ", "https://example.com/a"},
		{memory.ObjURL, "Example.com/A", "Example.com/A"},
		{memory.ObjURL, "mailto:A@b.c", "mailto:A@b.c"},
		{memory.ObjURL, "1x://A", "1x://A"},
		{memory.ObjURL, "#", ""},
		{memory.ObjURL, "http://a /", "http://a"},
		{memory.ObjTool, "  git push ", "git push"},
		{memory.ObjTool, "Git", "Git"},
		{memory.ObjPerson, "\u00a0ana\u3000", "ana"},
		{memory.ObjPerson, " ", ""},
		{memory.ObjProject, "a\tb", ""},
		{memory.ObjProject, strings.Repeat(" ", memory.MaxRef) + "x", "x"},
	} {
		if got := recognize.CleanRef(tc.kind, tc.ref); got != tc.want {
			t.Errorf("%s %.80q is %.80q, want %.80q", tc.kind, tc.ref, got, tc.want)
		}
	}
}

// checkRef fails unless cleaning once is enough and gives what a frame can have.
func checkRef(t rapid.TB, kind memory.ObjectKind, ref string) {
	t.Helper()
	once := recognize.CleanRef(kind, ref)
	if twice := recognize.CleanRef(kind, once); twice != once {
		t.Fatalf("%s %q cleans to %q and that to %q", kind, ref, once, twice)
	}
	if once == "" {
		return
	}
	if err := (memory.Frame{Verb: memory.VerbFind, Kind: kind, Ref: once}).Validate(); err != nil {
		t.Fatalf("%s %q cleans to %q: %v", kind, ref, once, err)
	}
}

func TestCleaningOnceIsEnough(t *testing.T) {
	piece := rapid.SampledFrom([]string{"/", "\\", ".", "..", "./", "a", "C:", "c:", "file://", "http://", "://", "HTTP", "@", "#", "?", " ", "\u3000", "x.go", "é", "\n", "\xff", "%20", ":", "1"})
	rapid.Check(t, func(t *rapid.T) {
		ref := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		checkRef(t, rapid.SampledFrom(memory.ObjectKinds()).Draw(t, "kind"), ref)
	})
}

func FuzzCleanRef(f *testing.F) {
	for _, ref := range []string{"a/../b", `c:\x`, "HTTP://A@B/#c", " x ", "file:///C:/x", "\u202e", strings.Repeat("./ ", 99)} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		for _, kind := range []memory.ObjectKind{memory.ObjFile, memory.ObjURL, memory.ObjTool} {
			checkRef(t, kind, ref)
		}
	})
}
