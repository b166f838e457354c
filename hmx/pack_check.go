package hmx

import (
	"strconv"
	"strings"

	"lukasa.dev/internal/canon"
)

var packSpec = spec{
	kind: KindPack, shape: packShape, maxBytes: MaxPackBytes,
	sizeRule: "HMX-C/12", rootRule: "HMX-C/2", more: checkPack,
}

// Places of the fields in packShape.Fields that the rules below look at.
var (
	pVersion  = packShape.Index("hmx_version")
	pEntries  = packShape.Index("entries")
	pBudget   = packShape.Index("token_budget")
	pAssembly = packShape.Index("assembly_metadata")
	pDropped  = packShape.Index("dropped_entries")
)

// checkPack applies the rules of HMX-C that a JSON Schema cannot say: sums,
// counts that must agree with lists, and order. They are looked at only when the
// fields they compare are well formed; otherwise that is the problem to mend.
func checkPack(d *decoder) {
	d.warnVersion(pVersion, "HMX-C/2.1")
	if len(d.check.Problems) > 0 && hasErrors(d) {
		return
	}
	d.checkBudget(d.slots[pBudget])
	d.checkCounts()
	d.checkOrder(d.slots[pEntries])
}

func hasErrors(d *decoder) bool {
	for _, p := range d.check.Problems {
		if !p.Warning {
			return true
		}
	}
	return false
}

// number returns the integer called name in object n.
func (d *decoder) number(n canon.Node, name string) (canon.Node, int64) {
	m := d.doc.Member(n, name)
	v, _ := d.doc.Int(m)
	return m, v
}

// checkBudget applies HMX-C section 4: the hard limit, and figures that agree.
func (d *decoder) checkBudget(budget canon.Node) {
	_, total := d.number(budget, "total_budget")
	usedAt, used := d.number(budget, "used")
	leftAt, left := d.number(budget, "remaining")
	if used > total {
		d.check.At(usedAt, "HMX-C/4.1", strconv.FormatInt(used, 10)+" tokens", "at most total_budget, "+strconv.FormatInt(total, 10))
		return
	}
	if left != total-used {
		d.check.At(leftAt, "HMX-C/4", strconv.FormatInt(left, 10), "total_budget - used, "+strconv.FormatInt(total-used, 10))
	}
}

// checkCounts holds the counts against the lists. dropped_count may exceed the
// list, which is cut at a hundred.
func (d *decoder) checkCounts() {
	entries := int64(d.doc.Len(d.slots[pEntries]))
	at, included := d.number(d.slots[pAssembly], "included_count")
	if included != entries {
		d.check.At(at, "HMX-C/5", strconv.FormatInt(included, 10), "the number of entries, "+strconv.FormatInt(entries, 10))
	}
	if at, candidates := d.number(d.slots[pAssembly], "candidate_count"); candidates < entries {
		d.check.At(at, "HMX-C/5", strconv.FormatInt(candidates, 10), "at least the number of entries, "+strconv.FormatInt(entries, 10))
	}
	if !d.has(pDropped) {
		return
	}
	dropped := int64(d.doc.Len(d.slots[pDropped]))
	if at, stated := d.number(d.slots[pBudget], "dropped_count"); stated < dropped {
		d.check.At(at, "HMX-C/8", strconv.FormatInt(stated, 10), "at least the number of dropped_entries, "+strconv.FormatInt(dropped, 10))
	}
}

// entryKey is what entries of a section are ordered by.
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

// checkOrder applies HMX-C section 3.3. Order within a section is a rule; order
// of the sections is a warning, since the document's own example breaks it.
func (d *decoder) checkOrder(entries canon.Node) {
	last := map[Section]entryKey{}
	priority, warned := 0, false
	for e := d.doc.First(entries); e != canon.None; e = d.doc.Next(entries, e) {
		at := d.doc.Member(e, "section")
		section := Section(d.doc.Text(at))
		if p := section.Priority(); p >= priority {
			priority = p
		} else if !warned {
			warned = true
			d.warnAt(at, "HMX-C/3.3", string(section)+" after "+string(Sections()[priority]), "sections by priority: "+strings.Join(names(Sections()), " > "))
		}
		_, tokens := d.number(e, "token_estimate")
		key := entryKey{d.doc.Float(d.doc.Member(e, "relevance_score")), tokens, d.doc.Text(d.doc.Member(e, "source_id"))}
		if before, seen := last[section]; seen && !before.before(key) {
			d.check.At(e, "HMX-C/3.3", "an entry that belongs before the one above it in "+string(section),
				"relevance_score descending, then token_estimate ascending, then source_id ascending")
		}
		last[section] = key
	}
}
