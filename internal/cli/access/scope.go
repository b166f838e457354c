package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// ScopeCommand returns the command `lukasa scope`.
func ScopeCommand(s *ask.Shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "scope",
		Short: "Mint, narrow and inspect scopes: what another agent may see and do",
		Long: `A scope is a signed token that says what its holder may see and do: which records,
read or write, the most tokens of an answer, its expiry and its trust. The holder
can make a narrower one for another agent, without the board; a wider one cannot
be made.

Commands that take --scope also take one from $LUKASA_SCOPE, as the token itself
or as @FILE. A read does not see what the scope does not allow; a write is refused,
and the attempt is journaled. Commands that no scope allows do nothing while
$LUKASA_SCOPE is set; set and empty, it is refused.

A scope binds its holder, not the data directory: a process that can open the files
needs none. docs/formats/scope.md describes the token.`,
		Example: `  lukasa scope mint --to reviewer --type constraint --type goal --out reviewer.scope
  lukasa scope narrow @reviewer.scope --to helper --type goal --expires 1h --out helper.scope
  lukasa scope inspect @helper.scope
  lukasa list --scope @helper.scope`,
		Args: ask.OneBelow,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(scopeMintCommand(s), scopeNarrowCommand(s), scopeInspectCommand(s))
	return c
}

// grantFlags are the flags of one grant.
type grantFlags struct {
	to, mode  string
	include   selectorFlags
	exclude   selectorFlags
	budget    int
	notBefore string
	expires   string
	ceiling   string // --trust
	out       string
}

// selectorFlags are the lists that select what a scope covers.
type selectorFlags struct {
	all, pinned                                  bool
	types, tags, ids, frames, sections, sessions []string
}

// selectorList is one list: its flag, and its inclusions and exclusions.
type selectorList struct {
	name, only, not string
	items           *[]string
}

// given reports whether anything is selected.
func (f *selectorFlags) given() bool {
	return f.all || f.pinned || slices.ContainsFunc(f.lists(), func(l selectorList) bool { return len(*l.items) > 0 })
}

// lists returns the lists by their names.
func (f *selectorFlags) lists() []selectorList {
	return []selectorList{
		{"type", "only this `TYPE`: " + strings.Join(scope.Types(), ", "), "not this `TYPE`", &f.types},
		{"tag", "only what has this `TAG`", "nothing with this `TAG`", &f.tags},
		{"id", "only what has this `ID`, of whatever kind", "nothing with this `ID`", &f.ids},
		{"frame", "only what is about this frame, `verb:kind=ref`, verb:kind=prefix* or verb:kind", "nothing about this frame, `verb:kind=ref`, verb:kind=prefix* or verb:kind", &f.frames},
		{"section", "only what belongs to this `SECTION`: " + strings.Join(ask.Names(hmx.Sections()), ", "), "nothing of this `SECTION`", &f.sections},
		{"session", "only what is of the session with this `ID`", "nothing of the session with this `ID`", &f.sessions},
	}
}

func (f *grantFlags) add(c *cobra.Command, first bool) {
	flags := c.Flags()
	const instant = "a `DURATION` from now, such as 90m or 30d, or a time in RFC 3339"
	to, stays := "the `AGENT` it is for, whose name is put below that of the holder", " (default as before)"
	budget, begins := stays, stays
	var mode, expires, trust string
	if first {
		to, stays, budget, begins = "the `AGENT` it is for", "", " (default any)", " (default at once)"
		mode, expires, trust = string(scope.Read), "24h", record.Agent.String()
		flags.BoolVar(&f.include.all, "all", false, "everything that is not excluded")
	}
	flags.StringVar(&f.to, "to", "", to)
	flags.StringVar(&f.mode, "mode", mode, "what it may do, a `MODE`: read or write"+stays)
	flags.BoolVar(&f.include.pinned, "pinned", false, "also what is pinned, whatever the lists say; alone, only what is pinned")
	for _, l := range f.include.lists() {
		flags.StringArrayVar(l.items, l.name, nil, l.only+"; may be given again")
	}
	for _, l := range f.exclude.lists() {
		flags.StringArrayVar(l.items, "exclude-"+l.name, nil, l.not+"; may be given again")
	}
	flags.IntVar(&f.budget, "budget", 0, "at most as many `TOKENS` in an answer"+budget)
	flags.StringVar(&f.notBefore, "not-before", "", "when it begins: "+instant+begins)
	flags.StringVar(&f.expires, "expires", expires, "when it ends: "+instant+stays)
	flags.StringVar(&f.ceiling, "trust", trust, "how far what it writes is trusted at most, a `TIER`: "+strings.Join(ask.TrustNames(), ", ")+stays)
	flags.StringVar(&f.out, "out", "", "write the token to `FILE`, readable only by its owner, and print what it allows; an existing file is replaced")
	ask.SuggestValues(c, "mode", ask.Names(scope.Modes()))
	ask.SuggestValues(c, "trust", ask.TrustNames())
	for _, prefix := range []string{"", "exclude-"} {
		ask.SuggestValues(c, prefix+"type", scope.Types())
		ask.SuggestValues(c, prefix+"section", ask.Names(hmx.Sections()))
	}
}

