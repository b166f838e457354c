package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/operation"
)

// lookOperations read memories and their history, and end them.
func lookOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "recall", Group: operation.GroupMemories, Short: "Show what is remembered under a key, now or at a version.",
			Method: "GET", Path: "/v1/memories/{key...}", Command: "recall", Tool: &operation.Tool{
				Default: true, Idempotent: true, Run: telling(tellRecall),
				Doc: "Show one memory or event in full, by its key or by the #number that another tool gave.",
			},
			Needs: reads,
		}, runRecall),
		operation.Define(operation.Operation{
			Name: "list_memories", Group: operation.GroupMemories, Short: "List memories, newest first.",
			Method: "GET", Path: "/v1/memories", Command: "list", Tool: &operation.Tool{Idempotent: true},
			Needs: reads,
		}, runListMemories),
		operation.Define(operation.Operation{
			Name: "list_tags", Group: operation.GroupMemories, Short: "List the tags of memories, with how many have each.",
			Long:   "It reads the newest 10,000 memories.",
			Method: "GET", Path: "/v1/tags", Without: "on the command line, list and find show tags", Tool: &operation.Tool{Idempotent: true},
			Needs: reads,
		}, runListTags),
		operation.Define(operation.Operation{
			Name: "memory_history", Group: operation.GroupMemories, Short: "Show the versions of a memory, oldest first.",
			Method: "GET", Path: "/v1/history", Command: "history", Tool: &operation.Tool{Idempotent: true},
			Needs: reads,
		}, runHistory),
		operation.Define(operation.Operation{
			Name: "restore_memory", Group: operation.GroupMemories, Short: "Bring back what is forgotten, or an earlier version.",
			Method: "POST", Path: "/v1/restore", Command: "restore", Tool: &operation.Tool{},
			Needs: writes, Wrote: true,
		}, runRestore),
		operation.Define(operation.Operation{
			Name: "forget", Group: operation.GroupMemories, Short: "Put a tombstone on a memory; its history stays.",
			Method: "POST", Path: "/v1/forget", Command: "forget", Tool: &operation.Tool{
				Default: true, Hooks: true, Destructive: true, Idempotent: true, Run: telling(tellForget),
				Doc: "Forget a memory that is wrong or no longer wanted. Its history stays.",
			},
			Needs: writes, Wrote: true,
		}, runForget),
		operation.Define(operation.Operation{
			Name: "delete_memory", Group: operation.GroupMemories, Short: "Forget the memory under the key in the path.",
			Method: "DELETE", Path: "/v1/memories/{key...}", Command: "forget", Without: "over MCP it is forget",
			Needs: writes, Wrote: true,
		}, runDeleteMemory),
		operation.Define(operation.Operation{
			Name: "redact_memory", Group: operation.GroupMemories, Short: "Erase memories and events for good, with their history; needs the right admin.",
			Long:   "The answer has signed receipts. With purge the files of the index are rewritten too, which takes a while.",
			Method: "POST", Path: "/v1/redact", Command: "redact", Tool: &operation.Tool{Destructive: true, Idempotent: true},
			Needs: writes | auth.Admin, Wrote: true, Unscoped: true,
		}, runRedact),
		operation.Define(operation.Operation{
			Name: "feedback", Group: operation.GroupMemories, Short: "Report the outcome of a task and which records it used, so that later answers are better.",
			Method: "POST", Path: "/v1/feedback", Command: "feedback", Tool: &operation.Tool{
				Default: true, Hooks: true, Run: telling(tellFeedback),
				Doc: "After a task: say how it went and which memories it drew on. They rank higher or lower from then on.",
			},
			Needs: writes, Wrote: true,
		}, runFeedback),
		operation.Define(operation.Operation{
			Name: "list_feedback", Group: operation.GroupMemories, Short: "List feedback about tasks, newest first.",
			Method: "GET", Path: "/v1/feedback", Command: "list", Without: "an agent has no use for it",
			Needs: reads,
		}, func(ctx context.Context, c *operation.Call, in *listIn) (*answer.Feedback, error) {
			list, next, err := listThings(ctx, c, lukasa.FeedbackKind, in)
			return &answer.Feedback{Feedback: list, Next: next}, err
		}),
		operation.Define(operation.Operation{
			Name: "resolve", Group: operation.GroupMemories, Short: "Show what a URI or a key names: an event, or a record of any kind.",
			Long:   "The answer is a versioned record or an event; its kind says which.",
			Method: "GET", Path: "/v1/resolve", Command: "resolve", Tool: &operation.Tool{Idempotent: true},
			Needs: reads,
		}, runResolve),
	}
}

