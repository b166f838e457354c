package memories

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/project"
	"lukasa.dev/internal/record"
)

// remembering is a remember under way: the flags that are no fields of a memory by themselves.
type remembering struct {
	*ask.Shell
	strength, status, data, ttl string
	holds                       []string
	everywhere                  bool
	unsaid                      bool // it is a constraint, and nothing says how binding
	derived                     bool // it has sources
}

// RememberCommand returns the command `lukasa remember`.
func RememberCommand(s *ask.Shell) *cobra.Command {
	f := &remembering{Shell: s}
	return ask.OperationCommand(s, ask.Command[answer.Write]{
		Operation: "remember",
		Use:       "remember KEY TEXT",
		Short:     "Store a memory, as a new one or as the next version",
		Long: `Store TEXT under KEY, such as release/cadence. TEXT - reads standard input; after
-- neither is taken for a flag.

When the command returns, the memory is on the disk and every later read sees it.
An existing KEY gets a new version and keeps its history. Fields without a flag get
their defaults, not the values of the previous version, and a note names what was
lost. Storing the same again changes nothing. With --if-version the write is refused
if another writer changed it first; 0 requires that there is none yet.

A constraint is firm unless --strength says hard or soft, and a note says so. In a git
repository it applies to that project, like a rule that you state to an agent there;
--everywhere applies it to all projects, and --condition to where you say.

A memory with --source has at most the lowest trust of its sources.
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
		Argument: "key",
		Creates:  true,
		Flags: []ask.Flag{
			{Field: "type", Help: "what sort of memory, a `TYPE`: " + strings.Join(ask.Names(memory.Types()), ", ")},
			{Field: "tags", Name: "tag", Help: "a `TAG`; may be given again"},
			{Field: "frames", Name: "frame", Help: "when it matters, as `verb:kind=ref`; may be given again"},
			{Field: "importance", Default: fmt.Sprint(memory.DefaultImportance), Help: "how much it matters, a `NUMBER` from 0 to 1"},
			{Field: "confidence", Default: fmt.Sprint(memory.DefaultConfidence), Help: "how sure it is, a `NUMBER` from 0 to 1"},
			{Field: "valid_from", Help: "the `TIME` from which it holds, in RFC 3339"},
			{Field: "valid_until", Help: "the `TIME` from which it no longer holds, in RFC 3339"},
			{Field: "visibility", Help: "who may see it, a `WORD`: " + strings.Join(ask.Names(memory.Visibilities()), ", ") + "; the command line looks as an operator, who sees all"},
			{Field: "sources", Name: "source", Help: "the `URI` of what it was derived from; may be given again"},
			{Field: "id", Help: "its `ID`, instead of one that is made up"},
			ask.IfVersionFlag(),
		},
		Own: func(c *cobra.Command) {
			l := c.Flags()
			l.StringVar(&f.strength, "strength", "", "how binding a constraint or preference is, a `WORD`: hard is never to be broken, firm unless there is good reason, soft is a wish (default "+string(memory.StrengthFirm)+")")
			l.StringVar(&f.status, "status", "", "the `WORD` of a goal: "+strings.Join(ask.Names(memory.GoalStatuses()), ", "))
			l.StringVar(&f.data, "data-json", "", "the fields of its type, as a JSON `OBJECT`")
			l.StringVar(&f.ttl, "ttl", "", "how long it is kept: a `DURATION` such as 36h or 30d, or seconds")
			l.StringArrayVar(&f.holds, "condition", nil, "a `CONDITION` of where it holds, such as \"project: github.com/acme/shop\": elsewhere it is ignored; may be given again")
			l.BoolVar(&f.everywhere, "everywhere", false, "a constraint holds in all projects, not only in that of the current directory")
			ask.SuggestValues(c, "strength", ask.Names(memory.Strengths()))
			ask.SuggestValues(c, "status", ask.Names(memory.GoalStatuses()))
		},
		Prepare: f.prepare,
		Fail:    f.fail,
		Answer:  f.answer,
	})
}

// prepare makes the memory that the flags describe.
func (f *remembering) prepare(r *ask.Request) error {
	key := r.Args[0]
	if strings.HasPrefix(key, ask.UriScheme) {
		return fault.New(fault.InvalidArgument, "key: a URI is not a key").WithFix("give a key such as release/cadence; --id writes to an id")
	}
	if err := memory.CheckKey(key); err != nil {
		return err
	}
	kind := memory.TypeFact
	if name, ok := r.Fields["type"].(string); ok {
		kind = memory.Type(name)
	}
	if err := f.typed(r, kind); err != nil {
		return err
	}
	texts, _ := r.Fields["frames"].([]string)
	frames := make([]memory.Frame, len(texts))
	for i, text := range texts {
		var err error
		if frames[i], err = memory.ParseFrame(text); err != nil {
			return ask.BadFlag("frame", err)
		}
		f.Literally("frame", text)
	}
	if len(frames) > 0 {
		r.Fields["frames"] = frames
	}
	sources, _ := r.Fields["sources"].([]string)
	f.derived = len(sources) > 0
	for _, text := range sources {
		if _, err := lukasa.ParseURI(text); err != nil {
			return ask.BadFlag("source", err)
		}
	}
	ttl, err := seconds(f.ttl)
	if err != nil {
		return err
	}
	if ttl > 0 {
		r.Fields["ttl_seconds"] = ttl
	}
	if err := f.bind(r, kind); err != nil {
		return err
	}
	text := r.Args[1]
	if text == "-" {
		read, err := f.ReadFile(r.Cmd.Context(), "-", 1<<20) // the rule about its length is the memory's own
		if err != nil {
			return err
		}
		text = strings.TrimRight(string(read), "\r\n")
	}
	r.Fields["text"] = text
	return nil
}

// fail says what is wrong with a memory in the words of the command line.
func (f *remembering) fail(c *cobra.Command, err error) error {
	e, ok := errors.AsType[*document.InvalidError](err)
	if err = ask.AsFlag(c, err); ok && f.data != "" && len(e.Problems) > 0 && strings.HasPrefix(e.Problems[0].Field, "data") && fault.CodeOf(err) != fault.Usage {
		err = fault.Newf(fault.Usage, "--data-json: %w", err).WithFix(fault.From(err).Advice())
	}
	return err
}

// answer prints what was written, and what this version lacks of the one before.
func (f *remembering) answer(v *ask.Visit, a *answer.Write) error {
	if gone := lost(v, a); len(gone) > 0 {
		f.Note("this version lacks what version %d had: %s; give it again to keep it", a.Version-1, strings.Join(gone, ", "))
	}
	if f.unsaid {
		f.Note("the constraint is %s, since --strength does not say: to be kept unless there is good reason; hard is never to be broken, soft is a wish", memory.StrengthFirm)
	}
	if f.JSON {
		return f.WriteJSON(a)
	}
	asked, ok := record.ParseTrust(v.Flags.Trust)
	show.Wrote(f.Screen, "remembered", a, ok && f.derived && v.Scope == "" && a.Trust < asked)
	return nil
}

// bind says where a memory holds. A constraint that names no condition holds in the project of the
// current directory, if that is a repository.
func (f *remembering) bind(r *ask.Request, kind memory.Type) error {
	holds := f.holds
	switch {
	case f.everywhere && len(holds) > 0:
		return fault.New(fault.Usage, "--everywhere and --condition contradict each other").WithFix("leave one out")
	case f.everywhere && kind != memory.TypeConstraint:
		return fault.Newf(fault.Usage, "--everywhere is for a constraint, and this is a %s", kind).WithFix("add --type constraint --strength hard for a rule that must not be broken")
	case !f.everywhere && len(holds) == 0 && kind == memory.TypeConstraint:
		if place := place(f.Shell); place.Repository {
			holds = []string{project.Condition(place.ID())}
			f.Note("the constraint holds in project %s; --everywhere makes it hold in all", place.Name)
		}
	}
	if len(holds) > 0 {
		r.Fields["validity_scope"] = map[string]any{"conditions": holds}
	}
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

// typed puts the data of the memory's type into the request: --data-json, and the flags that stand for
// a field of it.
func (f *remembering) typed(r *ask.Request, t memory.Type) error {
	fields := map[string]json.RawMessage{}
	if f.data != "" {
		if err := json.Unmarshal([]byte(f.data), &fields); err != nil || fields == nil {
			return fault.New(fault.Usage, "--data-json: this is not a JSON object").
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
		if !r.Cmd.Flags().Changed(short.flag) {
			continue
		}
		if !slices.Contains(short.types, t) {
			return fault.Newf(fault.Usage, "--%s: a memory of type %s has none", short.flag, t).
				WithFix("use it with --type " + strings.Join(ask.Names(short.types), " or --type "))
		}
		if _, twice := fields[short.flag]; twice {
			return fault.Newf(fault.Usage, "--%s: --data-json says it too", short.flag).WithFix("say it once")
		}
		value, err := json.Marshal(short.value)
		if err != nil {
			return err
		}
		fields[short.flag] = value
	}
	_, said := fields["strength"]
	f.unsaid = t == memory.TypeConstraint && !said
	if len(fields) > 0 {
		r.Fields["data"] = fields
	}
	return nil
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
		return 0, fault.Newf(fault.Usage, "--ttl: %q is not in the future", value).WithFix("give at least 1 second, or leave it out to keep the memory for ever")
	}
	return n, nil
}
