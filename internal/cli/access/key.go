package access

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// KeyCommand is what has to do with credentials.
func KeyCommand(s *ask.Shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "key",
		Short: "Make, list and revoke the keys that callers of a server have",
		Long: `A key is what a caller sends to a server as Authorization: Bearer. It says who
calls: an operator, who may do everything; a tenant, that is a person or a service
of it; or one agent of a tenant. The tenant is that of the key, and nobody names
another.

The text of a key is shown once, when it is made; only a hash of it is kept. A
revoked key is refused from that moment on, and what it has open is closed. Keys
and who made and revoked them are records of the data directory: a restart, a
crash and a rebuild keep them.

Whoever can open the data directory needs no key. docs/security.md says more.`,
		Example: `  lukasa key create --tenant acme --label "release service"
  lukasa key create --tenant acme --agent coder --expires 30d
  lukasa key list
  lukasa key revoke $(lukasa key list --ids --tenant acme | head -1) --reason "laptop lost"`,
		Args: ask.OneBelow,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(keyCreateCommand(s), keyListCommand(s), keyShowCommand(s), keyRevokeCommand(s))
	return c
}

// keysOf returns the credentials of the board that a command works on. A server has one
// set of them, which learns at once what the command changes.
func keysOf(ctx context.Context, v *ask.Visit) (*auth.Store, error) {
	if keys := v.Shell.Served.Keys; keys != nil {
		return keys, nil
	}
	return auth.Open(ctx, v.Board, auth.StoreOptions{Clock: v.Shell.Now})
}

// local is whoever gave the command, about a tenant if one was named.
func local(v *ask.Visit, user string) *auth.Principal {
	p := auth.Local(user)
	if v.Cmd.Flags().Changed("tenant") {
		p.Tenant = v.Flags.Tenant
	}
	return p
}

// withKeys lets use work with the credentials of a directory.
func withKeys(s *ask.Shell, c *cobra.Command, f *ask.BoardFlags, o lukasa.Options, use func(context.Context, *ask.Visit, *auth.Store, *auth.Principal) error) error {
	w, err := s.Writer(c, &ask.BoardFlags{Trust: lukasa.Operator.String()})
	if err != nil {
		return err
	}
	return s.Visit(c, f, o, func(ctx context.Context, v *ask.Visit) error {
		keys, err := keysOf(ctx, v)
		if err != nil {
			return err
		}
		return use(ctx, v, keys, local(v, w.Actor))
	})
}

type keyCreateFlags struct {
	ask.BoardFlags
	role, agent, ceiling, label, expires, out string
	rights                                    []string
}

func keyCreateCommand(s *ask.Shell) *cobra.Command {
	var flags keyCreateFlags
	c := &cobra.Command{
		Use:   "create",
		Short: "Make a key, and show it once",
		Long: `Make a key and print its text, which nobody can show again. With --agent it speaks
for that agent and writes in its name alone; with --role operator it may do
everything, and belongs to no tenant; otherwise it speaks for the tenant.

It reads and writes unless --right says otherwise. The right admin lets the
tenant's own people make keys and scopes of the tenant. What an operator's key
writes is trusted as operator, a tenant's as user, an agent's as agent, and
--trust lowers that.

--out puts the text into a file instead, for its owner alone.`,
		Example: `  lukasa key create --tenant acme
  lukasa key create --tenant acme --agent coder --right write --expires 30d
  lukasa key create --tenant acme --right read --label dashboard --out dashboard.key
  lukasa key create --role operator --label "night shift"`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return keyCreate(s, c, &flags) },
	}
	flags.AddTenant(c)
	f := c.Flags()
	f.StringVar(&flags.role, "role", "", "whom it is for, a `ROLE`: operator, tenant or agent (default agent with --agent, else tenant)")
	f.StringVar(&flags.agent, "agent", "", "the `AGENT` that it speaks for")
	f.StringArrayVar(&flags.rights, "right", nil, "a `RIGHT`: read, write or admin; may be given again (default read and write; all for an operator)")
	f.StringVar(&flags.ceiling, "trust", "", "how far what it writes is trusted at most, a `TIER`: "+strings.Join(ask.TrustNames(), ", ")+" (default as far as its role)")
	f.StringVar(&flags.label, "label", "", "a `TEXT` by which people know it")
	f.StringVar(&flags.expires, "expires", "", "when it ends: a `DURATION` from now, such as 90m or 30d, or a time in RFC 3339 (default never)")
	f.StringVar(&flags.out, "out", "", "write the key to `FILE`, for its owner alone; a file that is there is replaced")
	ask.SuggestValues(c, "role", []string{auth.Operator.String(), auth.Member.String(), auth.Agent.String()})
	ask.SuggestValues(c, "right", (auth.Read | auth.Write | auth.Admin).Names())
	ask.SuggestValues(c, "trust", ask.TrustNames())
	return c
}