// recallIn names a memory.
type recallIn struct {
	Key     string      `path:"key" doc:"a key such as release/cadence" told:"such as release/cadence or #4711"`
	Version uint32      `query:"version" doc:"an earlier version"`
	Form    lukasa.Form `query:"form" doc:"also as a short, medium or full text"`
	Now     hmx.Time    `query:"now"`
}

func runRecall(ctx context.Context, c *operation.Call, in *recallIn) (*answer.Thing, error) {
	v, err := c.View(in.Now)
	if err != nil {
		return nil, err
	}
	ref, err := c.Ref(in.Key, in.Version)
	if err == nil && ref.Kind == lukasa.EventKind {
		err = fault.New(fault.InvalidArgument, "key: an event is not a memory").WithFix("resolve shows what any URI names")
	}
	if err != nil {
		return nil, err
	}
	thing, err := c.Tenant().Get(ctx, ref, v)
	if err != nil {
		return nil, err
	}
	if thing.State != lukasa.Live {
		return nil, gone(thing)
	}
	a, err := answer.ThingOf(thing)
	if err != nil || in.Form == "" {
		return &a, err
	}
	m, ok := thing.Body.(*lukasa.Memory)
	if !ok {
		return nil, fault.Newf(fault.InvalidArgument, "form: only memories have forms, and this is of kind %s", thing.URI.Kind).WithFix("leave it out")
	}
	a.Form, a.Rendered = in.Form, m.Render(in.Form)
	return &a, nil
}

// gone is the error for a record that has ended but has a history.
func gone(t *lukasa.Thing) error {
	name, verb, when, why := t.URI.Head().String(), "was ", t.Updated, ""
	if _, key := t.Body.Identity(); key != "" {
		name = key + ", " + name + ","
	}
	if t.State == lukasa.Ended {
		verb = ""
		if !t.Expires.IsZero() {
			when = t.Expires
		}
	}
	if t.Note != "" {
		why = ": " + t.Note
	}
	return fault.Newf(fault.NotFound, "%s %s%s at %s%s", name, verb, t.State, when.UTC().Format(time.RFC3339), why).
		WithFix("restore " + t.URI.Head().String() + " brings it back, history shows what it was")
}

// listIn selects the records to list.
type listIn struct {
	Type   string       `query:"type" doc:"of this type"`
	Tag    string       `query:"tag" doc:"with this tag"`
	Status string       `query:"status" doc:"of a goal; a constraint's strength; an outcome"`
	State  lukasa.State `query:"state" usual:"\"live\""`
	pageIn
	Now hmx.Time `query:"now"`
}

// listThings returns a page of the records of a kind.
func listThings(ctx context.Context, c *operation.Call, kind lukasa.Kind, in *listIn) ([]answer.Thing, *string, error) {
	v, err := c.View(in.Now)
	if err != nil {
		return nil, nil, err
	}
	t := c.Tenant()
	list, next, err := gather(in.Limit, thingsPart, in.After, func(limit int, after string) ([]answer.Thing, string, error) {
		page, err := t.List(ctx, lukasa.ListOptions{
			Kind: kind, Class: in.Type, Tag: in.Tag, Status: in.Status, State: in.State, Limit: limit, After: after, View: v,
		})
		if err != nil {
			return nil, "", err
		}
		list, err := answer.ThingsOf(page.Things)
		return list, page.Next, err
	}, func(t *answer.Thing) int { return len(t.Body) })
	return list, answer.NextPage(next), err
}

func runListMemories(ctx context.Context, c *operation.Call, in *listIn) (*answer.Memories, error) {
	list, next, err := listThings(ctx, c, lukasa.MemoryKind, in)
	return &answer.Memories{Memories: list, Next: next}, err
}

// mostTagged limits how many memories are read for their tags.
const mostTagged = 10_000