// grant returns the grant of the flags.
func (f *grantFlags) grant(s *ask.Shell, c *cobra.Command) (lukasa.Grant, error) {
	g := lukasa.Grant{To: f.to, Mode: scope.Mode(f.mode), Include: f.include.selectors(), Exclude: f.exclude.selectors(), BudgetTokens: f.budget}
	if c.Flags().Changed("to") && f.to == "" {
		return g, fault.New(fault.Usage, "--to is empty").WithFix("name the agent that the scope is for")
	}
	if f.mode != "" {
		if g.Mode != scope.Read && g.Mode != scope.Write {
			return g, ask.UnknownName(fault.Usage, "mode", f.mode, ask.Names(scope.Modes()))
		}
	}
	if f.budget < 0 || c.Flags().Changed("budget") && f.budget == 0 {
		return g, fault.Newf(fault.Usage, "--budget: %d tokens are no budget", f.budget).WithFix("give at least 1, or leave it out")
	}
	var err error
	if g.Expires, err = instantFlag(s, "expires", f.expires); err != nil {
		return g, err
	}
	if g.NotBefore, err = instantFlag(s, "not-before", f.notBefore); err != nil {
		return g, err
	}
	if f.ceiling != "" {
		var ok bool
		if g.Trust, ok = record.ParseTrust(f.ceiling); !ok {
			return g, ask.UnknownName(fault.Usage, "tier for --trust", f.ceiling, ask.TrustNames())
		}
	}
	return g, nil
}

func (f *selectorFlags) selectors() lukasa.Selectors {
	return lukasa.Selectors{All: f.all, Pinned: f.pinned, Types: f.types, Tags: f.tags, IDs: f.ids, Frames: f.frames, Sections: f.sections, Sessions: f.sessions}
}

// instantFlag reads a flag that is a time, or how long from now.
func instantFlag(s *ask.Shell, name, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	if d, err := ask.Duration(value); err == nil {
		if d <= 0 {
			return time.Time{}, fault.Newf(fault.Usage, "--%s: %s is not in the future", name, value).WithFix("give a duration such as 36h or 30d")
		}
		return s.Now().Add(d), nil
	}
	t, err := hmx.ParseTime(value)
	if err != nil {
		return time.Time{}, fault.Newf(fault.Usage, "--%s: %q is neither a duration nor a time", name, value).WithCause(err).
			WithFix("write it as 90m, 36h or 30d, or in RFC 3339, such as 2026-03-14T03:00:00Z")
	}
	return t.Time(), nil
}

