package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/spool"
)

// boardFlags are the flags of commands that work on a data directory. Each
// command has those that it asked for.
type boardFlags struct {
	data   string
	tenant string
	actor  string
	trust  string
	scope  string
	wait   time.Duration
	// free says that a scope in the environment does not matter.
	free bool
}

// addData adds --data.
func (f *boardFlags) addData(c *cobra.Command) {
	c.Flags().StringVar(&f.data, "data", "", "the data directory `DIR` (default $LUKASA_DATA, else ~/.lukasa, else $XDG_DATA_HOME/lukasa if that is set)")
	c.Flags().DurationVar(&f.wait, "wait", 5*time.Second, "how long to wait for another process that has the directory, a `DURATION`; 0 does not wait")
}

// addTenant adds --tenant, beside --data.
func (f *boardFlags) addTenant(c *cobra.Command) {
	f.addData(c)
	c.Flags().StringVar(&f.tenant, "tenant", "", "the tenant `T` whose records it is about (default $LUKASA_TENANT, else the only one there is, else \"default\" if it is there or there are none; otherwise it must be named)")
}

// addWriter adds the flags that say who writes.
func (f *boardFlags) addWriter(c *cobra.Command) {
	c.Flags().StringVar(&f.actor, "actor", "", "the `NAME` that stands in the record as its writer (default $USER, else \"cli\")")
	c.Flags().StringVar(&f.trust, "trust", lukasa.User.String(), "how far the writer is trusted, a `TIER`: "+strings.Join(trustNames(), ", ")+"; whoever sits at the keyboard is trusted as a user")
	suggestValues(c, "trust", trustNames())
}

// addScope adds --scope, for commands that a scope can narrow.
func (f *boardFlags) addScope(c *cobra.Command) {
	c.Flags().StringVar(&f.scope, "scope", "", "see and write no more than this scope allows: a `TOKEN`, or @FILE with one (default $LUKASA_SCOPE, else everything)")
}

// scopeOf returns the token that a command is held to, or nothing. Whoever is
// held to one does nothing that no scope allows.
func (s *shell) scopeOf(c *cobra.Command, f *boardFlags) (string, error) {
	if c.Flags().Changed("scope") {
		return s.scopeText(c.Context(), f.scope)
	}
	text, set := s.lookup("LUKASA_SCOPE")
	if !set || f.free {
		return "", nil
	}
	if strings.TrimSpace(text) == "" {
		// Whoever failed to make a scope did not mean to go without one.
		return "", fault.New(fault.ScopeInvalid, "LUKASA_SCOPE is set, but empty").
			WithFix("put a token or @FILE into it, or unset it to go without a scope")
	}
	if c.Flags().Lookup("scope") == nil {
		return "", fault.Newf(fault.OutOfScope, "LUKASA_SCOPE is set, and no scope allows %q", c.CommandPath()).
			WithFix("leave it to someone without a scope")
	}
	return s.scopeText(c.Context(), text)
}

func trustNames() []string {
	var names []string
	for _, t := range record.Trusts() {
		names = append(names, t.String())
	}
	return names
}

// dataDir returns the data directory that a command is to work on.
func (s *shell) dataDir(c *cobra.Command, f *boardFlags) (string, error) {
	if c.Flags().Changed("data") {
		if f.data == "" {
			return "", fault.New(fault.Usage, "--data is empty").WithFix("name a directory, or leave the flag away")
		}
		return f.data, nil
	}
	if dir := s.env("LUKASA_DATA"); dir != "" {
		return dir, nil
	}
	if home := s.home(); home != "" {
		return s.homeDir(home), nil
	}
	return "", fault.New(fault.Usage, "no data directory was named, and there is no home directory to look for one in").
		WithFix("add --data DIR, or set LUKASA_DATA")
}

// homeDir returns the data directory of someone who named none: ~/.lukasa, unless
// there is none and XDG_DATA_HOME says where data belongs.
func (s *shell) homeDir(home string) string {
	usual := filepath.Join(home, ".lukasa")
	data := s.env("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		return usual
	}
	if _, err := os.Stat(usual); err == nil {
		return usual
	}
	return filepath.Join(data, "lukasa")
}