func runListTags(ctx context.Context, c *operation.Call, in *pageIn) (*answer.Tags, error) {
	v, err := c.View(hmx.Time{})
	if err != nil {
		return nil, err
	}
	counts, seen := map[string]int{}, 0
	o := lukasa.ListOptions{Kind: lukasa.MemoryKind, Limit: 1000, View: v}
	for t := c.Tenant(); seen < mostTagged; {
		found, err := t.List(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, x := range found.Things {
			for _, tag := range x.Body.Facets().Tags {
				counts[tag]++
			}
		}
		seen += len(found.Things)
		if o.After = found.Next; o.After == "" {
			break
		}
	}
	tags, next, err := page(slices.Sorted(maps.Keys(counts)), in, func(tag string) string { return tag })
	if err != nil {
		return nil, err
	}
	out := &answer.Tags{Tags: make([]answer.Tag, len(tags)), Next: next}
	for i, tag := range tags {
		out.Tags[i] = answer.Tag{Tag: tag, Memories: counts[tag]}
	}
	return out, nil
}

// nameIn names a memory or another record.
type nameIn struct {
	Name string `query:"name,required" also:"key" doc:"key or URI"`
}

// historyIn names the record whose versions are wanted.
type historyIn struct {
	nameIn
	pageIn
}

func runHistory(ctx context.Context, c *operation.Call, in *historyIn) (*answer.History, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	name, err := namedBy(ctx, c, in.Name)
	if err != nil {
		return nil, err
	}
	ref, err := c.ThingRef(name, 0, "listed by its versions")
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	out := &answer.History{}
	list, next, err := gather(in.Limit, thingsPart, in.After, func(limit int, after string) ([]answer.Change, string, error) {
		page, err := t.Versions(ctx, lukasa.VersionsOptions{Ref: ref, Limit: limit, After: after, View: v})
		if err != nil {
			return nil, "", err
		}
		part, err := answer.HistoryOf(page.URI, page.Changes)
		if err != nil {
			return nil, "", err
		}
		out.URI = part.URI
		return part.Versions, page.Next, nil
	}, func(ch *answer.Change) int { return len(ch.Body) })
	out.Versions, out.Next = list, answer.NextPage(next)
	return out, err
}

// restoreIn names the record to restore.
type restoreIn struct {
	Name      string  `json:"name" also:"key" doc:"key or URI"`
	Version   uint32  `json:"version,omitempty" doc:"an earlier version; default the last content"`
	IfVersion *uint32 `json:"if_version,omitempty" doc:"only if this is the current version"`
}

func runRestore(ctx context.Context, c *operation.Call, in *restoreIn) (*answer.Write, error) {
	ref, err := c.ThingRef(in.Name, in.Version, "restored")
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	head := ref
	head.Version = 0
	expect, err := c.Expect(ctx, t, head, in.IfVersion)
	if err != nil {
		return nil, err
	}
	if c.Who.Scope == "" { // a scope cannot expire records
		if err := settle(ctx, c, t, head); err != nil {
			return nil, err
		}
	}
	put, err := t.Restore(ctx, ref, expect)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

// settle journals the end of an expired record if that is not recorded yet, so that it can
// start again.
func settle(ctx context.Context, c *operation.Call, t *lukasa.Tenant, ref lukasa.Ref) error {
	v, err := c.View(hmx.Time{})
	if err != nil {
		return err
	}
	now := v.Now
	thing, err := t.Get(ctx, ref, v)
	if err != nil || thing.State != lukasa.Ended || thing.Expires.IsZero() || thing.Expires.After(now) {
		return err
	}
	_, err = t.Expire(ctx, now)
	return err
}

// forgetIn names what to forget.
type forgetIn struct {
	Name      string  `json:"name" also:"key" doc:"key or URI" told:"key or #number"`
	Reason    string  `json:"reason,omitempty" doc:"later reads return it" told:"why"`
	IfVersion *uint32 `json:"if_version,omitempty"`
}

func runForget(ctx context.Context, c *operation.Call, in *forgetIn) (*answer.Write, error) {
	name, err := namedBy(ctx, c, in.Name)
	if err != nil {
		return nil, err
	}
	ref, err := c.ThingRef(name, 0, "forgotten")
	if err != nil {
		return nil, err
	}
	// The URI in the answer to a write has the version that the client saw.
	saw, version := ref.Version, in.IfVersion
	if ref.Version = 0; saw != 0 {
		if version != nil && *version != saw {
			return nil, fault.Newf(fault.InvalidArgument, "if_version: the URI names version %d", saw).WithFix("say it once")
		}
		version = &saw
	}
	t := c.Tenant()
	expect, err := c.Expect(ctx, t, ref, version)
	if err != nil {
		return nil, err
	}
	put, err := t.Forget(ctx, ref, in.Reason, expect)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

// deleteIn names a memory by its path.
type deleteIn struct {
	Key    string `path:"key"`
	Reason string `query:"reason" doc:"later reads return it"`
}

func runDeleteMemory(ctx context.Context, c *operation.Call, in *deleteIn) (*answer.Write, error) {
	return runForget(ctx, c, &forgetIn{Name: in.Key, Reason: in.Reason})
}

// redactIn names what to erase.
type redactIn struct {
	Names []string `json:"names" also:"keys" doc:"keys or URIs"`
	Purge bool     `json:"purge,omitempty" doc:"also rewrite the files of the index"`
}

func runRedact(ctx context.Context, c *operation.Call, in *redactIn) (*answer.Redacted, error) {
	if len(in.Names) == 0 {
		return nil, fault.New(fault.InvalidArgument, "names: there are none").WithFix("name the records to erase")
	}
	t := c.Tenant()
	targets, uris := make([]answer.Redaction, len(in.Names)), make([]lukasa.URI, len(in.Names))
	for i, name := range in.Names {
		var err error
		if targets[i], err = redaction(ctx, c, t, name); err != nil {
			return nil, err
		}
		uris[i] = targets[i].URI
	}
	done, err := t.Redact(ctx, uris...)
	if err != nil {
		return nil, err
	}
	// The erasure is done; report the rest even if the caller is gone.
	ctx = context.WithoutCancel(ctx)
	a := answer.RedactedOf(targets, done)
	if done.Unsigned != nil {
		return nil, fmt.Errorf("it is erased, but no receipt could be signed: %w", done.Unsigned)
	}
	if in.Purge {
		if err := c.Board.Purge(ctx); err != nil {
			return nil, fmt.Errorf("it is erased from the journal, but the index could not be rewritten: %w", err)
		}
		a.Purged = true
	}
	root, err := t.Root(ctx)
	if err != nil {
		return nil, err
	}
	a.Size, a.Root = root.Size, answer.StateOf(root).Root
	return a, nil
}

// redaction reads one target of an erasure. A damaged record that cannot be read may still be
// erased.
func redaction(ctx context.Context, c *operation.Call, t *lukasa.Tenant, name string) (answer.Redaction, error) {
	name, err := namedBy(ctx, c, name)
	if err != nil {
		return answer.Redaction{}, err
	}
	ref, err := c.Ref(name, 0)
	if err != nil {
		return answer.Redaction{}, err
	}
	saw := ref.Version
	ref.Version = 0
	target := answer.Redaction{URI: t.URI(ref.Kind, ref.ID)}
	if ref.Tenant != "" {
		target.URI.Tenant = ref.Tenant // the board refuses another tenant's
	}
	if ref.Kind == lukasa.EventKind {
		_, err = t.Event(ctx, ref.ID)
	} else {
		var thing *lukasa.Thing
		if thing, err = t.Get(ctx, ref, lukasa.View{}); err == nil {
			if target.URI = thing.URI.Head(); saw != 0 && saw != thing.Version {
				return target, fault.Newf(fault.InvalidArgument, "names: %s is at version %d, not %d, and a record is erased with all of its history", target.URI, thing.Version, saw).
					WithFix("leave the #version out to erase all of it")
			}
		}
	}
	switch {
	case errors.Is(err, fault.Erased) && ref.ID != "":
		target.Already = true
	case errors.Is(err, fault.Damaged) && ref.ID != "":
	default:
		return target, err
	}
	return target, nil
}

// feedbackIn is the outcome of a task.
type feedbackIn struct {
	Outcome   memory.Outcome `json:"outcome"`
	Cited     []string       `json:"cited" doc:"keys or URIs of the records it used" told:"keys or #numbers"`
	AgentID   string         `json:"agent_id,omitempty" doc:"whose task it was"`
	SessionID string         `json:"session_id,omitempty"`
	Score     *float64       `json:"score,omitempty" min:"-1" max:"1"`
	Note      string         `json:"note,omitempty"`
	ID        string         `json:"id,omitempty"`
}

func runFeedback(ctx context.Context, c *operation.Call, in *feedbackIn) (*answer.Write, error) {
	agent, err := c.AgentOf(in.AgentID)
	if err != nil {
		return nil, err
	}
	if agent == "" {
		if agent = c.Who.Agent; agent == "" {
			agent = c.Who.Actor()
		}
	}
	if len(in.Cited) == 0 {
		return nil, fault.New(fault.InvalidArgument, "cited: there is nothing").WithFix("name what the task used: keys or URIs that context or search showed")
	}
	b := &lukasa.Feedback{ID: in.ID, AgentID: agent, SessionID: in.SessionID, Outcome: in.Outcome, Note: in.Note}
	if in.Score != nil {
		b.Score = hmx.Some(*in.Score)
	}
	viewer := agent
	if c.Who.Role == auth.Operator {
		viewer = "" // who sees everything
	}
	v, err := c.HeadView(viewer, hmx.Time{})
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	for _, name := range in.Cited {
		u, err := uriOf(ctx, c, t, name)
		if err != nil {
			return nil, err
		}
		if _, err := t.Resolve(ctx, u, v); err != nil {
			return nil, err // an unknown source teaches nothing
		}
		b.Cited = append(b.Cited, u)
	}
	put, err := t.Put(ctx, b, lukasa.AnyVersion())
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

// uriOf returns the URI of a URI or a key.
func uriOf(ctx context.Context, c *operation.Call, t *lukasa.Tenant, name string) (lukasa.URI, error) {
	name, err := namedBy(ctx, c, name)
	if err != nil {
		return lukasa.URI{}, err
	}
	if strings.HasPrefix(name, operation.URIScheme) {
		return lukasa.ParseURI(name)
	}
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return lukasa.URI{}, err
	}
	thing, err := t.Get(ctx, lukasa.Ref{Kind: lukasa.MemoryKind, Key: name}, v)
	if err != nil {
		return lukasa.URI{}, err
	}
	return thing.URI.Head(), nil
}

// resolveIn names what to resolve.
type resolveIn struct {
	Name    string   `query:"name,required" also:"key" doc:"URI or key"`
	Version uint32   `query:"version" doc:"an earlier version"`
	At      *uint64  `query:"at" doc:"as it was when this position was the newest"`
	Now     hmx.Time `query:"now"`
}

func runResolve(ctx context.Context, c *operation.Call, in *resolveIn) (*answer.Resolved, error) {
	v, err := c.View(in.Now)
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	u, err := uriOf(ctx, c, t, in.Name)
	if err != nil {
		return nil, err
	}
	if in.Version != 0 {
		if u.Version != 0 && u.Version != uint64(in.Version) {
			return nil, fault.Newf(fault.InvalidArgument, "version: the URI names %d", u.Version).WithFix("say it once")
		}
		u.Version = uint64(in.Version)
	}
	if u.Kind == lukasa.EventKind && u.Version > 0 {
		return nil, fault.New(fault.InvalidArgument, "name: an event has no versions").WithFix("leave the version out")
	}
	var found *lukasa.Resolved
	if in.At == nil {
		found, err = t.Resolve(ctx, u, v)
	} else {
		found, err = resolveAt(ctx, c, t, u, in, v)
	}
	if err != nil {
		return nil, err
	}
	return answer.ResolvedOf(found)
}

// resolveAt resolves a URI as of a position.
func resolveAt(ctx context.Context, c *operation.Call, t *lukasa.Tenant, u lukasa.URI, in *resolveIn, v lukasa.View) (*lukasa.Resolved, error) {
	v.Now = moment(in.Now) // otherwise the time of that state
	found, err := t.ResolveAt(ctx, u.Head(), lukasa.AtPosition(*in.At), v)
	if err == nil && u.Version > 0 && u.Version != uint64(found.Thing.Version) {
		err = fault.Newf(fault.InvalidArgument, "at: version %d is named too, but at position %d it was version %d", u.Version, *in.At, found.Thing.Version).WithFix("ask for a version or for a position")
	}
	return found, err
}
