package ask

import (
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/api"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/operation"
)

// Command describes the command of an operation of the table in internal/api. It does not repeat
// what the operation says of a field: its type, its default, its range and its values.
type Command[Out any] struct {
	// Operation is the name of the operation. For one that writes, --actor and --trust name the writer.
	Operation string
	// Use, Short, Long and Example are what help shows.
	Use, Short, Long, Example string
	// Args checks the arguments. Nil takes none.
	Args cobra.PositionalArgs
	// Argument is the field that the first argument sets, or empty.
	Argument string
	// Flags are the fields that flags set.
	Flags []Flag
	// Names are fields that name something by a key or a URI. The tenant is that of the first URI.
	Names []string
	// Kind is the kind of the records that Names name, by ID or URI; zero if it may be any.
	Kind lukasa.Kind
	// Untenanted says that the command takes no --tenant. An operation about any tenant is about all of
	// them unless --tenant names one.
	Untenanted bool
	// Unscoped says that the command takes no --scope. It also has none if the operation takes none.
	Unscoped bool
	// Board has the flags about the data directory, for a command that needs them itself; nil otherwise.
	Board *BoardFlags
	// Creates says that the data directory is created if there is none.
	Creates bool

	// Own adds flags that are no fields, if it is not nil.
	Own func(c *cobra.Command)
	// Prepare checks and completes the request before the board is opened, if it is not nil.
	Prepare func(r *Request) error
	// Call completes the call, if it is not nil.
	Call func(ctx context.Context, v *Visit, call *operation.Call) error
	// Fail rewrites an error of the operation in the terms of the command line, if it is not nil.
	Fail func(c *cobra.Command, err error) error
	// Complete adds to the answer what another operation knows, if it is not nil.
	Complete func(ctx context.Context, v *Visit, out *Out) error

	// Print prints the answer for a person; with --json the answer itself is printed.
	Print func(s *term.Screen, out *Out)
	// Answer, instead of Print, handles the answer, also with --json.
	Answer func(v *Visit, out *Out) error
	// Pages, instead of Print, is for an answer in pages: it returns the function that prints a page, as
	// text or as a part of one JSON document. Next returns the cursor of the next page, for the field
	// "after", and nil on the last.
	Pages func(s *term.Screen) func(page *Out) error
	Next  func(page *Out) *string
	// Join, beside Print or Answer, adds a page to those before it: the pages are one answer, unless
	// --limit is given.
	Join func(all, page *Out)
}

// Flag is a flag that sets a field of a request.
type Flag struct {
	// Field is the name of the field.
	Field string
	// Name is the name of the flag if it is not that of the field with dashes.
	Name string
	// Help is the help text of the flag, instead of that of the field in the operation. A word in
	// backquotes stands for the value.
	Help string
	// Default is what help shows as the default of a field that has none in the table.
	Default string
	// What names a value in the error for an unknown one; the default is the name of the flag.
	What string
	// Missing is the advice if a required field is not given.
	Missing string
	// Ago says that a time may also be a day or a duration before now.
	Ago bool
	// Usage says that an error of the operation about the field is wrong usage of the flag.
	Usage bool
}

// NowFlag is --now, for reads whose answer depends on the time.
func NowFlag() Flag {
	return Flag{Field: "now", Usage: true, Help: "the `TIME` that decides what has expired, in RFC 3339 (default the current time)"}
}

// IfVersionFlag is --if-version, for writes that expect a version.
func IfVersionFlag() Flag {
	return Flag{Field: "if_version", Usage: true, Help: "write only if this is the current `VERSION`; 0 if there must be none"}
}

// Request is a request that is being made. A command whose Out is any may choose another operation.
type Request struct {
	Cmd       *cobra.Command
	Args      []string
	Operation string
	Fields    map[string]any
}

// name returns the name of the flag.
func (f *Flag) name() string {
	if f.Name != "" {
		return f.Name
	}
	return strings.ReplaceAll(f.Field, "_", "-")
}