func (s *shell) home() string {
	if home := s.env("HOME"); home != "" {
		return home
	}
	return s.env("USERPROFILE") // what Windows calls it
}

// witnessDir returns where it is remembered what was signed: outside of every
// data directory, so that one that was rolled back as a whole is found out.
func (s *shell) witnessDir() string {
	switch dir := s.env("LUKASA_WITNESS"); dir {
	case "":
	case "off":
		return ""
	default:
		return dir
	}
	if dir := s.stateDir(); dir != "" {
		return filepath.Join(dir, "witness")
	}
	return ""
}

// stateDir returns where this machine's own notes are, or nothing if there is no home directory.
func (s *shell) stateDir() string {
	if state := s.env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "lukasa")
	}
	if home := s.home(); home != "" {
		return filepath.Join(home, ".local", "state", "lukasa")
	}
	return ""
}

// writer returns who writes.
func (s *shell) writer(c *cobra.Command, f *boardFlags) (lukasa.Writer, error) {
	trust, ok := record.ParseTrust(f.trust)
	if !ok {
		return lukasa.Writer{}, unknownName(fault.Usage, "tier for --trust", f.trust, trustNames())
	}
	w := lukasa.Writer{Actor: f.actor, Trust: trust}
	if c.Flags().Changed("actor") {
		if w.Actor == "" {
			return w, fault.New(fault.Usage, "--actor is empty").WithFix("give a name, or leave the flag away")
		}
		return w, badFlag("actor", memory.CheckActor(w.Actor))
	}
	for _, name := range []string{"USER", "USERNAME"} {
		if w.Actor = s.env(name); w.Actor != "" {
			return w, nil
		}
	}
	w.Actor = "cli"
	return w, nil
}

// visit is a command's time with an open board.
type visit struct {
	*lukasa.Board
	shell *shell
	cmd   *cobra.Command
	flags *boardFlags
	// scope is the token that it is held to, or empty.
	scope string
	// derived says that what is written has sources, whose trust it may have.
	derived bool
}

// reading opens a directory that has to be there.
func reading() lukasa.Options { return lukasa.Options{MustExist: true} }

// visit opens the board, lets use work with it, and closes it. A long opening
// says how far it is.
func (s *shell) visit(c *cobra.Command, f *boardFlags, o lukasa.Options, use func(context.Context, *visit) error) (err error) {
	dir := "" // of a server, which has it open
	if s.served.board == nil {
		if dir, err = s.dataDir(c, f); err != nil {
			return err
		}
	}
	p := s.progress()
	defer p.done()
	o.WitnessDir = s.witnessDir()
	o.Note = c.CommandPath()
	o.Clock = s.now
	if o.Progress == nil {
		o.Progress = func(done, total uint64) {
			p.update(func() string { return "opening: read " + share(done, total) + " of the journal anew" })
		}
	}
	if c.Flags().Changed("tenant") {
		if err := badFlag("tenant", memory.CheckTenant(f.tenant)); err != nil {
			return err
		}
	}
	token, err := s.scopeOf(c, f)
	if err != nil {
		return err
	}
	b, done, err := s.boardAt(c.Context(), dir, o, f.wait)
	if err != nil {
		return err
	}
	p.done()
	defer func() {
		if failed := done(); err == nil {
			err = failed
		}
	}()
	return use(c.Context(), &visit{Board: b, shell: s, cmd: c, flags: f, scope: token})
}

// boardAt opens a directory, and returns what to do when the command is through
// with it. A server's own board stays open.
func (s *shell) boardAt(ctx context.Context, dir string, o lukasa.Options, wait time.Duration) (*lukasa.Board, func() error, error) {
	if s.served.board == nil {
		b, err := s.openBoard(ctx, dir, o, wait)
		if err != nil {
			return nil, nil, err
		}
		s.foldIn(ctx, dir, b)
		return b, b.Close, nil
	}
	if o.Rebuild {
		if err := s.served.board.Rebuild(ctx, o.Progress); err != nil {
			return nil, nil, err
		}
	}
	return s.served.board, func() error { return nil }, nil
}

