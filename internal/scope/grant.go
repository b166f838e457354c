package scope

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// invalid is the error for an invalid token or grant.
func invalid(format string, args ...any) *fault.Error {
	return fault.Newf(fault.ScopeInvalid, "scope token: "+format, args...)
}

// widened is the error for a block that claims more than those before it.
func widened(field, fix string) *fault.Error {
	return invalid("%s: it is widened: the block claims more than the chain before it", field).WithFix(fix)
}

// named is a list of selectors with its name.
type named struct {
	name  string
	of    listKind
	items *[]string
}

// lists returns the lists in the order of their names.
func (s *Selectors) lists() [6]named {
	return [6]named{
		{"frames", byFrame, &s.Frames}, {"ids", byID, &s.IDs}, {"sections", bySection, &s.Sections},
		{"sessions", bySession, &s.Sessions}, {"tags", byTag, &s.Tags}, {"types", byType, &s.Types},
	}
}

// empty reports whether no selector is set.
func (s *Selectors) empty() bool {
	if s.All || s.Pinned {
		return false
	}
	for _, l := range s.lists() {
		if len(*l.items) > 0 {
			return false
		}
	}
	return true
}

// normal returns selectors with sorted lists without duplicates. A given empty list stays, so
// that it can be refused.
func (s Selectors) normal() Selectors {
	for _, l := range s.lists() {
		if *l.items != nil {
			sorted := slices.Clone(*l.items)
			slices.Sort(sorted)
			*l.items = slices.Compact(sorted)
		}
	}
	return s
}

func (s *Selectors) clone() Selectors {
	c := *s
	for _, l := range c.lists() {
		*l.items = slices.Clone(*l.items)
	}
	return c
}

func cloneGrants(grants []Grant) []Grant {
	out := slices.Clone(grants)
	for i := range out {
		out[i].Include, out[i].Exclude = out[i].Include.clone(), out[i].Exclude.clone()
	}
	return out
}

// check applies the rules of selectors.
func (s *Selectors) check(field string, mayAll bool) error {
	if s.All && !mayAll {
		return invalid("%s.all: what excludes everything allows nothing", field).WithFix("name what is excluded")
	}
	if s.Pinned && !mayAll {
		return invalid("%s.pinned: what is pinned is excluded by its type or its tags", field).WithFix("name types or tags")
	}
	if s.Pinned && s.All {
		return invalid("%s.pinned: it is given though all is true", field).WithFix("leave one of the two out")
	}
	for _, l := range s.lists() {
		at := field + "." + l.name
		switch n := len(*l.items); {
		case *l.items == nil:
			continue
		case n == 0:
			return invalid("%s: it is given and empty", at).WithFix("name at least one, or leave the list out")
		case n > MaxItems:
			return invalid("%s: it has %d items, but may have at most %d", at, n, MaxItems).WithFix("give fewer, or mark what is meant with a tag")
		case s.All:
			return invalid("%s: it is given though all is true", at).WithFix("leave one of the two out")
		}
		for i, item := range *l.items {
			if i > 0 && (*l.items)[i-1] >= item {
				return invalid("%s: it is not in order, or names something twice", at).WithFix("use the token as it was made")
			}
			if err := l.of.check(fmt.Sprintf("%s[%d]", at, i), item); err != nil {
				return err
			}
		}
	}
	return nil
}

// check applies the rules of one item.
func (k listKind) check(field, item string) error {
	switch k {
	case byType:
		return oneOf(field, item, "type", Types())
	case bySection:
		return oneOf(field, item, "section", sections())
	case byFrame:
		return checkFrame(field, item)
	case byTag:
		if len(item) > memory.MaxTag || strings.TrimSpace(item) != item {
			return invalid("%s: a tag has at most %d bytes and no white space around it", field, memory.MaxTag).WithFix("name a tag as it is written on memories")
		}
	}
	return name(field, item)
}

