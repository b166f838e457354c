package ask

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// BoardFlags are the flags of commands that work on a data directory. Each command has
// those that it adds.
type BoardFlags struct {
	data   string
	Tenant string
	Actor  string
	Trust  string
	Scope  string
	Wait   time.Duration
	// Free says that a scope in the environment is ignored.
	Free bool
}

// AddData adds --data.
func (f *BoardFlags) AddData(c *cobra.Command) {
	c.Flags().StringVar(&f.data, "data", "", "the data directory `DIR` (default $LUKASA_DATA, else ~/.lukasa, else $XDG_DATA_HOME/lukasa if that is set)")
	c.Flags().DurationVar(&f.Wait, "wait", 5*time.Second, "how long to wait for another process that has the directory open, a `DURATION`; 0 does not wait")
}

// AddTenant adds --tenant, beside --data.
func (f *BoardFlags) AddTenant(c *cobra.Command) {
	f.AddData(c)
	c.Flags().StringVar(&f.Tenant, "tenant", "", "the tenant `T` (default $LUKASA_TENANT, else the only tenant, else \"default\" if it exists or there is no tenant yet; otherwise it must be named)")
}

// AddWriter adds the flags that say who writes.
func (f *BoardFlags) AddWriter(c *cobra.Command) {
	c.Flags().StringVar(&f.Actor, "actor", "", "the `NAME` of the writer in the record (default $USER, else \"cli\")")
	c.Flags().StringVar(&f.Trust, "trust", lukasa.User.String(), "how far the writer is trusted, a `TIER`: "+strings.Join(TrustNames(), ", ")+"; a person at the keyboard has the trust of a user")
	SuggestValues(c, "trust", TrustNames())
}

// AddScope adds --scope, for commands that a scope can narrow.
func (f *BoardFlags) AddScope(c *cobra.Command) {
	c.Flags().StringVar(&f.Scope, "scope", "", "limit reads and writes to this scope: a `TOKEN`, or @FILE with one (default $LUKASA_SCOPE, else everything)")
}

func TrustNames() []string {
	var names []string
	for _, t := range record.Trusts() {
		names = append(names, t.String())
	}
	return names
}

// DataDir returns the data directory that a command is to work on.
func (s *Shell) DataDir(c *cobra.Command, f *BoardFlags) (string, error) {
	if c.Flags().Changed("data") {
		if f.data == "" {
			return "", fault.New(fault.Usage, "--data is empty").WithFix("name a directory, or leave the flag out")
		}
		return f.data, nil
	}
	if dir := s.Env("LUKASA_DATA"); dir != "" {
		return dir, nil
	}
	if home := s.Home(); home != "" {
		return s.HomeDir(home), nil
	}
	return "", fault.New(fault.Usage, "no data directory was named, and there is no home directory to look for one in").
		WithFix("add --data DIR, or set LUKASA_DATA")
}

// HomeDir returns the default data directory: ~/.lukasa, unless that does not exist
// and XDG_DATA_HOME is set.
func (s *Shell) HomeDir(home string) string {
	usual := filepath.Join(home, ".lukasa")
	data := s.Env("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		return usual
	}
	if _, err := os.Stat(usual); err == nil {
		return usual
	}
	return filepath.Join(data, "lukasa")
}

func (s *Shell) Home() string {
	if home := s.Env("HOME"); home != "" {
		return home
	}
	return s.Env("USERPROFILE") // what Windows calls it
}

// WitnessDir returns the directory that remembers what was signed. It is outside of every
// data directory, so that a rollback of a whole data directory is detected.
func (s *Shell) WitnessDir() string {
	switch dir := s.Env("LUKASA_WITNESS"); dir {
	case "":
	case "off":
		return ""
	default:
		return dir
	}
	if dir := s.StateDir(); dir != "" {
		return filepath.Join(dir, "witness")
	}
	return ""
}

// StateDir returns where this machine's own notes are, or nothing if there is no home directory.
func (s *Shell) StateDir() string {
	if state := s.Env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "lukasa")
	}
	if home := s.Home(); home != "" {
		return filepath.Join(home, ".local", "state", "lukasa")
	}
	return ""
}

// Writer returns who writes.
func (s *Shell) Writer(c *cobra.Command, f *BoardFlags) (lukasa.Writer, error) {
	trust, ok := record.ParseTrust(f.Trust)
	if !ok {
		return lukasa.Writer{}, UnknownName(fault.Usage, "tier for --trust", f.Trust, TrustNames())
	}
	w := lukasa.Writer{Actor: f.Actor, Trust: trust}
	if c.Flags().Changed("actor") {
		if w.Actor == "" {
			return w, fault.New(fault.Usage, "--actor is empty").WithFix("give a name, or leave the flag out")
		}
		return w, BadFlag("actor", memory.CheckActor(w.Actor))
	}
	for _, name := range []string{"USER", "USERNAME"} {
		if w.Actor = s.Env(name); w.Actor != "" {
			return w, nil
		}
	}
	w.Actor = "cli"
	return w, nil
}

