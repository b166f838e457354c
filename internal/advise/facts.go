package advise

import (
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/learn"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// stated fills in who stated a rule, when, and where it applies: from the event that a memory was learned
// from, if the view shows it, otherwise from its version. It reads only the rules that an answer names. The
// facts of a rule that was erased since the snapshot stay empty.
func (c *checking) stated(f *guide.RuleFacts) error {
	uri, err := memory.ParseURI(f.ID)
	if err != nil {
		return nil // it has another origin
	}
	h, ok, err := catalog.HeadOf(c.s.Reader, c.s.Tenant.Number, uri.Kind, catalog.ThingOf(c.s.Tenant.Name, uri.Kind, uri.ID))
	if err != nil || !ok {
		return err
	}
	if f.Said = milliseconds(h.Updated); h.Version != h.Content {
		f.Said = milliseconds(h.Created)
	}
	if !strings.HasPrefix(h.ID, learn.SaidKey+"-") {
		name := h.Key
		if name == "" {
			name = f.ID
		}
		f.Command = "lukasa forget " + name
	}
	body, err := c.b.core.BodyAt(c.s, h.Kind, h.Position)
	if err != nil {
		return passErased(err)
	}
	m, ok := body.(*memory.Memory)
	if !ok {
		return nil
	}
	f.Scope = guide.ScopeText(m.ValidityScope.Conditions)
	if by := learn.VoiceOf(m.Metadata); by.Speaker != "" && h.Trust == record.User {
		f.By = by.Speaker
	}
	said := int64(0)
	for _, source := range m.Sources {
		if source.Kind != record.Event {
			continue
		}
		ev, err := c.b.core.EventSeen(c.s, source.ID)
		if code := fault.CodeOf(err); code == fault.NotFound {
			continue
		}
		if err != nil {
			if err = passErased(err); err != nil {
				return err
			}
			continue
		}
		said = max(said, ev.Event.Timestamp.Time().UnixMilli())
	}
	if said != 0 {
		f.Said = said
	}
	return nil
}

// passErased returns nil for an erased or damaged record, and other errors unchanged.
func passErased(err error) error {
	if code := fault.CodeOf(err); code == fault.Erased || code == fault.Damaged {
		return nil
	}
	return err
}