func sections() []string {
	var all []string
	for _, s := range hmx.Sections() {
		all = append(all, string(s))
	}
	return all
}

func oneOf(field, item, what string, all []string) error {
	if slices.Contains(all, item) {
		return nil
	}
	return invalid("%s: %.40q is not a %s", field, item, what).WithFix("use one of " + strings.Join(all, ", "))
}

// name checks an id.
func name(field, s string) error { return reworded(memory.CheckID(field, s)) }

// reworded gives an error of package memory the code of this package.
func reworded(err error) error {
	if err == nil {
		return nil
	}
	return invalid("%s", strings.TrimPrefix(err.Error(), "name: "))
}

// checkFrame checks a frame selector.
func checkFrame(field, item string) error {
	head, ref, exact := strings.Cut(item, "=")
	verb, kind, ok := strings.Cut(head, ":")
	if !ok {
		return invalid("%s: %.40q is not of the form verb:kind=ref, verb:kind=prefix* or verb:kind", field, item).
			WithFix("write it such as modify:file=internal/pack/*")
	}
	if _, err := memory.ParseVerb(verb); err != nil {
		return reworded(err)
	}
	if _, err := memory.ParseObjectKind(kind); err != nil {
		return reworded(err)
	}
	if !exact {
		return nil
	}
	if begin, _ := strings.CutSuffix(ref, "*"); strings.Contains(begin, "*") {
		return invalid("%s: %.40q has a star that is not at its end", field, item).WithFix("end it with the only star, such as modify:file=internal/pack/*")
	}
	if len(ref) > memory.MaxRef {
		return invalid("%s: its reference has %d bytes, but may have at most %d", field, len(ref), memory.MaxRef).WithFix("shorten it, and end it with a star")
	}
	return name(field, ref)
}

// normal returns g as it is written: sorted lists, times in whole seconds of UTC that never
// widen.
func (g Grant) normal() Grant {
	g.Include, g.Exclude = g.Include.normal(), g.Exclude.normal()
	if !g.Expires.IsZero() {
		g.Expires = g.Expires.UTC().Truncate(time.Second)
	}
	if !g.NotBefore.IsZero() {
		at := g.NotBefore.UTC().Truncate(time.Second)
		if at.Before(g.NotBefore) {
			at = at.Add(time.Second)
		}
		g.NotBefore = at
	}
	return g
}

// check applies the rules of every block.
func (g *Grant) check() error {
	for _, n := range []struct{ field, value string }{{"id", g.ID}, {"by", g.By}, {"to", g.To}} {
		if n.value != "" {
			if err := name(n.field, n.value); err != nil {
				return err
			}
		}
	}
	if slices.Contains(strings.Split(g.To, "/"), "") && g.To != "" || strings.TrimSpace(g.To) != g.To {
		return invalid("to: %.40q is not a name, or names with single slashes between", g.To).WithFix("name the agent, such as coder or coder/tests")
	}
	if g.Mode != "" && !slices.Contains(Modes(), g.Mode) {
		return invalid("mode: %.40q is not a mode", g.Mode).WithFix("use read or write")
	}
	if g.BudgetTokens < 0 || g.BudgetTokens > MaxBudget {
		return invalid("budget_tokens: %d is not between 0 and %d", g.BudgetTokens, MaxBudget).WithFix("give a number of tokens, or 0 for no limit of its own")
	}
	for _, t := range []struct {
		field string
		at    time.Time
	}{{"expires", g.Expires}, {"not_before", g.NotBefore}} {
		if !t.at.IsZero() && (t.at.Year() < 1970 || t.at.Year() > 9999) {
			return invalid("%s: the year %d is out of range, which is from 1970 to 9999", t.field, t.at.Year()).WithFix("give a time in that range")
		}
	}
	if g.Trust != 0 && !g.Trust.Known() {
		return invalid("trust: there is no tier %d", uint8(g.Trust)).WithFix("use external, tool, agent, user or operator")
	}
	if err := g.Include.check("include", true); err != nil {
		return err
	}
	return g.Exclude.check("exclude", false)
}

