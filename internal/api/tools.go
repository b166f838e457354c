package api

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/lean"
	"lukasa.dev/internal/operation"
	"lukasa.dev/internal/tokens"
)

// telling adapts a function that writes text for a model to the Run of a tool.
func telling[In any](tell func(ctx context.Context, c *operation.Call, in *In) (string, error)) func(context.Context, *operation.Call, any) (*operation.Text, error) {
	return func(ctx context.Context, c *operation.Call, in any) (*operation.Text, error) {
		text, err := tell(ctx, c, in.(*In))
		if err != nil {
			return nil, err
		}
		return &operation.Text{Body: text}, nil
	}
}

// positionOf matches the name that a tool gives to a record without a key.
var position = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#[0-9]{1,15}$`) })

// namedBy resolves a name from a tool: a position such as #4711 becomes the URI of its record,
// unless it is the key of a memory. Other names are returned unchanged.
func namedBy(ctx context.Context, c *operation.Call, name string) (string, error) {
	if !position().MatchString(name) {
		return name, nil
	}
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return "", err
	}
	t := c.Tenant()
	if _, err := t.Get(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, Key: name}, v); err == nil {
		return name, nil
	}
	at, err := strconv.ParseUint(name[1:], 10, 64)
	if err != nil {
		return "", fault.Newf(fault.InvalidArgument, "name: %s is no position", operation.Quoted(name))
	}
	u, err := t.URIAt(ctx, at, v)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// holding returns the conditions of a request: its own, or else those of the caller.
func holding(c *operation.Call, said []string) []string {
	if len(said) > 0 {
		return said
	}
	return c.Conditions
}

// mostHits is the maximum of hits of a search.
const mostHits = 1000

func tellSearch(ctx context.Context, c *operation.Call, in *searchIn) (string, error) {
	o, err := in.options(c)
	if err != nil {
		return "", err
	}
	o.View.Conditions = holding(c, o.View.Conditions)
	o.TopK, o.BudgetTokens, o.Form = min(lean.Wider*in.TopK, mostHits), 0, lukasa.FormMedium
	if c.Session != "" && !slices.Contains(in.Sessions, c.Session) {
		o.NotSessions = []string{c.Session}
	}
	found, err := c.Tenant().Search(ctx, o)
	if err != nil {
		return "", err
	}
	budget := lean.Budget(in.BudgetTokens)
	if most := found.BudgetTokens; most > 0 { // limit of a scope
		budget = min(budget, most)
	}
	return lean.Hits(lean.Choose(in.Query, found.Hits), lean.HitsOptions{
		Query: in.Query, Budget: budget, Seed: c.Who.Tenant, Explain: in.Explain, Limit: in.TopK,
	}), nil
}

// packWider is the factor by which a pack is larger than its budget before entries that are off
// topic are removed.
const packWider = 3

func tellPackContext(ctx context.Context, c *operation.Call, in *packContextIn) (string, error) {
	asked := lukasa.BlockRequest{Topic: in.Topic, Ordering: in.Ordering}
	budget := 0
	if in.BudgetTokens != nil {
		budget = max(*in.BudgetTokens, 1)
	}
	budget = lean.Budget(budget)
	asked, err := asked.Normalize()
	if err != nil {
		return "", err
	}
	o := lukasa.PackOptions{Query: asked.Topic, Budget: packWider * budget, Counter: tokens.O200k().Name(), Embedder: c.Embedder}
	if asked.Ordering == lukasa.OrderByRecency {
		o.Strategy = lukasa.RecencyBiased
	}
	if o.View, err = c.HeadView("", hmx.Time{}); err != nil {
		return "", err
	}
	o.View.Conditions = holding(c, in.Conditions)
	t := c.Tenant()
	packed, err := t.Pack(ctx, o)
	if err != nil {
		return "", err
	}
	if most := int(packed.Pack.TokenBudget.TotalBudget); most < packWider*budget { // limit of a scope
		budget = min(budget, most)
	}
	var ids []string
	for _, e := range packed.Pack.Entries {
		if e.SourceType == hmx.SourceEpisode {
			ids = append(ids, e.SourceID)
		}
	}
	events, err := t.EventsOf(ctx, ids)
	if err != nil {
		return "", err
	}
	return lean.Pack(packed.Pack, lean.PackOptions{
		Topic: asked.Topic, Budget: budget, Session: c.Session,
		Event: func(id string) *lukasa.StoredEvent {
			if i := slices.Index(ids, id); i >= 0 {
				return events[i]
			}
			return nil
		},
		Key: func(id string) string {
			thing, err := t.Get(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, ID: id}, o.View)
			if err != nil {
				return "" // it was removed meanwhile
			}
			_, key := thing.Body.Identity()
			return key
		},
	}), nil
}

