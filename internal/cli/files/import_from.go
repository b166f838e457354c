package files

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate"
	"lukasa.dev/internal/migrate/exports"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/recorder"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/transcripts"
	"lukasa.dev/internal/project"
)

// importFlags are the flags of lukasa import.
type importFlags struct {
	ask.BoardFlags
	from   string
	dryRun bool
	most   int
	newest bool // the newest files first
	// markdown is a directory with files of an export, and prune forgets records without a file.
	markdown string
	prune    bool
	trusted  bool // --trust was given
	moved    bool // --tenant was given
}

// add adds the flags that name the source.
func (f *importFlags) add(c *cobra.Command) {
	f.AddTenant(c)
	f.AddWriter(c)
	var formats []string
	for _, x := range migrate.Formats() {
		formats = append(formats, string(x))
	}
	c.Flags().StringVar(&f.from, "from", "", "what another program wrote, by its `FORMAT`: "+strings.Join(formats, ", "))
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --from or --markdown, record nothing, and say what would be")
	c.Flags().IntVar(&f.most, "max", 20, "with --from or --markdown, show at most `N` problems; 0 shows all")
	c.Flags().BoolVar(&f.newest, "newest-first", false, "with --from, read the files that were written to last first, instead of in their order")
	c.Flags().StringVar(&f.markdown, "markdown", "", "bring back the Markdown files in the directory `DIR`, as they were edited")
	c.Flags().BoolVar(&f.prune, "prune", false, "with --markdown, forget what has no file any more")
	ask.SuggestValues(c, "from", formats)
}

// alone refuses the flags that need --from.
func (f *importFlags) alone(c *cobra.Command) error {
	for _, name := range []string{"tenant", "actor", "trust", "dry-run", "max", "newest-first"} {
		if c.Flags().Changed(name) {
			return fault.Newf(fault.Usage, "--%s is for what another program wrote", name).
				WithFix("add --from FORMAT, or leave it out: an export says everything itself")
		}
	}
	return nil
}

// leftCount is how many items were left out for one reason, as --json prints it.
type leftCount struct {
	Reason source.Reason `json:"reason"`
	Count  int           `json:"count"`
}

// importProblem is an item that could not be imported, as --json prints it.
type importProblem struct {
	File   string        `json:"file"`
	Line   int           `json:"line,omitempty"`
	Reason source.Reason `json:"reason"`
	Detail string        `json:"detail"`
}

// ImportFromAnswer is what lukasa import --from --json prints.
type ImportFromAnswer struct {
	From       foreign.Format  `json:"from"`
	DryRun     bool            `json:"dry_run"`
	Files      int             `json:"files"`
	Sessions   int             `json:"sessions"`
	Events     int             `json:"events"`
	Duplicates int             `json:"duplicates"`
	Memories   int             `json:"memories"`
	Entities   int             `json:"entities"`
	Relations  int             `json:"relations"`
	Present    int             `json:"present"`
	Scrubbed   int             `json:"scrubbed"`
	Skipped    []leftCount     `json:"skipped"`
	Problems   []importProblem `json:"problems"`
	Omitted    int             `json:"omitted"` // problems that are not listed
	answer.State
}

// migration is one run of import --from.
type migration struct {
	ImportFromAnswer
	shell      *ask.Shell
	flags      *importFlags
	format     foreign.Format
	file       string // that is being read
	left       map[source.Reason]int
	unfinished []string // files whose end was not taken
	troubles   int
	total      int64 // bytes of all files, as far as it is known
	done       int64
	progress   *term.Progress
	own        *lukasa.Handout // recognises text that the board handed out
}

