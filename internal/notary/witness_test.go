package notary

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/fault"
)

func witnessed(fs disk.FS, seed byte) Options {
	opts := optionsOn(fs, seed)
	opts.Witness = NewFileWitness(fs, "state/lukasa/witness/"+directory, directory)
	return opts
}

// keep copies the keys directory away, and back.
func keep(fs disk.FS, from, to string) {
	_ = disk.MkdirAll(fs, to)
	for _, name := range []string{keyFile, pubFile, memoryFile} {
		copyFile(fs, fs.PathJoin(from, name), fs.PathJoin(to, name))
	}
}

func TestWitnessSeesARollbackOfEverything(t *testing.T) {
	fs := disk.NewMem()
	g := newGrove("a", 40)
	n := open(t, witnessed(fs, 1))
	mustSign(t, n, "acme", g.at(10))
	keep(fs, "data/keys", "backup")
	mustSign(t, n, "acme", g.at(20))
	_ = n.Close()
	keep(fs, "backup", "data/keys")

	blind := open(t, optionsOn(fs, 1))
	if _, err := blind.Sign("acme", g.at(10)); err != nil {
		t.Fatalf("without a witness the old directory is a good one: %v", err)
	}
	_ = blind.Close()
	n = open(t, witnessed(fs, 2))
	_, err := n.Sign("acme", g.at(10))
	wants(t, err, fault.RolledBack, "witness", "20 were signed")
	_, err = n.Sign("acme", newGrove("b", 30).at(30))
	wants(t, err, fault.RolledBack)
	mustSign(t, n, "acme", g.at(20))

	// The witness starts empty for a new key; the old one stays barred.
	if err := n.Rekey(); err != nil {
		t.Fatal(err)
	}
	mustSign(t, n, "acme", g.at(10))
	_ = n.Close()
	keep(fs, "backup", "data/keys")
	_ = fs.Remove("data/keys/checkpoint-1.pub")
	n = open(t, witnessed(fs, 1))
	_, err = n.Sign("acme", g.at(10))
	wants(t, err, fault.RolledBack)
}

func TestWitnessThatCannotBeUsed(t *testing.T) {
	fs := disk.NewMem()
	g := newGrove("a", 40)
	opts := optionsOn(fs, 1)
	broken := &failing{FS: disk.NewMem(), left: 1, forever: true}
	opts.Witness = NewFileWitness(broken, "state/witness", directory)
	n := open(t, opts)
	s, err := n.Sign("acme", g.at(10))
	if err != nil || s.Warning == nil || !strings.Contains(s.Warning.Error(), "witness") || len(s.Note) == 0 {
		t.Fatalf("%v, warning %v", err, s.Warning)
	}
	// Once it can be written, it also catches up on what it missed.
	broken.forever = false
	if s, err = n.SignAt("acme", g.at(10), 4); err != nil || s.Warning != nil {
		t.Fatalf("%v, warning %v", err, s.Warning)
	}
	seen, ok, err := opts.Witness.Last(n.Origin("acme") + "+" + strings.Split(n.VerifierKey("acme"), "+")[1])
	if err != nil || !ok || seen.Size != 10 {
		t.Errorf("the witness knows %+v, %v, %v", seen, ok, err)
	}
}

func TestWitnessOfADamagedFile(t *testing.T) {
	fs := disk.NewMem()
	g := newGrove("a", 40)
	n := open(t, witnessed(fs, 1))
	mustSign(t, n, "one", g.at(10))
	mustSign(t, n, "two", g.at(20))
	_ = n.Close()
	path := "state/lukasa/witness/" + directory
	data, err := disk.ReadFile(fs, path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines[1] = "x" + lines[1][1:]
	if err := disk.WriteFile(fs, path, []byte(strings.Join(lines, ""))); err != nil {
		t.Fatal(err)
	}
	n = open(t, witnessed(fs, 1))
	s, err := n.Sign("two", g.at(21))
	if err != nil || s.Warning == nil || !strings.Contains(s.Warning.Error(), "1 lines") {
		t.Fatalf("%v, warning %v", err, s.Warning)
	}
	mustSign(t, n, "two", g.at(22)) // reported once, then repaired
	_, err = n.Sign("two", g.at(20))
	wants(t, err, fault.RolledBack)
}

// TestWitnessOfTwoCopies: two processes have copies of one directory open. The
// one that is behind is detected.
func TestWitnessOfTwoCopies(t *testing.T) {
	fs := disk.NewMem()
	g := newGrove("a", 40)
	first := open(t, witnessed(fs, 1))
	mustSign(t, first, "acme", g.at(10))
	keep(fs, "data/keys", "copy/keys")
	opts := witnessed(fs, 1)
	opts.Dir = "copy/keys"
	second := open(t, opts)
	mustSign(t, second, "acme", g.at(11))
	mustSign(t, first, "acme", g.at(12))
	_, err := second.Sign("acme", g.at(11))
	wants(t, err, fault.RolledBack)
	mustSign(t, second, "acme", g.at(13))
	mustSign(t, first, "other", g.at(5))
	_, err = second.Sign("other", g.at(4))
	wants(t, err, fault.RolledBack)
}

func TestWitnessDirectoryIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not kept there")
	}
	path := filepath.Join(t.TempDir(), "lukasa", "witness", directory)
	w := NewFileWitness(disk.OS(), path, directory)
	defer w.Close()
	if err := w.Remember("log", Seen{Size: 3, Time: clock()}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if seen, ok, err := NewFileWitness(disk.OS(), path, directory).Last("log"); err != nil || !ok || seen.Size != 3 {
		t.Errorf("%+v, %v, %v", seen, ok, err)
	}
}
