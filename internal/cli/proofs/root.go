package proofs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// RootCommand returns the command `lukasa root`.
func RootCommand(s *ask.Shell) *cobra.Command {
	var all, checkpoint, key, newKey bool
	tenant := ""
	return ask.OperationCommand(s, ask.Command[any]{
		Operation: "root",
		Use:       "root",
		Short:     "Name the state of a tenant; sign it; show the key",
		Long: `Print how many records a tenant has and the root of the Merkle tree over them. Two
boards with the same root for a tenant hold the same records in the same order.

--checkpoint prints the state as a signed note (C2SP), --key the public key that
verifies it, and both print nothing else. Give the key to those who verify proofs;
the private key never leaves the data directory. A directory that was rolled back to
an older state refuses to sign. The newest signed state is stored in the directory
and outside of it: in $LUKASA_WITNESS, else in
$XDG_STATE_HOME/lukasa/witness, else in ~/.local/state/lukasa/witness;
LUKASA_WITNESS=off turns that off.

--new-key makes a new signing key. What the old one signed is verified with the old
one, which stays in the directory.`,
		Example: `  lukasa root
  lukasa root --all
  lukasa root --checkpoint > checkpoint.txt
  lukasa root --key > key.txt
  lukasa root --new-key`,
		Unscoped: true,
		Own: func(c *cobra.Command) {
			f := c.Flags()
			f.BoolVar(&all, "all", false, "the roots of all tenants")
			f.BoolVar(&checkpoint, "checkpoint", false, "print the state as a signed note")
			f.BoolVar(&key, "key", false, "print the public key that verifies signatures")
			f.BoolVar(&newKey, "new-key", false, "make a new signing key")
		},
		Prepare: func(r *ask.Request) error {
			chosen := 0
			for _, x := range []struct {
				on        bool
				operation string
			}{{all, "list_tenants"}, {checkpoint, "checkpoint"}, {key, "verifier_key"}, {newKey, "verifier_key"}} {
				if x.on {
					chosen++
					r.Operation = x.operation
				}
			}
			switch {
			case chosen > 1:
				return fault.New(fault.Usage, "--all, --checkpoint, --key and --new-key exclude each other").WithFix("use one of them")
			case all && r.Cmd.Flags().Changed("tenant"):
				return fault.New(fault.Usage, "--all means every tenant, and --tenant only one").WithFix("use one of them")
			}
			return nil
		},
		Call: func(ctx context.Context, v *ask.Visit, call *operation.Call) error {
			if tenant = call.Who.Tenant; all {
				return nil
			}
			root, err := v.Root(ctx, tenant)
			if err == nil {
				err = v.Slip(tenant, root.Size)
			}
			if err == nil && newKey {
				err = v.NewKey(ctx)
			}
			return err
		},
		Next: func(page *any) *string {
			if list, ok := (*page).(*answer.Tenants); ok {
				return list.Next
			}
			return nil
		},
		Join: func(all, page *any) {
			list, more := (*all).(*answer.Tenants), (*page).(*answer.Tenants)
			list.Tenants, list.Next = append(list.Tenants, more.Tenants...), more.Next
		},
		Answer: func(_ *ask.Visit, out *any) error {
			switch a := (*out).(type) {
			case *operation.Text:
				if s.JSON {
					return s.WriteJSON(answer.Checkpoint{Tenant: tenant, Checkpoint: a.Body})
				}
				_, err := fmt.Fprint(s.Stdout, a.Body)
				return err
			case *answer.Key:
				a.New = newKey
			}
			if s.JSON {
				return s.WriteJSON(*out)
			}
			switch a := (*out).(type) {
			case *answer.Key:
				if newKey {
					s.Note("this is a new key; what the old one signed is checked with the old one")
				}
				fmt.Fprintln(s.Stdout, a.Key)
			case *answer.State:
				show.Root(s.Screen, a)
			case *answer.Tenants:
				show.Tenants(s.Screen, a)
			}
			return s.Stdout.Failed()
		},
	})
}
