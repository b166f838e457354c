package files

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/vault"
)

// vaultProblem is a file that could not be imported, as --json prints it.
type vaultProblem struct {
	File   string        `json:"file"`
	Line   int           `json:"line,omitempty"`
	Reason source.Reason `json:"reason"`
	Rule   string        `json:"rule"`
	Fix    string        `json:"fix"`
}

// importedMarkdown is what lukasa import --markdown --json prints.
type importedMarkdown struct {
	Markdown  string         `json:"markdown"` // the directory
	DryRun    bool           `json:"dry_run"`
	Files     int            `json:"files"`
	Created   int            `json:"created"`
	Updated   int            `json:"updated"`
	Present   int            `json:"present"`
	Forgotten int            `json:"forgotten"` // by --prune
	Missing   int            `json:"missing"`   // files that are gone
	Scrubbed  int            `json:"scrubbed"`
	Skipped   []leftCount    `json:"skipped"`
	Problems  []vaultProblem `json:"problems"`
	Omitted   int            `json:"omitted"` // problems that are not listed
	answer.State
}

// vaultImport is one run of import --markdown.
type vaultImport struct {
	importedMarkdown
	shell  *ask.Shell
	flags  *importFlags
	dir    *vaultDir
	visit  *ask.Visit
	tenant string
	writer lukasa.Writer
	left   map[source.Reason]int
	notes  []*vaultNote
	next   *vault.Manifest // the manifest after the import
	bad    int
}

// vaultNote is a file that was read.
type vaultNote struct {
	*vault.Note
	path string
	sum  string // of its bytes
}

// importMarkdown imports the edited files of an export.
func importMarkdown(s *ask.Shell, c *cobra.Command, flags *importFlags) error {
	if c.Flags().Changed("from") {
		return fault.New(fault.Usage, "--from is for what another program wrote").WithFix("use it, or --markdown")
	}
	if flags.most < 0 {
		return fault.Newf(fault.Usage, "--max is %d", flags.most).WithFix("use 0 to show all problems, or a positive number")
	}
	w, err := s.Writer(c, &flags.BoardFlags)
	if err != nil {
		return err
	}
	m := &vaultImport{shell: s, flags: flags, writer: w, left: map[source.Reason]int{}}
	m.Markdown, m.DryRun, m.Skipped, m.Problems = flags.markdown, flags.dryRun, []leftCount{}, []vaultProblem{}
	if m.dir, err = openVault(c.Context(), s, flags.markdown); err != nil {
		return Stopped(c.Context(), err)
	}
	if !m.dir.exists {
		return fault.Newf(fault.UnreadableInput, "there is no directory %q", flags.markdown).WithFix("name the directory that `lukasa export --markdown` wrote")
	}
	if m.dir.manifest == nil && len(m.dir.pages()) == 0 {
		return fault.Newf(fault.UnreadableInput, "there is no Markdown file in %q", flags.markdown).WithFix("name the directory that `lukasa export --markdown` wrote")
	}
	options := lukasa.Options{}
	if flags.dryRun {
		options = ask.Reading()
	}
	return s.Visit(c, &flags.BoardFlags, options, func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		m.visit, m.tenant = v, t.Name()
		return m.finish(ctx, m.all(ctx))
	})
}

// all imports one file after the other, sources before what is derived from them.
func (m *vaultImport) all(ctx context.Context) error {
	m.next = vault.NewManifest(m.tenant)
	if old := m.dir.manifest; old != nil {
		m.next.Tenant = old.Tenant
		maps.Copy(m.next.Files, old.Files)
	}
	if err := m.readAll(ctx); err != nil {
		return err
	}
	for _, n := range m.ordered() {
		if err := m.take(ctx, n); err != nil {
			return err
		}
	}
	if err := m.gone(ctx); err != nil {
		return err
	}
	if m.dir.manifest == nil || m.DryRun || m.dir.manifest.Tenant != m.tenant {
		return nil // there is no manifest of this tenant, or nothing was written
	}
	return m.dir.keep(m.next)
}

// readAll reads the files. A broken one does not affect the others.
func (m *vaultImport) readAll(ctx context.Context) error {
	for _, at := range m.dir.pages() {
		m.Files++
		data, err := m.dir.read(ctx, at, vault.MaxFile)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.problem(at, 0, source.Unreadable, fault.From(err).Error(), fault.From(err).Advice())
			continue
		}
		note, err := vault.Decode(at, data)
		if errors.Is(err, vault.ErrOther) {
			m.left[source.OtherFile]++
			continue
		}
		if p, ok := errors.AsType[*vault.Problem](err); ok {
			m.problem(at, p.Line, source.Broken, p.Rule, p.Fix)
			continue
		}
		if err != nil {
			return err
		}
		m.rehouse(note.Body)
		m.notes = append(m.notes, &vaultNote{note, at, vault.Sum(data)})
	}
	for at, kind := range m.dir.found {
		if kind == foundOther && at[0] != '.' {
			m.left[source.Link]++
		}
	}
	return nil
}

