package notary

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/testsize"
)

const directory = "0192f0c4-7c4d-7000-8000-000000000001"

// grove is a log that grows and keeps all its earlier states.
type grove struct{ trees []merkle.Range }

func newGrove(salt string, n int) *grove {
	g := &grove{trees: make([]merkle.Range, 1)}
	for i := range n {
		g.grow(fmt.Sprint(salt, i))
	}
	return g
}

func (g *grove) grow(leaf string) {
	next, err := merkle.ParseRange(g.trees[len(g.trees)-1].AppendBinary(nil)) // a copy that shares nothing
	if err != nil {
		panic(err)
	}
	next.Append(merkle.LeafHash([]byte(leaf)))
	g.trees = append(g.trees, next)
}

// at returns the log as it was when it had size leaves.
func (g *grove) at(size uint64) Tree {
	return Tree{Size: size, Root: g.trees[size].Root(), RootAt: func(s uint64) (merkle.Hash, error) {
		if s == 0 || s >= size {
			return merkle.Hash{}, errors.New("a promise was broken")
		}
		return g.trees[s].Root(), nil
	}}
}

// clock is a fixed time, for what must be the same on every run.
func clock() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC) }

// optionsOn returns options for a directory on fs, its keys drawn from seed.
func optionsOn(fs disk.FS, seed byte) Options {
	return Options{FS: fs, Dir: "data/keys", DirectoryID: directory, Random: rand.NewChaCha8([32]byte{seed}), Now: clock}
}

func open(t testing.TB, opts Options) *Notary {
	t.Helper()
	n, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return n
}

// wants fails the test unless err has the code and contains all of the words.
func wants(t testing.TB, err error, code fault.Code, words ...string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("%v: code %q, want %q", err, fault.CodeOf(err), code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Fatalf("%v: it does not say %q", err, w)
		}
	}
}

func mustSign(t testing.TB, n *Notary, tenant string, tree Tree) []byte {
	t.Helper()
	s, err := n.Sign(tenant, tree)
	if err != nil || s.Warning != nil {
		t.Fatalf("%v, warning %v", err, s.Warning)
	}
	return s.Note
}

