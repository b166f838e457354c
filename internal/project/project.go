// Package project determines the project of a working directory, and what is known about that
// place: its identities, the checked-out branch, git's aliases, and the user's settings in a
// file .lukasa.
//
// A rule that a user states in a project binds only there. So a project needs an identity that
// survives a second clone, a worktree and a renamed directory:
//
//   - the address of the remote "origin" without scheme, user and ".git", such as
//     github.com/acme/shop, if there is one that other machines can reach;
//   - the absolute path of the repository's main working tree, or, without a repository,
//     of the directory itself.
//
// A rule is recorded with the first identity of its place, and a request states all of them. So
// a repository that gets a remote later keeps its rules, and so does one that moves if it has a
// remote. One that moves without a remote becomes another project.
//
// # What is guaranteed
//
//   - Files are only read, and nothing is run. Each file is read up to a limit, and an
//     unreadable file counts as missing.
//   - [At] never fails: for a missing path the place is that path.
//
// # What is not
//
// Files that git's configuration includes are not read, so aliases there are unknown.
package project

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is read.
const (
	maxUp   = 64      // directories above a place
	maxFile = 1 << 20 // bytes of a file
)

// Place is what is known about a working directory. It is sent to a server as JSON.
type Place struct {
	// Name is the usual name of the project: that of its root directory.
	Name string `json:"name,omitempty"`
	// Root is the main working tree of the repository, or the directory itself.
	Root string `json:"root,omitempty"`
	// Repository says that the directory is in a git repository.
	Repository bool `json:"repository,omitempty"`
	// IDs identify the project, the most portable first.
	IDs []string `json:"ids,omitempty"`
	// Branch is the checked-out branch; empty if there is none, or it is unknown.
	Branch string `json:"branch,omitempty"`
	// Aliases are those of git, with their expansions.
	Aliases map[string]string `json:"aliases,omitempty"`
	// Settings are those of the file .lukasa.
	Settings Settings `json:"settings"`
}

// condition is the prefix of a condition about a project.
const condition = "project: "

// Condition returns the condition that binds a record to the project with an identity.
func Condition(id string) string { return condition + id }

// OfCondition returns the identity in a condition about a project.
func OfCondition(c string) (id string, ok bool) { return strings.CutPrefix(c, condition) }

// ID returns the identity that records are bound to, or nothing if the place has none.
func (p *Place) ID() string {
	if len(p.IDs) == 0 {
		return ""
	}
	return p.IDs[0]
}

// Conditions returns the conditions that hold for a request from the place.
func (p *Place) Conditions() []string {
	var out []string
	for _, id := range p.IDs {
		out = append(out, Condition(id))
	}
	return out
}

// At returns what is known about a directory, given as an absolute path. home is the user's home
// directory, whose git configuration has aliases; it may be empty. A relative path gives the
// zero Place.
func At(dir, home string) Place {
	if !filepath.IsAbs(dir) {
		return Place{}
	}
	named := filepath.Clean(dir)
	dir = named
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // a link to a project is that project
	}
	p := Place{Root: dir}
	r, found := repositoryAbove(dir)
	if found {
		p.Root, p.Repository = r.root, true
		p.Branch = r.branch()
	}
	p.Name = filepath.Base(p.Root)
	if p.Name == string(filepath.Separator) || p.Name == "." {
		p.Name = ""
	}
	if found {
		own := r.config()
		if id := remoteID(own.get("remote", "origin", "url")); id != "" {
			p.IDs = append(p.IDs, id)
		}
		p.Aliases = aliases(home, own)
	}
	p.IDs = append(p.IDs, pathID(p.Root))
	if named != dir {
		// Earlier versions used the path of the link.
		if r, found := repositoryAbove(named); found {
			named = r.root
		}
		if id := pathID(named); !slices.Contains(p.IDs, id) {
			p.IDs = append(p.IDs, id)
		}
	}
	p.Settings = settingsAbove(dir, p.Root, r.tree)
	return p
}

// pathID returns the identity of a project by its path: the path, or its digest if a condition
// cannot contain it.
func pathID(root string) string {
	id := filepath.ToSlash(root)
	if len(id) <= maxPathID && utf8.ValidString(id) && id == strings.TrimSpace(id) && !strings.ContainsFunc(id, unicode.IsControl) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "path-" + hex.EncodeToString(sum[:16])
}

// maxPathID is the maximum length of a path as an identity.
const maxPathID = 512

// repository is the git directories of a working tree.
type repository struct {
	root   string // the main working tree
	tree   string // the working tree that was found, which may be a linked one
	gitDir string // of this working tree: HEAD
	common string // of all its working trees: config
}

// repositoryAbove returns the repository that a directory is in.
func repositoryAbove(dir string) (repository, bool) {
	for at, n := dir, 0; n < maxUp; n++ {
		name := filepath.Join(at, ".git")
		if info, err := os.Stat(name); err == nil {
			r := repository{root: at, tree: at, gitDir: name, common: name}
			if !info.IsDir() {
				r.follow(name)
			}
			return r, true
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	return repository{}, false
}

// follow reads the file .git of a linked working tree or of a submodule. A submodule is a
// project of its own; a linked working tree belongs to that of its repository.
func (r *repository) follow(name string) {
	target, ok := strings.CutPrefix(firstLine(name), "gitdir:")
	if !ok {
		return
	}
	r.gitDir = resolve(filepath.Dir(name), strings.TrimSpace(target))
	r.common = r.gitDir
	if shared := firstLine(filepath.Join(r.gitDir, "commondir")); shared != "" {
		r.common = resolve(r.gitDir, shared)
		if filepath.Base(r.common) == ".git" {
			r.root = filepath.Dir(r.common)
		}
	}
}

// branch returns the checked-out branch.
func (r *repository) branch() string {
	ref, ok := strings.CutPrefix(firstLine(filepath.Join(r.gitDir, "HEAD")), "ref:")
	if !ok {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
	if !ok {
		return ""
	}
	return name
}

func (r *repository) config() gitConfig {
	return parseGitConfig(readFile(filepath.Join(r.common, "config")))
}

// aliases returns those of the user and of the repository, which take precedence.
func aliases(home string, own gitConfig) map[string]string {
	out := make(map[string]string)
	if home != "" {
		for _, name := range []string{filepath.Join(home, ".config", "git", "config"), filepath.Join(home, ".gitconfig")} {
			parseGitConfig(readFile(name)).section("alias", "", out)
		}
	}
	own.section("alias", "", out)
	if len(out) == 0 {
		return nil
	}
	return out
}

// resolve returns a path that is relative to a directory, or absolute.
func resolve(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// firstLine returns the first line of a file without white space around it.
func firstLine(name string) string {
	line, _, _ := strings.Cut(string(readFile(name)), "\n")
	return strings.TrimSpace(line)
}

// ReadFile returns the content of a regular file up to a limit, and nothing if it cannot be read
// or is not regular.
func ReadFile(name string) []byte { return readFile(name) }

// readFile returns a file's content up to the limit, and nothing if it cannot be read.
func readFile(name string) []byte {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil // opening a pipe would block
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	buf := make([]byte, 0, 4<<10)
	for len(buf) < maxFile {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			break
		}
	}
	return buf
}