func tellContext(ctx context.Context, c *operation.Call, in *contextIn) (string, error) {
	o, err := in.options(c)
	if err != nil {
		return "", err
	}
	o.View.Conditions = holding(c, in.Conditions)
	o.BudgetTokens = lean.Budget(in.BudgetTokens)
	found, err := c.Tenant().Context(ctx, o)
	if err != nil {
		return "", err
	}
	return lean.Bundle(found, min(o.BudgetTokens, max(found.Budget, 1))), nil
}

func tellRecall(ctx context.Context, c *operation.Call, in *recallIn) (string, error) {
	v, err := c.View(in.Now)
	if err != nil {
		return "", err
	}
	name, err := namedBy(ctx, c, in.Key)
	if err != nil {
		return "", err
	}
	ref, err := c.Ref(name, in.Version)
	if err != nil {
		return "", err
	}
	form := in.Form
	if form == "" {
		form = lukasa.FormFull
	}
	t := c.Tenant()
	if ref.Kind == lukasa.EventKind {
		found, err := t.Resolve(ctx, t.URI(ref.Kind, ref.ID), v)
		if err != nil {
			return "", err
		}
		return lean.Shown(found, form), nil
	}
	thing, err := t.Get(ctx, ref, v)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return "", fault.From(err).WithFix("search_memories finds it by its words")
	case err != nil:
		return "", err
	case thing.State != lukasa.Live:
		return "", gone(thing)
	}
	return lean.Shown(&lukasa.Resolved{Thing: thing}, form), nil
}

func tellRemember(ctx context.Context, c *operation.Call, in *rememberIn) (string, error) {
	w, err := runRemember(ctx, c, in)
	if err != nil {
		return "", err
	}
	text := wroteText("Remembered", in.Key, w)
	if string(in.Type) == "constraint" && w.Trust < lukasa.User {
		text += " It is a note of yours and is not enforced: a rule binds when the user states it."
	}
	return text, nil
}

func tellForget(ctx context.Context, c *operation.Call, in *forgetIn) (string, error) {
	name := in.Name
	w, err := runForget(ctx, c, in)
	if err != nil {
		return "", err
	}
	return wroteText("Forgotten", name, w), nil
}

func tellFeedback(ctx context.Context, c *operation.Call, in *feedbackIn) (string, error) {
	if _, err := runFeedback(ctx, c, in); err != nil {
		return "", err
	}
	return "Noted.", nil
}

// wroteText describes a write in one line.
func wroteText(what, name string, w *answer.Write) string {
	if name == "" {
		name = "#" + strconv.FormatUint(w.Position, 10)
	}
	text := fmt.Sprintf("%s: %s, version %d.", what, strings.Join(strings.Fields(name), " "), w.Version)
	if w.Unchanged {
		text += " Nothing changed."
	}
	return text + scrubbedText(w.Scrubbed)
}

// scrubbedText says how many secrets were removed from what was written.
func scrubbedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" Secrets removed: %d.", n)
}

func tellRecordEvent(ctx context.Context, c *operation.Call, in *recordIn) (string, error) {
	r, err := runRecordEvent(ctx, c, in)
	if err != nil {
		return "", err
	}
	text := "Recorded"
	if r.Disposition != lukasa.Accepted {
		text += " (" + string(r.Disposition) + ")"
	}
	if r.Position != nil {
		text += " as #" + strconv.FormatUint(*r.Position, 10)
	}
	return text + "." + scrubbedText(r.Scrubbed), nil
}
