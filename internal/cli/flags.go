package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// badFlag is the error for a flag whose value breaks a rule: err, from whoever
// knows the rule, about the flag instead of the field it stands for.
func badFlag(name string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*memory.InvalidError](err); ok && len(e.Problems) > 0 {
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
	what, fix := "a value it takes", seeHelp(c)
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
		what, fix = "true or false", "leave the value away, or use one of them"
	case "duration":
		what, fix = "a duration", "write it as 500ms, 30s or 5m; 0 is none"
	}
	return fault.Newf(fault.Usage, "--%s: %q is not %s", f.Name, e.GetValue(), what).WithCause(e).WithFix(fix)
}

// duration reads a span of time as Go writes it, which may begin with days: 90m,
// 36h, 30d, 1d12h.
func duration(text string) (time.Duration, error) {
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

// literally tells that a reference has no wildcards, if its end looks like one.
func (s *shell) literally(flag, ref string) {
	if strings.HasSuffix(ref, "*") {
		s.note("--%s: %q is taken literally, its * too; only the frames of a scope know it as any ending", flag, preview(ref, 60))
	}
}

// inRange is the error for a number that must be from least to most.
func inRange(name string, n, least, most int) error {
	if least <= n && n <= most {
		return nil
	}
	return fault.Newf(fault.Usage, "--%s: %d is not between %d and %d", name, n, least, most).
		WithFix("give such a number, or leave it away")
}

// ratio is the error for a number that must be from 0 to 1.
func ratio(name string, v float64) error {
	if v >= 0 && v <= 1 {
		return nil
	}
	return fault.Newf(fault.Usage, "--%s: %v is not a number from 0 to 1", name, v).WithFix("give such a number, or leave it away")
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

// asFlag turns err into one about flags, if all that is wrong with a memory is
// what flags said.
func asFlag(c *cobra.Command, err error) error { return asFlags(c, err, flagOf) }

// asFlags is asFlag for what is not a memory: named says which flag sets a field.
func asFlags(c *cobra.Command, err error, named func(field string) (string, bool)) error {
	e, ok := errors.AsType[*memory.InvalidError](err)
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
