package files

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/vault"
)

// exportedMarkdown is what lukasa export --markdown --json prints.
type exportedMarkdown struct {
	Markdown  string   `json:"markdown"` // the directory
	Memories  int      `json:"memories"`
	Artifacts int      `json:"artifacts"`
	Written   int      `json:"written"`
	Unchanged int      `json:"unchanged"`
	Removed   int      `json:"removed"`
	Kept      []string `json:"kept"` // files that were edited, which are left as they are
	answer.State
}

// exportMarkdown writes memories and artifacts as files for people.
func exportMarkdown(s *ask.Shell, c *cobra.Command, flags *exportFlags) error {
	if c.Flags().Changed("out") {
		return fault.New(fault.Usage, "--out is for lines of JSON, and --markdown for files in a directory").WithFix("use one of them")
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		root, err := v.Root(ctx, t.Name())
		if err != nil {
			return err
		}
		pages, err := VaultPages(ctx, t)
		if err != nil {
			return Stopped(ctx, err)
		}
		d, err := openVault(ctx, s, flags.markdown)
		if err != nil {
			return Stopped(ctx, err)
		}
		files, err := vault.EncodeInto(d.manifest, t.Name(), pages)
		if err != nil {
			return err
		}
		a := exportedMarkdown{Markdown: flags.markdown, Kept: []string{}, State: answer.StateOf(root)}
		for _, p := range pages {
			if p.Body.Kind() == record.Artifact {
				a.Artifacts++
			} else {
				a.Memories++
			}
		}
		if err := d.export(ctx, t.Name(), files, &a); err != nil {
			return Stopped(ctx, err)
		}
		return printExported(s, &a)
	})
}

// printExported prints the counts of files.
func printExported(s *ask.Shell, a *exportedMarkdown) error {
	if s.JSON {
		if err := s.WriteJSON(a); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(s.Stdout, "%s %s and %s to %s\n", s.Paint.Green("exported"), term.CountedAs(a.Memories, "memory", "memories"), term.Counted(a.Artifacts, "artifact"), term.OneLine(a.Markdown))
		s.Detail("files", fmt.Sprintf("%s written, %s as they were, %s taken away", term.Thousands(a.Written), term.Thousands(a.Unchanged), term.Thousands(a.Removed)))
		for _, at := range a.Kept {
			s.Detail("edited", at)
		}
		s.Detail("tenant", a.Tenant)
	}
	if len(a.Kept) > 0 {
		return fault.Newf(fault.InvalidDocument, "%s edited since the last export, and left alone", term.Counted(len(a.Kept), "file")).
			WithFix("bring them in with `lukasa import --markdown`, then export again; or move them away")
	}
	return nil
}

