package trace

import (
	"bytes"
	"strings"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/trace/jsonpage"
	"lukasa.dev/internal/trace/shapes"
)

// shapeOf writes the shape of the arguments at n into r.shape, and notes the
// arguments in r.args. Where values come from is not asked yet.
func (r *Reader) shapeOf(p *jsonpage.Page, n canon.Node) {
	r.shape, r.args = r.shape[:0], r.args[:0]
	r.argAt = r.argAt[:0]
	if !p.Ok || p.Doc.Kind(n) != canon.Object {
		return
	}
	first, end := p.Doc.Children(n)
	for c := first; c < end; c = p.Doc.After(c) {
		r.keepSorted(p, c)
	}
	for _, c := range r.argAt {
		key := shapes.KeyName(p.Doc.Key(c))
		slot := r.slotAt(p, c, key)
		r.args = append(r.args, Arg{Name: r.intern(key), Slot: slot})
		if full := len(r.shape) + len(key) + shapes.MaxSlotWord + 2; full > shapes.MaxShape {
			continue
		}
		if len(r.shape) > 0 {
			r.shape = append(r.shape, ' ')
		}
		r.shape = append(r.shape, key...)
		r.shape = append(r.shape, '=')
		switch {
		case slot == shapes.SlotWord:
			r.shape = append(r.shape, p.At(c)...)
		case slot == shapes.SlotBool:
			r.shape = append(r.shape, p.Doc.Raw(c)...)
		default:
			r.shape = append(r.shape, slot.String()...)
		}
	}
}

// keepSorted keeps c among the first MaxArgs arguments by name.
func (r *Reader) keepSorted(p *jsonpage.Page, c canon.Node) {
	key := p.Doc.Key(c)
	i := len(r.argAt)
	for i > 0 && bytes.Compare(key, p.Doc.Key(r.argAt[i-1])) < 0 {
		i--
	}
	if i == shapes.MaxArgs {
		return
	}
	if len(r.argAt) < shapes.MaxArgs {
		r.argAt = append(r.argAt, 0)
	}
	copy(r.argAt[i+1:], r.argAt[i:])
	r.argAt[i] = c
}

// slotAt returns the kind of the value c, which stands under a name.
func (r *Reader) slotAt(p *jsonpage.Page, c canon.Node, key []byte) shapes.Slot {
	switch p.Doc.Kind(c) {
	case canon.Null:
		return shapes.SlotNull
	case canon.True, canon.False:
		return shapes.SlotBool
	case canon.Number:
		if p.Doc.Integral(c) {
			return shapes.SlotInt
		}
		return shapes.SlotNumber
	case canon.Array:
		return shapes.SlotList
	case canon.Object:
		return shapes.SlotObject
	}
	if _, size := p.Doc.Measure(c); size > shapes.MaxSlotText {
		return shapes.SlotText
	}
	slot := shapes.SlotOf(p.At(c))
	switch {
	case slot == shapes.SlotWord && shapes.FreeText()[string(shapes.LastWord(r.fold8[:0], key))]:
		return shapes.SlotText
	case (slot == shapes.SlotCode || slot == shapes.SlotWord || slot == shapes.SlotText && !shapes.BlankIn(p.At(c))) && shapes.NamesID(key):
		return shapes.SlotID
	}
	return slot
}

// toolName returns the name of a tool as it is kept: one word of what names have, cut
// short.
func (r *Reader) toolName(name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		return ToolUnnamed
	}
	if len(name) > shapes.MaxName || strings.ContainsAny(name, " \t\r\n") || !shapes.Printable(name) {
		name = strings.ReplaceAll(shapes.Clip(name, shapes.MaxName), " ", "_")
	}
	if name == "" {
		return ToolUnnamed
	}
	return r.intern([]byte(name))
}
