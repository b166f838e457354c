package hippocortex

import (
	"bytes"
	"fmt"
	"strconv"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/internal/shape"
	"lukasa.dev/internal/canon"
)

// reader converts one older document to HMX.
type reader struct {
	*mapping
	opts  Options
	doc   canon.Doc
	nodes [hosts]canon.Node // the hosts as found; canon.None if absent
	fill  map[string][]byte // HMX field → JSON text that replaces what is there
	report

	session  sessionKey // of an event to be numbered
	sequence hmx.Opt[int64]
}

// toHMX converts data, a document in the older form, to HMX, and returns warnings with it. It
// trusts nothing about data.
func (m *mapping) toHMX(data []byte, opts *Options) ([]byte, []hmx.Problem, error) {
	r := &reader{mapping: m, fill: map[string][]byte{}}
	if opts != nil {
		r.opts = *opts
	}
	out := r.read(data)
	var warnings []hmx.Problem
	if out != nil {
		var err error
		if warnings, err = hmx.Check(m.kind, out); err != nil {
			invalid, ok := err.(*hmx.InvalidError)
			if !ok {
				return nil, nil, err
			}
			r.merge(invalid)
		}
		for i := range warnings {
			warnings[i] = r.moved(warnings[i])
		}
	}
	if len(r.problems) > 0 {
		return nil, nil, fmt.Errorf("%s: %w", m.form, r.invalid(m.kind))
	}
	if r.opts.Sequencer != nil && r.sequence.Set {
		r.opts.Sequencer.Observe(r.session.tenant, r.session.session, r.sequence.Value)
	}
	return out, warnings, nil
}

// read parses data and returns it as HMX, which is yet to be checked, or nil if that is
// impossible.
func (r *reader) read(data []byte) []byte {
	if limit, size := hmx.MaxBytes(r.kind)+slack, len(bytes.Trim(data, " \t\r\n")); size > limit {
		r.add(hmx.Problem{Rule: r.sizeRule, Found: strconv.Itoa(size) + " bytes", Allowed: "at most " + strconv.Itoa(limit) + " bytes of JSON"})
		return nil
	}
	for _, f := range r.doc.Parse(data) {
		r.add(hmx.Problem{Pointer: f.Pointer, Rule: shape.JSONRules + string(f.Code), Found: f.Found, Allowed: f.Allowed, Offset: f.Offset})
	}
	if !r.doc.Complete() {
		return nil
	}
	root := r.doc.Root()
	if r.doc.Kind(root) != canon.Object {
		r.wrong(root, shape.Show(&r.doc, root), "an object with "+list(r.documented(inRoot)))
		return nil
	}
	r.nodes = [hosts]canon.Node{inRoot: root, inMetadata: r.doc.Member(root, metadataName), inAssembly: canon.None, inEnvelope: canon.None}
	if r.uses(inAssembly) {
		r.nodes[inAssembly] = r.doc.Member(root, assemblyName)
	}
	r.nodes[inEnvelope] = r.member(inMetadata, envelopeName)
	r.checkNames()
	r.checkShadowed()
	if !r.enveloped() {
		r.fill["hmx_version"] = quoted(hmx.Version)
	}
	r.complete(r)
	return r.build()
}

// enveloped reports whether the document has an envelope, so that nothing may be filled in.
func (r *reader) enveloped() bool { return r.nodes[inEnvelope] != canon.None }

// is reports whether n is present and of kind k.
func (r *reader) is(n canon.Node, k canon.Kind) bool { return n != canon.None && r.doc.Kind(n) == k }

// member returns the member of h called name, or canon.None.
func (r *reader) member(h host, name string) canon.Node {
	if !r.is(r.nodes[h], canon.Object) {
		return canon.None
	}
	return r.doc.Member(r.nodes[h], name)
}

// build writes the HMX document, fields in the order of the rows.
func (r *reader) build() []byte {
	var out object
	for _, w := range r.rows {
		text, filled := r.fill[w.field]
		switch {
		case filled:
			out.add(w.field, text)
		case w.name != "":
			if n := r.member(w.in, w.name); n != canon.None {
				out.copy(w.field, &r.doc, n)
			}
		case r.is(r.nodes[w.in], canon.Object):
			gathered := r.gather(w)
			out.add(w.field, gathered.text())
		case r.nodes[w.in] != canon.None:
			out.copy(w.field, &r.doc, r.nodes[w.in]) // the wrong kind: HMX reports it
		case w.in == inMetadata:
			out.add(w.field, []byte("{}"))
		}
	}
	return out.text()
}

// gather collects the members of a field that is spread over its host.
func (r *reader) gather(w row) *object {
	var out object
	members(&r.doc, r.nodes[w.in], func(c canon.Node) {
		if !r.reserved(w.in, r.doc.Key(c)) {
			out.member(&r.doc, c)
		}
	})
	shadowed := r.member(inEnvelope, shadowedName)
	if !r.is(shadowed, canon.Object) {
		return &out
	}
	if n := r.doc.Member(shadowed, w.field); r.is(n, canon.Object) {
		members(&r.doc, n, func(c canon.Node) {
			if r.reserved(w.in, r.doc.Key(c)) { // others are refused
				out.member(&r.doc, c)
			}
		})
	}
	return &out
}
