package pack

import (
	"math"
	"slices"
	"strings"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// How a budget is spent. Quantities are tokens.
const (
	// SpanFloor and SpanShare say how long a text may be before it is cut to its best
	// part: so many tokens, or that part of the budget if it is more.
	SpanFloor = 64
	SpanShare = 32
	// ruleShare is the part of the budget that rules may have together, if they need more:
	// of one that is cut, less may be left than what makes it one.
	ruleShare = 4

	MinEntry  = 8  // less is not tried to be filled
	minCut    = 24 // the least room that a text is cut for
	minHinted = 400
	minNoted  = 400 // the least budget of a text that says what quotes are
	hintShare = 10  // the part of a budget that hints may have
	deepShare = 80  // of a hundred: what the section may have that goes deep

	// assured is the relevance from which the share of a section is for a candidate.
	assured = 0.35
	// patience is how many candidates are found too large before a list is given up.
	// About so many are read for the list of drops in any case.
	patience = 64
)

// section is what the composer knows of one section.
type section struct {
	name    hmx.Section
	weight  float64
	base    int          // its share of the budget
	list    []*contender // that were left before texts were read, best first
	used    int
	entries int
	quotes  quoting // of its fence
	days    map[int64]bool
	years   map[int]bool
}

// prices are what the parts of a text cost that are not entries.
type prices struct {
	day, year int
	heading   [10]int
	fences    fences
}

// newPrices returns the prices by a counter, of fences that are made of a seed.
func newPrices(c tokens.Counter, seed string) *prices {
	p := &prices{day: c.Count("30 September:\n"), year: c.Count("2026:\n"), fences: newFences(c, seed)}
	for i, s := range hmx.Sections() {
		p.heading[i] = c.Count(headingText(s))
	}
	return p
}

// frame returns what the section costs more with an item in it: heading, fence, lines of
// days.
func (k *composer) frame(s *section, it *Item) int {
	cost, at := 0, s.name.Priority()
	if s.entries == 0 {
		cost += k.prices.heading[at]
	}
	if q := s.quotes.with(k.prices.fences.asked(it)); q != s.quotes {
		cost += k.prices.fences.cost(at, q) - k.prices.fences.cost(at, s.quotes)
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

// add counts an item as one of the section's.
func (k *composer) add(s *section, it *Item, tokens int) {
	cost := tokens + k.frame(s, it)
	s.used += cost
	k.used += cost
	s.entries++
	s.quotes = s.quotes.with(k.prices.fences.asked(it))
	if dated(s.name) {
		if s.days == nil {
			s.days, s.years = map[int64]bool{}, map[int]bool{}
		}
		day, year := dayOf(it.Time)
		s.days[day], s.years[year] = true, true
	}
}

// share gives each section its part of the budget.
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

// write makes the item of x of at most so many tokens of text. It reports whether
// anything of the text is in it.
func (k *composer) write(x *contender, most int) bool {
	if x.most == most {
		return x.tokens > 0
	}
	text, cut, whole := x.source.Text, false, x.source.fits(most)
	if !whole {
		words := k.keywords
		if x.isRule() {
			words = nil // it begins with how strict it is, and with what is the rule
		}
		text, cut = span(k.in.Counter, text, most, words)
	}
	x.most, x.cut, x.tokens = most, cut, 0
	x.item = Item{x.c.Section, x.source.ID, x.source.Label, text, x.c.Time, x.c.Trust}
	if cut && strings.Trim(strings.ReplaceAll(text, truncated, ""), " \n") == "" {
		return false
	}
	if w := &x.source.whole; whole && w.section == x.c.Section && w.text != "" {
		x.lines, x.tokens = w.text, w.tokens
	} else {
		x.lines = itemText(&x.item)
		x.tokens = k.in.Counter.Count(x.lines)
	}
	if most == k.size(x) {
		x.guess = x.tokens
	}
	return true
}

// attempts is how often a text is cut anew, until its lines fit.
const attempts = 6

// squeeze cuts x until it fits into so many tokens with all that it needs around it. It
// reports whether it does, with room for so many tokens of lines at least.
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

// place keeps x if all of it that its size allows fits into so many tokens. It reports
// whether it is dealt with: kept, or dropped for another reason than room.
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

// hopeless reports whether x is so large that it need not be read to be passed over.
func (k *composer) hopeless(x *contender, room int) bool {
	return min(x.c.Known, k.size(x)) > 2*room+32
}

// open reports whether x waits for a place.
func (x *contender) open() bool { return !x.kept && !x.gone && x.reason == "" }

// fill keeps what fits of a section, in order, as long as the section has no more than
// so many tokens and all together no more than the budget.
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

// ruling lists the sections that rules stand in: constraints, and what the agent was told
// to do.
func ruling() []hmx.Section { return []hmx.Section{hmx.SectionConstraints, hmx.SectionCore} }

// least keeps what comes before all that is relevant: the best of the first section,
// every rule, the best of each other section by priority, and what else is pinned, up to
// twice the share of its section. If the rules do not all fit, the best of each section
// comes before them, and then they have all that is left. Full says that one of them is
// left out, and that nothing else may be kept.
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

// isRule reports whether c binds whoever is told it: it is a constraint or a policy that is
// pinned, and was set by a user or an operator.
func (c *Candidate) isRule() bool {
	return c.Pinned && c.Trust >= record.User && (c.Section == hmx.SectionConstraints || c.Kind == record.Policy)
}

// isRule reports whether the candidate is a rule.
func (x *contender) isRule() bool { return x.c.isRule() }

// missing reports whether x waits for a place, and has a text that there could be one for.
func (k *composer) missing(x *contender) bool {
	return x.open() && (!x.loaded || k.write(x, k.size(x)))
}

// best keeps the best candidate of a section that is wanted, cut to the room if it must
// be; a rule only where much of it is left, since its first words may say the contrary. It
// reports whether there may be room for another section.
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

// crowd keeps as many rules as there is room for, and cuts the best of the others to what
// is left.
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

// takeBack makes candidates open again about which was decided in this run.
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

// first returns the best of a section that is wanted and may be kept, nil if there is none.
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

// ruled returns how many tokens the lines of the section's rules have. They do not count as
// its share: what else it has to say would be left out for the sake of what is there anyway.
func (s *section) ruled() int {
	sum := 0
	for _, x := range s.list {
		if x.kept && x.isRule() {
			sum += x.tokens
		}
	}
	return sum
}

// shares fills the section's shares with what says much to the question.
func (k *composer) shares() error {
	for i := range k.sections {
		s := &k.sections[i]
		if err := k.fill(s, s.base+s.ruled(), 1, func(x *contender) bool { return x.c.Pinned || x.parts.Relevance >= assured }); err != nil {
			return err
		}
	}
	return nil
}

// rest fills what is left with whatever comes next and fits. The first that does not is
// cut to the room, once.
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

// recount counts all sections anew, after entries went.
func (k *composer) recount() {
	k.used = 0
	for i := range k.sections {
		s := &k.sections[i]
		s.used, s.entries, s.quotes, s.days, s.years = 0, 0, quoting{}, nil, nil
	}
	for _, x := range k.all {
		if x.kept {
			k.add(&k.sections[x.section], &x.item, x.tokens)
		}
	}
}

// budgets returns what each section with entries was given and has used. One that has
// more than its share took it from the others, which share what is left.
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
	// A share that is less than what a section has used is raised to that, and the
	// others share again.
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

// part returns a weight's share of so many tokens.
func part(tokens int, weight, sum float64) int {
	return int(math.Floor(float64(tokens) * (weight / sum)))
}
