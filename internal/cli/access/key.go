package access

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// KeyCommand returns the command `lukasa key`.
func KeyCommand(s *ask.Shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "key",
		Short: "Make, list and revoke keys of callers of a server",
		Long: `A key is the credential that a caller sends to a server as Authorization: Bearer.
It identifies the caller: an operator, who may do everything; a tenant, that is a
person or a service of it; or one agent of a tenant. A call reaches only the tenant
of its key.

The text of a key is shown once, when it is made; the server keeps only its hash. A
revoked key is refused at once, and its open connections are closed. Keys, and who
made and revoked them, are records of the data directory: they survive a restart, a
crash and a rebuild.

A process that can open the data directory needs no key. docs/security.md has the
details.`,
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

// withKeys gives a call the credentials of the directory, and the name of the user as the operator. A
// server has one set of credentials, which learns at once what the command changes.
func withKeys(ctx context.Context, v *ask.Visit, call *operation.Call) error {
	w, err := v.Shell.Writer(v.Cmd, &ask.BoardFlags{Trust: lukasa.Operator.String()})
	if err != nil {
		return err
	}
	tenant := call.Who.Tenant
	call.Who = auth.Local(w.Actor)
	if call.Who.Tenant = tenant; call.Keys == nil {
		call.Keys, err = auth.Open(ctx, v.Board, auth.StoreOptions{Clock: v.Shell.Now})
	}
	return err
}

func keyCreateCommand(s *ask.Shell) *cobra.Command {
	var role, expires, out string
	roles := []string{auth.Operator.String(), auth.Member.String(), auth.Agent.String()}
	var request *ask.Request
	return ask.OperationCommand(s, ask.Command[answer.NewKey]{
		Operation: "create_key",
		Use:       "create",
		Short:     "Make a key, and show it once",
		Long: `Make a key and print its text, which cannot be shown again. With --agent it speaks
for that agent and writes only in its name; with --role operator it may do
everything, and belongs to no tenant; otherwise it speaks for the tenant.

It may read and write unless --right says otherwise. The right admin lets people of
the tenant make keys and scopes of the tenant. Records written with an operator's key
have the trust operator, with a tenant's key user, with an agent's key agent; --trust
lowers that.

--out writes the text to a file instead, readable only by its owner.`,
		Example: `  lukasa key create --tenant acme
  lukasa key create --tenant acme --agent coder --right write --expires 30d
  lukasa key create --tenant acme --right read --label dashboard --out dashboard.key
  lukasa key create --role operator --label "night shift"`,
		Creates: true,
		Flags: []ask.Flag{
			{Field: "agent", Help: "the `AGENT` that it speaks for"},
			{Field: "rights", Name: "right", Help: "a `RIGHT`: read, write or admin; may be given again (default read and write; all for an operator)"},
			{Field: "trust", What: "tier for --trust", Help: "how far what it writes is trusted at most, a `TIER`: " + strings.Join(ask.TrustNames(), ", ") + " (default as far as its role)"},
			{Field: "label", Help: "a `TEXT` that describes it for people"},
		},
		Own: func(c *cobra.Command) {
			c.Flags().StringVar(&role, "role", "", "whom it is for, a `ROLE`: operator, tenant or agent (default agent with --agent, else tenant)")
			c.Flags().StringVar(&expires, "expires", "", "when it ends: a `DURATION` from now, such as 90m or 30d, or a time in RFC 3339 (default never)")
			c.Flags().StringVar(&out, "out", "", "write the key to `FILE`, readable only by its owner; an existing file is replaced")
			ask.SuggestValues(c, "role", roles)
		},
		Prepare: func(r *ask.Request) error {
			request = r
			if role == "" {
				if role = auth.Member.String(); r.Fields["agent"] != nil {
					role = auth.Agent.String()
				}
			}
			kind, err := auth.ParseRole(role)
			switch {
			case err != nil:
				return ask.UnknownName(fault.Usage, "role", role, roles)
			case kind == auth.Operator && r.Cmd.Flags().Changed("tenant"):
				return fault.New(fault.Usage, "--tenant: an operator's key belongs to no tenant").WithFix("leave it out")
			case kind == auth.Agent && r.Fields["agent"] == nil:
				return fault.New(fault.Usage, "--agent is missing").WithFix("name the agent that the key speaks for")
			}
			r.Fields["role"] = role
			at, err := instantFlag(s, "expires", expires)
			if err == nil && !at.IsZero() {
				r.Fields["expires_at"] = hmx.TimeOf(at).String()
			}
			return err
		},
		Call: func(ctx context.Context, v *ask.Visit, call *operation.Call) error {
			if role != auth.Operator.String() {
				t, err := v.Reader(ctx)
				if err != nil {
					return err
				}
				request.Fields["tenant"] = t.Name()
			}
			return withKeys(ctx, v, call)
		},
		Answer: func(_ *ask.Visit, a *answer.NewKey) error { return answerKey(s, a, out) },
	})
}

// newKey is what lukasa key create --json prints.
type newKey struct {
	Token string    `json:"token,omitempty"`
	Out   string    `json:"out,omitempty"` // the file that has the text
	Key   auth.Info `json:"key"`
}

// answerKey prints a new key: its text alone, or its attributes if the text is in a file.
func answerKey(s *ask.Shell, made *answer.NewKey, out string) error {
	a := newKey{Token: made.Token, Key: made.Key}
	if out != "" {
		err := s.Files.Replace(out, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, made.Token)
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
		showKey(s.Screen, &a.Key)
	default:
		fmt.Fprintln(s.Stdout, made.Token)
		s.Note("this is shown once; send it as Authorization: Bearer, and end it with `lukasa key revoke %s`", a.Key.ID)
	}
	return nil
}

// showKey prints what is known of a key.
func showKey(s *term.Screen, k *auth.Info) {
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

// keyState returns whether a key is valid, or since when it is not.
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
	var ids bool
	return ask.OperationCommand(s, ask.Command[answer.Keys]{
		Operation: "list_keys",
		Use:       "list",
		Short:     "List keys: the valid ones by default",
		Long: `List the valid keys, oldest first: of all tenants and of operators, or with --tenant
those of that tenant. --all also lists revoked and expired ones. --ids prints only ids,
one per line, for other commands.`,
		Example: `  lukasa key create --tenant acme
  lukasa key list
  lukasa key list --tenant acme --all --json`,
		Flags: []ask.Flag{{Field: "all", Help: "also those that are revoked or expired"}},
		Own:   func(c *cobra.Command) { c.Flags().BoolVar(&ids, "ids", false, "print only ids, one per line") },
		Prepare: func(*ask.Request) error {
			if ids && s.JSON {
				return fault.New(fault.Usage, "--ids and --json: one of the two says how to print").WithFix("leave one out")
			}
			return nil
		},
		Call:  withKeys,
		Next:  func(page *answer.Keys) *string { return page.Next },
		Join:  func(all, page *answer.Keys) { all.Keys, all.Next = append(all.Keys, page.Keys...), page.Next },
		Print: func(s *term.Screen, a *answer.Keys) { showKeys(s, a, ids) },
	})
}

// showKeys prints keys, or their ids alone.
func showKeys(s *term.Screen, a *answer.Keys, ids bool) {
	var rows [][]string
	for i := range a.Keys {
		k := &a.Keys[i]
		if ids {
			fmt.Fprintln(s.Stdout, k.ID)
			continue
		}
		created, _ := time.Parse(time.RFC3339, k.CreatedAt) // it is one
		rows = append(rows, []string{k.ID, k.Role, dashed(k.Tenant), dashed(k.Agent), strings.Join(k.Rights, ","), k.State, term.Moment(created), k.Label})
	}
	switch {
	case ids:
	case len(rows) == 0:
		fmt.Fprintln(s.Stdout, s.Paint.Dim("no keys"))
	default:
		s.Table("KEY", "ROLE", "TENANT", "AGENT", "RIGHTS", "STATE", "CREATED", "LABEL").Rows(rows)
	}
}

// dashed is a cell of a table that may be empty.
func dashed(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func keyShowCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[auth.Info]{
		Operation: "get_key",
		Use:       "show KEY",
		Short:     "Show a key, without its text",
		Long: `Show whom a key is for, what it may do, who made it, and whether it is valid. KEY is
its id: the part of its text after lk_t_, up to the next underscore. The text itself
is not kept.`,
		Example: `  lukasa key create --tenant acme
  lukasa key show $(lukasa key list --ids | head -1)`,
		Args:       ask.OneName("KEY"),
		Argument:   "id",
		Untenanted: true,
		Call:       withKeys,
		Print:      showKey,
	})
}

func keyRevokeCommand(s *ask.Shell) *cobra.Command {
	return ask.OperationCommand(s, ask.Command[auth.Info]{
		Operation: "revoke_key",
		Use:       "revoke KEY",
		Short:     "End a key at once, and for good",
		Long: `End a key: from now on it is refused, and streams and sockets that were opened with
it are closed. KEY is its id, as ` + "`lukasa key list`" + ` shows it. Nothing brings it back;
make a new one. A key that is revoked already stays as it is.`,
		Example: `  lukasa key create --tenant acme
  lukasa key revoke $(lukasa key list --ids | head -1) --reason "laptop lost"`,
		Args:       ask.OneName("KEY"),
		Argument:   "id",
		Untenanted: true,
		Flags:      []ask.Flag{{Field: "reason", Help: "why, a `TEXT`"}},
		Call:       withKeys,
		Print: func(s *term.Screen, k *auth.Info) {
			fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green("revoked"), s.Paint.Bold(k.ID))
			showKey(s, k)
		},
	})
}