// importFrom imports files of another program.
func importFrom(s *ask.Shell, c *cobra.Command, args []string, flags *importFlags) error {
	format, ok := migrate.ParseFormat(flags.from)
	if !ok {
		var names []string
		for _, f := range migrate.Formats() {
			names = append(names, string(f))
		}
		return ask.UnknownName(fault.Usage, "format for --from", flags.from, names)
	}
	if flags.most < 0 {
		return fault.Newf(fault.Usage, "--max is %d", flags.most).WithFix("use 0 to show all problems, or a positive number")
	}
	w, err := s.Writer(c, &flags.BoardFlags)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if s.Detect(s.Stdin).Is {
			return ask.NoFile()
		}
		args = []string{"-"}
	}
	flags.trusted, flags.moved = c.Flags().Changed("trust"), c.Flags().Changed("tenant")
	m := &migration{shell: s, flags: flags, format: format, left: map[source.Reason]int{}}
	m.From, m.DryRun, m.Skipped, m.Problems = format, flags.dryRun, []leftCount{}, []importProblem{}
	// A mistyped name fails before anything is recorded or created.
	files, err := m.find(c.Context(), args)
	if err != nil {
		return Stopped(c.Context(), err)
	}
	if err := m.check(c.Context(), files); err != nil {
		return Stopped(c.Context(), err)
	}
	options := lukasa.Options{}
	if flags.dryRun {
		dir, err := s.DataDir(c, &flags.BoardFlags)
		if err != nil {
			return err
		}
		if s.Served.Board == nil && !isDir(dir) {
			return m.finish(c.Context(), nil, m.all(c.Context(), nil, flags.named(s, c), files, w))
		}
		options = ask.Reading()
	}
	return s.Visit(c, &flags.BoardFlags, options, func(ctx context.Context, v *ask.Visit) error {
		tenant, err := m.into(ctx, v)
		if err != nil {
			return err
		}
		return m.finish(ctx, v, m.all(ctx, v.Board, tenant, files, w))
	})
}

// check returns an error if none of the files has the format, before anything is created.
func (m *migration) check(ctx context.Context, files []foundFile) error {
	var first error
	for _, f := range files {
		if f.once {
			return nil // reported when it is read
		}
		src, err := m.source(ctx, f, false)
		if err != nil {
			return nil // reported when it is read
		}
		err = migrate.Check(m.format, source.Source{Name: filepath.Base(f.name), Reader: src})
		_ = src.Close() // nothing was written to it
		if err == nil {
			return ctx.Err()
		}
		if first == nil {
			e := fault.From(err)
			first = fault.Newf(e.Code, "%s: %w", term.OneLine(f.name), err).WithFix(e.Fix)
		}
	}
	return first
}

// into returns the tenant to import into. Events of HMX name their own.
func (m *migration) into(ctx context.Context, v *ask.Visit) (string, error) {
	if m.format == exports.HMX && !m.flags.moved {
		name, _, err := v.Named(ctx)
		return name, err
	}
	t, err := v.Reader(ctx)
	if err != nil {
		return "", err
	}
	return t.Name(), nil
}

// isDir reports whether the data directory exists.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// named returns the tenant where there is no board yet.
func (f *importFlags) named(s *ask.Shell, c *cobra.Command) string {
	if c.Flags().Changed("tenant") {
		return f.Tenant
	}
	if name := s.Env("LUKASA_TENANT"); name != "" {
		return name
	}
	return "default"
}

