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

// Bounds of what a compile writes together.
const (
	writtenTogether = 256
	writtenBytes    = 8 << 20 // of bodies, about
)

// write is a record that a compile is about to write. It is the put of a body, or a
// control about a thing. Like all records it is admitted in log order: what someone
// else did meanwhile, or an earlier compile that was cut short, is not done again.
type write struct {
	change CompileChange // empty if it is told with another
	trust  record.Trust  // of the body, and of whoever writes
	body   memory.Body
	// status is what an artifact becomes, and by what it is superseded.
	status hmx.Status
	by     string
	// at is the version that the thing is expected at; 0 is whatever it is at.
	at uint32
	// joined says that it is not written apart from the one before.
	joined bool
	// said says that it is what users said, in an event at the position spoken: it is not
	// written if a later word is there already.
	said   bool
	spoken uint64
}

// sameContent names what an artifact says.
func sameContent(a *hmx.Artifact) string { return string(a.ArtifactType) + " " + a.ContentHash }

// complete finishes what a compile that was cut short began: where the next version of
// an artifact is there and the one before is still active, that one is put aside, unless
// someone approved it: then the next one waits.
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

// artifact plans what becomes of an artifact.
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

// supersede plans that an artifact is put aside.
func (c *compilation) supersede(old *hmx.Artifact, by, reason string) {
	c.writes = append(c.writes, write{
		change: CompileChange{
			Op: CompileSupersede, URI: memory.URI{Tenant: c.tenant, Kind: record.Artifact, ID: old.ArtifactID},
			Class: string(old.ArtifactType), Title: old.Title, Reason: reason,
		},
		trust: c.trustOf(old.ArtifactID, record.External), status: hmx.StatusSuperseded, by: by, at: c.versionOf(old.ArtifactID), joined: true,
	})
}

// trustOf returns the tier of an artifact that is there, and of whoever gave it its
// status, or else of what it is made of. What people decided is respected in what is
// planned; what remains is due to evidence that is gone.
func (c *compilation) trustOf(id string, made record.Trust) record.Trust {
	if h := c.heads[id]; h != nil {
		return max(h.Trust, h.Ended)
	}
	return max(made, record.External)
}

// versionOf returns the version of an artifact that is there, which a change of it
// expects: what someone decides meanwhile stands.
func (c *compilation) versionOf(id string) uint32 {
	if h := c.heads[id]; h != nil {
		return h.Version
	}
	return 0
}

// write writes what is planned, in groups. Whatever a group does is seen as a whole.
func (c *compilation) write(ctx context.Context) error {
	for rest := c.writes; len(rest) > 0; {
		n, bytes := 0, 0
		for n < len(rest) && (n == 0 || rest[n].joined && c.b.compiling.apart == 0 || n < c.b.compiling.together() && bytes < writtenBytes) {
			bytes += rest[n].size()
			n++
		}
		if err := c.writeGroup(ctx, rest[:n]); err != nil {
			return err
		}
		if c.b.compiling.wrote != nil {
			if err := c.b.compiling.wrote(); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	return nil
}

// size is about how many bytes the record takes.
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
		return nil // someone else had the last word
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

// saidSince reports whether the word of an event at a position, or a later one, is already
// behind a memory: another writer, compile or Learn changed it since.
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
			return false, nil // a good one over it is welcome
		}
		events = eventsOf(body)
	}
	_, at, ok, err := lastSaid(g.State(t), events)
	return ok && at >= position, err
}

// readyToWrite reports whether an artifact may get a status: one that supersedes another becomes
// active only if that was put aside for it. Else someone decided otherwise meanwhile.
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

// putCompiledBody admits a version of a thing.
func putCompiledBody(g *board.Group, writer board.Writer, t *ledger.Tenant, w *write, h *catalog.Head, found bool) error {
	if found && (w.at != 0 && h.Version != w.at || board.Outranks(writer, h) != nil) || w.at != 0 && !found {
		return nil
	}
	if m, ok := w.body.(*memory.Memory); ok && m.Key != "" {
		// A key that is someone's stays theirs.
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
		return nil // it was erased and stays so, or is someone else's
	}
	return err
}

// holderOf returns the id of the live memory that has a key, or none.
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

// putControl puts a control.
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

// compiling is what a board knows of the compile that is under way.
type compiling struct {
	turn chan struct{} // a semaphore of one: held by the goroutine that compiles

	// What follows is for tests.
	apart int          // how many records are written together, if not as many as fit
	wrote func() error // is told of each group; its error ends the compile
}

func newCompiling() *compiling {
	c := &compiling{turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// together returns how many records are written together.
func (c *compiling) together() int {
	if c.apart > 0 {
		return c.apart
	}
	return writtenTogether
}