// Visit is a command's time with an open board.
type Visit struct {
	*lukasa.Board
	Shell *Shell
	Cmd   *cobra.Command
	Flags *BoardFlags
	// Scope is the scope token of the command, or empty.
	Scope string
}

// Reading returns the options that open an existing directory.
func Reading() lukasa.Options { return lukasa.Options{MustExist: true} }

// Visit opens the board, calls use with it, and closes it. It shows the progress of a long
// opening.
func (s *Shell) Visit(c *cobra.Command, f *BoardFlags, o lukasa.Options, use func(context.Context, *Visit) error) (err error) {
	dir := "" // of a server, which has it open
	if s.Served.Board == nil {
		if dir, err = s.DataDir(c, f); err != nil {
			return err
		}
	}
	p := s.Progress()
	defer p.Done()
	o.WitnessDir = s.WitnessDir()
	o.Note = c.CommandPath()
	o.Clock = s.Now
	if o.Progress == nil {
		o.Progress = func(done, total uint64) {
			p.Update(func() string { return "opening: read " + term.Share(done, total) + " of the journal again" })
		}
	}
	if c.Flags().Changed("tenant") {
		if err := BadFlag("tenant", memory.CheckTenant(f.Tenant)); err != nil {
			return err
		}
	}
	token, err := s.ScopeOf(c, f)
	if err != nil {
		return err
	}
	b, done, err := s.boardAt(c.Context(), dir, o, f.Wait)
	if err != nil {
		return err
	}
	p.Done()
	defer func() {
		if failed := done(); err == nil {
			err = failed
		}
	}()
	return use(c.Context(), &Visit{Board: b, Shell: s, Cmd: c, Flags: f, Scope: token})
}

// boardAt opens a directory, and returns the function that closes it. The board of a server
// stays open.
func (s *Shell) boardAt(ctx context.Context, dir string, o lukasa.Options, wait time.Duration) (*lukasa.Board, func() error, error) {
	if s.Served.Board == nil {
		b, err := s.OpenBoard(ctx, dir, o, wait)
		if err != nil {
			return nil, nil, err
		}
		s.foldIn(ctx, dir, b)
		return b, b.Close, nil
	}
	if o.Rebuild {
		if err := s.Served.Board.Rebuild(ctx, o.Progress); err != nil {
			return nil, nil, err
		}
	}
	return s.Served.Board, func() error { return nil }, nil
}

// OpenBoard opens a directory. While another process has it open, it retries until the wait
// is over; if that process is a server, it stops, see forward.go.
func (s *Shell) OpenBoard(ctx context.Context, dir string, o lukasa.Options, wait time.Duration) (b *lukasa.Board, err error) {
	err = s.WhenFree(ctx, dir, wait, func() (err error) {
		o.CutOwn = true
		b, err = lukasa.OpenContext(ctx, dir, o)
		return err
	})
	return b, err
}

