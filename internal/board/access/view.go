// Package access decides who sees what: the view of a caller, the scope tokens that narrow it, what
// a scope sees of a record, and whether a record holds for the caller.
//
// What is guaranteed:
//
//   - A scope that was not verified shows nothing. [Authority.Authorize] is the only way to a view
//     with a verified scope, besides the writer whose token was verified ([Granted]).
//   - A token is checked in each call for its tenant, its agent and its end, by the later of the
//     clock and the time of the call. Only its signature is remembered.
//   - What is private to another agent is hidden from an agent, with or without a scope.
//
// What is not: the package reads no record and keeps no state of a tenant. Whether a write is
// allowed is decided in package board, in log order, and is on record when it is refused.
package access

import (
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/scope"
)

// Timely refuses a scope that was over when the tenant's newest record was
// written, even if the clock was turned back since.
func Timely(v View, t *ledger.Tenant) error { return v.access.NotOver(time.Unix(0, t.Time).UTC()) }

// Allows reports whether the scope of a view shows a subject. A scope that
// nobody verified shows nothing.
func Allows(v View, s scope.Subject) bool {
	if v.access == nil {
		return v.Scope == ""
	}
	return v.access.Allows(&s)
}

// Of returns what the scope of a view allows, once it is verified, and nil for a view
// without a scope.
func Of(v View) *scope.Access { return v.access }

// Granted returns the view of whom a token was granted to, by what it was verified to allow.
func Granted(agent, token string, granted *scope.Access) View {
	return View{Agent: agent, Scope: token, access: granted}
}

// View says who looks, and when.
type View struct {
	// Agent is who looks. What is private to another agent is hidden. Empty
	// means an operator, who sees everything.
	Agent string
	// Now decides what has expired and what is valid. Zero means the time of
	// the tenant's newest record.
	Now time.Time
	// Scope is a token that narrows what is seen: what it does not allow is as
	// if it were not there. Agent is then whom the token was granted to, and
	// may be left out. Empty means no scope.
	Scope string
	// Conditions are what holds for who looks, such as "project: github.com/acme/shop".
	// Reads that act on records ignore those whose validity_scope asks for another value
	// of a name that is stated here. Lists, finds and searches show them all the same.
	Conditions []string

	access *scope.Access // of the scope, once it is verified
}

// NowOf returns the time at which a view judges what holds: when it says, or that of the
// tenant.
func NowOf(v View, t *ledger.Tenant) int64 {
	if v.Now.IsZero() {
		return t.Time
	}
	return index.Nanos(v.Now)
}

// Sees reports whether a thing may be shown. The view must have been looked up:
// a scope that nobody verified shows nothing.
func Sees(v View, h *catalog.Head) bool {
	if v.Agent != "" && h.Visibility == memory.VisiblePrivate && h.Actor != v.Agent {
		return false
	}
	return v.access == nil && v.Scope == "" || Allows(v, Subject(h))
}

// Hides reports whether a version that an actor wrote is private to others.
func Hides(v View, body memory.Body, actor string) bool {
	return v.Agent != "" && v.Agent != actor && body.Facets().Visibility == memory.VisiblePrivate
}

// AllowsVersion reports whether the scope shows a version: what a thing is now
// may be in scope, and what it was before not.
func AllowsVersion(v View, body memory.Body) bool {
	return v.access == nil && v.Scope == "" || Allows(v, BodySubject(body))
}

// SeesEvent reports whether a view shows an event.
func SeesEvent(v View, ev *hmx.Event) bool {
	return v.access == nil && v.Scope == "" || Allows(v, EventSubject(ev))
}
