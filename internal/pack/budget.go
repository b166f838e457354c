package pack

import (
	"math"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// How a budget is spent. Quantities are tokens.
const (
	// SpanFloor and SpanShare limit a text before it is cut to its best part: to SpanFloor
	// tokens, or to the budget divided by SpanShare if that is more.
	SpanFloor = 64
	SpanShare = 32
	// ruleShare sets the part of the budget that all rules together may have, if that is more
	// than their usual sizes: a rule that is cut may lose its meaning.
	ruleShare = 4

	MinEntry  = 8  // the composer does not try to fill less room
	minCut    = 24 // a text is cut only if there is this much room
	minHinted = 400
	minNoted  = 400 // the smallest budget whose text explains its quotes
	hintShare = 10  // hints may have the budget divided by this
	deepShare = 80  // percent of the budget for the section that goes deep

	// assured is the relevance from which a candidate may use the share of its section.
	assured = 0.35
	// patience is how many candidates may be too large before the composer gives a list up. The
	// list of drops reads about as many in any case.
	patience = 64
)

// section is the composer's state of one section.
type section struct {
	name    hmx.Section
	weight  float64
	base    int          // its share of the budget
	list    []*contender // the contenders left before texts are read, best first
	used    int
	entries int
	quotes  quote.Need // what its fence needs
	days    map[int64]bool
	years   map[int]bool
}

// prices are the costs of the parts of a text that are not entries.
type prices struct {
	day, year int
	heading   [10]int
	fences    *quote.FencePrices
}

// newPrices returns the prices by a counter, with fences made from a seed.
func newPrices(c tokens.Counter, seed string) *prices {
	p := &prices{day: c.Count("30 September:\n"), year: c.Count("2026:\n"), fences: quote.NewFencePrices(c, seed, texts(hmx.Sections()))}
	for i, s := range hmx.Sections() {
		p.heading[i] = c.Count(headingText(s))
	}
	return p
}

// need returns what an item needs of the fence of its section.
func (p *prices) need(it *Item) quote.Need {
	at := it.Section.Priority()
	if at < 0 || !it.Fenced() {
		return quote.Need{}
	}
	return p.fences.Need(at, it.Label, it.Text)
}

// frame returns what an item adds to the cost of the section besides its lines: heading, fence,
// day lines.
func (k *composer) frame(s *section, it *Item) int {
	cost, at := 0, s.name.Priority()
	if s.entries == 0 {
		cost += k.prices.heading[at]
	}
	if need := s.quotes.With(k.prices.need(it)); need != s.quotes {
		cost += k.prices.fences.Cost(at, need) - k.prices.fences.Cost(at, s.quotes)
	}
	if dated(s.name) {
		day, year := dayOf(it.Time)
		if !s.days[day] {
			cost += k.prices.day
		}
		if !s.years[year] {
			cost += k.prices.year
		}
	}
	return cost
}

// add counts an item into the section.
func (k *composer) add(s *section, it *Item, tokens int) {
	cost := tokens + k.frame(s, it)
	s.used += cost
	k.used += cost
	s.entries++
	s.quotes = s.quotes.With(k.prices.need(it))
	if dated(s.name) {
		if s.days == nil {
			s.days, s.years = map[int64]bool{}, map[int]bool{}
		}
		day, year := dayOf(it.Time)
		s.days[day], s.years[year] = true, true
	}
}

// share gives each section its share of the budget.
func (k *composer) share() {
	sum := 0.0
	for i := range k.sections {
		s := &k.sections[i]
		s.weight = k.in.Request.SectionWeights[s.name]
		if k.scorer.guided {
			s.weight *= 0.5 + k.scorer.priors.Sections[s.name]
		}
		if len(s.list) > 0 {
			sum += s.weight
		}
	}
	for i := range k.sections {
		if s := &k.sections[i]; len(s.list) > 0 && sum > 0 {
			s.base = int(math.Floor(float64(k.total) * (s.weight / sum)))
		}
	}
}

// room returns how many tokens are left.
func (k *composer) room() int { return k.total - k.reserved - k.used }

// size returns how many tokens the text of x may have.
func (k *composer) size(x *contender) int {
	most := max(SpanFloor, k.total/SpanShare)
	switch {
	case k.deep == x.section:
		most *= 4
	case k.in.Request.Strategy == hmx.StrategyBreadthFirst:
		most /= 2
	}
	if x.c.Pinned {
		most *= 2
	}
	if x.isRule() {
		most = max(most, k.total/ruleShare/k.rules)
	}
	return most
}

// write makes the item of x with at most most tokens of text. It reports whether the item has
// any text.
func (k *composer) write(x *contender, most int) bool {
	if x.most == most {
		return x.tokens > 0
	}
	text, cut, whole := x.source.Text, false, x.source.fits(most)
	if !whole {
		words := k.keywords
		if x.isRule() {
			words = nil // a rule begins with its strength and its subject
		}
		text, cut = quote.Span(k.in.Counter, text, most, words)
	}
	x.most, x.cut, x.tokens = most, cut, 0
	x.item = Item{x.c.Section, x.source.ID, x.source.Label, text, x.c.Time, x.c.Trust}
	if cut && strings.Trim(strings.ReplaceAll(text, quote.Truncated, ""), " \n") == "" {
		return false
	}
	if w := &x.source.whole; whole && w.section == x.c.Section && w.text != "" {
		x.lines, x.tokens = w.text, w.tokens
	} else {
		x.lines = x.item.lines()
		x.tokens = k.in.Counter.Count(x.lines)
	}
	if most == k.size(x) {
		x.guess = x.tokens
	}
	return true
}

// attempts is how often a text is cut again until its lines fit.
const attempts = 6

// squeeze cuts x until it fits into room tokens with its frame. It reports whether that worked
// with at least least tokens of lines.
func (k *composer) squeeze(x *contender, room, least int) bool {
	s := &k.sections[x.section]
	most := k.size(x)
	for range attempts {
		if !k.write(x, most) {
			return false
		}
		frame := k.frame(s, &x.item)
		if room-frame < least {
			return false
		}
		over := x.tokens + frame - room
		if over <= 0 {
			return true
		}
		most = min(most, x.tokens) - over
		if most <= 0 {
			return false
		}
	}
	return false
}

// keep makes x an entry.
func (k *composer) keep(x *contender, pass int) {
	x.kept, x.pass = true, pass
	k.add(&k.sections[x.section], &x.item, x.tokens)
	k.texts = append(k.texts, x)
}

// place keeps x if all of the text that its size allows fits into room tokens. It reports
// whether x is settled: kept, or dropped for a reason other than room.
func (k *composer) place(x *contender, room, pass int) (bool, error) {
	if ok, err := k.ready(x); !ok {
		return true, err
	}
	if !k.write(x, k.size(x)) {
		return false, nil
	}
	if x.tokens+k.frame(&k.sections[x.section], &x.item) > room {
		return false, nil
	}
	k.keep(x, pass)
	return true, nil
}

// hopeless reports whether x is so large that it can be skipped without being read.
func (k *composer) hopeless(x *contender, room int) bool {
	return min(x.c.Known, k.size(x)) > 2*room+32
}

// open reports whether x is still undecided.
func (x *contender) open() bool { return !x.kept && !x.gone && x.reason == "" }

// fill keeps the contenders of a section that fit, in order, while the section stays within
// limit tokens and all sections within the budget.
func (k *composer) fill(s *section, limit, pass int, wanted func(x *contender) bool) error {
	tries := patience
	for _, x := range s.list {
		room := min(limit-s.used, k.room())
		if room < MinEntry || tries == 0 {
			return nil
		}
		if !x.open() || !wanted(x) || k.hopeless(x, room) {
			continue
		}
		done, err := k.place(x, room, pass)
		if err != nil {
			return err
		}
		if !done {
			tries--
		}
	}
	return nil
}

// ruling lists the sections that hold rules: constraints, and instructions to the agent.
func ruling() []hmx.Section { return []hmx.Section{hmx.SectionConstraints, hmx.SectionCore} }

// least keeps what has precedence over relevance: the best of the first section, every rule,
// the best of each other section by priority, and other pinned candidates, up to twice the
// share of their section. If the rules do not all fit, the best of each section comes before
// them, and the rules get all of the remaining room. full says that a rule was left out, so
// nothing else may be kept.
func (k *composer) least() (full bool, err error) {
	if _, err := k.best(&k.sections[hmx.SectionCore.Priority()], isAny); err != nil {
		return false, err
	}
	var rules []*contender
	for _, name := range ruling() {
		s := &k.sections[name.Priority()]
		for _, x := range s.list {
			if x.open() && x.isRule() {
				rules = append(rules, x)
			}
		}
		if err := k.fill(s, k.total, 0, (*contender).isRule); err != nil {
			return false, err
		}
	}
	full = slices.ContainsFunc(rules, k.missing)
	if full {
		k.takeBack(rules)
	}
	for i, more := 0, true; more && i < len(k.sections); i++ {
		s, wanted := &k.sections[i], isAny
		if s.entries > 0 {
			continue
		}
		if full && s.name == hmx.SectionConstraints {
			wanted = (*contender).isRule
		}
		if more, err = k.best(s, wanted); err != nil {
			return false, err
		}
	}
	if full {
		for _, name := range ruling() {
			if err := k.crowd(&k.sections[name.Priority()]); err != nil {
				return true, err
			}
		}
		if slices.ContainsFunc(rules, k.missing) {
			return true, nil
		}
	}
	for _, name := range []hmx.Section{hmx.SectionCore, hmx.SectionConstraints, hmx.SectionGoals} {
		s := &k.sections[name.Priority()]
		if err := k.fill(s, 2*s.base, 0, isPinned); err != nil {
			return false, err
		}
	}
	return false, nil
}

func isAny(*contender) bool { return true }

func isPinned(x *contender) bool { return x.c.Pinned }

// isRule reports whether c binds its readers: it is a pinned constraint or policy that a user
// or an operator set.
func (c *Candidate) isRule() bool {
	return c.Pinned && c.Trust >= record.User && (c.Section == hmx.SectionConstraints || c.Kind == record.Policy)
}

// isRule reports whether the candidate is a rule.
func (x *contender) isRule() bool { return x.c.isRule() }

// missing reports whether x is undecided and has a text that could be kept.
func (k *composer) missing(x *contender) bool {
	return x.open() && (!x.loaded || k.write(x, k.size(x)))
}

// best keeps the best wanted candidate of a section, cut to the room if necessary. A rule is
// cut only if much of it is left, since its first words may mean the opposite. best reports
// whether there may be room for another section.
func (k *composer) best(s *section, wanted func(*contender) bool) (more bool, err error) {
	x, err := k.first(s, wanted)
	if err != nil || x == nil {
		return true, err
	}
	if k.room()-k.frame(s, &Item{Section: s.name, Time: x.c.Time, Trust: x.c.Trust}) < MinEntry {
		return false, nil
	}
	least := MinEntry
	if x.isRule() {
		if done, err := k.place(x, k.room(), 0); done || err != nil {
			return true, err
		}
		least = minCut
	}
	if k.squeeze(x, k.room(), least) {
		k.keep(x, 0)
	}
	return true, nil
}

// crowd keeps as many rules as fit, and cuts the best of the others to the remaining room.
func (k *composer) crowd(s *section) error {
	if err := k.fill(s, k.total, 0, (*contender).isRule); err != nil {
		return err
	}
	for _, x := range s.list {
		if k.room() < minCut {
			break
		}
		if !x.open() || !x.isRule() {
			continue
		}
		if ok, err := k.ready(x); err != nil {
			return err
		} else if ok && k.squeeze(x, k.room(), minCut) {
			k.keep(x, 0)
			break
		}
	}
	return nil
}

// takeBack makes candidates that this run decided on undecided again.
func (k *composer) takeBack(list []*contender) {
	for _, x := range list {
		x.kept, x.pass = false, 0
		x.reject("", nil, "")
	}
	k.recount()
	k.texts = nil
	for _, x := range k.all {
		if x.kept {
			k.texts = append(k.texts, x)
		}
	}
}

// first returns the best wanted contender of a section that may be kept, nil if there is none.
func (k *composer) first(s *section, wanted func(*contender) bool) (*contender, error) {
	for _, x := range s.list {
		if !x.open() || !wanted(x) {
			continue
		}
		if ok, err := k.ready(x); ok || err != nil {
			return x, err
		}
	}
	return nil, nil
}

// ruled returns how many tokens the lines of the section's rules have. They do not count
// against its share: otherwise rules, which are kept anyway, would displace the rest of the
// section.
func (s *section) ruled() int {
	sum := 0
	for _, x := range s.list {
		if x.kept && x.isRule() {
			sum += x.tokens
		}
	}
	return sum
}

// shares fills each section's share with candidates of high relevance.
func (k *composer) shares() error {
	for i := range k.sections {
		s := &k.sections[i]
		if err := k.fill(s, s.base+s.ruled(), 1, func(x *contender) bool { return x.c.Pinned || x.parts.Relevance >= assured }); err != nil {
			return err
		}
	}
	return nil
}

// rest fills the remaining room with the next candidates that fit. The first that does not fit
// is cut to the room, once.
func (k *composer) rest(next func() *contender) error {
	tries := patience
	for x := next(); x != nil; x = next() {
		if k.room() < MinEntry || tries == 0 {
			return nil
		}
		if !x.open() || k.hopeless(x, k.room()) {
			continue
		}
		done, err := k.place(x, k.room(), 2)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		tries--
		if !k.squeezed && k.squeeze(x, k.room(), minCut) {
			k.squeezed = true
			k.keep(x, 2)
		}
	}
	return nil
}

// recount counts all sections again after entries were removed.
func (k *composer) recount() {
	k.used = 0
	for i := range k.sections {
		s := &k.sections[i]
		s.used, s.entries, s.quotes, s.days, s.years = 0, 0, quote.Need{}, nil, nil
	}
	for _, x := range k.all {
		if x.kept {
			k.add(&k.sections[x.section], &x.item, x.tokens)
		}
	}
}

// budgets returns the allotted and used tokens of each section with entries. A section that
// exceeds its share took the excess from the others, which divide the remainder.
func (k *composer) budgets() map[hmx.Section]hmx.SectionBudget {
	out := map[hmx.Section]hmx.SectionBudget{}
	left := k.total - k.reserved
	var open []*section
	for i := range k.sections {
		s := &k.sections[i]
		switch {
		case s.entries == 0:
		case s.used > s.base:
			out[s.name] = hmx.SectionBudget{Budget: int64(s.used), Used: int64(s.used)}
			left -= s.used
		default:
			open = append(open, s)
		}
	}
	// Raise a share that is below what its section used, and divide the remainder again.
	for again := true; again; {
		again = false
		sum := 0.0
		for _, s := range open {
			sum += s.weight
		}
		for i, s := range open {
			if part(left, s.weight, sum) < s.used {
				out[s.name] = hmx.SectionBudget{Budget: int64(s.used), Used: int64(s.used)}
				left -= s.used
				open = append(open[:i:i], open[i+1:]...)
				again = true
				break
			}
		}
		if again {
			continue
		}
		spare := left
		for _, s := range open {
			spare -= part(left, s.weight, sum)
		}
		for i, s := range open {
			b := part(left, s.weight, sum)
			if i == 0 {
				b += spare
			}
			out[s.name] = hmx.SectionBudget{Budget: int64(b), Used: int64(s.used)}
		}
	}
	return out
}

// dayOf returns the day and the year of a time.
func dayOf(at int64) (day int64, year int) {
	t := time.Unix(0, at).UTC()
	return t.Unix() / (24 * 3600), t.Year()
}

// part returns a weight's share of the tokens.
func part(tokens int, weight, sum float64) int {
	return int(math.Floor(float64(tokens) * (weight / sum)))
}