// WhenFree calls the function that opens a directory, and retries while another process has
// it open and the wait is not over.
func (s *Shell) WhenFree(ctx context.Context, dir string, wait time.Duration, open func() error) error {
	if wait < 0 {
		return fault.Newf(fault.Usage, "--wait: %v is negative", wait).WithFix("give a duration such as 30s, or 0 not to wait")
	}
	const (
		pause   = 50 * time.Millisecond
		tellAt  = time.Second // shorter waits are not reported
		longest = "wait until it is done, or wait longer with --wait, such as --wait 1m"
	)
	told := !s.Detect(s.Stderr).Is
	for waited := time.Duration(0); ; waited += pause {
		err := open()
		if !errors.Is(err, fault.Locked) {
			return err
		}
		if IsServed(dir) {
			return ErrServed
		}
		if waited >= wait {
			return fault.From(err).WithFix(longest)
		}
		if !told && waited >= tellAt {
			told = true
			s.Note("%v; waiting for it", err)
		}
		select {
		case <-time.After(min(pause, wait-waited)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Reader returns the tenant that the command reads.
func (v *Visit) Reader(ctx context.Context) (*lukasa.Tenant, error) {
	name, ok, err := v.Named(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		if err := v.ambiguous(ctx, name); err != nil {
			return nil, err
		}
	}
	return v.Handle(name, lukasa.Writer{}), nil
}

// Bound returns a writer that is limited by the scope, if there is one.
func (v *Visit) Bound(w lukasa.Writer) (lukasa.Writer, error) {
	if v.Scope == "" {
		return w, nil
	}
	if v.Cmd.Flags().Changed("actor") {
		return w, fault.New(fault.Usage, "--actor: a scope writes in the name of the agent that it is for").WithFix("leave --actor out")
	}
	return lukasa.Writer{Trust: w.Trust, Scope: v.Scope}, nil
}

// Handle returns a tenant, limited by the scope if there is one.
func (v *Visit) Handle(name string, w lukasa.Writer) *lukasa.Tenant {
	t := v.Tenant(name, w)
	if v.Scope != "" {
		t = t.Scoped(v.Scope)
	}
	return t
}

// Writer returns the tenant that the command writes to: the same that it would
// read.
func (v *Visit) Writer(ctx context.Context) (*lukasa.Tenant, error) {
	t, err := v.Reader(ctx)
	if err != nil {
		return nil, err
	}
	return v.WriterOf(t.Name())
}

// WriterOf is Writer for a known tenant.
func (v *Visit) WriterOf(name string) (*lukasa.Tenant, error) {
	w, err := v.Shell.Writer(v.Cmd, v.Flags)
	if err != nil {
		return nil, err
	}
	if w, err = v.Bound(w); err != nil {
		return nil, err
	}
	return v.Handle(name, w), nil
}

// Named returns the tenant of the command, and whether the user named it or it is the
// only one on the board.
func (v *Visit) Named(ctx context.Context) (name string, sure bool, err error) {
	if v.Cmd.Flags().Changed("tenant") {
		return v.Flags.Tenant, true, nil
	}
	if name := v.Shell.Env("LUKASA_TENANT"); name != "" {
		return name, true, nil
	}
	if v.Scope != "" {
		grants, _, err := lukasa.InspectScope(v.Scope)
		if err != nil {
			return "", false, err
		}
		return grants[0].Tenant, true, nil // verified when it is used
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

// ambiguous is the error when no tenant was named, and there are several without the
// default one.
func (v *Visit) ambiguous(ctx context.Context, name string) error {
	n, err := v.CountTenants(ctx)
	if err != nil || n == 0 {
		return err
	}
	root, err := v.Root(ctx, name)
	if err != nil || root.Size > 0 {
		return err
	}
	return fault.Newf(fault.Usage, "no tenant was named, and there are %s here", term.Thousands(n)).
		WithFix("add --tenant T, or set LUKASA_TENANT; `lukasa root --all` lists them")
}

// Slip is the error for a tenant that was named and has no record. Such a name is
// probably mistyped, and an empty answer would mislead.
func (v *Visit) Slip(tenant string, size uint64) error {
	if told := v.Cmd.Flags().Changed("tenant") || v.Shell.Env("LUKASA_TENANT") != ""; !told || size > 0 {
		return nil
	}
	return NoRecords(tenant)
}

// NoRecords is the error for a tenant without records.
func NoRecords(tenant string) error {
	return fault.Newf(fault.NotFound, "tenant %q has no records here", tenant).WithFix("`lukasa root --all` lists the tenants there are")
}

// Root is the root of a tenant as it is now.
func (v *Visit) Root(ctx context.Context, tenant string) (lukasa.Root, error) {
	return v.Tenant(tenant, lukasa.Writer{}).Root(ctx)
}

// UriScheme distinguishes a URI from a key. No key begins with it, since a key has no
// empty segments.
const UriScheme = "lukasa://"

// Target returns the tenant, with the writer of the flags, and the record that KEY|URI names, at a version
// if the URI has one.
func (v *Visit) Target(ctx context.Context, arg string) (*lukasa.Tenant, lukasa.Ref, error) {
	if !strings.HasPrefix(arg, UriScheme) {
		t, err := v.Writer(ctx)
		return t, lukasa.Ref{Kind: lukasa.MemoryKind, Key: arg}, err
	}
	u, err := v.Uri(arg)
	if err != nil {
		return nil, lukasa.Ref{}, err
	}
	if u.Version > math.MaxUint32 {
		return nil, lukasa.Ref{}, fault.Newf(fault.NotFound, "%s has no version %d", u.Head(), u.Version)
	}
	t, err := v.WriterOf(u.Tenant)
	return t, lukasa.Ref{Tenant: u.Tenant, Kind: u.Kind, ID: u.ID, Version: uint32(u.Version)}, err
}

// Uri reads a URI, whose tenant must be the one that --tenant names, if it does.
func (v *Visit) Uri(arg string) (lukasa.URI, error) {
	u, err := lukasa.ParseURI(arg)
	if err != nil {
		return u, err
	}
	if f := v.Cmd.Flags(); f.Changed("tenant") && v.Flags.Tenant != u.Tenant {
		return u, fault.Newf(fault.Usage, "%s is of tenant %q, but --tenant says %q", u, u.Tenant, v.Flags.Tenant).
			WithFix("leave --tenant out: a URI names its tenant")
	}
	return u, nil
}

// Parts returns a function that shows progress.
func Parts(p *term.Progress, verb, thing string) func(done, total uint64) {
	return func(done, total uint64) {
		p.Update(func() string {
			return verb + " " + term.Thousands(int(done)) + " of " + term.Counted(int(total), thing)
		})
	}
}

// WitnessNote prints that the witness directory could not be used, if that is what err
// says.
func (s *Shell) WitnessNote(err error) {
	if err != nil {
		s.Note("the memory outside of the data directory: %v", err)
	}
}