func scopeMintCommand(s *ask.Shell) *cobra.Command {
	var flags struct {
		ask.BoardFlags
		grantFlags
	}
	c := &cobra.Command{
		Use:   "mint --to AGENT",
		Short: "Make a scope, signed with the board's key",
		Long: `Make a scope for an agent, and print its token. It shows records that match every
given list (one item of each list is enough) and no --exclude list; with --all
everything. It reads unless --mode is write, expires after a day unless --expires
says otherwise, and writes with the trust of an agent unless --trust says otherwise.

Identity, rules and goals belong to no frame, so a scope by --frame or --session
alone hides them from its holder. --pinned lets it read what every agent receives
at its start, as ` + "`lukasa context`" + ` does, whatever the lists say.

The token is a secret: every holder may use it until it expires. It is printed here
and nowhere else; --out writes it to a file instead. A new key of the board
(` + "`lukasa root --new-key`" + `) ends all existing scopes.`,
		Example: `  lukasa scope mint --to reviewer --all --exclude-tag secret
  lukasa scope mint --to coder --mode write --frame 'modify:file=billing/*' --pinned --budget 1000 --expires 2h
  lukasa scope mint --to reviewer --type constraint --type goal --out reviewer.scope`,
		Args: ask.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if flags.to == "" {
			return fault.New(fault.Usage, "--to is missing").WithFix("name the agent that the scope is for, such as --to reviewer")
		}
		if !flags.include.given() {
			return nothingPicked(&flags.grantFlags)
		}
		g, err := flags.grant(s, c)
		if err != nil {
			return err
		}
		return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
			flags.BoardFlags.Trust = max(lukasa.User, g.Trust).String() // the person at the keyboard grants it
			t, err := v.Writer(ctx)
			if err != nil {
				return err
			}
			token, err := t.MintScope(ctx, g)
			if err != nil {
				return asSelector(c, err)
			}
			return answerToken(s, token, flags.out)
		})
	}
	flags.AddTenant(c)
	c.Flags().StringVar(&flags.Actor, "actor", "", "the `NAME` of its issuer (default $USER, else \"cli\")")
	flags.grantFlags.add(c, true)
	return c
}

// nothingPicked is the error for a scope that would show nothing.
func nothingPicked(f *grantFlags) error {
	var ways []string
	for _, l := range f.include.lists() {
		ways = append(ways, "--"+l.name)
	}
	return fault.New(fault.Usage, "nothing is said about what the scope shows").
		WithFix("add --all, --pinned or what it is to show: " + strings.Join(ways, ", "))
}

func scopeNarrowCommand(s *ask.Shell) *cobra.Command {
	var flags grantFlags
	var seal bool
	c := &cobra.Command{
		Use:   "narrow TOKEN|@FILE|-",
		Short: "Make a narrower scope from one, without a board",
		Long: `Make a narrower scope from one, and print its token: for a sub-agent, for fewer
records, for less time, to read only. It needs no data directory and no server.
What no flag names stays as it was, and a flag that would allow more than the scope
is refused. - reads the token from standard input.

The agent of the new scope is named below the one of the old: --to helper makes
reviewer/helper of reviewer. --seal makes a token that cannot be narrowed further.`,
		Example: `  lukasa scope mint --to reviewer --all --out reviewer.scope && lukasa scope narrow @reviewer.scope --to helper --type goal --expires 1h
  lukasa scope narrow @reviewer.scope --exclude-tag secret --seal --out sealed.scope`,
		Args: ask.OneName("TOKEN, @FILE or -"),
		RunE: func(c *cobra.Command, args []string) error {
			token, err := s.ScopeText(c.Context(), args[0])
			if err != nil {
				return err
			}
			g, err := flags.grant(s, c)
			if err != nil {
				return err
			}
			narrows := false
			c.Flags().Visit(func(f *pflag.Flag) { narrows = narrows || f.Name != "seal" && f.Name != "out" && f.Name != "json" })
			if !narrows && !seal {
				return fault.New(fault.Usage, "nothing is said that would narrow it").WithFix("say what the new scope is for, such as --to, --type or --expires; or --seal")
			}
			if narrows {
				if token, err = lukasa.NarrowScope(token, g); err != nil {
					return asSelector(c, err)
				}
			}
			if seal {
				if token, err = lukasa.SealScope(token); err != nil {
					return err
				}
			}
			return answerToken(s, token, flags.out)
		},
	}
	flags.add(c, false)
	c.Flags().BoolVar(&seal, "seal", false, "make a token that cannot be narrowed further")
	return c
}