// OperationCommand makes a command of an operation. The command runs the operation on the board of the
// data directory, in this process or in the server that has the directory.
func OperationCommand[Out any](s *Shell, d Command[Out]) *cobra.Command {
	op := api.Lookup(d.Operation)
	fields := map[string]*operation.Field{}
	for _, f := range op.Fields() {
		fields[f.Name] = f
	}
	board := cmp.Or(d.Board, &BoardFlags{})
	c := &cobra.Command{Use: d.Use, Short: d.Short, Long: d.Long, Example: d.Example, Args: d.Args}
	if c.Args == nil {
		c.Args = NoArgs
	}
	if d.Untenanted {
		board.AddData(c)
	} else {
		board.AddTenant(c)
	}
	if op.Wrote {
		board.AddWriter(c)
	}
	if !d.Unscoped && !op.Unscoped {
		board.AddScope(c)
	}
	if d.Own != nil {
		d.Own(c)
	}
	values := make([]func() (any, error), len(d.Flags))
	for i := range d.Flags {
		values[i] = addField(s, c, fields[d.Flags[i].Field], &d.Flags[i], d.Join == nil)
	}
	open := lukasa.Options{MustExist: !d.Creates}
	c.RunE = func(c *cobra.Command, args []string) error {
		r := &Request{Cmd: c, Args: args, Operation: d.Operation, Fields: map[string]any{}}
		if d.Argument != "" && len(args) > 0 {
			r.Fields[d.Argument] = args[0]
		}
		for i := range d.Flags {
			f := &d.Flags[i]
			value, err := values[i]()
			if err != nil {
				return err
			}
			if c.Flags().Changed(f.name()) && value != nil {
				r.Fields[f.Field] = value
			} else if fields[f.Field].Required {
				return fault.Newf(fault.Usage, "--%s is missing", f.name()).WithFix(f.Missing)
			}
		}
		if d.Prepare != nil {
			if err := d.Prepare(r); err != nil {
				return err
			}
		}
		return s.Visit(c, board, open, func(ctx context.Context, v *Visit) error {
			op := api.Lookup(r.Operation)
			call, err := v.call(ctx, op, r, d.Names, d.Kind)
			if err != nil {
				return err
			}
			if d.Call != nil {
				if err := d.Call(ctx, v, call); err != nil {
					return err
				}
			}
			show, join := d.show(ctx, v), d.Join
			if c.Flags().Changed("limit") {
				join = nil
			}
			var all *Out
			for {
				out, err := v.run(ctx, op, call, r.Fields)
				if err != nil {
					if d.Fail != nil {
						err = d.Fail(c, err)
					}
					return d.blame(c, err)
				}
				page, ok := out.(*Out)
				if !ok {
					page = new(Out)
					*page = out.(Out) // it is any
				}
				var after *string
				if d.Next != nil && (d.Join == nil || join != nil) {
					after = d.Next(page)
				}
				if all == nil || join == nil {
					all = page
				} else {
					join(all, page)
				}
				if join == nil || after == nil {
					err = show(all)
				}
				if err != nil || after == nil {
					return err
				}
				r.Fields["after"] = *after
			}
		})
	}
	return c
}

// show returns the function that handles an answer, or each page of one.
func (d *Command[Out]) show(ctx context.Context, v *Visit) func(*Out) error {
	if d.Pages != nil {
		return d.Pages(v.Shell.Screen)
	}
	return func(out *Out) error {
		if d.Complete != nil {
			if err := d.Complete(ctx, v, out); err != nil {
				return err
			}
		}
		switch {
		case d.Answer != nil:
			return d.Answer(v, out)
		case v.Shell.JSON:
			return v.Shell.WriteJSON(out)
		}
		d.Print(v.Shell.Screen, out)
		return nil
	}
}

// blame rewrites an error about a field as one about the flag that set it.
func (d *Command[Out]) blame(c *cobra.Command, err error) error {
	flagOf := func(field string, usage bool) (string, bool) {
		field, _, _ = strings.Cut(field, "[")
		field, _, _ = strings.Cut(field, ".")
		for i := range d.Flags {
			if f := &d.Flags[i]; f.Field == field {
				return f.name(), (f.Usage || field == "after" || !usage) && c.Flags().Changed(f.name())
			}
		}
		return "", false
	}
	e := fault.From(err)
	field, rule, ok := strings.Cut(e.Error(), ": ")
	if !ok || e.Code != fault.InvalidArgument {
		return AsFlags(c, err, func(field string) (string, bool) { return flagOf(field, false) })
	}
	if name, set := flagOf(field, true); set {
		return fault.New(fault.Usage, "--"+name+": "+rule).WithCause(err).WithFix(e.Advice())
	}
	if field == d.Argument {
		return fault.New(e.Code, rule).WithCause(err).WithFix(e.Advice())
	}
	return AsFlags(c, err, func(field string) (string, bool) { return flagOf(field, false) })
}

