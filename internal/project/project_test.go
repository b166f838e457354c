package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes a file with its directories.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRemoteID(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/Acme/Shop.git":         "github.com/acme/shop",
		"https://ines:token@github.com/acme/shop/": "github.com/acme/shop",
		"git@github.com:acme/shop.git":             "github.com/acme/shop",
		"ssh://git@git.example.org:2222/a/b.git":   "git.example.org/a/b",
		"git.example.org:a/b":                      "git.example.org/a/b",
		"/srv/git/shop.git":                        "",
		"../origin.git":                            "",
		"file:///srv/git/shop.git":                 "",
		`C:\git\shop`:                              "",
		"http://localhost/x.git":                   "",
		"":                                         "",
		"https://github.com/":                      "",
	} {
		if got := remoteID(address); got != want {
			t.Errorf("%q is %q and not %q", address, got, want)
		}
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	home := tempDir(t)
	root := filepath.Join(tempDir(t), "shop")
	write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/feature/x\n")
	write(t, filepath.Join(root, ".git", "config"), "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:acme/shop.git ; main\n[alias]\n\tp = push\n\tpm = \"!git push origin main\" # quick\n")
	write(t, filepath.Join(home, ".gitconfig"), "[alias]\n\tp = pull\n\tco = checkout \\\n  -q\n")
	write(t, filepath.Join(root, "cmd", "x", "main.go"), "package main\n")
	p := At(filepath.Join(root, "cmd", "x"), home)
	if p.Name != "shop" || p.Root != root || p.Branch != "feature/x" {
		t.Errorf("%+v", p)
	}
	if want := []string{"github.com/acme/shop", filepath.ToSlash(root)}; !slices.Equal(p.IDs, want) || p.ID() != want[0] {
		t.Errorf("ids are %q and not %q", p.IDs, want)
	}
	if want := []string{"project: github.com/acme/shop", "project: " + filepath.ToSlash(root)}; !slices.Equal(p.Conditions(), want) {
		t.Errorf("conditions are %q", p.Conditions())
	}
	if p.Aliases["p"] != "push" || p.Aliases["pm"] != "!git push origin main" || strings.Join(strings.Fields(p.Aliases["co"]), " ") != "checkout -q" {
		t.Errorf("aliases are %q", p.Aliases)
	}
}

// A linked working tree belongs to the project of its repository, and has its own branch.
func TestAtWorktree(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	root, tree := filepath.Join(base, "shop"), filepath.Join(base, "shop-fix")
	admin := filepath.Join(root, ".git", "worktrees", "fix")
	write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(root, ".git", "config"), "")
	write(t, filepath.Join(admin, "HEAD"), "ref: refs/heads/fix\n")
	write(t, filepath.Join(admin, "commondir"), "../..\n")
	write(t, filepath.Join(tree, ".git"), "gitdir: "+admin+"\n")
	write(t, filepath.Join(root, SettingsFile), "record = off\n")
	p := At(tree, "")
	if p.Root != root || p.Branch != "fix" || p.Name != "shop" || !p.Settings.NoRecord {
		t.Errorf("%+v", p)
	}
}

// A submodule is a project of its own.
func TestAtSubmodule(t *testing.T) {
	t.Parallel()
	root := filepath.Join(tempDir(t), "shop")
	sub := filepath.Join(root, "vendor", "lib")
	write(t, filepath.Join(root, ".git", "modules", "lib", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(root, ".git", "modules", "lib", "config"), "[remote \"origin\"]\nurl=https://example.org/lib\n")
	write(t, filepath.Join(sub, ".git"), "gitdir: ../../.git/modules/lib\n")
	p := At(sub, "")
	if p.Root != sub || p.ID() != "example.org/lib" || p.Branch != "main" {
		t.Errorf("%+v", p)
	}
}

func TestAtNoRepository(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, filepath.Join(dir, SettingsFile), "# ours\nrecord = off\nenforce = off\nenforce = deny\nnonsense\nx = 1\n")
	p := At(dir, "")
	if p.ID() != filepath.ToSlash(dir) || p.Branch != "" || p.Aliases != nil {
		t.Errorf("%+v", p)
	}
	if s := p.Settings; !s.NoRecord || s.Enforce != "deny" || len(s.Problems) != 3 || !strings.Contains(s.Problems[0], "line 3") {
		t.Errorf("%+v", s)
	}
	if p := At("relative", ""); p.ID() != "" || p.Conditions() != nil {
		t.Errorf("%+v", p)
	}
	if p := At(filepath.Join(dir, "gone", "away"), ""); p.Root != filepath.Join(dir, "gone", "away") {
		t.Errorf("%+v", p)
	}
}

// FuzzGitConfig: no git configuration file can stop a hook.
func FuzzGitConfig(f *testing.F) {
	f.Add("[alias]\n\tp = push\n[remote \"a\\\"b\"]\nurl = \"x;y\" ; z\n\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		for k := range parseGitConfig([]byte(text)) {
			if k[0] != strings.ToLower(k[0]) || strings.Contains(k[2], "\n") {
				t.Errorf("key %q", k)
			}
		}
		remoteID(text)
		ParseSettings(text)
	})
}

// A link to a project is that project, and rules stated through the link hold.
func TestLinkedProject(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	root, link := filepath.Join(dir, "shop"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(dir, "deep")
	for name, to := range map[string]string{link: root, deep: filepath.Join(root, "a", "b")} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("links cannot be made here:", err)
		}
	}
	want := filepath.ToSlash(root)
	for _, at := range []string{root, link, deep, filepath.Join(link, "a")} {
		if p := At(at, ""); p.ID() != want || p.Root != root {
			t.Errorf("%s is known as %q, root %s", at, p.IDs, p.Root)
		}
	}
	if p := At(link, ""); !slices.Contains(p.IDs, filepath.ToSlash(link)) {
		t.Errorf("the link is known as %q", p.IDs)
	}
}

// A path that a condition cannot contain still has a unique identity.
func TestOddPaths(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, dir := range []string{"/srv/new\nline", "/srv/new\tline", "/srv/shop ", "/srv/" + strings.Repeat("long/", 300), "/srv/\xff", "/srv/a\x00b"} {
		p := At(dir, "")
		id := p.ID()
		if !strings.HasPrefix(id, "path-") || len(id) > 64 || seen[id] {
			t.Errorf("%.40q is known as %q", dir, id)
		}
		seen[id] = true
	}
}

// tempDir is a temporary directory by its path without links.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
