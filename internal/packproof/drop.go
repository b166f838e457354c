package packproof

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/record"
)

// drops says which of what was dropped was not there, or is said to be something else, or
// nothing.
func (v *verifying) drops(ctx context.Context) (string, error) {
	for i := range v.p.DroppedEntries {
		problem, err := v.drop(ctx, &v.p.DroppedEntries[i])
		if err != nil {
			return "", err
		}
		if problem != "" {
			return fmt.Sprintf("dropped_entries[%d] (%s): %s", i, v.p.DroppedEntries[i].SourceID, problem), nil
		}
	}
	return "", nil
}

// drop says what is wrong with a drop, or nothing. Of what was erased since, nothing is
// known.
func (v *verifying) drop(ctx context.Context, d *hmx.DroppedEntry) (string, error) {
	var uri, of string
	for _, name := range sortedKeys(d.Extra) {
		into := map[string]*string{"uri": &uri, "of": &of}[name]
		if into == nil || json.Unmarshal([]byte(d.Extra[name]), into) != nil {
			return name + ": a drop has no such member", nil
		}
	}
	u, err := memory.ParseURI(uri)
	if err != nil || u.Tenant != v.Tenant.Name || u.ID != d.SourceID {
		return "uri: it does not name the source of this tenant", nil
	}
	if of != "" {
		o, err := memory.ParseURI(of)
		if err != nil || o.Tenant != v.Tenant.Name {
			return "of: it does not name anything of this tenant", nil
		}
		if there, gone, _, err := v.sourceThen(o.Head()); err != nil || !there && !gone {
			return "of: it was not there in the state of the pack", err
		}
	}
	if like := d.DropReason == hmx.DropDuplicate || d.DropReason == hmx.DropConflict; like != (of != "") {
		return "of: what it repeats or contradicts is named for these reasons, and for no other", nil
	}
	if at, ok := strings.CutPrefix(u.ID, "position:"); ok && d.DropReason == hmx.DropProvenance {
		if n, err := strconv.ParseUint(at, 10, 64); err == nil && n < v.size {
			return "", nil // an unreadable record
		}
	}
	return v.dropped(ctx, u, d)
}

// dropped says what is wrong with a drop of something, or nothing.
func (v *verifying) dropped(ctx context.Context, u memory.URI, d *hmx.DroppedEntry) (string, error) {
	there, gone, problem, err := v.sourceThen(u.Head())
	switch {
	case err != nil || problem != "" && d.DropReason == hmx.DropProvenance || gone && !there:
		return "", err // it is unreadable, or gone
	case problem != "":
		return problem, nil
	case !there:
		return "it was not there in the state of the pack", nil
	}
	var places []excerpt.Place
	if u.Kind == record.Event {
		id := record.ID(v.Tenant.Name, record.Event, u.ID)
		position, _, err := ledger.Find(v.Reader, v.Tenant.Number, &id)
		if err != nil {
			return "", err
		}
		rec, problem, err := v.record1(position, nil)
		if err != nil || problem != "" || rec.Event == nil {
			return problem, err
		}
		t := v.eventTruth(rec)
		end, ends := index.EndOfLife(rec.Header.Time, rec.Event)
		if problem := v.droppedFor(d, ends && end <= v.Now, false, t.texts); problem != "" {
			return problem, nil
		}
		places = t.places
	} else {
		x, problem, err := v.then(u.Kind, u.ID)
		if err != nil || problem != "" {
			return problem, err
		}
		if uint64(x.Head.Version) != u.Version || x.Head.State != catalog.Live {
			return "uri: it was not the current version in the state of the pack", nil
		}
		if problem, err := v.thingDroppedFor(d, x); err != nil || problem != "" {
			return problem, err
		}
		if places, err = v.placesOf(ctx, x); err != nil {
			return "", err
		}
	}
	if !slices.Contains(places, excerpt.Place{Section: d.Section, Source: d.SourceType}) {
		return fmt.Sprintf("section, source_type: it belongs to %s as %s", places[0].Section, places[0].Source), nil
	}
	return "", nil
}

// thingDroppedFor is droppedFor of a versioned record.
func (v *verifying) thingDroppedFor(d *hmx.DroppedEntry, x excerpt.Item) (string, error) {
	unproven, err := v.sources(x.Body, new(truth), new(EntryProof))
	if err != nil {
		return "", err
	}
	erased, err := v.DerivedFromErased(x.Body)
	if err != nil {
		return "", err
	}
	texts, err := v.textsOf(x)
	if x.Body.Facets().Pin {
		texts = nil // a rule is kept beside similar texts
	}
	hidden := v.request.Scope != "" // its sources may have been hidden
	return v.droppedFor(d, v.WhyOver(x.Head) != "", unproven != "" || erased || hidden, texts), err
}

// droppedFor returns why the stated reason of a drop is wrong, or "", as far as records
// show: whether it had expired, can be verified, or repeats an entry.
func (v *verifying) droppedFor(d *hmx.DroppedEntry, over, unproven bool, texts []string) string {
	switch {
	case over != (d.DropReason == hmx.DropDeprecated):
		return "drop_reason: whether it was over in the state of the pack is another matter"
	case d.DropReason == hmx.DropProvenance && !unproven:
		return "drop_reason: its sources verify"
	case d.DropReason == hmx.DropBudget && len(texts) == 1 && v.says(texts[0]):
		return "drop_reason: it says nearly what an entry says, and is a duplicate"
	}
	return ""
}

// says reports whether an entry has nearly the same text.
func (v *verifying) says(text string) bool {
	if v.alike == nil {
		v.alike = pack.Saying(v.said)
	}
	return v.alike(text)
}