func TestFirstStart(t *testing.T) {
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	if err := n.Check(); err != nil {
		t.Fatal(err)
	}
	key := n.VerifierKey("acme")
	if want := "lukasa.dev/" + directory + "/acme+"; !strings.HasPrefix(key, want) {
		t.Errorf("key %q does not begin with %q", key, want)
	}
	for _, name := range []string{keyFile, pubFile, memoryFile} {
		if _, err := fs.Stat(fs.PathJoin("data/keys", name)); err != nil {
			t.Error(err)
		}
	}
	g := newGrove("a", 9)
	note := mustSign(t, n, "acme", g.at(9))
	v, err := merkle.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := merkle.OpenCheckpoint(note, v)
	if err != nil || c.Size != 9 || c.Root != g.at(9).Root || c.Origin != n.Origin("acme") {
		t.Fatalf("%+v, %v", c, err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Sign("acme", g.at(9)); fault.CodeOf(err) != fault.Closed {
		t.Errorf("after close: %v", err)
	}

	again := open(t, optionsOn(fs, 2))
	if again.VerifierKey("acme") != key || again.DirectoryKey() == "" {
		t.Error("the key changed")
	}
	if !bytes.Equal(mustSign(t, again, "acme", g.at(9)), note) {
		t.Error("the same tree is signed in two ways")
	}
	if again.VerifierKey("other") == key {
		t.Error("two tenants have one key")
	}
}

func TestKeysAreForTheirOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not kept there")
	}
	dir := filepath.Join(t.TempDir(), "data", "keys")
	opts := optionsOn(nil, 1)
	opts.Dir = dir
	open(t, opts)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestDirectoryIDs(t *testing.T) {
	for _, id := range []string{"", "a/b", "a b", "a+b", "ä", "a\n", strings.Repeat("a", 129)} {
		opts := optionsOn(disk.NewMem(), 1)
		opts.DirectoryID = id
		_, err := Open(opts)
		wants(t, err, fault.InvalidArgument, "directory id")
	}
}

func TestRollback(t *testing.T) {
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	ours, theirs := newGrove("a", 40), newGrove("b", 40)
	mustSign(t, n, "acme", ours.at(0))
	mustSign(t, n, "acme", ours.at(20))
	for range 2 { // before and after a restart
		_, err := n.Sign("acme", ours.at(19))
		wants(t, err, fault.RolledBack, `"acme"`, "19 records", "20 were signed", "2026-03-04T05:06:07Z", "older")
		_, err = n.Sign("acme", theirs.at(20))
		wants(t, err, fault.RolledBack, "another history", fmt.Sprintf("%x", ours.at(20).Root))
		_, err = n.Sign("acme", theirs.at(30))
		wants(t, err, fault.RolledBack, "another history", "first 20 records")
		_, err = n.SignAt("acme", ours.at(19), 5)
		wants(t, err, fault.RolledBack)
		_, err = n.SignAt("acme", theirs.at(30), 5)
		wants(t, err, fault.RolledBack)

		// Another tenant's log is independent.
		mustSign(t, n, "other", theirs.at(3))

		// An older tree of the same history, on purpose.
		for _, size := range []uint64{0, 1, 5, 20} {
			s, err := n.SignAt("acme", ours.at(20), size)
			if err != nil {
				t.Fatal(err)
			}
			v, _ := merkle.NewVerifier(n.VerifierKey("acme"))
			if c, err := merkle.OpenCheckpoint(s.Note, v); err != nil || c.Size != size || c.Root != ours.trees[size].Root() {
				t.Fatalf("%+v, %v", c, err)
			}
		}
		_ = n.Close()
		n = open(t, optionsOn(fs, 1))
	}
	mustSign(t, n, "acme", ours.at(21))
	_, err := n.Sign("acme", ours.at(20))
	wants(t, err, fault.RolledBack)
	_, err = n.SignAt("acme", ours.at(30), 31)
	wants(t, err, fault.InvalidArgument)

	// A tree that cannot be compared is not signed.
	bad := ours.at(30)
	bad.RootAt = func(uint64) (merkle.Hash, error) { return merkle.Hash{}, errors.New("unreadable") }
	if _, err := n.Sign("acme", bad); err == nil || fault.CodeOf(err) == fault.RolledBack {
		t.Errorf("an unreadable tree: %v", err)
	}
	bad.RootAt = nil
	if _, err := n.Sign("acme", bad); err == nil {
		t.Error("a tree without a past was signed")
	}
}

// TestLateTree: a tree that was read before another one, and is signed after
// it, is no rollback if the current log contains both.
func TestLateTree(t *testing.T) {
	n := open(t, optionsOn(disk.NewMem(), 1))
	ours, theirs := newGrove("a", 40), newGrove("b", 40)
	note := mustSign(t, n, "acme", ours.at(12))
	mustSign(t, n, "acme", ours.at(20))
	late := func(tree, now Tree) error {
		tree.Fresh = func(use func(Tree) error) error { return use(now) }
		s, err := n.Sign("acme", tree)
		if err == nil && !bytes.Equal(s.Note, note) {
			t.Errorf("another note than before:\n%s", s.Note)
		}
		return err
	}
	if err := late(ours.at(12), ours.at(21)); err != nil {
		t.Error(err)
	}
	wants(t, late(ours.at(12), ours.at(12)), fault.RolledBack, "12 records", "20 were signed")
	wants(t, late(ours.at(12), ours.at(19)), fault.RolledBack)
	wants(t, late(ours.at(12), theirs.at(30)), fault.RolledBack, "another history")
	wants(t, late(theirs.at(12), ours.at(30)), fault.RolledBack, "another history", "first 12 records")
	tree := ours.at(12)
	tree.Fresh = func(func(Tree) error) error { return errors.New("unreadable") }
	if _, err := n.Sign("acme", tree); err == nil || fault.CodeOf(err) == fault.RolledBack {
		t.Errorf("an unreadable log: %v", err)
	}
	tree.Fresh = func(func(Tree) error) error { return nil }
	_, err := n.Sign("acme", tree)
	wants(t, err, fault.RolledBack)
	_, err = n.Sign("acme", ours.at(19))
	wants(t, err, fault.RolledBack)
}

func TestManySignaturesKeepTheMemorySmall(t *testing.T) {
	testsize.OneGoroutine(t)
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	const most = 3 * slack
	g := newGrove("a", most)
	for size := uint64(1); size <= most; size++ {
		mustSign(t, n, fmt.Sprint("tenant", size%3), g.at(size))
	}
	info, err := fs.Stat("data/keys/signed")
	if err != nil || info.Size() > 300*slack {
		t.Errorf("the memory has %d bytes, %v", info.Size(), err)
	}
	_ = n.Close()
	n = open(t, optionsOn(fs, 1))
	for i := range uint64(3) {
		tenant := fmt.Sprint("tenant", (most-i)%3)
		_, err := n.Sign(tenant, g.at(most-i-1))
		wants(t, err, fault.RolledBack)
		mustSign(t, n, tenant, g.at(most-i))
	}
}

func TestConcurrentSigning(t *testing.T) {
	n := open(t, optionsOn(disk.NewMem(), 1))
	g := newGrove("a", 50)
	done := make(chan error)
	for w := range 4 {
		go func() {
			for size := uint64(1); size <= 50; size++ {
				// Each goroutine reads the current log, and is overtaken by
				// the others.
				tree := g.at(size)
				tree.Fresh = func(use func(Tree) error) error { return use(g.at(50)) }
				if _, err := n.Sign("acme", tree); err != nil {
					done <- err
					return
				}
				n.VerifierKey(fmt.Sprint(w))
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestRekey(t *testing.T) {
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	g := newGrove("a", 30)
	old := mustSign(t, n, "acme", g.at(20))
	oldKey := n.VerifierKey("acme")
	_, err := n.Sign("acme", g.at(10))
	wants(t, err, fault.RolledBack)
	for round := 1; round <= 3; round++ {
		if err := n.Rekey(); err != nil {
			t.Fatal(err)
		}
		if got := n.FormerKeys("acme"); len(got) != round || got[0] != oldKey {
			t.Fatalf("former keys %q, want %d with %q first", got, round, oldKey)
		}
	}
	note := mustSign(t, n, "acme", g.at(10))
	if n.VerifierKey("acme") == oldKey {
		t.Error("the key is the old one")
	}
	_ = n.Close()
	n = open(t, optionsOn(fs, 9))
	if !bytes.Equal(mustSign(t, n, "acme", g.at(10)), note) {
		t.Error("the new key did not stay")
	}
	v, err := merkle.NewVerifier(n.FormerKeys("acme")[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := merkle.OpenCheckpoint(old, v); err != nil {
		t.Errorf("what the former key signed: %v", err)
	}
}

func TestForeignAndMissingFiles(t *testing.T) {
	g := newGrove("a", 5)
	for name, c := range map[string]struct {
		spoil func(fs disk.FS)
		words string
	}{
		"no key":         {func(fs disk.FS) { _ = fs.Remove("data/keys/checkpoint.key") }, "checkpoint.key is missing"},
		"no memory":      {func(fs disk.FS) { _ = fs.Remove("data/keys/signed") }, "signed is missing"},
		"another memory": {func(fs disk.FS) { copyFile(fs, "other/signed", "data/keys/signed") }, "memory of another key"},
		"another public": {func(fs disk.FS) { copyFile(fs, "other/checkpoint.pub", "data/keys/checkpoint.pub") }, "do not belong together"},
		"another key":    {func(fs disk.FS) { copyFile(fs, "other/checkpoint.key", "data/keys/checkpoint.key") }, "memory of another key"},
		"foreign key":    {func(fs disk.FS) { copyFile(fs, "foreign/checkpoint.key", "data/keys/checkpoint.key") }, "is the key of"},
		"a large key":    {func(fs disk.FS) { _ = disk.WriteFile(fs, "data/keys/checkpoint.key", make([]byte, 1<<20)) }, "bytes"},
		"an empty key":   {func(fs disk.FS) { _ = disk.WriteFile(fs, "data/keys/checkpoint.key", nil) }, "not one line"},
	} {
		t.Run(name, func(t *testing.T) {
			fs := disk.NewMem()
			n := open(t, optionsOn(fs, 1))
			mustSign(t, n, "acme", g.at(5))
			_ = n.Close()
			other := optionsOn(fs, 2)
			other.Dir = "other"
			open(t, other)
			other.Dir, other.DirectoryID = "foreign", "elsewhere"
			open(t, other)
			c.spoil(fs)
			n = open(t, optionsOn(fs, 3))
			wants(t, n.Check(), fault.Damaged, c.words)
			_, err := n.Sign("acme", g.at(5))
			wants(t, err, fault.Damaged)
			if err := n.Rekey(); err != nil {
				t.Fatal(err)
			}
			mustSign(t, n, "acme", g.at(2))
			_ = n.Close()
			n = open(t, optionsOn(fs, 4))
			mustSign(t, n, "acme", g.at(3))
		})
	}

	// A missing public key can be derived again.
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	key := n.DirectoryKey()
	_ = fs.Remove("data/keys/checkpoint.pub")
	n = open(t, optionsOn(fs, 1))
	if n.Check() != nil || n.DirectoryKey() != key {
		t.Errorf("%v", n.Check())
	}
}

func copyFile(fs disk.FS, from, to string) {
	data, err := disk.ReadFile(fs, from)
	if err == nil {
		err = disk.WriteFile(fs, to, data)
	}
	if err != nil {
		panic(err)
	}
}

// TestMemoryOfTheFormerKeyIsNoRekey: after a completed change of keys, an
// older memory does not make the notary forget.
func TestMemoryOfTheFormerKeyIsNoRekey(t *testing.T) {
	fs := disk.NewMem()
	n := open(t, optionsOn(fs, 1))
	copyFile(fs, "data/keys/signed", "before")
	if err := n.Rekey(); err != nil {
		t.Fatal(err)
	}
	mustSign(t, n, "acme", newGrove("a", 5).at(5))
	_ = n.Close()
	copyFile(fs, "before", "data/keys/signed")
	wants(t, open(t, optionsOn(fs, 2)).Check(), fault.Damaged, "memory of another key")
}

func TestNewerMemory(t *testing.T) {
	fs := disk.NewMem()
	_ = open(t, optionsOn(fs, 1)).Close()
	data, _ := disk.ReadFile(fs, "data/keys/signed")
	body, _ := checked(strings.TrimSuffix(string(data), "\n"))
	newer := appendChecked(nil, strings.Replace(body, " 1 ", " 2 ", 1))
	if err := disk.WriteFile(fs, "data/keys/signed", newer); err != nil {
		t.Fatal(err)
	}
	wants(t, open(t, optionsOn(fs, 2)).Check(), fault.NewerFormat, "format 2")
}