// request checks the flags.
func (f *keyCreateFlags) request(s *ask.Shell, c *cobra.Command) (r auth.Request, err error) {
	r = auth.Request{Role: auth.Member, Agent: f.agent, Label: f.label}
	if f.agent != "" {
		r.Role = auth.Agent
	}
	if f.role != "" {
		if r.Role, err = auth.ParseRole(f.role); err != nil {
			return r, ask.UnknownName(fault.Usage, "role", f.role, []string{auth.Operator.String(), auth.Member.String(), auth.Agent.String()})
		}
	}
	if r.Role == auth.Operator && c.Flags().Changed("tenant") {
		return r, fault.New(fault.Usage, "--tenant: an operator's key belongs to no tenant").WithFix("leave it away")
	}
	if r.Role == auth.Agent && f.agent == "" {
		return r, fault.New(fault.Usage, "--agent is missing").WithFix("name the agent that the key speaks for")
	}
	for _, right := range f.rights {
		one, err := auth.ParseRights([]string{right})
		if err != nil {
			return r, ask.UnknownName(fault.Usage, "right", right, (auth.Read | auth.Write | auth.Admin).Names())
		}
		r.Rights |= one
	}
	if f.ceiling != "" {
		var ok bool
		if r.Trust, ok = record.ParseTrust(f.ceiling); !ok {
			return r, ask.UnknownName(fault.Usage, "tier for --trust", f.ceiling, ask.TrustNames())
		}
	}
	r.Expires, err = instantFlag(s, "expires", f.expires)
	return r, err
}

func keyCreate(s *ask.Shell, c *cobra.Command, flags *keyCreateFlags) error {
	r, err := flags.request(s, c)
	if err != nil {
		return err
	}
	return withKeys(s, c, &flags.BoardFlags, lukasa.Options{}, func(ctx context.Context, v *ask.Visit, keys *auth.Store, who *auth.Principal) error {
		if r.Role != auth.Operator {
			t, err := v.Reader(ctx)
			if err != nil {
				return err
			}
			r.Tenant = t.Name()
		}
		key, token, err := keys.Create(ctx, who, r)
		if err != nil {
			return err
		}
		return answerKey(s, key, token, flags.out)
	})
}

// newKey is what lukasa key create --json prints.
type newKey struct {
	Token string    `json:"token,omitempty"`
	Out   string    `json:"out,omitempty"` // the file that has the text
	Key   auth.Info `json:"key"`
}

// answerKey prints a key that was made: its text alone, or, if that is in a file, what
// it is.
func answerKey(s *ask.Shell, key *auth.Key, token, out string) error {
	a := newKey{Token: token, Key: key.Info(s.Now())}
	if out != "" {
		err := s.Files.Replace(out, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, token)
			return err
		})
		if err != nil {
			return err
		}
		a.Token, a.Out = "", out
	}
	switch {
	case s.JSON:
		return s.WriteJSON(a)
	case out != "":
		fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green("wrote"), term.OneLine(out))
		showKey(s, &a.Key)
	default:
		fmt.Fprintln(s.Stdout, token)
		s.Note("this is shown once; send it as Authorization: Bearer, and end it with `lukasa key revoke %s`", key.ID)
	}
	return nil
}

// showKey prints what is known of a key.
func showKey(s *ask.Shell, k *auth.Info) {
	s.Detail("key", k.ID)
	s.Detail("state", keyState(k))
	s.Detail("role", k.Role)
	s.Detail("tenant", k.Tenant)
	s.Detail("agent", k.Agent)
	s.Detail("rights", strings.Join(k.Rights, ", "))
	s.Detail("trust", k.Trust)
	s.Detail("label", k.Label)
	s.Detail("created", k.CreatedAt+" by "+k.CreatedBy)
	s.Detail("expires", k.ExpiresAt)
}

// keyState says whether a key is good, and since when not.
func keyState(k *auth.Info) string {
	switch k.State {
	case auth.Revoked:
		text := k.State + " at " + k.RevokedAt
		if k.Reason != "" {
			text += ": " + k.Reason
		}
		return text
	case auth.Expired:
		return k.State + " at " + k.ExpiresAt
	}
	return k.State
}