// foldIn folds in what hooks of agents left at a directory. Trouble with that is told and
// stops nobody.
func (s *shell) foldIn(ctx context.Context, dir string, b *lukasa.Board) {
	report, err := foldSpool(ctx, dir, b, "")
	for _, a := range report.Aside {
		s.note("put aside %s of %s: %s", a.File, spool.Dir, oneLine(a.Why))
	}
	if err != nil && ctx.Err() == nil {
		s.note("what hooks left in %s is not folded in yet: %v", spool.Dir, err)
	}
}

// openBoard opens a directory. While another process has it, it tries again for
// as long as it may wait; one that turns out to be a server's ends it, see
// forward.go.
func (s *shell) openBoard(ctx context.Context, dir string, o lukasa.Options, wait time.Duration) (b *lukasa.Board, err error) {
	err = s.whenFree(ctx, dir, wait, func() (err error) {
		o.CutOwn = true
		b, err = lukasa.OpenContext(ctx, dir, o)
		return err
	})
	return b, err
}

// whenFree runs what opens a directory, again and again while another process has
// it and the wait is not over.
func (s *shell) whenFree(ctx context.Context, dir string, wait time.Duration, open func() error) error {
	if wait < 0 {
		return fault.Newf(fault.Usage, "--wait: %v is less than nothing", wait).WithFix("give a duration such as 30s, or 0 not to wait")
	}
	const (
		pause   = 50 * time.Millisecond
		tellAt  = time.Second // shorter waits are not worth words
		longest = "wait until it is done, or wait longer with --wait, such as --wait 1m"
	)
	told := !s.detect(s.stderr).is
	for waited := time.Duration(0); ; waited += pause {
		err := open()
		if !errors.Is(err, fault.Locked) {
			return err
		}
		if isServed(dir) {
			return errServed
		}
		if waited >= wait {
			return fault.From(err).WithFix(longest)
		}
		if !told && waited >= tellAt {
			told = true
			s.note("%v; waiting for it", err)
		}
		select {
		case <-time.After(min(pause, wait-waited)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// share writes a part of a whole in percent.
func share(done, total uint64) string {
	if total == 0 || done > total {
		return "100%"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(done)/float64(total))
}

// reader returns the tenant that the command reads.
func (v *visit) reader(ctx context.Context) (*lukasa.Tenant, error) {
	name, ok, err := v.named(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		if err := v.ambiguous(ctx, name); err != nil {
			return nil, err
		}
	}
	return v.handle(name, lukasa.Writer{}), nil
}

// bound returns a writer that is held to the scope, if there is one.
func (v *visit) bound(w lukasa.Writer) (lukasa.Writer, error) {
	if v.scope == "" {
		return w, nil
	}
	if v.cmd.Flags().Changed("actor") {
		return w, fault.New(fault.Usage, "--actor: a scope writes in the name of the agent that it is for").WithFix("leave --actor away")
	}
	return lukasa.Writer{Trust: w.Trust, Scope: v.scope}, nil
}

// handle returns a tenant, held to the scope if there is one.
func (v *visit) handle(name string, w lukasa.Writer) *lukasa.Tenant {
	t := v.Tenant(name, w)
	if v.scope != "" {
		t = t.Scoped(v.scope)
	}
	return t
}

// writer returns the tenant that the command writes to: the same that it would
// read.
func (v *visit) writer(ctx context.Context) (*lukasa.Tenant, error) {
	t, err := v.reader(ctx)
	if err != nil {
		return nil, err
	}
	return v.writerOf(t.Name())
}

// writerOf is writer for a tenant that is known.
func (v *visit) writerOf(name string) (*lukasa.Tenant, error) {
	w, err := v.shell.writer(v.cmd, v.flags)
	if err != nil {
		return nil, err
	}
	if w, err = v.bound(w); err != nil {
		return nil, err
	}
	return v.handle(name, w), nil
}

// named returns the tenant that the command is about, and whether it was told
// or is the only one there is.
func (v *visit) named(ctx context.Context) (name string, sure bool, err error) {
	if v.cmd.Flags().Changed("tenant") {
		return v.flags.tenant, true, nil
	}
	if name := v.shell.env("LUKASA_TENANT"); name != "" {
		return name, true, nil
	}
	if v.scope != "" {
		grants, _, err := lukasa.InspectScope(v.scope)
		if err != nil {
			return "", false, err
		}
		return grants[0].Tenant, true, nil // it is verified by whoever uses it
	}
	n, err := v.CountTenants(ctx)
	if err != nil {
		return "", false, err
	}
	if n == 1 {
		for root, err := range v.Tenants(ctx) {
			return root.Tenant, true, err
		}
	}
	return "default", false, nil
}

// ambiguous is the error when none was named, several are there, and none of
// them is the default.
func (v *visit) ambiguous(ctx context.Context, name string) error {
	n, err := v.CountTenants(ctx)
	if err != nil || n == 0 {
		return err
	}
	root, err := v.Root(ctx, name)
	if err != nil || root.Size > 0 {
		return err
	}
	return fault.Newf(fault.Usage, "no tenant was named, and there are %s here", thousands(n)).
		WithFix("add --tenant T, or set LUKASA_TENANT; `lukasa root --all` lists them")
}

// slip is the error for a tenant that was named and has no record: a name that
// nobody wrote under is a slip, and an answer about it would be taken for
// something.
func (v *visit) slip(tenant string, size uint64) error {
	if told := v.cmd.Flags().Changed("tenant") || v.shell.env("LUKASA_TENANT") != ""; !told || size > 0 {
		return nil
	}
	return noRecords(tenant)
}

// noRecords is the error for a tenant without records.
func noRecords(tenant string) error {
	return fault.Newf(fault.NotFound, "tenant %q has no records here", tenant).WithFix("`lukasa root --all` lists the tenants there are")
}

// Root is the root of a tenant as it is now.
func (v *visit) Root(ctx context.Context, tenant string) (lukasa.Root, error) {
	return v.Tenant(tenant, lukasa.Writer{}).Root(ctx)
}

// uriScheme is what tells a URI from a key. No key begins with it, since a key
// has no empty segments.
const uriScheme = "lukasa://"

// target returns the tenant and the thing that KEY|URI names, at a version if
// the URI or --version says so. The tenant has the writer of the flags if the
// command writes.
func (v *visit) target(ctx context.Context, arg string, version uint32, writes bool) (*lukasa.Tenant, lukasa.Ref, error) {
	if !strings.HasPrefix(arg, uriScheme) {
		t, err := v.reader(ctx)
		if err == nil && writes {
			t, err = v.writerOf(t.Name())
		}
		return t, lukasa.Ref{Kind: lukasa.MemoryKind, Key: arg, Version: version}, err
	}
	u, err := v.uri(arg)
	if err != nil {
		return nil, lukasa.Ref{}, err
	}
	if u.Version > math.MaxUint32 {
		return nil, lukasa.Ref{}, fault.Newf(fault.NotFound, "%s has no version %d", u.Head(), u.Version)
	}
	if version != 0 && u.Version != 0 && u.Version != uint64(version) {
		return nil, lukasa.Ref{}, fault.Newf(fault.Usage, "the URI names version %d and --version names %d", u.Version, version).
			WithFix("say it once")
	}
	ref := lukasa.Ref{Tenant: u.Tenant, Kind: u.Kind, ID: u.ID, Version: max(version, uint32(u.Version))}
	t := v.handle(u.Tenant, lukasa.Writer{})
	if writes {
		t, err = v.writerOf(u.Tenant)
	}
	return t, ref, err
}

// uri reads a URI, whose tenant must be the one that --tenant names, if it does.
func (v *visit) uri(arg string) (lukasa.URI, error) {
	u, err := lukasa.ParseURI(arg)
	if err != nil {
		return u, err
	}
	if f := v.cmd.Flags(); f.Changed("tenant") && v.flags.tenant != u.Tenant {
		return u, fault.Newf(fault.Usage, "%s is of tenant %q, but --tenant says %q", u, u.Tenant, v.flags.tenant).
			WithFix("leave --tenant away: a URI names its tenant")
	}
	return u, nil
}

// versioned refuses what has no versions.
func versioned(ref lukasa.Ref, verb string) error {
	if ref.Kind != lukasa.EventKind {
		return nil
	}
	return fault.Newf(fault.InvalidArgument, "an event never changes, so it cannot be %s", verb).
		WithFix("`lukasa resolve` shows it, `lukasa redact` erases it for good")
}