// find returns the files that the arguments name.
func (m *migration) find(ctx context.Context, args []string) ([]foundFile, error) {
	var files []foundFile
	for _, arg := range args {
		if arg == "-" {
			files = append(files, foundFile{name: "-", size: -1, once: true})
			continue
		}
		found, stored, err := m.openCodeStorage(ctx, arg)
		if err != nil {
			return nil, err
		}
		if stored {
			m.inTime(ctx, found)
			files = append(files, found...)
			continue
		}
		found, err = findFiles(ctx, m.shell, arg, m.format, func(file string, why source.Reason, detail string) {
			m.file = file
			m.leave(source.Left{Reason: why, Detail: detail})
		})
		if err != nil {
			return nil, err
		}
		m.inTime(ctx, found)
		files = append(files, found...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, f := range files {
		m.total += max(f.size, 0)
	}
	if m.flags.newest {
		slices.SortStableFunc(files, func(a, b foundFile) int { return b.time.Compare(a.time) })
	}
	return files, nil
}

// inTime sorts the transcripts of a directory by the time at which they began: later statements
// must be recorded later, since they replace earlier ones. Other files stay in the order of their
// names.
func (m *migration) inTime(ctx context.Context, files []foundFile) {
	if !m.format.HasHooks() || m.flags.newest {
		return
	}
	began := make(map[string]time.Time, len(files))
	for _, f := range files {
		if !f.below || ctx.Err() != nil {
			return
		}
		began[f.name] = f.time // the default: the time of the file
		src, err := m.source(ctx, f, false)
		if err != nil {
			continue // reported when it is read
		}
		if t := transcripts.Began(m.format, source.Source{Name: filepath.Base(f.name), Reader: src}); !t.IsZero() {
			began[f.name] = t
		}
		_ = src.Close() // nothing was written to it
	}
	slices.SortStableFunc(files, func(a, b foundFile) int { return began[a.name].Compare(began[b.name]) })
}

// all imports one file after the other.
func (m *migration) all(ctx context.Context, board *lukasa.Board, tenant string, files []foundFile, w lukasa.Writer) error {
	m.progress = m.shell.Progress()
	defer m.progress.Done()
	m.Tenant = tenant
	if board != nil {
		m.own = board.Handout()
	}
	rec := recorder.New(board, m.recording(tenant, w))
	for _, f := range files {
		err := m.one(ctx, rec, f)
		if err == nil {
			err = rec.Flush(ctx)
		}
		m.count(rec.Counts())
		if err != nil {
			return err
		}
	}
	return nil
}

// recording returns the writers of the import. Words of people get the trust of a user; memories
// of other programs at most that of an agent, unless --trust says more.
func (m *migration) recording(tenant string, w lukasa.Writer) recorder.Options {
	things := w
	if !m.flags.trusted {
		things.Trust = lukasa.Agent
	}
	return recorder.Options{Tenant: tenant, Events: w, Things: things, DryRun: m.flags.dryRun, Leave: m.leave}
}

// one imports one file. A file that cannot be read does not stop the others.
func (m *migration) one(ctx context.Context, rec *recorder.Recorder, f foundFile) error {
	m.file = f.name
	src, err := m.source(ctx, f, true)
	if err != nil {
		return m.unread(ctx, err)
	}
	defer func() { _ = src.Close() }() // nothing was written to it
	name, when := filepath.Base(f.name), f.time
	if f.name == "-" {
		name, when = "", m.shell.Now()
	}
	m.Files++
	before := m.done
	reading := readFunc(func(b []byte) (int, error) {
		n, err := src.Read(b)
		m.done += int64(n)
		m.progress.Update(func() string { return m.soFar(rec) })
		return n, err
	})
	err = migrate.Read(ctx, m.format, source.Source{Name: name, Path: f.path, Modified: when.UTC().Truncate(time.Second), Reader: reading},
		source.Options{Tenant: m.Tenant, Move: m.flags.moved, Project: func(dir string) (name, id string) { return projectOf(m.shell, dir) }, Own: m.own}, rec)
	if f.size > 0 {
		m.done = before + f.size
	}
	if o, ok := errors.AsType[*migrate.OtherFormat](err); ok {
		return m.mistaken(f, o, err)
	}
	return m.unread(ctx, err)
}

// projectOf returns the project of a directory that a transcript names, and its identity. The
// identity of a directory that is not on this machine is its path.
func projectOf(s *ask.Shell, dir string) (name, id string) {
	if isDir(dir) {
		if p := project.At(dir, s.Home()); p.ID() != "" {
			return p.Name, p.ID()
		}
	}
	return path.Base(strings.ReplaceAll(dir, `\`, "/")), dir
}

// mistaken records a file of another format. A file below a directory that has no known format
// is no problem, and only counted. A stream of another format ends the import.
func (m *migration) mistaken(f foundFile, o *migrate.OtherFormat, err error) error {
	m.Files--
	switch {
	case f.once:
		return err
	case f.below && o.Looks == "":
		m.leave(source.Left{Reason: source.OtherFile, Detail: o.Error()})
	default:
		m.leave(source.Left{Reason: source.Mistaken, Detail: o.Error() + "; " + fault.From(err).Fix})
	}
	return nil
}

// unread records a file that cannot be read, and returns every other error.
func (m *migration) unread(ctx context.Context, err error) error {
	switch code := fault.CodeOf(err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case code == fault.UnreadableInput, code == fault.InvalidDocument:
		e := fault.From(err)
		detail := e.Error()
		if e.Fix != "" {
			detail += "; " + e.Fix
		}
		m.leave(source.Left{Reason: source.Unreadable, Detail: detail})
		return nil
	}
	return err
}

// leave counts an item that was left out, and records problems.
func (m *migration) leave(l source.Left) {
	m.left[l.Reason]++
	if l.Reason == source.Unfinished {
		m.unfinished = append(m.unfinished, m.file)
	}
	if !l.Reason.Problem() {
		return
	}
	m.troubles++
	if m.flags.most > 0 && len(m.Problems) >= m.flags.most {
		m.Omitted++
		return
	}
	m.Problems = append(m.Problems, importProblem{m.file, l.Line, l.Reason, l.Detail})
	if s := m.shell; !s.JSON {
		at := term.OneLine(m.file)
		if l.Line > 0 {
			at += ":" + strconv.Itoa(l.Line)
		}
		fmt.Fprintf(s.Stdout, "%s %s %s\n", s.Paint.Bold(at+":"), term.OneLine(l.Detail), s.Paint.Dim("["+string(l.Reason)+"]"))
	}
}

// count copies the counts of the recorder.
func (m *migration) count(c recorder.Counts) {
	m.Sessions, m.Events, m.Duplicates, m.Memories = c.Sessions, c.Events, c.Duplicates, c.Memories
	m.Entities, m.Relations, m.Present, m.Scrubbed = c.Entities, c.Relations, c.Present, c.Scrubbed
}

// soFar returns the line that shows the progress.
func (m *migration) soFar(rec *recorder.Recorder) string {
	c := rec.Counts()
	line := "imported " + term.Counted(c.Events, "event")
	if n := c.Memories + c.Entities + c.Relations; n > 0 {
		line += ", " + term.Thousands(n) + " memories and the like"
	}
	if c.Duplicates+c.Present > 0 {
		line += ", " + term.Thousands(c.Duplicates+c.Present) + " there already"
	}
	if m.total > 0 {
		line += ", " + term.Share(uint64(m.done), uint64(m.total))
	}
	return line
}

// finish prints the answer, and returns the error of the command.
func (m *migration) finish(ctx context.Context, v *ask.Visit, failed error) error {
	if v != nil {
		root, err := v.Root(context.WithoutCancel(ctx), m.Tenant)
		if err != nil {
			return err
		}
		m.State = answer.StateOf(root)
		m.Tenant = root.Tenant
	}
	if _, ok := errors.AsType[*migrate.OtherFormat](failed); ok && m.Files == 0 {
		return failed // there is nothing else to report
	}
	m.Skipped = leftCounts(m.left)
	if err := m.print(); err != nil {
		return err
	}
	if errors.Is(failed, context.Canceled) {
		return fault.Newf(fault.Canceled, "stopped on request; %s on record", term.Counted(m.Events, "event")).WithCause(failed).WithFix("run it again to go on")
	}
	if failed != nil {
		return failed
	}
	if m.troubles > 0 {
		return fault.Newf(fault.InvalidDocument, "%s; everything else is taken", term.Counted(m.troubles, "problem"))
	}
	return nil
}

// leftCounts lists how many items were left out, by reason.
func leftCounts(left map[source.Reason]int) (list []leftCount) {
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		list = append(list, leftCount{reason, left[reason]})
	}
	return list
}

// importVerb prints how many problems are not shown, and returns the verb of the answer: what
// was done, or would be.
func importVerb(s *ask.Shell, omitted int, dry bool) string {
	if omitted > 0 {
		fmt.Fprintf(s.Stdout, "… and %s; --max 0 shows all\n", term.Counted(omitted, "more problem"))
	}
	if dry {
		return s.Paint.Green("would import")
	}
	return s.Paint.Green("imported")
}

// print prints the answer.
func (m *migration) print() error {
	s := m.shell
	if s.JSON {
		return s.WriteJSON(m.ImportFromAnswer)
	}
	verb := importVerb(s, m.Omitted, m.DryRun)
	parts := []string{verb + " " + term.Counted(m.Events, "event")}
	if m.Sessions > 0 {
		parts[0] += " of " + term.Counted(m.Sessions, "session")
	}
	for _, part := range []struct {
		n              int
		single, plural string
	}{{m.Memories, "memory", "memories"}, {m.Entities, "entity", "entities"}, {m.Relations, "relation", "relations"}} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.single)
		case part.n > 1:
			parts = append(parts, term.Thousands(part.n)+" "+part.plural)
		}
	}
	if n := m.Duplicates + m.Present; n > 0 {
		parts = append(parts, term.Thousands(n)+" there already")
	}
	fmt.Fprintf(s.Stdout, "%s, from %s\n", strings.Join(parts, ", "), term.Counted(m.Files, "file"))
	if m.Scrubbed > 0 {
		s.Detail("scrubbed", term.Counted(m.Scrubbed, "secret")+" removed")
	}
	var left []string
	for _, l := range m.Skipped {
		left = append(left, strings.ReplaceAll(string(l.Reason), "_", " ")+" "+term.Thousands(l.Count))
	}
	s.Detail("left out", strings.Join(left, ", "))
	m.printUnfinished()
	if m.Size > 0 || m.Root != "" {
		s.Detail("tenant", m.Tenant)
		s.Detail("root", m.Root+" over "+term.Counted(int(m.Size), "record"))
	}
	return nil
}

// printUnfinished names the files that were still being written.
func (m *migration) printUnfinished() {
	const shown = 3
	for i, file := range m.unfinished {
		if i == shown {
			m.shell.Detail("unfinished", "… and "+term.Thousands(len(m.unfinished)-shown)+" more")
			return
		}
		m.shell.Detail("unfinished", file+": its end is still being written, and was not taken; import it again later")
	}
}
