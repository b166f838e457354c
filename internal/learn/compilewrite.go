package learn

import (
	"context"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Limits of what a compile writes together.
const (
	GroupRecords = 256     // or more, where some belong together
	writtenBytes = 8 << 20 // of bodies, about
)

// write is a record that a compile is about to write: a body, or a control about a record. It is
// admitted in log order like all records: what another writer, or an interrupted compile, did
// meanwhile is not repeated.
type write struct {
	change CompileChange // empty if another change reports it
	trust  record.Trust  // of the body, and of the writer
	body   memory.Body
	// status is the new status of an artifact, and by what it is superseded.
	status hmx.Status
	by     string
	// at is the expected version of the record; 0 for any.
	at uint32
	// joined says that it is written together with the previous one.
	joined bool
	// said says that it is a statement of a user, in an event at the position spoken: it is not
	// written if a later statement is on record already.
	said   bool
	spoken uint64
}

// sameContent identifies the content of an artifact.
func sameContent(a *hmx.Artifact) string { return string(a.ArtifactType) + " " + a.ContentHash }

// complete completes an interrupted compile: where the next version of an artifact exists and
// the previous one is still active, the previous one is superseded. If a person approved that
// one, the next version waits.
func (c *compilation) complete() {
	byID := make(map[string]*hmx.Artifact, len(c.known))
	for _, a := range c.known {
		byID[a.ArtifactID] = a
	}
	for _, a := range c.known {
		old := byID[a.Supersedes.Or("")]
		if old == nil || old.Status != hmx.StatusActive || c.byHand[old.ArtifactID] || a.Status != hmx.StatusDraft && a.Status != hmx.StatusActive {
			continue
		}
		c.supersede(old, a.ArtifactID, "replaced by its next version")
		old.Status, old.SupersededBy = hmx.StatusSuperseded, hmx.Some(a.ArtifactID)
	}
}

// artifact plans the changes of an artifact.
func (c *compilation) artifact(x *compile.Change, trusts map[string]record.Trust) {
	a := x.Artifact
	change := CompileChange{
		URI:   memory.URI{Tenant: c.tenant, Kind: record.Artifact, ID: a.ArtifactID},
		Class: string(a.ArtifactType), Title: a.Title, Reason: x.Reason,
	}
	switch x.Kind {
	case compile.Create, compile.Supersede:
		body := &memory.Artifact{HMX: *a}
		body.HMX.Status, body.HMX.SupersededBy = hmx.StatusDraft, hmx.Opt[string]{}
		trust := trusts[sameContent(a)]
		if !trust.Known() {
			trust = record.External
		}
		change.Op = CompileCreate
		c.writes = append(c.writes, write{change: change, trust: trust, body: body})
		if x.Kind == compile.Supersede {
			c.supersede(x.Old, a.ArtifactID, x.Reason)
		}
	case compile.Activate, compile.Deprecate:
		w := write{change: change, trust: c.trustOf(a.ArtifactID, trusts[sameContent(a)]), status: hmx.StatusActive, at: c.versionOf(a.ArtifactID)}
		w.change.Op, w.joined = CompileActivate, true
		if x.Kind == compile.Deprecate {
			w.change.Op, w.status, w.joined = CompileDeprecate, hmx.StatusDeprecated, false
		}
		c.writes = append(c.writes, w)
	case compile.Unchanged:
		c.report.Unchanged++
	}
}

// supersede plans to supersede an artifact.
func (c *compilation) supersede(old *hmx.Artifact, by, reason string) {
	c.writes = append(c.writes, write{
		change: CompileChange{
			Op: CompileSupersede, URI: memory.URI{Tenant: c.tenant, Kind: record.Artifact, ID: old.ArtifactID},
			Class: string(old.ArtifactType), Title: old.Title, Reason: reason,
		},
		trust: c.trustOf(old.ArtifactID, record.External), status: hmx.StatusSuperseded, by: by, at: c.versionOf(old.ArtifactID), joined: true,
	})
}

// trustOf returns the trust of an existing artifact and of the writer of its status, or else
// that of its sources. The plan respects what people decided; the remaining changes are due to
// erased evidence.
func (c *compilation) trustOf(id string, made record.Trust) record.Trust {
	if h := c.heads[id]; h != nil {
		return max(h.Trust, h.Ended)
	}
	return max(made, record.External)
}

// versionOf returns the version of an existing artifact, which a change expects: a concurrent
// decision stands.
func (c *compilation) versionOf(id string) uint32 {
	if h := c.heads[id]; h != nil {
		return h.Version
	}
	return 0
}

// write writes the plan, in groups. Each group is atomic.
func (c *compilation) write(ctx context.Context) error {
	for rest := c.writes; len(rest) > 0; {
		n, bytes := 0, 0
		for n < len(rest) && (n == 0 || rest[n].joined && c.b.compiling.group > 1 || n < c.b.compiling.group && bytes < writtenBytes) {
			bytes += rest[n].size()
			n++
		}
		if err := c.writeGroup(ctx, rest[:n]); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// size is approximately how many bytes the record takes.
func (w *write) size() int {
	if a, ok := w.body.(*memory.Artifact); ok {
		return len(a.HMX.Content) + 40*len(a.HMX.SourceEvents)
	}
	return 1 << 10
}

// writeGroup writes some records together, or none of them.
func (c *compilation) writeGroup(ctx context.Context, list []write) error {
	err := index.Share(len(list), index.Parts(len(list), 1), func(_, from, to int) error {
		for _, w := range list[from:to] {
			if w.body == nil {
				continue
			}
			if err := c.b.core.CheckPut(board.Writer{Actor: Compiler, Trust: w.trust}, c.tenant, w.body); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.b.core.Submit(ctx, &board.Request{Alone: true, Records: len(list), Admit: func(g *board.Group) error {
		if g.Board().Erasures() != c.erasures {
			return ErrErased
		}
		t, err := g.Tenant(c.tenant)
		if err != nil {
			return err
		}
		for i := range list {
			if err := putCompiled(g, t, &list[i]); err != nil {
				return g.Stop(err) // with what is in the group already
			}
		}
		return nil
	}})
}

// putCompiled admits one record of a compile.
func putCompiled(g *board.Group, t *ledger.Tenant, w *write) error {
	writer := board.DerivedWriter(Compiler, w.trust)
	u := w.change.URI
	h, ok, err := catalog.HeadOf(g.Tx(), t.Number, u.Kind, catalog.ThingOf(t.Name, u.Kind, u.ID))
	if err != nil {
		return err
	}
	if w.said && ok {
		if later, err := saidSince(g, t, h, w.spoken); err != nil || later {
			return err
		}
	}
	switch {
	case w.body != nil:
		return putCompiledBody(g, writer, t, w, h, ok)
	case !ok || h.State != catalog.Live || board.Outranks(writer, h) != nil || w.at != 0 && h.Version != w.at:
		return nil // another writer changed it last
	case w.change.Op == CompileForget:
		return putControl(g, writer, t, &memory.Tombstone{Target: h.Kind, ID: h.ID, Version: uint64(h.Version), Reason: w.change.Reason})
	case hmx.Status(h.Status).Transition(w.status) != nil:
		return nil
	}
	if ready, err := readyToWrite(g, t, h, w.status); err != nil || !ready {
		return err
	}
	if w.by != "" {
		next, ok, err := catalog.HeadOf(g.Tx(), t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, w.by))
		if err != nil || !ok || next.State != catalog.Live {
			return err
		}
	}
	return putControl(g, writer, t, &memory.Transition{
		ArtifactID: h.ID, From: hmx.Status(h.Status), To: w.status, SupersededBy: w.by, Reason: w.change.Reason,
	})
}

// saidSince reports whether a memory already reflects the statement of an event at a position,
// or a later one: another writer, compile or Learn changed it since.
func saidSince(g *board.Group, t *ledger.Tenant, h *catalog.Head, position uint64) (bool, error) {
	var events []string
	switch {
	case h.State == catalog.Redacted:
		return true, nil
	case h.State != catalog.Live:
		event, ok := strings.CutPrefix(h.Note, retracted)
		if !ok {
			return false, nil
		}
		events = []string{event}
	case h.Actor != Compiler:
		return position <= h.Position, nil
	default:
		payload, erased, err := g.PayloadAt(t, h.Position)
		if fault.CodeOf(err) == fault.Damaged || erased {
			return false, nil
		}
		if err != nil {
			return false, g.Stop(err)
		}
		body, err := memory.Decode(record.Memory, payload)
		if err != nil {
			return false, nil // a valid version may replace it
		}
		events = eventsOf(body)
	}
	_, at, ok, err := lastSaid(g.State(t), events)
	return ok && at >= position, err
}

// readyToWrite reports whether an artifact may get a status: one that supersedes another becomes
// active only if that one was superseded by it. Otherwise a concurrent decision differs.
func readyToWrite(g *board.Group, t *ledger.Tenant, h *catalog.Head, to hmx.Status) (bool, error) {
	id := Linked(h, "supersedes")
	if to != hmx.StatusActive || id == "" {
		return true, nil
	}
	old, ok, err := catalog.HeadOf(g.Tx(), t.Number, record.Artifact, catalog.ThingOf(t.Name, record.Artifact, id))
	if err != nil || !ok || old.State != catalog.Live {
		return true, err
	}
	return Linked(old, "superseded_by") == h.ID, nil
}

// putCompiledBody admits a version of a record.
func putCompiledBody(g *board.Group, writer board.Writer, t *ledger.Tenant, w *write, h *catalog.Head, found bool) error {
	if found && (w.at != 0 && h.Version != w.at || board.Outranks(writer, h) != nil) || w.at != 0 && !found {
		return nil
	}
	if m, ok := w.body.(*memory.Memory); ok && m.Key != "" {
		// A key stays with its holder.
		holder, err := holderOf(g, t, m.Key)
		if err != nil {
			return err
		}
		if holder != "" && holder != m.ID {
			m.Key = ""
		}
	}
	_, err := g.PutBody(writer, t.Name, w.body, board.AnyVersion(), "", memory.OpPut, w.trust)
	if code := fault.CodeOf(err); g.Broken() == nil && (code == fault.Erased || code == fault.IDConflict) {
		return nil // it was erased and stays so, or belongs to another writer
	}
	return err
}

// holderOf returns the id of the live memory that has a key, or "".
func holderOf(g *board.Group, t *ledger.Tenant, key string) (string, error) {
	d, held, err := catalog.Holder(g.Tx(), t.Number, record.Memory, key)
	if err != nil || !held {
		return "", err
	}
	h, ok, err := catalog.HeadOf(g.Tx(), t.Number, record.Memory, d)
	if err != nil || !ok || h.State != catalog.Live {
		return "", err
	}
	return h.ID, nil
}

// putControl admits a control.
func putControl(g *board.Group, w board.Writer, t *ledger.Tenant, c memory.Control) error {
	id, err := g.Board().NewID()
	if err != nil {
		return err
	}
	e, err := g.Board().ControlEntry(w, t.Name, id, c)
	if err != nil {
		return err
	}
	_, err = g.Put(e)
	return err
}

// compiling is the state of running compiles.
type compiling struct {
	turn  chan struct{} // a semaphore of one: held by the goroutine that compiles
	group int           // how many records are written together
}

func newCompiling(group int) *compiling {
	c := &compiling{turn: make(chan struct{}, 1), group: group}
	c.turn <- struct{}{}
	return c
}
