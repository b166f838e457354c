package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// Command is how an operation of the table in internal/api is asked on the command line. What the
// operation says of a field, the command does not repeat: its type, its default, its range and the
// values it takes.
type Command[Out any] struct {
	// Operation is the name of the operation.
	Operation string
	// Use, Short, Long and Example are what help shows.
	Use, Short, Long, Example string
	// Args checks the arguments. Nil takes none.
	Args cobra.PositionalArgs
	// Argument is the field that the one argument sets, or empty.
	Argument string
	// Flags are the fields that flags set.
	Flags []Flag
	// Check looks at the flags before the board is opened, if it is not nil.
	Check func(c *cobra.Command) error
	// Complete adds to the answer what another operation knows, if it is not nil.
	Complete func(ctx context.Context, v *Visit, out *Out) error
	// Print prints the answer for a person; with --json the answer itself is printed.
	Print func(s *term.Screen, out *Out)

	// Own adds flags that say how the answer is printed, if it is not nil.
	Own func(c *cobra.Command)
	// Pages, in the place of Print, is for an answer in pages: it returns what prints each of them, for
	// a person or as a part of one document in JSON. Next leads from a page to the one after it, by
	// the field "after", and is nil on the last.
	Pages func(s *term.Screen) func(page *Out) error
	Next  func(page *Out) *string
}

// Flag is a flag that sets a field of a request.
type Flag struct {
	// Field is the name of the field.
	Field string
	// Name is the name of the flag if it is not that of the field with dashes.
	Name string
	// Help is what help shows instead of what the operation says of the field. A word in backquotes
	// stands for the value.
	Help string
}

// name returns the name of the flag.
func (f *Flag) name() string {
	if f.Name != "" {
		return f.Name
	}
	return strings.ReplaceAll(f.Field, "_", "-")
}

// OperationCommand makes a command of an operation that reads. The command runs the operation on the
// board of the data directory, in this process or in the server that has the directory.
func OperationCommand[Out any](s *Shell, d Command[Out]) *cobra.Command {
	op := api.Lookup(d.Operation)
	fields := map[string]*api.Field{}
	for _, f := range op.Fields() {
		fields[f.Name] = f
	}
	var board BoardFlags
	c := &cobra.Command{Use: d.Use, Short: d.Short, Long: d.Long, Example: d.Example, Args: d.Args}
	if c.Args == nil {
		c.Args = NoArgs
	}
	board.AddTenant(c)
	board.AddScope(c)
	if d.Own != nil {
		d.Own(c)
	}
	values := map[string]func() any{}
	for i := range d.Flags {
		values[d.Flags[i].Field] = addField(c, fields[d.Flags[i].Field], &d.Flags[i])
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		request := map[string]any{}
		if d.Argument != "" {
			request[d.Argument] = args[0]
		}
		for i := range d.Flags {
			f := &d.Flags[i]
			value := values[f.Field]()
			if err := checkField(fields[f.Field], f.name(), value); err != nil {
				return err
			}
			if c.Flags().Changed(f.name()) {
				request[f.Field] = value
			}
		}
		if d.Check != nil {
			if err := d.Check(c); err != nil {
				return err
			}
		}
		return s.Visit(c, &board, Reading(), func(ctx context.Context, v *Visit) error {
			if d.Pages != nil {
				return pages(ctx, v, op, request, d.Pages(s.Screen), d.Next)
			}
			out, err := v.run(ctx, op, request)
			if err != nil {
				return err
			}
			a := out.(*Out)
			if d.Complete != nil {
				if err := d.Complete(ctx, v, a); err != nil {
					return err
				}
			}
			if s.JSON {
				return s.WriteJSON(a)
			}
			d.Print(s.Screen, a)
			return nil
		})
	}
	return c
}

// pages runs an operation for each page of its answer.
func pages[Out any](ctx context.Context, v *Visit, op *api.Operation, request map[string]any, show func(*Out) error, next func(*Out) *string) error {
	for {
		out, err := v.run(ctx, op, request)
		if err != nil {
			return err
		}
		page := out.(*Out)
		after := next(page)
		if err := show(page); err != nil || after == nil {
			return err
		}
		request["after"] = *after
	}
}

// run runs an operation with a request, as the operator of the directory or under a scope.
func (v *Visit) run(ctx context.Context, op *api.Operation, request map[string]any) (any, error) {
	t, err := v.Reader(ctx)
	if err != nil {
		return nil, err
	}
	who := &auth.Principal{Key: "cli", Role: auth.Operator, Tenant: t.Name(), Rights: auth.Read | auth.Write | auth.Admin, Trust: lukasa.User, Scope: v.Scope}
	if err := api.Allow(op, who); err != nil {
		return nil, err
	}
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	in, err := op.DecodeArguments(text)
	if err != nil {
		return nil, err
	}
	p := v.Shell.Progress()
	defer p.Done()
	return op.Run(ctx, &api.Call{
		Board: v.Board, Who: who, Keys: v.Shell.Served.Keys, Quotas: v.Shell.Served.Quotas, Now: v.Shell.Now,
		Progress: func(done, total uint64, what string) {
			p.Update(func() string { return what + ": " + term.Share(done, total) })
		},
	}, in)
}

// addField adds the flag of a field, and returns what reads its value.
func addField(c *cobra.Command, field *api.Field, f *Flag) func() any {
	help := f.Help
	if help == "" {
		help = field.Doc
	}
	flags, name, usual := c.Flags(), f.name(), field.Default()
	if choices := field.Choices(); len(choices) > 0 {
		SuggestValues(c, name, choices)
	}
	switch t := field.Type(); t.Kind() {
	case reflect.Bool:
		v := flags.Bool(name, usual == "true", help)
		return func() any { return *v }
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		n, _ := strconv.Atoi(usual) // a field without a default has none
		v := flags.Int(name, n, help)
		return func() any { return *v }
	case reflect.Float64:
		x, _ := strconv.ParseFloat(usual, 64)
		v := flags.Float64(name, x, help)
		return func() any { return *v }
	case reflect.Slice:
		v := flags.StringArray(name, nil, help)
		return func() any { return *v }
	case reflect.String:
		v := flags.String(name, strings.Trim(usual, `"`), help)
		return func() any { return *v }
	default:
		panic(fmt.Sprintf("ask: no flag for %s, a %s", field.Name, t))
	}
}

// checkField is the error for a value that the field does not take.
func checkField(field *api.Field, name string, value any) error {
	switch x := value.(type) {
	case int:
		if least, most, ok := field.Range(); ok {
			return InRange(name, x, int(least), int(most))
		}
	case float64:
		if least, most, ok := field.Range(); ok && (x < least || x > most) {
			return fault.Newf(fault.Usage, "--%s: %v is not between %v and %v", name, x, least, most).WithFix("give such a number, or leave it away")
		}
	case string:
		if choices := field.Choices(); len(choices) > 0 && x != "" {
			for _, choice := range choices {
				if x == choice {
					return nil
				}
			}
			return UnknownName(fault.Usage, name, x, choices)
		}
	}
	return nil
}
