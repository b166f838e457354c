package ask

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/document"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// BadFlag is the error for a flag whose value breaks a rule: err, from the code that
// knows the rule, about the flag instead of the field it stands for.
func BadFlag(name string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*document.InvalidError](err); ok && len(e.Problems) > 0 {
		p := e.Problems[0]
		return fault.Newf(fault.Usage, "--%s %s", name, p.Rule).WithCause(err).WithFix(p.Fix)
	}
	e := fault.From(err)
	return fault.Newf(fault.Usage, "--%s: %s", name, e.Error()).WithCause(err).WithFix(e.Advice())
}

// unreadableFlag is the error for a value that is not even of the sort that the
// flag takes, without the words of the language this is written in.
func unreadableFlag(c *cobra.Command, e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	what, fix := "a value it takes", SeeHelp(c)
	switch f.Value.Type() {
	case "int", "int64":
		what, fix = "a whole number", "write it in plain digits"
	case "uint", "uint32", "uint64":
		what, fix = "a whole number from 0 on", "write it in plain digits"
		if f.Value.Type() == "uint32" {
			what = fmt.Sprintf("a whole number from 0 to %d", uint32(math.MaxUint32))
		}
	case "float64":
		what, fix = "a number", "write it as 0.8"
	case "bool":
		what, fix = "true or false", "leave the value out, or use one of them"
	case "duration":
		what, fix = "a duration", "write it as 500ms, 30s or 5m; 0 is none"
	}
	return fault.Newf(fault.Usage, "--%s: %q is not %s", f.Name, e.GetValue(), what).WithCause(e).WithFix(fix)
}

// Duration reads a span of time as Go writes it, which may begin with days: 90m,
// 36h, 30d, 1d12h.
func Duration(text string) (time.Duration, error) {
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return 0, err
	}
	span := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return span, nil
	}
	more, err := time.ParseDuration(rest)
	if err == nil && (more < 0 || span+more < span) {
		err = strconv.ErrRange
	}
	return span + more, err
}

// Literally prints a note that references have no wildcards, if one ends like a wildcard.
func (s *Shell) Literally(flag, ref string) {
	if strings.HasSuffix(ref, "*") {
		s.Note("--%s: %q is taken literally, also its *; only the frames of a scope use * as a wildcard", flag, term.Preview(ref, 60))
	}
}

// InRange is the error for a number that must be from least to most.
func InRange(name string, n, least, most int) error {
	if least <= n && n <= most {
		return nil
	}
	return fault.Newf(fault.Usage, "--%s: %d is not between %d and %d", name, n, least, most).
		WithFix("give a number in that range, or leave it out")
}

// flagOf maps the fields of a memory to the flags that set them.
func flagOf(field string) (string, bool) {
	field, _, _ = strings.Cut(field, "[")
	switch field {
	case "tags":
		return "tag", true
	case "frames":
		return "frame", true
	case "sources", "derived_from":
		return "source", true
	case "valid_from", "valid_until":
		return strings.ReplaceAll(field, "_", "-"), true
	case "validity_scope.conditions":
		return "condition", true
	case "ttl_seconds":
		return "ttl", true
	case "visibility", "importance", "confidence", "id", "type", "actor", "tenant":
		return field, true
	case "data", "data.strength", "data.status":
		if _, name, ok := strings.Cut(field, "."); ok {
			return name, true
		}
		return "data-json", true
	}
	return "", false
}

// AsFlag turns err into one about flags, if all that is wrong with a memory is
// what flags said.
func AsFlag(c *cobra.Command, err error) error { return AsFlags(c, err, flagOf) }

// AsFlags is asFlag for what is not a memory: named says which flag sets a field.
func AsFlags(c *cobra.Command, err error, named func(field string) (string, bool)) error {
	e, ok := errors.AsType[*document.InvalidError](err)
	if !ok || len(e.Problems) == 0 {
		return err
	}
	var rules []string
	for _, p := range e.Problems {
		name, ok := named(p.Field)
		if !ok || !c.Flags().Changed(name) {
			return err
		}
		rules = append(rules, "--"+name+" "+p.Rule)
	}
	return fault.New(fault.Usage, strings.Join(rules, "; ")).WithCause(err).WithFix(e.Problems[0].Fix)
}

// SuggestValues lets a shell complete the values of a flag.
func SuggestValues(cmd *cobra.Command, flag string, values []string) {
	complete := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic("cli: " + err.Error()) // the flag is not there
	}
}

// AgoFlag reads a flag that is a time, or how long ago.
func (s *Shell) AgoFlag(name, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	if d, err := Duration(value); err == nil && d >= 0 {
		return s.Now().Add(-d), nil
	}
	t, err := dayFlag(name, value)
	if err != nil {
		return time.Time{}, fault.Newf(fault.Usage, "--%s: %q is neither a time nor how long ago", name, term.Preview(value, 80)).WithCause(err).
			WithFix("write a day, such as 2026-03-14, which begins at midnight UTC; a time in RFC 3339, such as 2026-03-14T03:00:00Z; or how long ago, as 90m, 36h or 7d")
	}
	return t.Time(), nil
}

// Names returns the names of a closed list.
func Names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// AddNow adds --now, for reads whose answer depends on the time.
func AddNow(c *cobra.Command, now *string) {
	c.Flags().StringVar(now, "now", "", "the `TIME` that decides what has expired, in RFC 3339 (default the current time)")
}

// View returns the caller and the time: the person at the keyboard sees everything.
func (s *Shell) View(now string) (lukasa.View, error) {
	if now == "" {
		return lukasa.View{Now: s.Now()}, nil
	}
	t, err := TimeFlag("now", now)
	return lukasa.View{Now: t.Time()}, err
}

// dayFlag is timeFlag for flags that take a day as well, which is its first moment in UTC.
func dayFlag(name, value string) (hmx.Time, error) {
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		return hmx.TimeOf(day), nil
	}
	return TimeFlag(name, value)
}

// TimeFlag reads a flag that is a time.
func TimeFlag(name, value string) (hmx.Time, error) {
	if value == "" {
		return hmx.Time{}, nil
	}
	t, err := hmx.ParseTime(value)
	if err != nil {
		return t, fault.Newf(fault.Usage, "--%s: %q is not a time", name, value).WithCause(err).WithFix("write it in RFC 3339, such as 2026-03-14T03:00:00Z")
	}
	return t, nil
}

func BodyKinds() []string {
	var names []string
	for _, k := range memory.BodyKinds() {
		names = append(names, k.String())
	}
	return names
}

func Listable() []lukasa.State { return []lukasa.State{lukasa.Live, lukasa.Forgotten, lukasa.Ended} }