// first returns the bounds of a first block.
func (g *Grant) first() (bounds, error) {
	if err := reworded(memory.CheckTenant(g.Tenant)); err != nil {
		return bounds{}, err
	}
	for _, n := range []struct{ field, value string }{{"id", g.ID}, {"by", g.By}, {"to", g.To}} {
		if n.value == "" {
			return bounds{}, invalid("%s: it is missing from the first block", n.field).WithFix("name the issuer and the agent")
		}
	}
	switch {
	case g.Include.empty():
		return bounds{}, invalid("include: it names nothing").WithFix("name what is included, or say all")
	case g.Expires.IsZero():
		return bounds{}, invalid("expires: it is missing from the first block").WithFix("say when it ends; the sooner the better")
	case g.Mode == "" || g.Trust == 0:
		return bounds{}, invalid("mode, trust: one is missing from the first block").WithFix("use the token as it was minted")
	}
	b := bounds{
		id: g.ID, tenant: g.Tenant, by: g.By, to: g.To, mode: g.Mode, budget: g.BudgetTokens,
		notBefore: g.NotBefore, expires: g.Expires, trust: g.Trust,
	}
	return b, b.window()
}

// window refuses a time range that ends before it begins.
func (b *bounds) window() error {
	if !b.notBefore.Before(b.expires) {
		return invalid("expires: it is not after not_before").WithFix("give a later end, or an earlier beginning")
	}
	return nil
}

// narrow applies a further block, and refuses one that claims more than the bounds allow.
func (b *bounds) narrow(g *Grant) error {
	switch {
	case g.Tenant != "":
		return invalid("tenant: only the first block names it").WithFix("leave it out")
	case g.By != b.to:
		return invalid("by: a block is granted by the agent of the block before it").WithFix("leave it out when narrowing")
	case g.To != "" && !Below(g.To, b.to):
		return widened("to", "give a name below that of the agent who narrows, such as coder/tests for coder")
	case g.Mode == Write && b.mode != Write:
		return widened("mode", "a scope that reads cannot give one that writes")
	case b.budget > 0 && g.BudgetTokens > b.budget:
		return widened("budget_tokens", "give at most what the chain allows, or leave it out")
	case g.Expires.After(b.expires):
		return widened("expires", "give an earlier end, or leave it out")
	case !g.NotBefore.IsZero() && g.NotBefore.Before(b.notBefore):
		return widened("not_before", "give a later beginning, or leave it out")
	case g.Trust > b.trust:
		return widened("trust", "give a lower tier, or leave it out")
	}
	if g.To != "" {
		b.to = g.To
	}
	if g.Mode != "" {
		b.mode = g.Mode
	}
	if g.BudgetTokens > 0 {
		b.budget = g.BudgetTokens
	}
	if !g.Expires.IsZero() {
		b.expires = g.Expires
	}
	if !g.NotBefore.IsZero() {
		b.notBefore = g.NotBefore
	}
	if g.Trust != 0 {
		b.trust = g.Trust
	}
	return b.window()
}

// Below reports whether name is agent or below it, as coder/tests is below coder.
func Below(name, agent string) bool {
	rest, ok := strings.CutPrefix(name, agent)
	return ok && agent != "" && (rest == "" || rest[0] == '/' && len(rest) > 1)
}

// chain returns the bounds of a whole chain.
func chain(grants []Grant) (bounds, error) {
	b, err := grants[0].first()
	for i := 1; i < len(grants) && err == nil; i++ {
		err = b.narrow(&grants[i])
	}
	return b, err
}

// defaults fills in a first block.
func (g *Grant) defaults() {
	if g.Mode == "" {
		g.Mode = Read
	}
	if g.Trust == 0 {
		g.Trust = record.Agent
	}
}