func keyListCommand(s *ask.Shell) *cobra.Command {
	var flags struct {
		ask.BoardFlags
		all, ids bool
	}
	c := &cobra.Command{
		Use:   "list",
		Short: "List keys: the good ones, unless asked for others",
		Long: `List the keys that are good, oldest first: of all tenants and of operators, or with
--tenant those of that tenant. --all lists those that were revoked or are over, too.
--ids prints ids alone, one a line, for other commands to take.`,
		Example: `  lukasa key create --tenant acme
  lukasa key list
  lukasa key list --tenant acme --all --json`,
		Args: ask.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if flags.ids && s.JSON {
			return fault.New(fault.Usage, "--ids and --json: one of the two says how to print").WithFix("leave one away")
		}
		return withKeys(s, c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, _ *ask.Visit, keys *auth.Store, who *auth.Principal) error {
			list, err := keys.List(ctx, who)
			if err != nil {
				return err
			}
			return keyList(s, list, flags.all, flags.ids)
		})
	}
	flags.AddTenant(c)
	c.Flags().BoolVar(&flags.all, "all", false, "those that are revoked or over, too")
	c.Flags().BoolVar(&flags.ids, "ids", false, "print ids alone, one a line")
	return c
}

// keyList prints keys.
func keyList(s *ask.Shell, list []*auth.Key, all, ids bool) error {
	out := s.NewPages("keys", "KEY", "ROLE", "TENANT", "AGENT", "RIGHTS", "STATE", "CREATED", "LABEL")
	for _, key := range list {
		k := key.Info(s.Now())
		if k.State != auth.Active && !all {
			continue
		}
		if ids {
			fmt.Fprintln(s.Stdout, k.ID)
			continue
		}
		if err := out.Add(k, k.ID, k.Role, dashed(k.Tenant), dashed(k.Agent), strings.Join(k.Rights, ","), k.State, term.Moment(key.Created), k.Label); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil || ids {
		return err
	}
	return out.End("", nil)
}

// dashed is a cell of a table that may be empty.
func dashed(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func keyShowCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	c := &cobra.Command{
		Use:   "show KEY",
		Short: "Show what is known of a key",
		Long: `Show whom a key is for, what it may do, who made it, and whether it is good. KEY is
its id: the part of its text after lk_t_, up to the next underscore. The text itself
is not kept.`,
		Example: `  lukasa key create --tenant acme
  lukasa key show $(lukasa key list --ids | head -1)`,
		Args: ask.OneName("KEY"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return withKeys(s, c, &flags, ask.Reading(), func(ctx context.Context, _ *ask.Visit, keys *auth.Store, who *auth.Principal) error {
			key, err := keys.Get(ctx, who, args[0])
			if err != nil {
				return err
			}
			return oneKey(s, key)
		})
	}
	flags.AddData(c)
	return c
}

// oneKey prints a key.
func oneKey(s *ask.Shell, key *auth.Key) error {
	k := key.Info(s.Now())
	if s.JSON {
		return s.WriteJSON(k)
	}
	showKey(s, &k)
	return nil
}

func keyRevokeCommand(s *ask.Shell) *cobra.Command {
	var flags ask.BoardFlags
	var reason string
	c := &cobra.Command{
		Use:   "revoke KEY",
		Short: "End a key at once, and for good",
		Long: `End a key: from now on it is refused, and streams and sockets that were opened with
it are closed. KEY is its id, as ` + "`lukasa key list`" + ` shows it. Nothing brings it back;
make a new one. A key that is revoked already stays as it is.`,
		Example: `  lukasa key create --tenant acme
  lukasa key revoke $(lukasa key list --ids | head -1) --reason "laptop lost"`,
		Args: ask.OneName("KEY"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return withKeys(s, c, &flags, ask.Reading(), func(ctx context.Context, _ *ask.Visit, keys *auth.Store, who *auth.Principal) error {
			key, err := keys.Revoke(ctx, who, args[0], reason)
			if err != nil {
				return err
			}
			if !s.JSON {
				fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green("revoked"), s.Paint.Bold(key.ID))
			}
			return oneKey(s, key)
		})
	}
	flags.AddData(c)
	c.Flags().StringVar(&reason, "reason", "", "why, a `TEXT`")
	return c
}
