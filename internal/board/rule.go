package board

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Rule is the admission rule of a kind of record, beyond the rules of every kind. A nil
// function checks nothing.
type Rule struct {
	// Validate checks a body before it is queued.
	Validate func(body memory.Body) error
	// Admit checks a body in log order, after everything else.
	Admit func(g *Group, w Writer, t *ledger.Tenant, body memory.Body) error
	// Transition checks a change of status in log order.
	Transition func(g *Group, w Writer, t *ledger.Tenant, h *catalog.Head, to hmx.Status, supersededBy string) error
}

// Require sets the rule of a kind. It must be called before the board is used.
func (b *Board) Require(kind record.Kind, r Rule) {
	if b.rules == nil {
		b.rules = make(map[record.Kind]Rule)
	}
	b.rules[kind] = r
}

// validate applies the rule of a kind to a body.
func (b *Board) validate(body memory.Body) error {
	if f := b.rules[body.Kind()].Validate; f != nil {
		return f(body)
	}
	return nil
}

// admit applies the rule of a kind to a body in log order.
func (g *Group) admit(w Writer, t *ledger.Tenant, body memory.Body) error {
	if f := g.b.rules[body.Kind()].Admit; f != nil {
		return f(g, w, t, body)
	}
	return nil
}

// transition applies the rule of artifacts to a change of status in log order.
func (g *Group) transition(w Writer, t *ledger.Tenant, h *catalog.Head, to hmx.Status, supersededBy string) error {
	if f := g.b.rules[h.Kind].Transition; f != nil {
		return f(g, w, t, h, to, supersededBy)
	}
	return nil
}
