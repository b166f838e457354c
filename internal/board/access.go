package board

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/frame"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// maxScopes is how many verified tokens a board remembers.
const maxScopes = 1024

// scopes are the tokens that were verified lately, by what they are. Only
// signatures are spared by that: whose and how late it is, is asked every time.
type scopes struct {
	mu       sync.Mutex
	verified map[[sha256.Size]byte]*scope.Access
}

// access verifies a token for a tenant, once for each call. No token is no
// scope. What is over at the later of now, if it is given, and the board's
// clock is over: an earlier now revives nothing.
func (b *Board) access(tenant, token string, now time.Time) (*scope.Access, error) {
	if token == "" {
		return nil, nil
	}
	a, err := b.verified(token, now)
	if err != nil {
		return nil, err
	}
	if a.Tenant() != tenant {
		return nil, fault.New(fault.ScopeInvalid, "scope token: it is for another tenant").
			WithFix("use it with the tenant that it was minted for")
	}
	return a, nil
}

// verified verifies a token, whatever tenant it is for.
func (b *Board) verified(token string, now time.Time) (*scope.Access, error) {
	if len(token) > scope.MaxText {
		_, err := scope.Parse(token)
		return nil, err
	}
	key, err := b.notary.ScopeKey()
	if err != nil {
		return nil, err
	}
	public := key.Public().(ed25519.PublicKey)
	clock := b.o.Clock()
	name := sha256.Sum256(append(append([]byte(nil), public...), token...))
	b.scopes.mu.Lock()
	a := b.scopes.verified[name]
	b.scopes.mu.Unlock()
	if a == nil {
		parsed, err := scope.Parse(token)
		if err != nil {
			return nil, err
		}
		if a, err = parsed.Verify(public, parsed.Grants()[0].Tenant, clock); err != nil {
			return nil, err
		}
		b.scopes.remember(name, a)
	}
	if err := a.At(clock); err != nil {
		return nil, err
	}
	if now.IsZero() {
		return a, nil
	}
	return a, a.NotOver(now)
}

// remember keeps a verified token. When there are too many, all are forgotten.
func (s *scopes) remember(name [sha256.Size]byte, a *scope.Access) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.verified) >= maxScopes || s.verified == nil {
		s.verified = make(map[[sha256.Size]byte]*scope.Access)
	}
	s.verified[name] = a
}

// wrongAgent refuses a name that is not that of the token.
func wrongAgent(field string) error {
	return fault.Newf(fault.ScopeInvalid, "scope token: %s: it was granted to another agent than the one that is named", field).
		WithFix("leave the name away: it is the token's")
}

// Authorize returns the view as it is with its scope: who looks is who the token was
// granted to.
func (b *Board) Authorize(tenant string, v View) (View, error) {
	if v.access != nil && v.access.Tenant() == tenant {
		return v, nil // by the call that this one is part of
	}
	if err := v.checkConditions(); err != nil {
		return v, err
	}
	a, err := b.access(tenant, v.Scope, v.Now)
	if err != nil || a == nil {
		return v, err
	}
	if v.Agent != "" && v.Agent != a.Agent() {
		return v, wrongAgent("agent")
	}
	v.Agent, v.access = a.Agent(), a
	return v, nil
}

// Timely refuses a scope that was over when the tenant's newest record was
// written, even if the clock was turned back since.
func Timely(v View, t *ledger.Tenant) error { return v.access.NotOver(TimeOf(t.Time)) }

// ReadAs is read for a view with its scope.
func (b *Board) ReadAs(ctx context.Context, tenant string, v View, f func(s State) error) error {
	v, err := b.Authorize(tenant, v)
	if err != nil {
		return err
	}
	return b.Read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) error {
		if err := Timely(v, t); err != nil {
			return err
		}
		return f(State{Reader: r, Tenant: t, View: v})
	})
}

// Allows reports whether the scope of a view shows a subject. A scope that
// nobody verified shows nothing.
func Allows(v View, s scope.Subject) bool {
	if v.access == nil {
		return v.Scope == ""
	}
	return v.access.Allows(&s)
}

