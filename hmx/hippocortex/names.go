package hippocortex

import (
	"strings"

	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// checkNames refuses undocumented members where none are allowed.
func (r *reader) checkNames() {
	if r.enveloped() && !r.is(r.nodes[inEnvelope], canon.Object) {
		r.wrong(r.nodes[inEnvelope], shape.Show(&r.doc, r.nodes[inEnvelope]),
			"an object: the name is reserved for HMX fields that "+string(r.form)+" has no place for; give a member of your own another name")
	}
	for h := inRoot; h < hosts; h++ {
		if r.open(h) || !r.is(r.nodes[h], canon.Object) {
			continue
		}
		names := r.documented(h)
		members(&r.doc, r.nodes[h], func(c canon.Node) {
			if r.reserved(h, r.doc.Key(c)) {
				return
			}
			name := string(r.doc.Key(c))
			found := "the unknown member " + shape.Quote(name)
			for _, known := range names {
				if strings.EqualFold(known, name) {
					found += " (names are case-sensitive: did you mean " + shape.Quote(known) + "?)"
				}
			}
			allowed := "only " + list(names)
			if h == inRoot {
				allowed += "; anything else belongs in metadata"
			}
			r.wrong(c, found, allowed)
		})
	}
}

// checkShadowed refuses a shadowed member of the envelope that would collide with a member of
// the same name.
func (r *reader) checkShadowed() {
	shadowed := r.member(inEnvelope, shadowedName)
	if shadowed == canon.None {
		return
	}
	spread := map[string]host{}
	var fields []string
	for _, w := range r.rows {
		if w.name == "" {
			spread[w.field] = w.in
			fields = append(fields, w.field)
		}
	}
	if r.doc.Kind(shadowed) != canon.Object {
		r.wrong(shadowed, shape.Show(&r.doc, shadowed), "an object with "+list(fields))
		return
	}
	members(&r.doc, shadowed, func(f canon.Node) {
		h, known := spread[string(r.doc.Key(f))]
		switch {
		case !known:
			r.wrong(f, "the unknown member "+shape.Quote(string(r.doc.Key(f))), "only "+list(fields))
			return
		case r.doc.Kind(f) != canon.Object:
			r.wrong(f, shape.Show(&r.doc, f), "an object with members that have no place outside the envelope")
			return
		}
		members(&r.doc, f, func(c canon.Node) {
			if !r.reserved(h, r.doc.Key(c)) {
				r.wrong(c, "the member "+shape.Quote(string(r.doc.Key(c))), "only "+list(r.documented(h))+": others are not shadowed")
			}
		})
	})
}