// call makes the call of an operation: by the operator of the directory or under a scope, about the
// tenant that the request or the command names.
func (v *Visit) call(ctx context.Context, op *operation.Operation, r *Request, names []string, kind lukasa.Kind) (*operation.Call, error) {
	who := &auth.Principal{Key: "cli", Role: auth.Operator, Rights: auth.Read | auth.Write | auth.Admin, Trust: lukasa.User, Scope: v.Scope}
	if !op.Board && (!op.AnyTenant || v.Cmd.Flags().Changed("tenant")) {
		var err error
		if who.Tenant, err = v.about(ctx, r, names, kind); err != nil {
			return nil, err
		}
	}
	if op.Wrote {
		w, err := v.Shell.Writer(v.Cmd, v.Flags)
		if err == nil {
			w, err = v.Bound(w)
		}
		if err != nil {
			return nil, err
		}
		who.Name, who.Trust = w.Actor, w.Trust
		if v.Scope != "" {
			held, err := v.Held()
			if err != nil {
				return nil, err
			}
			who.Agent = held.To
		}
	}
	if err := operation.Allow(op, who); err != nil {
		return nil, err
	}
	return &operation.Call{Board: v.Board, Who: who, Keys: v.Shell.Served.Keys, Quotas: v.Shell.Served.Quotas, Now: v.Shell.Now}, nil
}

// about returns the tenant that a request is about: that of the first URI in it, else the one that the
// command names. A URI of a given kind leaves its id in the request.
func (v *Visit) about(ctx context.Context, r *Request, names []string, kind lukasa.Kind) (tenant string, err error) {
	for _, field := range names {
		list, _ := r.Fields[field].([]string)
		if name, ok := r.Fields[field].(string); ok {
			list = []string{name}
		}
		for _, name := range list {
			switch {
			case !strings.HasPrefix(name, UriScheme):
				if kind != 0 {
					err = memory.CheckID(kind.String(), name)
				}
			case kind == 0:
				if tenant == "" { // otherwise the operation refuses records of another tenant
					tenant, err = v.versioned(r, name)
				}
			default:
				tenant, err = v.ofKind(r, field, name, kind, tenant)
			}
			if err != nil {
				return "", err
			}
		}
	}
	if tenant != "" {
		return tenant, nil
	}
	t, err := v.Reader(ctx)
	if err != nil {
		return "", err
	}
	return t.Name(), nil
}

// versioned returns the tenant of a URI, whose version is that of --version if both name one.
func (v *Visit) versioned(r *Request, name string) (string, error) {
	u, err := v.Uri(name)
	if version, ok := r.Fields["version"].(uint32); err == nil && ok && version != 0 && u.Version != 0 && u.Version != uint64(version) {
		err = fault.Newf(fault.Usage, "the URI names version %d and --version names %d", u.Version, version).WithFix("say it once")
	}
	return u.Tenant, err
}

// ofKind puts the id of a URI into a field of the request, and returns the tenant.
func (v *Visit) ofKind(r *Request, field, name string, kind lukasa.Kind, tenant string) (string, error) {
	u, err := v.Uri(name)
	switch {
	case err != nil:
		return "", err
	case u.Kind != kind:
		return "", fault.Newf(fault.Usage, "%s names %s, not %s", u, oneOf(u.Kind), oneOf(kind)).WithFix("`lukasa resolve` shows what it is; name " + oneOf(kind))
	case tenant != "" && tenant != u.Tenant:
		return "", fault.New(fault.Usage, "the two are of different tenants").WithFix("name two of one tenant")
	}
	r.Fields[field] = u.ID
	return u.Tenant, nil
}

// oneOf writes a kind with its article.
func oneOf(k lukasa.Kind) string {
	name := k.String()
	if strings.ContainsAny(name[:1], "aeiou") {
		return "an " + name
	}
	return "a " + name
}

// Ask runs an operation that reads, for a command that runs more than one.
func (v *Visit) Ask(ctx context.Context, operation string, fields map[string]any, names ...string) (any, error) {
	op := api.Lookup(operation)
	call, err := v.call(ctx, op, &Request{Cmd: v.Cmd, Fields: fields}, names, 0)
	if err != nil {
		return nil, err
	}
	return v.run(ctx, op, call, fields)
}