// subjectOf returns what a scope sees of a thing.
func subjectOf(h *catalog.Head) scope.Subject {
	s := thingSubject(h.Kind, h.ID, h.Class, h.Session, h.Tags, cleanFrames(h.Frames))
	s.Pinned = h.Pin && h.Trust >= record.User
	return s
}

// subjectOfBody returns what a scope sees of a version. It is not pinned: that
// takes the trust of a record, and gives no right to write.
func subjectOfBody(body memory.Body) scope.Subject {
	id, _ := body.Identity()
	x := body.Facets()
	return thingSubject(body.Kind(), id, x.Class, x.Session, x.Tags, frameTexts(x.Frames))
}

// subjectOfEvent returns what a scope sees of an event.
func subjectOfEvent(ev *StoredEvent) scope.Subject { return EventSubject(ev.Event) }

// SubjectOfCard returns what a scope sees of a card.
func SubjectOfCard(c *frame.Card) scope.Subject {
	if c.Kind != record.Event {
		s := thingSubject(c.Kind, c.ID, c.Class, c.Session, c.Tags, cleanFrames(c.Frames))
		s.Pinned = c.Pinned
		return s
	}
	section := kind.Read(&hmx.Event{EventType: hmx.EventType(c.Class)}).Section
	return scope.Subject{
		Kind: record.Event, ID: c.ID, Type: record.Event.String(), Session: c.Session, Section: string(section),
		Tags: c.Tags, Frames: cleanFrames(c.Frames),
	}
}

// EventSubject returns what a scope sees of an event that is not read as a record.
func EventSubject(ev *hmx.Event) scope.Subject {
	x := kind.Read(ev)
	return scope.Subject{
		Kind: record.Event, ID: ev.EventID, Type: record.Event.String(), Session: ev.SessionID, Section: string(x.Section),
		Tags: ev.Tags, Frames: frameTexts(x.Frames),
	}
}

func thingSubject(k record.Kind, id, class, session string, tags, frames []string) scope.Subject {
	return scope.Subject{
		Kind: k, ID: id, Type: scope.TypeOf(k, class), Session: session, Section: string(scope.SectionOf(k, class)),
		Tags: tags, Frames: frames,
	}
}

// frameTexts returns frames as a scope sees them.
func frameTexts(frames []memory.Frame) []string {
	if len(frames) == 0 {
		return nil
	}
	texts := make([]string, 0, len(frames))
	for _, f := range frames {
		if f.Ref = kind.CleanRef(f.Kind, f.Ref); f.Ref != "" {
			texts = append(texts, f.String())
		}
	}
	return texts
}

// cleanFrames is frameTexts for frames that are texts already.
func cleanFrames(frames []string) []string {
	if len(frames) == 0 {
		return nil
	}
	texts := make([]string, 0, len(frames))
	for _, text := range frames {
		head, ref, _ := strings.Cut(text, "=")
		_, object, _ := strings.Cut(head, ":")
		if ref = kind.CleanRef(memory.ObjectKind(object), ref); ref != "" {
			texts = append(texts, head+"="+ref)
		}
	}
	return texts
}

// AccessOf returns what the scope of a view allows, once it is verified, and nil for a view
// without a scope.
func AccessOf(v View) *scope.Access { return v.access }

// CheckAgent judges the name of the agent that looks, if there is one.
func CheckAgent(v View) error {
	if v.Agent == "" {
		return nil
	}
	return CheckName("agent", v.Agent)
}

// CheckName judges a name by the rules of ids. Its error begins with the field, and says
// what mends it.
func CheckName(field, name string) error {
	err := memory.CheckID(field, name)
	if e, ok := errors.AsType[*memory.InvalidError](err); ok && len(e.Problems) > 0 {
		return fault.Newf(fault.InvalidArgument, "%s: it %s", field, e.Problems[0].Rule).WithCause(err).WithFix(e.Problems[0].Fix)
	}
	return err
}
