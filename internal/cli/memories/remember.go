package memories

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

type rememberFlags struct {
	ask.BoardFlags
	id         string
	kind       string // --type
	tags       []string
	frames     []string
	importance float64
	confidence float64
	strength   string
	status     string
	data       string
	validFrom  string
	validUntil string
	ttl        string
	visibility string
	holds      []string
	everywhere bool
	sources    []string
	ifVersion  uint32

	unsaid bool // it is a constraint, and nothing says how binding
}

// RememberCommand returns the command `lukasa remember`.
func RememberCommand(s *ask.Shell) *cobra.Command {
	var flags rememberFlags
	c := &cobra.Command{
		Use:   "remember KEY TEXT",
		Short: "Keep a memory, as a new one or as the next version",
		Long: `Keep TEXT under KEY, such as release/cadence. TEXT - reads standard input; after
-- neither may be taken for a flag.

When the answer is there, the memory is on the disk and every later read sees
it. A KEY that is there already gets a new version and keeps its history; what
the flags do not say is the default then, not what the version before said, and
a note names what got lost.
Saying again what is there changes nothing. With --if-version the write is
refused when someone else was faster; 0 asks that there is none yet.

A constraint is firm unless --strength says hard or soft, and a note says so. In a git
repository it holds for that project, as a rule does that you state to an agent there;
--everywhere makes it hold in all projects, and --condition where you say.

What is derived from --source is trusted no more than the least of them.
docs/formats/memory.md lists the types, their data and all rules.`,
		Example: `  lukasa remember release/cadence "Releases are cut every second Tuesday."
  lukasa remember deploy/friday "Never deploy on a Friday." --type constraint --strength hard --tag release
  lukasa remember refunds/owner "Dana looks after refunds." --frame modify:file=billing/refund.go --importance 0.8
  echo "Ship the importer." | lukasa remember goal/importer - --type goal --status active --ttl 720h`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return fault.Newf(fault.Usage, "%q takes a KEY and a TEXT, got %s", c.CommandPath(), term.Counted(len(args), "argument")).
				WithFix(`put the text into quotes, such as lukasa remember release/cadence "Every second Tuesday."`)
		},
		RunE: func(c *cobra.Command, args []string) error { return remember(s, c, args, &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	flags.AddScope(c)
	f := c.Flags()
	f.StringVar(&flags.kind, "type", string(memory.TypeFact), "what sort of memory, a `TYPE`: "+strings.Join(ask.Names(memory.Types()), ", "))
	f.StringArrayVar(&flags.tags, "tag", nil, "a `TAG`; may be given again")
	f.StringArrayVar(&flags.frames, "frame", nil, "when it matters, as `verb:kind=ref`; may be given again")
	f.Float64Var(&flags.importance, "importance", memory.DefaultImportance, "how much it matters, a `NUMBER` from 0 to 1")
	f.Float64Var(&flags.confidence, "confidence", memory.DefaultConfidence, "how sure it is, a `NUMBER` from 0 to 1")
	f.StringVar(&flags.strength, "strength", "", "how binding a constraint or preference is, a `WORD`: hard is never to be broken, firm unless there is good reason, soft is a wish (default "+string(memory.StrengthFirm)+")")
	f.StringVar(&flags.status, "status", "", "the `WORD` of a goal: "+strings.Join(ask.Names(memory.GoalStatuses()), ", "))
	f.StringVar(&flags.data, "data-json", "", "the fields of its type, as a JSON `OBJECT`")
	f.StringVar(&flags.validFrom, "valid-from", "", "the `TIME` from which it holds, in RFC 3339")
	f.StringVar(&flags.validUntil, "valid-until", "", "the `TIME` from which it no longer holds, in RFC 3339")
	f.StringVar(&flags.ttl, "ttl", "", "how long it is kept: a `DURATION` such as 36h or 30d, or seconds")
	f.StringVar(&flags.visibility, "visibility", "", "who may see it, a `WORD`: "+strings.Join(ask.Names(memory.Visibilities()), ", ")+"; the command line looks as an operator, who sees all")
	f.StringArrayVar(&flags.sources, "source", nil, "the `URI` of what it was derived from; may be given again")
	f.StringVar(&flags.id, "id", "", "its `ID`, instead of one that is made up")
	addIfVersion(c, &flags.ifVersion)
	ask.SuggestValues(c, "type", ask.Names(memory.Types()))
	ask.SuggestValues(c, "strength", ask.Names(memory.Strengths()))
	ask.SuggestValues(c, "status", ask.Names(memory.GoalStatuses()))
	f.StringArrayVar(&flags.holds, "condition", nil, "a `CONDITION` of where it holds, such as \"project: github.com/acme/shop\": elsewhere it is ignored; may be given again")
	f.BoolVar(&flags.everywhere, "everywhere", false, "a constraint holds in all projects, not only in that of the current directory")
	ask.SuggestValues(c, "visibility", ask.Names(memory.Visibilities()))
	return c
}

// addIfVersion adds --if-version.
func addIfVersion(c *cobra.Command, version *uint32) {
	c.Flags().Uint32Var(version, "if-version", 0, "write only if this is the current `VERSION`; 0 if there must be none")
}

// expected returns what --if-version expects.
func expected(c *cobra.Command, version uint32) lukasa.Expect {
	if c.Flags().Changed("if-version") {
		return lukasa.Version(version)
	}
	return lukasa.AnyVersion()
}

func remember(s *ask.Shell, c *cobra.Command, args []string, flags *rememberFlags) error {
	m, err := flags.memory(s, c, args[0])
	if err != nil {
		return err
	}
	if m.Text = args[1]; m.Text == "-" {
		text, err := s.ReadFile(c.Context(), "-", 1<<20) // the rule about its length is the memory's own
		if err != nil {
			return err
		}
		m.Text = strings.TrimRight(string(text), "\r\n")
	}
	return s.Visit(c, &flags.BoardFlags, lukasa.Options{}, func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Writer(ctx)
		if err != nil {
			return err
		}
		put, err := t.Put(ctx, m, expected(c, flags.ifVersion))
		if err != nil {
			return ask.AsFlag(c, err)
		}
		v.Derived = len(m.Sources) > 0
		if gone := lost(ctx, c, t, put); len(gone) > 0 {
			s.Note("this version lacks what version %d had: %s; say it again to keep it", put.URI.Version-1, strings.Join(gone, ", "))
		}
		if flags.unsaid {
			s.Note("the constraint is %s, since --strength does not say: to be kept unless there is good reason; hard is never to be broken, soft is a wish", memory.StrengthFirm)
		}
		return v.Wrote(ctx, "remembered", put)
	})
}

// memory makes the memory that the flags describe, without its text.
func (f *rememberFlags) memory(s *ask.Shell, c *cobra.Command, key string) (*lukasa.Memory, error) {
	m := &lukasa.Memory{ID: f.id, Key: key, Tags: f.tags, Visibility: memory.Visibility(f.visibility)}
	m.ValidityScope.Conditions = f.holds
	if strings.HasPrefix(key, ask.UriScheme) {
		return nil, fault.New(fault.InvalidArgument, "key: a URI is not a key").WithFix("give a key such as release/cadence; --id writes to an id")
	}
	err := memory.CheckKey(key)
	if err != nil {
		return nil, err
	}
	if m.Type, err = memory.ParseType(f.kind); err != nil {
		return nil, ask.BadFlag("type", err)
	}
	if m.Data, err = f.typed(c, m.Type); err != nil {
		return nil, err
	}
	for _, text := range f.frames {
		frame, err := memory.ParseFrame(text)
		if err != nil {
			return nil, ask.BadFlag("frame", err)
		}
		s.Literally("frame", text)
		m.Frames = append(m.Frames, frame)
	}
	for _, text := range f.sources {
		u, err := lukasa.ParseURI(text)
		if err != nil {
			return nil, ask.BadFlag("source", err)
		}
		m.Sources = append(m.Sources, u)
	}
	if err := ask.Ratio("importance", f.importance); err != nil {
		return nil, err
	}
	if err := ask.Ratio("confidence", f.confidence); err != nil {
		return nil, err
	}
	if c.Flags().Changed("importance") {
		m.Importance = hmx.Some(f.importance)
	}
	if c.Flags().Changed("confidence") {
		m.Confidence = hmx.Some(f.confidence)
	}
	if m.ValidFrom, err = ask.TimeFlag("valid-from", f.validFrom); err != nil {
		return nil, err
	}
	if m.ValidUntil, err = ask.TimeFlag("valid-until", f.validUntil); err != nil {
		return nil, err
	}
	if m.TTLSeconds, err = seconds(f.ttl); err != nil {
		return nil, err
	}
	return m, f.bind(s, c, m)
}

// bind says where a constraint holds that names no condition: in the project of the current
// directory, if that is a repository.
func (f *rememberFlags) bind(s *ask.Shell, c *cobra.Command, m *lukasa.Memory) error {
	if f.everywhere && len(f.holds) > 0 {
		return fault.New(fault.Usage, "--everywhere and --condition contradict each other").WithFix("leave one away")
	}
	if f.everywhere && m.Type != memory.TypeConstraint {
		return fault.Newf(fault.Usage, "--everywhere is for a constraint, and this is a %s", m.Type).WithFix("add --type constraint --strength hard for a rule that must not be broken")
	}
	if f.everywhere || len(f.holds) > 0 || m.Type != memory.TypeConstraint {
		return nil
	}
	place := place(s)
	if !place.Repository {
		return nil
	}
	m.ValidityScope.Conditions = []string{project.Condition(place.ID())}
	s.Note("the constraint holds in project %s; --everywhere makes it hold in all", place.Name)
	return nil
}

// place returns what is known about the caller's current directory. A server asks its caller
// for it.
func place(s *ask.Shell) project.Place {
	dir := s.Env("PWD")
	if s.Served.Board == nil || dir == "" {
		if at, err := os.Getwd(); err == nil && s.Served.Board == nil {
			dir = at
		}
	}
	return project.At(dir, s.Home())
}

// typed returns the data of the memory's type: --data-json, and the flags that
// stand for a field of it.
func (f *rememberFlags) typed(c *cobra.Command, t memory.Type) (memory.Data, error) {
	fields := map[string]json.RawMessage{}
	if f.data != "" {
		// Told apart here, so that the message can name the flag; the rules of the
		// fields are applied below.
		if err := json.Unmarshal([]byte(f.data), &fields); err != nil || fields == nil {
			return nil, fault.New(fault.Usage, "--data-json: this is not a JSON object").
				WithFix(`write it as '{"name": "value"}'; docs/formats/memory.md lists the names for each type`)
		}
	}
	for _, short := range []struct {
		flag, value string
		types       []memory.Type
	}{
		{"strength", f.strength, []memory.Type{memory.TypeConstraint, memory.TypePreference}},
		{"status", f.status, []memory.Type{memory.TypeGoal}},
	} {
		if !c.Flags().Changed(short.flag) {
			continue
		}
		if !slices.Contains(short.types, t) {
			return nil, fault.Newf(fault.Usage, "--%s: a memory of type %s has none", short.flag, t).
				WithFix("use it with --type " + strings.Join(ask.Names(short.types), " or --type "))
		}
		if _, twice := fields[short.flag]; twice {
			return nil, fault.Newf(fault.Usage, "--%s: --data-json says it too", short.flag).WithFix("say it once")
		}
		value, err := json.Marshal(short.value)
		if err != nil {
			return nil, err
		}
		fields[short.flag] = value
	}
	_, said := fields["strength"]
	f.unsaid = t == memory.TypeConstraint && !said
	if len(fields) == 0 {
		return nil, nil
	}
	// The strict reader of bodies knows all names and rules; it wants a whole one.
	body, err := json.Marshal(struct {
		Type memory.Type                `json:"type"`
		Text string                     `json:"text"`
		Data map[string]json.RawMessage `json:"data"`
	}{t, "text", fields})
	if err != nil {
		return nil, err
	}
	decoded, err := memory.Decode(record.Memory, body)
	if err != nil {
		if err = ask.AsFlag(c, err); fault.CodeOf(err) != fault.Usage {
			err = fault.Newf(fault.Usage, "--data-json: %w", err).WithFix(fault.From(err).Advice())
		}
		return nil, err
	}
	m, ok := decoded.(*lukasa.Memory)
	if !ok {
		return nil, fault.New(fault.Internal, "a memory was decoded into something else")
	}
	return m.Data, nil
}

// seconds reads a span of time: a Go duration or a number of seconds. Nothing
// is for ever.
func seconds(value string) (int64, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		d, failed := ask.Duration(value)
		if failed != nil {
			return 0, fault.Newf(fault.Usage, "--ttl: %q is neither a duration nor a number of seconds", value).WithFix("write it as 90s, 36h, 30d or 3600")
		}
		n = int64(math.Ceil(d.Seconds()))
	}
	if n <= 0 {
		return 0, fault.Newf(fault.Usage, "--ttl: %q is not in the future", value).WithFix("give at least 1 second, or leave it away to keep the memory for ever")
	}
	return n, nil
}
