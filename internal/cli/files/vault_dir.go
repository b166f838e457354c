package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/vault"
)

// vaultDir is a directory with Markdown files, on the side of the command line.
type vaultDir struct {
	shell *ask.Shell
	root  string
	// manifest is what it knows of its own files; nil if it is no vault.
	manifest *vault.Manifest
	written  []byte            // the manifest as it is on the disk
	found    map[string]string // the entries by path: file, directory, or other
	exists   bool
}

// What is found in a directory.
const (
	foundFileKind  = "file"
	foundDirectory = "directory"
	foundOther     = "other" // a link, a pipe …
)

// openVault reads a directory. One that does not exist is empty.
func openVault(ctx context.Context, s *ask.Shell, root string) (*vaultDir, error) {
	if root == "" {
		return nil, fault.New(fault.Usage, "--markdown is empty").WithFix("name a directory")
	}
	d := &vaultDir{shell: s, root: root, found: map[string]string{}}
	info, err := s.Files.Stat(root)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, ask.CannotOpen(root, err)
	}
	if !info.IsDir() {
		return nil, fault.Newf(fault.Usage, "%q is no directory", root).WithFix("name the directory of the vault")
	}
	d.exists = true
	if err := d.scan(ctx, "", 0); err != nil {
		return nil, err
	}
	switch d.found[vault.ManifestPath] {
	case "":
		return d, nil
	case foundFileKind:
	default: // a link might lead anywhere
		return nil, fault.Newf(fault.ForeignDir, "%q is no file", d.name(vault.ManifestPath)).WithFix("move it away, or export into a new directory")
	}
	if d.written, err = d.read(ctx, vault.ManifestPath, 64<<20); err != nil {
		return nil, err
	}
	d.manifest, err = vault.ParseManifest(d.written)
	return d, err
}

// scan collects the entries of a directory and below, without following links. Names that begin
// with a dot belong to other programs, except for those of a vault at the top.
func (d *vaultDir) scan(ctx context.Context, below string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	infos, err := d.shell.Files.List(d.name(below))
	if err != nil {
		return ask.CannotOpen(d.name(below), err)
	}
	for _, i := range infos {
		at := path.Join(below, i.Name())
		switch {
		case i.Mode().IsRegular():
			d.found[at] = foundFileKind
		case !i.IsDir():
			d.found[at] = foundOther
		default:
			d.found[at] = foundDirectory
			if depth < maxDepth && i.Name()[0] != '.' {
				if err := d.scan(ctx, at, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// name returns the name of a file by its path.
func (d *vaultDir) name(at string) string { return filepath.Join(d.root, filepath.FromSlash(at)) }

// foreign reports whether the directory is not empty and no vault. Names that begin with a dot,
// such as .git and .obsidian, do not count.
func (d *vaultDir) foreign() bool {
	if d.manifest != nil {
		return false
	}
	for at := range d.found {
		if at[0] != '.' {
			return true
		}
	}
	return false
}

// pages returns the paths of the files that may be pages, in order.
func (d *vaultDir) pages() []string {
	var list []string
	for _, at := range slices.Sorted(maps.Keys(d.found)) {
		hidden := at[0] == '.' || strings.Contains(at, "/.")
		if d.found[at] == foundFileKind && strings.HasSuffix(at, ".md") && at != vault.IndexPath && !hidden {
			list = append(list, at)
		}
	}
	return list
}

// read returns a file of at most limit bytes, and limit+1 bytes of a larger one.
func (d *vaultDir) read(ctx context.Context, at string, limit int64) ([]byte, error) {
	f, err := d.shell.Files.Open(ctx, d.name(at))
	if err != nil {
		return nil, ask.CannotOpen(d.name(at), err)
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fault.Newf(fault.UnreadableInput, "cannot read %q: %w", d.name(at), term.Cause(err))
	}
	return data, nil
}

// write writes a file atomically.
func (d *vaultDir) write(at string, data []byte) error {
	return d.shell.Files.Replace(d.name(at), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// keep writes the manifest, if it has changed.
func (d *vaultDir) keep(m *vault.Manifest) error {
	data, err := m.Append(nil)
	if err != nil || bytes.Equal(data, d.written) {
		return err
	}
	d.written = data
	return d.write(vault.ManifestPath, data)
}

// mkdir creates the directories of a vault. It refuses links, which might lead anywhere.
func (d *vaultDir) mkdir(paths ...string) error {
	for _, at := range paths {
		if kind := d.found[at]; kind == foundDirectory || at == "" && d.exists {
			continue
		} else if kind != "" {
			return fault.Newf(fault.ForeignDir, "%q is no directory", d.name(at)).WithFix("move it away, or export into a new directory")
		}
		if err := d.shell.Files.Mkdir(d.name(at)); err != nil {
			return ask.CannotWrite(d.name(at), err)
		}
	}
	return nil
}