// rehouse replaces the name of the exported tenant by that of the target in URIs.
func (m *vaultImport) rehouse(b memory.Body) {
	mem, ok := b.(*memory.Memory)
	if !ok || m.dir.manifest == nil {
		return
	}
	for i := range mem.Sources {
		if mem.Sources[i].Tenant == m.dir.manifest.Tenant {
			mem.Sources[i].Tenant = m.tenant
		}
	}
}

// ordered returns the notes such that derived ones follow their sources: the trust of a record
// is that of its sources, if they are known.
func (m *vaultImport) ordered() []*vaultNote {
	byID := map[memory.URI]*vaultNote{}
	for _, n := range m.notes {
		id, _ := n.Body.Identity()
		byID[memory.URI{Tenant: m.tenant, Kind: n.Body.Kind(), ID: id}] = n
	}
	var out []*vaultNote
	seen := map[*vaultNote]bool{}
	var visit func(n *vaultNote)
	visit = func(n *vaultNote) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, l := range n.Body.Facets().Links {
			to := l.To.Head()
			to.Tenant = m.tenant
			if from := byID[to]; from != nil && l.Rel == "derived_from" {
				visit(from)
			}
		}
		out = append(out, n)
	}
	for _, n := range m.notes {
		visit(n)
	}
	return out
}

// take imports one file.
func (m *vaultImport) take(ctx context.Context, n *vaultNote) error {
	id, key := n.Body.Identity()
	ref := lukasa.Ref{Kind: n.Body.Kind(), ID: id}
	if id == "" {
		ref.Key = key
	}
	w := m.writer
	if n.Trust != 0 && n.Trust < w.Trust {
		w.Trust = n.Trust
	}
	t := m.visit.Handle(m.tenant, w)
	there, err := t.Get(ctx, ref, lukasa.View{Now: m.shell.Now()})
	switch fault.CodeOf(err) {
	case "":
	case fault.NotFound:
		return m.put(ctx, t, n, lukasa.Version(0), &m.Created)
	case fault.Erased:
		m.left[source.Erased]++
		return nil
	default:
		return err
	}
	if there.State != lukasa.Live {
		m.left[source.Forgotten]++
		return nil
	}
	return m.compare(ctx, t, n, there)
}

// compare imports a file whose record exists.
func (m *vaultImport) compare(ctx context.Context, t *lukasa.Tenant, n *vaultNote, there *lukasa.Thing) error {
	now, err := vault.Content(there.Body)
	if err != nil {
		return err
	}
	id, _ := there.Body.Identity()
	n.Body.SetID(id)
	mine, err := vault.Content(n.Body)
	if err != nil {
		return err
	}
	if mine == now {
		m.Present++
		m.note(n, id, now)
		return nil
	}
	if n.Body.Kind() == record.Artifact {
		m.problem(n.path, 0, source.Changed, "the artifact is on record with other content, and an artifact never changes", "export again, into a new directory")
		return nil
	}
	base := ""
	if m.dir.manifest != nil && m.dir.manifest.Files[n.path].ID == id {
		base = m.dir.manifest.Files[n.path].Content
	}
	if base != "" && base != now {
		known, err := m.known(ctx, t, there, mine)
		if err != nil {
			return err
		}
		if known || mine == base {
			m.Present++ // the board has a newer version, and the file is unchanged
			return nil
		}
		m.problem(n.path, 0, source.Changed, "it was edited here, and on the board as well since it was exported", "move your file away, export again, and edit the new one")
		return nil
	}
	fresh(n.Body, there.Body)
	return m.put(ctx, t, n, lukasa.Version(there.Version), &m.Updated)
}

// known reports whether the board had the content before.
func (m *vaultImport) known(ctx context.Context, t *lukasa.Tenant, there *lukasa.Thing, mine string) (bool, error) {
	_, changes, err := t.History(ctx, lukasa.Ref{Kind: there.URI.Kind, ID: there.URI.ID}, lukasa.View{})
	for _, c := range changes {
		if c.Body == nil {
			continue
		}
		if content, err := vault.Content(c.Body); err == nil && content == mine {
			return true, nil
		}
	}
	return false, err
}

// fresh removes the forms of an edited text, if they are still those of the text before.
func fresh(mine, there memory.Body) {
	a, ok := mine.(*memory.Memory)
	b, also := there.(*memory.Memory)
	if ok && also && a.Text != b.Text && a.Forms == b.Forms {
		a.Forms = memory.Forms{}
	}
}

