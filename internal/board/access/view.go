// Package access decides visibility: the view of a caller, the scope tokens that narrow it, what a
// scope sees of a record, and whether a record applies to the caller.
//
// What is guaranteed:
//
//   - An unverified scope shows nothing. Only [Authority.Authorize] returns a view with a verified
//     scope, besides that of a writer whose token was verified ([Granted]).
//   - Each call checks the tenant, the agent and the end of its token, by the later of the clock
//     and the time of the call. Only the signature is cached.
//   - What is private to another agent is hidden from an agent, with or without a scope.
//
// What is not: the package reads no record and keeps no state of a tenant. Package board decides in
// log order whether a write is allowed, and records a refusal.
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

// Timely refuses a scope that had ended when the tenant's newest record was written, even if the
// clock was turned back since.
func Timely(v View, t *ledger.Tenant) error { return v.access.NotOver(time.Unix(0, t.Time).UTC()) }

// Allows reports whether the scope of a view shows a subject. An unverified scope shows nothing.
func Allows(v View, s scope.Subject) bool {
	if v.access == nil {
		return v.Scope == ""
	}
	return v.access.Allows(&s)
}

// Of returns what the verified scope of a view allows, or nil for a view without a scope.
func Of(v View) *scope.Access { return v.access }

// Granted returns the view of the holder of a token that was verified.
func Granted(agent, token string, granted *scope.Access) View {
	return View{Agent: agent, Scope: token, access: granted}
}

// View says who reads, and when.
type View struct {
	// Agent is the reader. What is private to another agent is hidden. Empty means an operator, who
	// sees everything.
	Agent string
	// Now decides what has expired and what is valid. Zero means the later of the time of the
	// tenant's newest record and the newest time that the clock has passed at which something
	// expires, or becomes valid or invalid. So answers stay the same until something changes.
	Now time.Time
	// Scope is a token that narrows what is visible: what it does not allow does not exist for the
	// reader. Agent is then the holder of the token, and may be left out. Empty means no scope.
	Scope string
	// Conditions are the conditions of the request, such as "project: github.com/acme/shop". Reads
	// that act on records ignore records whose validity_scope requires another value of a name that
	// is stated here. Lists, finds and searches still show them.
	Conditions []string

	access *scope.Access // of the scope, once verified
	passed int64         // see Passed
}

// Passed returns the view of a reader for whom the clock has passed a time, in nanoseconds, at
// which something expires or its validity changes. It counts if the view has no time of its own.
func Passed(v View, at int64) View {
	v.passed = at
	return v
}

// NowOf returns the time by which a view judges validity: its own, or the later of the tenant's
// time and the one that the clock has passed.
func NowOf(v View, t *ledger.Tenant) int64 {
	if v.Now.IsZero() {
		return max(t.Time, v.passed)
	}
	return index.Nanos(v.Now)
}

// Sees reports whether a versioned record may be shown. The view must be authorized: an unverified
// scope shows nothing.
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

// AllowsVersion reports whether the scope shows a version: the current version of a record may be
// in scope and an earlier one not.
func AllowsVersion(v View, body memory.Body) bool {
	return v.access == nil && v.Scope == "" || Allows(v, BodySubject(body))
}

// SeesEvent reports whether a view shows an event.
func SeesEvent(v View, ev *hmx.Event) bool {
	return v.access == nil && v.Scope == "" || Allows(v, EventSubject(ev))
}
