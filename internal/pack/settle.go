package pack

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// lead is by how much more than all others what is behind a thing has to be worth to
// win a conflict.
const lead = 1e-9

// settle drops what is dropped before a text is read: what no longer holds, what says
// too little to the question, what repeats or contradicts something better.
func (k *composer) settle() {
	least := k.in.Request.MinRelevance.Or(DefaultMinRelevance)
	for _, x := range k.all {
		c := x.c
		switch {
		case x.gone:
		case c.Deprecated != "":
			x.reject(hmx.DropDeprecated, nil, c.Deprecated)
		case !c.Pinned && x.parts.Relevance < least:
			x.reject(hmx.DropRelevance, nil, "")
		case x.isRule(): // what an event or another rule says like it does not stand for it
		default:
			if first := k.at(c.SameAs - 1); first != nil && first.left() && first.rank < x.rank {
				x.reject(hmx.DropDuplicate, first, "")
			}
		}
	}
	conflicts := slices.Clone(k.in.Conflicts)
	slices.SortStableFunc(conflicts, func(a, b Conflict) int { return cmp.Compare(a.ID, b.ID) })
	for i := range conflicts {
		k.decide(&conflicts[i])
	}
}

// at returns the contender of the candidate at index i, nil if it is none.
func (k *composer) at(i int) *contender {
	if i < 0 || i >= len(k.byIndex) {
		return nil
	}
	return k.byIndex[i]
}

// left reports whether x may still become an entry, for all that is known.
func (x *contender) left() bool { return x.reason == "" && !x.unfit() }

// decide drops what loses a conflict. A rule loses only if a user or an operator decided
// so: else whoever may write a conflict could do away with it.
func (k *composer) decide(c *Conflict) {
	var sides []*contender
	for _, i := range c.Between {
		if x := k.at(i); x != nil && x.left() && !slices.Contains(sides, x) {
			sides = append(sides, x)
		}
	}
	if len(sides) < 2 {
		return
	}
	winner := k.at(c.Winner - 1)
	if c.Winner == 0 {
		winner = strongest(sides)
	}
	if winner == nil || !slices.Contains(sides, winner) {
		return
	}
	for _, x := range sides {
		if x != winner && (!x.isRule() || c.Winner != 0 && c.Trust >= record.User) {
			x.reject(hmx.DropConflict, winner, c.ID)
		}
	}
}

// strongest returns the one that has clearly the most behind it, nil if there is none.
func strongest(sides []*contender) *contender {
	best := slices.MaxFunc(sides, func(a, b *contender) int { return cmp.Compare(a.parts.Provenance, b.parts.Provenance) })
	for _, x := range sides {
		if x != best && !(best.parts.Provenance-x.parts.Provenance > lead) {
			return nil
		}
	}
	return best
}

// load reads x, if it has not been read.
func (k *composer) load(x *contender) error {
	if x.loaded {
		return nil
	}
	x.loaded = true
	s := new(Source)
	switch err := k.in.Load(x.c, s); {
	case errors.Is(err, ErrGone):
		x.gone = true
	case err != nil:
		return err
	default:
		s.Prepare()
		if x.source = s; s.Origin == "" {
			s.Origin = OriginOf(x.c.Kind)
		}
	}
	return nil
}

// Prepare does what Compose does with a source as soon as it is loaded, whatever becomes
// of it: its texts are made valid, and the words are found that it is compared by. Who
// loads it beside others may do that for it, and must not change it after.
func (s *Source) Prepare() {
	if s.words != nil {
		return
	}
	for _, text := range []*string{&s.ID, &s.Type, &s.Label, &s.Text, &s.Origin} {
		if !utf8.ValidString(*text) {
			*text = strings.ToValidUTF8(*text, "\uFFFD")
		}
	}
	s.Label = clip(s.Label, labelBytes)
	s.words = wordsOf(s.Text)
}

// Write does what Compose does with a source that is quoted as a whole: the lines are
// written that it has in a pack, and counted by the counter of the request. Who loads it
// beside others may do that for it once it is prepared, if it knows that no more than so
// many tokens are to be quoted, or that it is likely. Known is what the lines counted
// before, 0 if nobody knows. It returns what they count, 0 if they were not written.
func (s *Source) Write(c *Candidate, counter tokens.Counter, most, known int) int {
	if !s.fits(most) {
		return 0
	}
	it := Item{c.Section, s.ID, s.Label, s.Text, c.Time, c.Trust}
	s.whole = lines{section: c.Section, text: itemText(&it)}
	if s.whole.tokens = known; known == 0 {
		s.whole.tokens = counter.Count(s.whole.text)
	}
	return s.whole.tokens
}

// fits reports whether all of the text may be quoted where so many tokens may be.
func (s *Source) fits(most int) bool {
	// No token has less than a byte.
	few := len(s.Text) <= most || s.Tokens > 0 && s.Tokens <= most
	return few && fitsRoom(s.Text, textRoom(most)) && Visible(s.Text) == s.Text
}

// ready reads x and reports whether it may be kept. What is behind it must verify, and
// no text that is kept may say the same; of a rule none but a rule word for word, since
// two that differ in one are two.
func (k *composer) ready(x *contender) (bool, error) {
	if err := k.load(x); err != nil {
		return false, err
	}
	if x.gone {
		return false, nil
	}
	if x.source.Unproven != "" {
		x.reject(hmx.DropProvenance, nil, x.source.Unproven)
		return false, nil
	}
	if first := k.texts.find(x); first != nil {
		x.reject(hmx.DropDuplicate, first, "")
		return false, nil
	}
	return true, nil
}

// kin are the texts that are kept, to be found by what they say.
type kin []*contender

// find returns the best of those that say nearly what y says, nil if none does.
func (k kin) find(y *contender) (best *contender) {
	w, rule := y.source.words, y.isRule()
	for _, x := range k {
		if rule && (!x.isRule() || w.whole != x.source.words.whole) {
			continue
		}
		if (best == nil || x.rank < best.rank) && x.source.words.same(w) {
			best = x
		}
	}
	return best
}