// put writes a version, and counts it.
func (m *vaultImport) put(ctx context.Context, t *lukasa.Tenant, n *vaultNote, expect lukasa.Expect, count *int) error {
	if m.DryRun {
		*count++
		return nil
	}
	put, err := t.Put(ctx, n.Body, expect)
	switch fault.CodeOf(err) {
	case "":
	case fault.Erased:
		m.left[source.Erased]++
		return nil
	case fault.InvalidArgument, fault.InvalidDocument, fault.IDConflict, fault.VersionConflict, fault.TooLarge, fault.Untrusted:
		m.problem(n.path, 0, source.Refused, fault.From(err).Error(), fault.From(err).Advice())
		return nil
	default:
		return err
	}
	m.Scrubbed += put.Scrubbed
	if put.Unchanged {
		count = &m.Present
	}
	*count++
	there, err := t.Get(context.WithoutCancel(ctx), lukasa.Ref{Kind: put.URI.Kind, ID: put.URI.ID}, lukasa.View{})
	if err != nil {
		return err
	}
	content, err := vault.Content(there.Body)
	if err != nil {
		return err
	}
	m.note(n, put.URI.ID, content)
	return nil
}

// note records in the manifest that the board has the content of a file, so that the next edit is
// compared with it. A file that the manifest does not name belongs to its writer.
func (m *vaultImport) note(n *vaultNote, id, content string) {
	e := vault.Entry{Kind: n.Body.Kind().String(), ID: id, Content: content}
	if old, ok := m.next.Files[n.path]; ok && old.ID == id && vault.Removable(n.path) {
		e.File = n.sum
	}
	m.next.Files[n.path] = e
}

// gone finds records whose files were removed, and forgets them if a flag asks for that.
func (m *vaultImport) gone(ctx context.Context) error {
	if m.dir.manifest == nil || m.dir.manifest.Tenant != m.tenant {
		return nil
	}
	here := map[string]bool{}
	for _, n := range m.notes {
		id, _ := n.Body.Identity()
		here[n.Body.Kind().String()+"\x00"+id] = true
	}
	for _, at := range slices.Sorted(maps.Keys(m.dir.manifest.Files)) {
		e := m.dir.manifest.Files[at]
		if e.ID == "" || m.dir.found[at] != "" || here[e.Kind+"\x00"+e.ID] {
			continue
		}
		if !m.flags.prune {
			m.Missing++
			continue
		}
		if err := m.prune(ctx, at, e); err != nil {
			return err
		}
	}
	return nil
}

// prune forgets a record whose file was removed, if its content is still that of the file.
func (m *vaultImport) prune(ctx context.Context, at string, e vault.Entry) error {
	t := m.visit.Handle(m.tenant, m.writer)
	ref := lukasa.Ref{Kind: e.KindOf(), ID: e.ID}
	there, err := t.Get(ctx, ref, lukasa.View{Now: m.shell.Now()})
	if code := fault.CodeOf(err); code == fault.NotFound || code == fault.Erased || err == nil && there.State != lukasa.Live {
		delete(m.next.Files, at)
		return nil
	}
	if err != nil {
		return err
	}
	if now, err := vault.Content(there.Body); err != nil || now != e.Content {
		m.problem(at, 0, source.Changed, "its file was taken away, and it was changed on the board since it was exported", "export again, look at it, and take the file away once more")
		return err
	}
	if !m.DryRun {
		if _, err := t.Forget(ctx, ref, "its file was removed from the vault", lukasa.Version(there.Version)); err != nil {
			if code := fault.CodeOf(err); code != fault.Untrusted && code != fault.VersionConflict {
				return err
			}
			m.problem(at, 0, source.Refused, fault.From(err).Error(), fault.From(err).Advice())
			return nil
		}
	}
	m.Forgotten++
	delete(m.next.Files, at)
	return nil
}

// problem records a file that could not be imported.
func (m *vaultImport) problem(at string, line int, why source.Reason, rule, fix string) {
	m.left[why]++
	m.bad++
	if m.flags.most > 0 && len(m.Problems) >= m.flags.most {
		m.Omitted++
		return
	}
	m.Problems = append(m.Problems, vaultProblem{at, line, why, rule, fix})
	if s := m.shell; !s.JSON {
		where := at
		if line > 0 {
			where += fmt.Sprintf(":%d", line)
		}
		fmt.Fprintf(s.Stdout, "%s %s; %s %s\n", s.Paint.Bold(term.OneLine(where)+":"), term.OneLine(rule), term.OneLine(fix), s.Paint.Dim("["+string(why)+"]"))
	}
}
