package operation

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// Time returns the current time.
func (c *Call) Time() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// AgentOf returns the agent whose view the caller gets: an agent always gets its own; other
// callers get that of the named agent, or without a name that of the tenant, which sees all of
// its records. A scope names its agent itself.
func (c *Call) AgentOf(named string) (string, error) {
	if named != "" {
		if err := memory.CheckID("agent_id", named); err != nil {
			return "", err
		}
	}
	if c.Who.Role == auth.Agent {
		if named != "" && named != c.Who.Agent {
			return "", fault.Newf(fault.NotPermitted, "agent_id: this credential speaks only for %s", Quoted(c.Who.Agent)).
				WithFix("leave it out, or use a credential of the tenant")
		}
		return c.Who.Agent, nil
	}
	return named, nil
}

// View returns the view of the caller at the given time, or at the current time.
func (c *Call) View(now hmx.Time) (lukasa.View, error) {
	v, err := c.HeadView("", now)
	if now.IsZero() {
		v.Now = c.Time()
	}
	return v, err
}

// HeadView is view for reads that use the time of the newest record unless the request sets
// one, so that the same state gives the same answer.
func (c *Call) HeadView(agent string, now hmx.Time) (lukasa.View, error) {
	agent, err := c.AgentOf(agent)
	v := lukasa.View{Agent: agent}
	if !now.IsZero() {
		v.Now = now.Time()
	}
	return v, err
}

// URIScheme is the prefix of every URI.
const URIScheme = "lukasa://"

// Ref returns the reference for a key or a URI, with the version that it or the caller names.
func (c *Call) Ref(name string, version uint32) (lukasa.Ref, error) {
	if !strings.HasPrefix(name, URIScheme) {
		return lukasa.Ref{Kind: lukasa.MemoryKind, Key: name, Version: version}, nil
	}
	u, err := lukasa.ParseURI(name)
	if err != nil {
		return lukasa.Ref{}, err
	}
	if u.Tenant != c.Who.Tenant {
		return lukasa.Ref{}, fault.Newf(fault.InvalidArgument, "uri: %s belongs to another tenant than %q", u, c.Who.Tenant).
			WithFix("name a record of this tenant, or use a credential of the other")
	}
	if u.Version > math.MaxUint32 {
		return lukasa.Ref{}, fault.Newf(fault.NotFound, "%s has no version %d", u.Head(), u.Version)
	}
	if version != 0 && u.Version != 0 && u.Version != uint64(version) {
		return lukasa.Ref{}, fault.Newf(fault.InvalidArgument, "version: the URI names %d, and %d is given", u.Version, version).WithFix("say it once")
	}
	return lukasa.Ref{Tenant: u.Tenant, Kind: u.Kind, ID: u.ID, Version: max(version, uint32(u.Version))}, nil
}

// ThingRef is ref for versioned records. not says what an event cannot be.
func (c *Call) ThingRef(name string, version uint32, not string) (lukasa.Ref, error) {
	ref, err := c.Ref(name, version)
	if err == nil && ref.Kind == lukasa.EventKind {
		err = fault.Newf(fault.InvalidArgument, "name: an event never changes, so it cannot be %s", not).WithFix("resolve shows it, redact erases it for good")
	}
	return ref, err
}

// Expect returns the version that a write expects of ref: the one in the request, the one in
// the headers, or any.
func (c *Call) Expect(ctx context.Context, t *lukasa.Tenant, ref lukasa.Ref, version *uint32) (lukasa.Expect, error) {
	given := c.IfMatch
	if c.IfAbsent {
		given = "0"
	}
	if version != nil {
		text := strconv.FormatUint(uint64(*version), 10)
		if given != "" && given != text {
			return lukasa.Expect{}, fault.New(fault.InvalidArgument, "if_version: a header names another version").WithFix("say it once")
		}
		given = text
	}
	switch given {
	case "":
		return lukasa.AnyVersion(), nil
	case "*":
		v, err := c.HeadView("", hmx.Time{})
		if err != nil {
			return lukasa.Expect{}, err
		}
		thing, err := t.Get(ctx, ref, v)
		if err != nil {
			if lukasa.CodeOf(err) == string(fault.NotFound) {
				err = fault.New(fault.VersionConflict, "the write expects a version, and there is none yet").WithCause(err)
			}
			return lukasa.Expect{}, err
		}
		return lukasa.Version(thing.Version), nil
	}
	n, err := strconv.ParseUint(given, 10, 32)
	if err != nil {
		return lukasa.Expect{}, fault.Newf(fault.VersionConflict, "%s is not a possible version", Quoted(given)).
			WithFix("give the ETag of an earlier answer, unchanged")
	}
	return lukasa.Version(uint32(n)), nil
}

// Wrote returns the answer to a write.
func (c *Call) Wrote(ctx context.Context, t *lukasa.Tenant, put *lukasa.PutResult) (*answer.Write, error) {
	root, err := t.Root(context.WithoutCancel(ctx)) // the write is done, so ignore cancellation
	if err != nil {
		return nil, err
	}
	a := answer.WriteOf(put, root)
	return &a, nil
}

// Version returns the version of the record that an answer is about, for an ETag; zero if there
// is none.
func Version(out any) uint64 {
	switch a := out.(type) {
	case *answer.Write:
		return a.Version
	case *answer.Thing:
		return uint64(a.Version)
	case *answer.Conflict:
		return uint64(a.Version)
	case *answer.Decided:
		return a.Version
	}
	return 0
}

// Counted returns a function that reports the progress of a long operation, or nil.
func (c *Call) Counted(what string) func(done, total uint64) {
	if c.Progress == nil {
		return nil
	}
	return func(done, total uint64) { c.Progress(done, total, what) }
}