// answerToken prints a token alone, so that it can be piped; or writes it to a file, and
// prints what it allows.
func answerToken(s *ask.Shell, token, out string) error {
	grants, sealed, err := lukasa.InspectScope(token)
	if err != nil {
		return err
	}
	if out == "" && !s.JSON {
		_, err := fmt.Fprintln(s.Stdout, token)
		return err
	}
	a := answer.ScopeOf(grants, sealed)
	if out == "" {
		a.Token = token
		return s.WriteJSON(a)
	}
	verb := "wrote"
	if info, err := s.Files.Stat(out); err == nil && info.Mode().IsRegular() {
		verb = "replaced"
	}
	err = s.Files.Replace(out, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, token)
		return err
	})
	if err != nil {
		return err
	}
	if a.Out = out; s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green(verb), term.OneLine(out))
	show.Effective(s.Screen, a)
	return nil
}

// asSelector rewrites an error about a field of a scope as one about its flag.
func asSelector(c *cobra.Command, err error) error {
	e := fault.From(err)
	field, rule, ok := strings.Cut(strings.TrimPrefix(e.Error(), "scope token: "), ": ")
	if !ok || e.Code != fault.ScopeInvalid {
		return err
	}
	field, _, _ = strings.Cut(field, "[")
	field = strings.ReplaceAll(strings.TrimPrefix(field, "include."), "exclude.", "exclude-")
	name := strings.ReplaceAll(field, "_", "-")
	if field == "budget_tokens" {
		name = "budget"
	}
	for _, name := range []string{name, strings.TrimSuffix(name, "s"), "exclude-" + strings.TrimSuffix(name, "s")} {
		if c.Flags().Changed(name) {
			return fault.Newf(e.Code, "--%s: %s", name, rule).WithCause(err).WithFix(e.Advice())
		}
	}
	return err
}

func scopeInspectCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "inspect TOKEN|@FILE|-",
		Short: "Show what a scope says, block by block, and whether it is valid",
		Long: `Show what a scope says, block by block, and what that allows in total. If there is a
board, it verifies that the token is its own, complete and not expired; the exit code
is 1 if it is not. Without a board nothing is verified, and the output is only a claim.

The secret in the token is not shown.`,
		Example: `  lukasa scope mint --to reviewer --all | lukasa scope inspect -
  lukasa scope mint --to reviewer --type goal | lukasa scope inspect --json -`,
		Args: ask.OneName("TOKEN, @FILE or -"),
		RunE: func(c *cobra.Command, args []string) error { return inspectScope(s, c, args[0], &flags) },
	}
	flags.AddTenant(c)
	flags.Free = true
	return c
}

func inspectScope(s *ask.Shell, c *cobra.Command, arg string, flags *ask.BoardFlags) error {
	token, err := s.ScopeText(c.Context(), arg)
	if err != nil {
		return err
	}
	grants, sealed, err := lukasa.InspectScope(token)
	if err != nil {
		return err
	}
	a := answer.ScopeOf(grants, sealed)
	failed := checkScope(s, c, flags, token, a)
	if s.JSON {
		if err := s.WriteJSON(a); err != nil {
			return err
		}
		return failed
	}
	show.Scope(s.Screen, a)
	return failed
}

// checkScope verifies a token on the board, if there is one. The error is about the token,
// or about a board that was named.
func checkScope(s *ask.Shell, c *cobra.Command, flags *ask.BoardFlags, token string, a *answer.Scope) error {
	judged := false
	err := s.Visit(c, flags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		tenant := a.Tenant
		if c.Flags().Changed("tenant") {
			tenant = flags.Tenant
		}
		judged = true
		_, err := v.Tenant(tenant, lukasa.Writer{}).CheckScope(ctx, token)
		return err
	})
	verified := err == nil
	a.Verified = &verified
	switch {
	case verified:
	case errors.Is(err, fault.ScopeInvalid), errors.Is(err, fault.ScopeExpired):
		a.Problem = fault.From(err).Error()
	case judged, c.Flags().Changed("data"), errors.Is(err, context.Canceled):
		return err
	default: // there is no board to ask
		a.Unverified = fault.From(err).Error()
		return nil
	}
	return err
}