// VaultPages returns the memories and artifacts of a tenant, with what they refer to.
func VaultPages(ctx context.Context, t *lukasa.Tenant) ([]vault.Page, error) {
	links := map[memory.URI][]vault.Link{}
	err := eachThing(ctx, t, record.Edge, func(x *lukasa.Thing) {
		if e, ok := x.Body.(*lukasa.Edge); ok {
			links[e.From.Head()] = append(links[e.From.Head()], vault.Link{Rel: string(e.EdgeKind), To: e.To})
		}
	})
	if err != nil {
		return nil, err
	}
	var pages []vault.Page
	for _, kind := range []lukasa.Kind{record.Memory, record.Artifact} {
		err := eachThing(ctx, t, kind, func(x *lukasa.Thing) {
			p := vault.Page{Body: x.Body, Version: x.Version, Trust: x.Trust, Actor: x.Actor, Status: x.Status, Created: x.Created, Updated: x.Updated}
			p.Links = append(p.Links, links[x.URI.Head()]...)
			for _, l := range x.Body.Facets().Links {
				to := l.To
				to.Tenant = t.Name()
				p.Links = append(p.Links, vault.Link{Rel: l.Rel, To: to})
			}
			pages = append(pages, p)
		})
		if err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// eachThing visits all live records of a kind, whether they are valid now or not.
func eachThing(ctx context.Context, t *lukasa.Tenant, kind lukasa.Kind, visit func(*lukasa.Thing)) error {
	o := lukasa.ListOptions{Kind: kind, Limit: 1000, AnyTime: true}
	for {
		page, err := t.List(ctx, o)
		if fault.CodeOf(err) == fault.NotFound {
			return nil // the tenant has nothing yet
		}
		if err != nil {
			return err
		}
		for _, x := range page.Things {
			visit(x)
		}
		if o.After = page.Next; o.After == "" {
			return nil
		}
	}
}

// export brings the directory up to the files. What it is about to do is written into the
// manifest first, so that one that is interrupted knows its own files.
func (d *vaultDir) export(ctx context.Context, tenant string, files []vault.File, a *exportedMarkdown) error {
	switch {
	case d.foreign():
		return fault.Newf(fault.ForeignDir, "%q holds files and is no vault of Lukasa", d.root).WithFix("name a new or empty directory, or one that `lukasa export --markdown` made")
	case d.manifest != nil && d.manifest.Tenant != tenant:
		return fault.Newf(fault.ForeignDir, "%q is the vault of tenant %q", d.root, d.manifest.Tenant).WithFix("name a directory of its own for each tenant")
	}
	old := d.manifest
	if old == nil {
		old = vault.NewManifest(tenant)
	}
	next := vault.NewManifest(tenant)
	writes, removes, err := d.plan(ctx, old, next, files, a)
	if err != nil {
		return err
	}
	if err := d.mkdir("", "memories", "artifacts"); err != nil {
		return err
	}
	if len(writes)+len(removes) > 0 {
		between := vault.NewManifest(tenant)
		maps.Copy(between.Files, old.Files)
		for _, f := range writes {
			e := between.Files[f.Path]
			e.Next = vault.Sum(f.Data)
			between.Files[f.Path] = e
		}
		if err := d.keep(between); err != nil {
			return err
		}
	}
	for _, f := range writes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.write(f.Path, f.Data); err != nil {
			return err
		}
	}
	for _, at := range removes {
		if err := d.shell.Files.Remove(d.name(at)); err != nil {
			return ask.CannotWrite(d.name(at), err)
		}
	}
	a.Written, a.Removed = len(writes), len(removes)
	slices.Sort(a.Kept)
	return d.keep(next)
}

// maxIndex is the size of the longest index that is compared: it has a line for each record.
const maxIndex = 1 << 30

// plan compares the directory with the files, and returns which to write and which to remove.
func (d *vaultDir) plan(ctx context.Context, old, next *vault.Manifest, files []vault.File, a *exportedMarkdown) (writes []*vault.File, removes []string, err error) {
	wanted := map[string]bool{}
	for i := range files {
		f := &files[i]
		wanted[f.Path] = true
		known, listed := old.Files[f.Path]
		next.Files[f.Path] = vault.EntryOf(f)
		switch d.found[f.Path] {
		case "":
			writes = append(writes, f)
			continue
		case foundFileKind:
		default:
			return nil, nil, fault.Newf(fault.ForeignDir, "%q is no file", d.name(f.Path)).WithFix("move it away")
		}
		limit := int64(vault.MaxFile)
		if f.ID == "" {
			limit = maxIndex
		}
		data, err := d.read(ctx, f.Path, limit)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case bytes.Equal(data, f.Data):
			a.Unchanged++
		case listed && known.Wrote(data):
			writes = append(writes, f)
		case strings.HasPrefix(f.Path, "."):
			delete(next.Files, f.Path) // the user has a file of that name
		default:
			a.Kept = append(a.Kept, f.Path)
			if delete(next.Files, f.Path); listed {
				next.Files[f.Path] = known
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(old.Files)) {
		if wanted[at] || d.found[at] != foundFileKind {
			continue
		}
		data, err := d.read(ctx, at, vault.MaxFile)
		if err != nil {
			return nil, nil, err
		}
		switch known := old.Files[at]; {
		case !vault.Removable(at):
			next.Files[at] = known
		case known.Wrote(data):
			removes = append(removes, at)
		default:
			a.Kept = append(a.Kept, at)
			next.Files[at] = known
		}
	}
	return writes, removes, nil
}
