package questions

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/show"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// asks reports whether a find with a text is a question: whether what the flags
// say narrows where an answer may come from, and asks for nothing that takes a
// comparison of one thing after the other.
func (f *findFlags) asks(text string) bool {
	return text != "" && f.key+f.frame+f.status+f.state+f.heldAt == "" && len(f.where)+len(f.follow)+f.seeds == 0 &&
		(f.order == "" || f.order == string(lukasa.ByRelevance))
}

// question checks the flags of a find that is a question.
func (f *findFlags) question(s *ask.Shell, c *cobra.Command, text string) (o lukasa.SearchOptions, err error) {
	find, err := f.options(s, c, text)
	if err != nil {
		return o, err
	}
	o = lukasa.SearchOptions{
		Query: text, TopK: find.Limit, Types: f.types, Tags: find.Tags, Since: find.After, Until: find.Before,
		BudgetTokens: find.BudgetTokens, Form: find.Form, AsOf: find.AsOf, View: find.View,
	}
	if len(f.kinds) > 0 {
		o.Kinds = find.Kinds
	}
	if f.agent != "" {
		o.Agents = []string{f.agent}
	}
	if f.session != "" {
		o.Sessions = []string{f.session}
	}
	if f.trust != "" {
		var ok bool
		if o.MinTrust, ok = record.ParseTrust(f.trust); !ok {
			return o, ask.UnknownName(fault.Usage, "tier for --trust", f.trust, ask.TrustNames())
		}
	}
	o.Sources, err = onlyFrom(f.only)
	return o, err
}

// onlyFrom reads the flag --only.
func onlyFrom(only string) (lukasa.Sources, error) {
	switch only {
	case "":
		return 0, nil
	case onlyWords:
		return lukasa.FromWords, nil
	case onlyMeaning:
		return lukasa.FromMeaning, nil
	}
	return 0, ask.UnknownName(fault.Usage, "source for --only", only, []string{onlyWords, onlyMeaning})
}

// What --only can be.
const (
	onlyWords   = "words"
	onlyMeaning = "meaning"
)

// searchFlag maps the fields of a search to the flags that set them.
func searchFlag(field string) (string, bool) {
	switch field {
	case "top_k":
		return "limit", true
	case "since", "until":
		return field, true
	case "min_trust":
		return "trust", true
	case "agents", "sessions":
		return field[:len(field)-1], true
	}
	return findFlag(field)
}

// asSearch says what is wrong with a question in the words of the command line.
func asSearch(c *cobra.Command, err error) error {
	e := fault.From(err)
	if e.Code != fault.InvalidArgument {
		return err
	}
	field, rule, _ := strings.Cut(e.Error(), ": ")
	if field == "query" {
		return fault.New(fault.Usage, "the QUESTION "+rule).WithCause(err).WithFix(e.Advice())
	}
	name, ok := searchFlag(field)
	if !ok || !c.Flags().Changed(name) {
		return err
	}
	if name == "as-of" {
		return asPack(c, err)
	}
	rule = strings.ReplaceAll(rule, "after since", "after --since")
	return fault.New(fault.Usage, "--"+name+" "+rule).WithCause(err).WithFix(e.Advice())
}

// search asks a question.
func search(s *ask.Shell, c *cobra.Command, text string, flags *findFlags) error {
	o, err := flags.question(s, c, text)
	if err != nil {
		return err
	}
	// A question is not worth a long wait.
	if o.Embedder, err = s.Embedder(c, &flags.embedder, lukasa.EmbedServer{Retries: -1}); err != nil {
		return err
	}
	if strings.TrimSpace(text) != "" && o.Sources != lukasa.FromWords {
		o.Embedder = askAhead(c.Context(), o.Embedder, text)
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Reader(ctx)
		if err != nil {
			return err
		}
		defer replaying(s, &o.AsOf)()
		found, err := t.Search(ctx, o)
		if err != nil {
			return asSearch(c, err)
		}
		for _, d := range found.Degraded {
			s.Note("%s", d)
		}
		if s.JSON {
			a, err := answer.SearchedOf(text, found, flags.explain)
			if err != nil {
				return err
			}
			return s.WriteJSON(a)
		}
		now := o.View.Now
		if now.IsZero() {
			now = found.Root.Time
		}
		shown := len(found.Hits)
		if !c.Flags().Changed("limit") {
			shown = show.Telling(found.Hits)
		}
		show.Searched(s.Screen, found, shown, now, flags.explain)
		return nil
	})
}