// run runs an operation with a request.
func (v *Visit) run(ctx context.Context, op *operation.Operation, call *operation.Call, request map[string]any) (any, error) {
	for _, f := range op.Fields() { // values that JSON would not keep
		if text, ok := request[f.Name].(string); ok && !utf8.ValidString(text) {
			return nil, fault.Newf(fault.InvalidArgument, "%s: it is not UTF-8", f.Name).WithFix("give text in UTF-8")
		}
	}
	text, err := json.Marshal(request)
	if err != nil { // JSON has neither infinity nor NaN
		return nil, fault.Newf(fault.Usage, "a value is not a number: %w", err).WithFix("give a number")
	}
	in, err := op.DecodeArguments(text)
	if err != nil {
		return nil, err
	}
	p := v.Shell.Progress()
	defer p.Done()
	call.Progress = func(done, total uint64, what string) {
		p.Update(func() string { return what + ": " + term.Share(done, total) })
	}
	call.Warn = v.Shell.WitnessNote
	return op.Run(ctx, call, in)
}

// addField adds the flag of a field, and returns the function that reads and checks its value: nil is
// no value. Bound says that the default of a limit applies.
func addField(s *Shell, c *cobra.Command, field *operation.Field, f *Flag, bound bool) func() (any, error) {
	help := f.Help
	if help == "" {
		help = field.Doc
	}
	flags, name, usual := c.Flags(), f.name(), cmp.Or(f.Default, field.Default())
	if field.Name == "limit" && !bound {
		usual = ""
	}
	t := field.Type()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, readsText := reflect.New(t).Interface().(encoding.TextUnmarshaler)
	switch {
	case t == reflect.TypeFor[hmx.Time]():
		v := flags.String(name, "", help)
		return func() (any, error) { return s.timeField(f, *v) }
	case t == reflect.TypeFor[json.RawMessage]():
		v := flags.String(name, "", help)
		return func() (any, error) { return json.RawMessage(*v), nil }
	case readsText, t.Kind() == reflect.String:
		v := flags.String(name, strings.Trim(usual, `"`), help)
		defer suggestChoices(c, field, name)
		return func() (any, error) {
			if *v == "" {
				return nil, nil
			}
			return *v, checkChoice(field, f, *v)
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		v := flags.Bool(name, usual == "true", help)
		return func() (any, error) { return *v, nil }
	case reflect.Int, reflect.Int64:
		n, _ := strconv.Atoi(usual) // a field without a default has none
		v := flags.Int(name, n, help)
		return func() (any, error) { return *v, inRange(c, field, name, float64(*v)) }
	case reflect.Uint32:
		v := flags.Uint32(name, 0, help)
		return func() (any, error) { return *v, inRange(c, field, name, float64(*v)) }
	case reflect.Uint64:
		v := flags.Uint64(name, 0, help)
		return func() (any, error) { return *v, inRange(c, field, name, float64(*v)) }
	case reflect.Float64:
		x, _ := strconv.ParseFloat(usual, 64)
		v := flags.Float64(name, x, help)
		return func() (any, error) { return *v, inRange(c, field, name, *v) }
	case reflect.Slice:
		v := flags.StringArray(name, nil, help)
		defer suggestChoices(c, field, name)
		return func() (any, error) {
			for _, x := range *v {
				if err := checkChoice(field, f, x); err != nil {
					return nil, err
				}
			}
			return *v, nil
		}
	default:
		panic(fmt.Sprintf("ask: no flag for %s, a %s", field.Name, t))
	}
}

// timeField reads a flag that is a time.
func (s *Shell) timeField(f *Flag, text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	switch {
	case text == "now":
		return hmx.TimeOf(s.Now()).String(), nil
	case f.Ago:
		t, err := s.AgoFlag(f.name(), text)
		return hmx.TimeOf(t).String(), err
	}
	t, err := TimeFlag(f.name(), text)
	return t.String(), err
}

// suggestChoices lets a shell complete the values that a field takes.
func suggestChoices(c *cobra.Command, field *operation.Field, name string) {
	if choices := field.Choices(); len(choices) > 0 {
		SuggestValues(c, name, choices)
	}
}

// checkChoice returns the error for a value that the field does not take.
func checkChoice(field *operation.Field, f *Flag, value string) error {
	if choices := field.Choices(); len(choices) > 0 && !slices.Contains(choices, value) {
		return UnknownName(fault.Usage, cmp.Or(f.What, f.name()), value, choices)
	}
	return nil
}

// inRange returns the error for a number that the field does not take.
func inRange(c *cobra.Command, field *operation.Field, name string, x float64) error {
	least, most, ok := field.Range()
	switch {
	case !ok || x >= least && x <= most, !c.Flags().Changed(name):
		return nil
	case field.Type().Kind() == reflect.Int:
		return InRange(name, int(x), int(least), int(most))
	}
	return fault.Newf(fault.Usage, "--%s: %v is not a number from %v to %v", name, x, least, most).WithFix("give a number in that range, or leave it out")
}
