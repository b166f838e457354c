package hmx

import (
	"math"
	"strconv"
	"strings"

	"lukasa.dev/internal/canon"
)

var packSpec = spec{
	kind: KindPack, shape: packShape, maxBytes: MaxPackBytes,
	sizeRule: "HMX-C/12", rootRule: "HMX-C/2", more: checkPack,
}

// Indexes of the fields in packShape.Fields that the rules below use.
var (
	pVersion  = packShape.Index("hmx_version")
	pEntries  = packShape.Index("entries")
	pBudget   = packShape.Index("token_budget")
	pAssembly = packShape.Index("assembly_metadata")
	pDropped  = packShape.Index("dropped_entries")
)

// checkPack applies the rules of HMX-C that a JSON Schema cannot express: sums, counts that
// must agree with lists, and order. Each applies only if the fields it compares are well
// formed; otherwise that is the problem, and it has been reported.
func checkPack(d *decoder) {
	d.warnVersion(pVersion, "HMX-C/2.1")
	d.checkBudget()
	d.checkCounts()
	d.checkOrder()
}

// figure is an integer of the document, if it is present and valid.
type figure struct {
	at    canon.Node
	value int64
	ok    bool
}

// figure returns the integer called name in the object in slot i.
func (d *decoder) figure(i int, name string) figure {
	if !d.has(i) {
		return figure{}
	}
	return d.figureOf(d.slots[i], name)
}

func (d *decoder) figureOf(object canon.Node, name string) figure {
	n := d.doc.Member(object, name)
	if n == canon.None || d.doc.Kind(n) != canon.Number {
		return figure{}
	}
	v, ok := d.doc.Int(n)
	return figure{n, v, ok && v >= 0}
}

// length counts the items of the list in slot i.
func (d *decoder) length(i int) (n int64, ok bool) {
	if !d.has(i) || d.doc.Kind(d.slots[i]) != canon.Array {
		return 0, false
	}
	return int64(d.doc.Len(d.slots[i])), true
}

// checkBudget applies HMX-C section 4: the hard limit, and consistent figures.
func (d *decoder) checkBudget() {
	total, used, left := d.figure(pBudget, "total_budget"), d.figure(pBudget, "used"), d.figure(pBudget, "remaining")
	switch {
	case !total.ok || !used.ok:
	case used.value > total.value:
		d.check.At(used.at, "HMX-C/4.1", strconv.FormatInt(used.value, 10)+" tokens", "at most total_budget, "+strconv.FormatInt(total.value, 10))
	case d.sum() > uint64(total.value):
		d.check.At(total.at, "HMX-C/4.1", strconv.FormatInt(total.value, 10), "at least the tokens of all entries together, "+strconv.FormatUint(d.sum(), 10))
	case left.ok && left.value != total.value-used.value:
		d.check.At(left.at, "HMX-C/4", strconv.FormatInt(left.value, 10), "total_budget - used, "+strconv.FormatInt(total.value-used.value, 10))
	}
}

// sum adds up the tokens of the entries that are numbers. Five hundred figures of 63 bits could
// overflow; the sum stops there, which is just as wrong.
func (d *decoder) sum() (total uint64) {
	if _, ok := d.length(pEntries); !ok {
		return 0
	}
	first, end := d.doc.Children(d.slots[pEntries])
	for e := first; e < end; e = d.doc.After(e) {
		if f := d.figureOf(e, "token_estimate"); f.ok {
			if total += uint64(f.value); total > math.MaxInt64 {
				return total
			}
		}
	}
	return total
}

// checkCounts compares the counts with the lists. dropped_count may exceed the list, which is
// cut at a hundred.
func (d *decoder) checkCounts() {
	if entries, ok := d.length(pEntries); ok {
		if f := d.figure(pAssembly, "included_count"); f.ok && f.value != entries {
			d.check.At(f.at, "HMX-C/5", strconv.FormatInt(f.value, 10), "the number of entries, "+strconv.FormatInt(entries, 10))
		}
		dropped := d.figure(pBudget, "dropped_count")
		if f := d.figure(pAssembly, "candidate_count"); f.ok && (f.value < entries || dropped.ok && f.value-entries < dropped.value) {
			d.check.At(f.at, "HMX-C/5", strconv.FormatInt(f.value, 10), "at least the number of entries and of those dropped, "+
				strconv.FormatInt(entries, 10)+" and "+strconv.FormatInt(dropped.value, 10))
		}
	}
	if dropped, ok := d.length(pDropped); ok {
		if f := d.figure(pBudget, "dropped_count"); f.ok && f.value < dropped {
			d.check.At(f.at, "HMX-C/8", strconv.FormatInt(f.value, 10), "at least the number of dropped_entries, "+strconv.FormatInt(dropped, 10))
		}
	}
}

// entryKey is the sort key of an entry within a section.
type entryKey struct {
	score  float64
	tokens int64
	source string
}

func (a entryKey) before(b entryKey) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	if a.tokens != b.tokens {
		return a.tokens < b.tokens
	}
	return strings.Compare(a.source, b.source) <= 0
}

// checkOrder applies HMX-C section 3.3. Order within a section is a rule; the order of the
// sections is a warning, since the document's own example breaks it.
func (d *decoder) checkOrder() {
	if _, ok := d.length(pEntries); !ok {
		return
	}
	last := map[Section]entryKey{}
	priority, warned := 0, false
	first, end := d.doc.Children(d.slots[pEntries])
	for e := first; e < end; e = d.doc.After(e) {
		at := d.doc.Member(e, "section")
		if at == canon.None || d.doc.Kind(at) != canon.String {
			continue
		}
		section := Section(d.doc.Text(at))
		switch p := section.Priority(); {
		case p < 0:
			continue // reported already
		case p >= priority:
			priority = p
		case !warned:
			warned = true
			d.warnAt(at, "HMX-C/3.3", string(section)+" after "+string(Sections()[priority]), "sections by priority: "+strings.Join(names(Sections()), " > "))
		}
		key, ok := d.entryKey(e)
		if !ok {
			continue
		}
		if before, seen := last[section]; seen && !before.before(key) {
			d.check.At(e, "HMX-C/3.3", "an entry that belongs before the one above it in "+string(section),
				"relevance_score descending, then token_estimate ascending, then source_id ascending")
		}
		last[section] = key
	}
}

// entryKey returns the sort key of entry e, if it is complete.
func (d *decoder) entryKey(e canon.Node) (key entryKey, ok bool) {
	score, source := d.doc.Member(e, "relevance_score"), d.doc.Member(e, "source_id")
	tokens := d.figureOf(e, "token_estimate")
	if score == canon.None || d.doc.Kind(score) != canon.Number || source == canon.None || d.doc.Kind(source) != canon.String || !tokens.ok {
		return entryKey{}, false
	}
	return entryKey{d.doc.Float(score), tokens.value, d.doc.Text(source)}, true
}
