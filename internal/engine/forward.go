package engine

import (
	"context"
	"io"
	"iter"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/board/audit"
	"lukasa.dev/internal/board/browse"
	"lukasa.dev/internal/board/erase"
	"lukasa.dev/internal/board/stream"
	"lukasa.dev/internal/board/transfer"
	"lukasa.dev/internal/bundle"
	"lukasa.dev/internal/find"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/journal"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/packproof"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/retrieval"
	"lukasa.dev/internal/scope"
)

// Agents returns the agents of a tenant, ordered by id, by the rules of
// Sessions.
func (b *Board) Agents(ctx context.Context, tenant string, v board.View) ([]browse.SessionInfo, error) {
	return b.browser.Agents(ctx, tenant, v)
}

// Ancestors returns the chain of parents of an event, nearest first. It ends
// where a parent is not recorded, is erased, is out of scope, or was in the
// chain before.
func (b *Board) Ancestors(ctx context.Context, tenant, id string, v board.View) ([]*board.StoredEvent, error) {
	return b.browser.Ancestors(ctx, tenant, id, v)
}

// AppendEvents records events. Good ones are recorded even when others are
// refused; the result says which. The error is for trouble that is not the
// events' own; the result then has the receipts of those that were recorded
// before it. The events must not be changed while the call runs.
//
// Under a scope, events that it does not allow are refused one by one.
func (b *Board) AppendEvents(ctx context.Context, w board.Writer, events []*hmx.Event) (*board.AppendResult, error) {
	return b.core.AppendEvents(ctx, w, events)
}

// CheckScope verifies a token for a tenant, and returns what it allows.
func (b *Board) CheckScope(ctx context.Context, tenant, token string) (*scope.Access, error) {
	return b.core.CheckScope(ctx, tenant, token)
}

// Checkpoint returns the tenant's state as it is now, signed.
func (b *Board) Checkpoint(ctx context.Context, tenant string) (signed notary.Signed, err error) {
	return b.core.Checkpoint(ctx, tenant)
}

// CountTenants returns how many tenants have records, without [SystemTenant].
func (b *Board) CountTenants(ctx context.Context) (int, error) { return b.core.CountTenants(ctx) }

// Damages returns what was found to be broken when the directory was opened.
func (b *Board) Damages() []journal.Damage { return b.core.Damages() }

// Dir returns the data directory.
func (b *Board) Dir() string { return b.core.Dir() }

// Event returns an event by its id.
func (b *Board) Event(ctx context.Context, tenant, id string, v board.View) (*board.StoredEvent, error) {
	return b.browser.Event(ctx, tenant, id, v)
}

// Events returns events in order.
func (b *Board) Events(ctx context.Context, q browse.EventQuery) (*browse.EventPage, error) {
	return b.browser.Events(ctx, q)
}

// EventsOf returns events by their ids, in the order of the ids, of one state. In the place of
// one that is not there, was erased, or that the view does not show is nil.
func (b *Board) EventsOf(ctx context.Context, tenant string, ids []string, v board.View) ([]*board.StoredEvent, error) {
	return b.browser.EventsOf(ctx, tenant, ids, v)
}

// Expire journals the end of everything of a tenant whose time is over at now:
// things by their TTL, events by their ttl_seconds, and what retention policies
// say. Expired things keep their history, unless a policy erases them; expired
// events are erased. The writer stands in the records as the actor.
//
// What is over is over whoever says so: the writer's trust does not matter. A
// policy reaches as far as its own trust, and passes over what is trusted more.
// So that nobody ends anything early, now must not be in the future: not later
// than the board's clock or, if that runs behind, the tenant's newest record.
//
// No scope may do it.
func (b *Board) Expire(ctx context.Context, w board.Writer, tenant string, now time.Time) (*erase.Expired, error) {
	return b.eraser.Expire(ctx, w, tenant, now)
}

// Failed returns why writes are refused, or nil when they are not.
func (b *Board) Failed() error { return b.core.Failed() }

// Forget puts a tombstone on a thing: it is no longer there for reads, and its
// history stays. Forgetting what is forgotten changes nothing.
func (b *Board) Forget(ctx context.Context, w board.Writer, ref board.Ref, reason string, expect board.Expect) (*board.PutResult, error) {
	return b.core.Forget(ctx, w, ref, reason, expect)
}

// FormerKeys returns the keys that check what was signed for a tenant before
// the present key was made, oldest first.
func (b *Board) FormerKeys(tenant string) []string { return b.core.FormerKeys(tenant) }

// Get returns a thing. One that is forgotten or expired is returned, and says
// so; one that is erased is the error erased for an operator, and for an agent or
// under a scope the same as one that never was: it may have been hidden from them.
func (b *Board) Get(ctx context.Context, ref board.Ref, v board.View) (*board.Thing, error) {
	return b.core.Get(ctx, ref, v)
}

// History returns every version of a thing, oldest first. Versions that are out
// of scope are left out, with what became of them.
func (b *Board) History(ctx context.Context, ref board.Ref, v board.View) (memory.URI, []browse.Change, error) {
	return b.browser.History(ctx, ref, v)
}

// ID returns the directory's own id, which is part of what it signs.
func (b *Board) ID() string { return b.core.ID() }

// Ingest records a stream of events, one a line. A bad line costs no good one.
// Events are acknowledged in groups; when Ingest returns an error, those of the
// report are recorded all the same, and sending the whole stream again is
// harmless.
func (b *Board) Ingest(ctx context.Context, src io.Reader, o stream.IngestOptions) (stream.IngestReport, error) {
	return stream.Ingest(ctx, b.core, src, o)
}

// List returns things, newest first.
func (b *Board) List(ctx context.Context, o browse.ListOptions) (*browse.Page, error) {
	return b.browser.List(ctx, o)
}

// MintScope returns the text of a token for an agent of a tenant. The writer
// stands in it as who granted it; it must be trusted as a user at least, and
// gives no more trust than it has. A writer with a scope mints nothing: it
// narrows its own token. Nothing is recorded.
func (b *Board) MintScope(ctx context.Context, w board.Writer, tenant string, g scope.Grant) (string, error) {
	return b.core.MintScope(ctx, w, tenant, g)
}

// Named returns what is live of a kind and has a name, whatever its case: an
// entity by its name or an alias.
func (b *Board) Named(ctx context.Context, tenant string, kind record.Kind, name string, v board.View) ([]*board.Thing, error) {
	return b.browser.Named(ctx, tenant, kind, name, v)
}

// NewKey makes a new signing key. What was signed with the old one can still be
// checked with the old one.
func (b *Board) NewKey(ctx context.Context) error { return b.core.NewKey(ctx) }

// Now returns the time by the board's clock.
func (b *Board) Now() time.Time { return b.core.Now() }

// Prove returns a proof that a record is in the tenant's tree.
func (b *Board) Prove(ctx context.Context, tenant string, o browse.ProveOptions) (*notary.Proof, error) {
	return b.browser.Prove(ctx, tenant, o)
}

// ProveConsistency returns a proof that the tree of size to continues the tree
// of size from. Zero for to means the tree as it is now.
func (b *Board) ProveConsistency(ctx context.Context, tenant string, from, to uint64) (*notary.ConsistencyProof, error) {
	return b.browser.ProveConsistency(ctx, tenant, from, to)
}

// Purge rewrites the index so that nothing deleted is left in its files, and
// overwrites what was erased and is on the disk again.
func (b *Board) Purge(ctx context.Context) error { return b.core.Purge(ctx) }

// Put writes a version of a thing: a new one, or the next of the one with the
// same id or, if it has no id, the same key. What it is derived from lowers its
// trust to the lowest of its sources; a source that is not known here counts as
// external. The body is normalised, and gets its id, if it lacks one; a feedback
// gets its profile. Secrets are taken out of it, unless they are to be kept.
func (b *Board) Put(ctx context.Context, w board.Writer, tenant string, body memory.Body, expect board.Expect) (*board.PutResult, error) {
	return b.core.Put(ctx, w, tenant, body, expect)
}

// Reached returns the highest sequence on record of a session. ok is false if there
// is no event of it.
func (b *Board) Reached(ctx context.Context, tenant, session string) (sequence int64, ok bool, err error) {
	return b.browser.Reached(ctx, tenant, session)
}

// Rebuild makes a new index from the journal and puts it in the place of the
// old one. Until that moment the old one stays; a rebuild that fails or is cut
// short changes nothing. Everything else waits meanwhile.
func (b *Board) Rebuild(ctx context.Context, tell apply.Progress) error {
	return b.core.Rebuild(ctx, tell)
}

// Receipt returns the signed receipt of the redaction at a position.
func (b *Board) Receipt(ctx context.Context, tenant string, redaction uint64) (notary.Signed, error) {
	return b.eraser.Receipt(ctx, tenant, redaction)
}

// Redact erases things and events, with their whole history, for good: on the
// disk, in every index, and against coming back. When it returns, the payloads
// are overwritten. Index files that are no longer in use may hold names until
// [Board.Purge]. No scope may do it.
func (b *Board) Redact(ctx context.Context, w board.Writer, uris []memory.URI) (*erase.Erasure, error) {
	return b.eraser.Redact(ctx, w, uris)
}

// Referrers returns what is live and refers to a thing or an event: edges,
// relations, conflicts, feedback, and what was derived from it.
func (b *Board) Referrers(ctx context.Context, u memory.URI, v board.View) ([]*board.Thing, error) {
	return b.browser.Referrers(ctx, u, v)
}

// Resolve returns what a URI names.
func (b *Board) Resolve(ctx context.Context, u memory.URI, v board.View) (*browse.Resolved, error) {
	return b.browser.Resolve(ctx, u, v)
}

// ResolveAt returns what a URI named at a version or, as of a position, what
// [Board.Resolve] would have returned then: forgotten things are returned and say
// so, what was not there yet is not found. What was erased since is erased
// whatever the position. What may not be seen now is not there, and what could
// not be seen then neither.
//
// Without a time in the view, what had expired and what was valid as of a
// position is judged by the time of the record there.
func (b *Board) ResolveAt(ctx context.Context, u memory.URI, at browse.At, v board.View) (*browse.Resolved, error) {
	return b.browser.ResolveAt(ctx, u, at, v)
}

// Restore writes the content of an earlier version as the newest one. Without a
// version it is the last content there was, which brings back what is forgotten.
// Whoever restores it, it is trusted no further than when it was written.
func (b *Board) Restore(ctx context.Context, w board.Writer, ref board.Ref, expect board.Expect) (*board.PutResult, error) {
	return b.core.Restore(ctx, w, ref, expect)
}

// Root returns the root of a tenant as it is now. A tenant without records has
// the root of the empty tree.
func (b *Board) Root(ctx context.Context, tenant string) (board.Root, error) {
	return b.core.Root(ctx, tenant)
}

// RootAt returns the root that a tenant had when it was of a given size.
func (b *Board) RootAt(ctx context.Context, tenant string, size uint64) (merkle.Hash, error) {
	return b.core.RootAt(ctx, tenant, size)
}

// Sessions returns the sessions of a tenant, ordered by id. Under a scope that
// does not show everything, the events are looked at one by one: sessions
// without one in scope are left out, and the others are told of by those in it.
func (b *Board) Sessions(ctx context.Context, tenant string, v board.View) ([]browse.SessionInfo, error) {
	return b.browser.Sessions(ctx, tenant, v)
}

// Storage returns how much room the directory takes: that of all tenants together.
func (b *Board) Storage(ctx context.Context) (*audit.Storage, error) {
	return audit.StorageOf(ctx, b.core)
}

// Tail returns events in the order in which they were recorded, from a position on: a
// part of them, which takes a bounded time and memory. A tenant without records has
// none yet.
func (b *Board) Tail(ctx context.Context, q browse.TailQuery) (*browse.Tailed, error) {
	return b.browser.Tail(ctx, q)
}

// Tenants walks over the roots of all tenants but [SystemTenant], in the order in
// which they first wrote. Whoever walks may use the board meanwhile; of a tenant that is written
// to, one of its roots is seen.
func (b *Board) Tenants(ctx context.Context) iter.Seq2[board.Root, error] { return b.core.Tenants(ctx) }

// Transition changes the status of an artifact. The rules are those of HMX-A, for the
// artifact and for the chain that it is in.
func (b *Board) Transition(ctx context.Context, w board.Writer, ref board.Ref, to hmx.Status, supersededBy, reason string, expect board.Expect) (*board.PutResult, error) {
	return b.core.Transition(ctx, w, ref, to, supersededBy, reason, expect)
}

// URIAt returns what the record at a position is of: an event, or a thing without its
// version. What a view does not show, was erased or is neither is not found, in the same
// words: a position tells nothing of what is hidden.
func (b *Board) URIAt(ctx context.Context, tenant string, position uint64, v board.View) (memory.URI, error) {
	return b.browser.URIAt(ctx, tenant, position, v)
}

// Unscoped refuses a token that is given where none may be: what the caller is
// about to do cannot be narrowed to a scope. No token is no scope.
func (b *Board) Unscoped(ctx context.Context, tenant, token, what string) error {
	return b.core.Unscoped(ctx, tenant, token, what)
}

// VerifierKey returns the key that checks a tenant's checkpoints, proofs and
// receipts, as a line of text.
func (b *Board) VerifierKey(tenant string) string { return b.core.VerifierKey(tenant) }

// Versions returns the versions of a thing, oldest first, a page at a time. It shows what
// History shows.
func (b *Board) Versions(ctx context.Context, o browse.VersionsOptions) (*browse.VersionsPage, error) {
	return b.browser.Versions(ctx, o)
}

// Watch tells when a tenant gets records: after each group that has some of it, grew has
// an item, one for all that came since it was last taken. What was recorded before the
// call is not told of, so read after it. Stop ends it, and must be called.
func (b *Board) Watch(tenant string) (grew <-chan struct{}, stop func()) { return b.core.Watch(tenant) }

// Weight returns how many bytes the payloads of a tenant have, from a position on, and
// the position that comes after them. What is erased weighs nothing.
func (b *Board) Weight(ctx context.Context, tenant string, from uint64) (bytes int64, to uint64, err error) {
	return b.browser.Weight(ctx, tenant, from)
}

// Verify checks the directory. The error is for what kept it from looking; what
// it found is in the report. During a deep verification everything else waits,
// reads too.
func (b *Board) Verify(ctx context.Context, o VerifyOptions) (*VerifyReport, error) {
	return audit.Verify(ctx, b.core, o)
}

// Export writes everything a tenant has as lines of JSON: a head, and each
// record as it is in the journal, salts and erasures included. It is of one
// moment. When something of that moment is erased while it runs, it can no
// longer be told, and the export ends with an error; another one will have the
// record that erased it.
func (b *Board) Export(ctx context.Context, tenant string, dst io.Writer, tell func(done, total uint64)) (board.Root, error) {
	return transfer.Export(ctx, b.core, tenant, dst, tell)
}

// Import brings in what Export wrote: the same records at the same positions
// with the same proofs. The tenant must be new, or hold a beginning of the same
// records, as after an import that was cut short. A record is admitted only if
// this board would have written it in this place. What the export itself can
// tell about that is checked of all of it before anything is brought in; so it
// is read twice, and if it cannot be, it is first put down in the data
// directory. What takes the tenant's state to tell is checked of each group of
// records, and a group comes in whole or not at all.
func (b *Board) Import(ctx context.Context, src io.Reader, tell func(done, total uint64)) (*ImportReport, error) {
	return transfer.Import(ctx, b.core, src, tell)
}

// Salvage writes what can still be read of a tenant, as [Salvage.Write] does.
func (b *Board) Salvage(ctx context.Context, tenant string, dst io.Writer, tell func(done, total uint64)) (*Salvaged, error) {
	return transfer.SalvageTenant(ctx, b.core, tenant, dst, tell)
}

// Context returns what an agent is told when it starts: what is pinned, what
// matters for what it is about to do, and how it went when that was done before,
// within a budget of tokens. It reads one state, writes nothing and counts
// nothing. A tenant without records has an empty bundle.
func (b *Board) Context(ctx context.Context, o ContextOptions) (*bundle.Bundle, error) {
	return b.contexts.Context(ctx, o)
}

// Embed has a provider make vectors of everything in a tenant that has none by its
// model: of events and of the current versions of things. Each vector is journaled, so
// that it is there after a restart, in an export and when the index is rebuilt,
// without the provider. What is past its own time is not sent.
//
// What the provider cannot do stays for the next call, and is found by its words and
// by the built-in model meanwhile. An error says why the call ended early; what was
// done until then is told even so, and stays. Several calls at once do no harm, except
// that the provider may be asked twice.
//
// No scope may do it. The board opens no connection; whatever the provider does is up
// to its writer.
func (b *Board) Embed(ctx context.Context, w board.Writer, o retrieval.EmbedOptions) (*retrieval.Embedded, error) {
	return b.retrieval.Embed(ctx, w, o)
}

// Search returns what answers a question, the best first. It reads one state,
// writes nothing, and the same state has the same answer, bit by bit.
//
// What a scope does not show, and what is private to other agents than the one that
// looks, has no influence on which hits there are, nor on their scores: they are as if
// it were not there. The graph is then not asked. That others have anything private at
// all can be told from that.
//
// Of a past state the answer is that of then, but for what was erased since, and for what
// the caller may not see now. Artifacts that are not active are not found.
func (b *Board) Search(ctx context.Context, o retrieval.SearchOptions) (*retrieval.Searched, error) {
	return b.retrieval.Search(ctx, o)
}

// Find returns what the predicates hold for, and what the steps lead to from
// there. Hits are ordered by hops, then by the order asked for, then by URI, so
// that the same state has the same answer. It reads one state, writes nothing
// and counts nothing.
//
// Of a past state the answer is that of then, but for what was erased since, and
// for what the caller may not see now.
func (b *Board) Find(ctx context.Context, o FindOptions) (*Found, error) {
	return find.Find(ctx, b.retrieval, o)
}

// Graph returns a part of what is known as a graph. What the view does not show is not in
// it, and nothing leads over it. The same state gives the same graph.
func (b *Board) Graph(ctx context.Context, q GraphQuery) (*Graph, error) {
	return find.Neighbourhood(ctx, b.core, q)
}

// Stats counts what is in a tenant. Most comes from rows of indexes, so that a million
// events take a few seconds and little memory; nothing but names is read from the
// journal. Of several calls one runs, and the others wait.
func (b *Board) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	return b.sessions.Stats(ctx, q)
}

// Timeline tells a session, a page at a time. One of which no event is shown is not known.
func (b *Board) Timeline(ctx context.Context, q TimelineQuery) (*Timeline, error) {
	return b.sessions.Timeline(ctx, q)
}

// Artifact returns an artifact with what stands behind it: whether its hash is right and
// its evidence there, what contradicts it, and what became of it and why.
func (b *Board) Artifact(ctx context.Context, tenant, id string, v board.View) (*ArtifactDetail, error) {
	return b.reviewer.Artifact(ctx, tenant, id, v)
}

// ArtifactChain returns the versions of an artifact, the oldest first: what it
// supersedes, what supersedes it or would, as drafts that name it, and so on. What is
// erased, forgotten or not shown is left out.
func (b *Board) ArtifactChain(ctx context.Context, tenant, id string, v board.View) ([]*ArtifactVersion, error) {
	return b.reviewer.ArtifactChain(ctx, tenant, id, v)
}

// Artifacts returns artifacts, newest first.
func (b *Board) Artifacts(ctx context.Context, o ArtifactOptions) (*ArtifactPage, error) {
	return b.reviewer.Artifacts(ctx, o)
}

// Compile makes artifacts of what the sessions of a tenant did, memories of what users
// plainly stated, and conflicts of what contradicts itself.
//
// What it writes is a function of the tenant's records: read in one go or as they came,
// with or without what is kept beside the index, it is the same, and a second call
// without new events writes nothing. Nothing is trusted further than the lowest of what
// it was made of, and what people wrote, archived or forgot themselves stays as they
// left it. Cut short anywhere, it leaves a state without two active versions of an
// artifact, which the next call completes. Of several calls one runs, and the others
// wait.
//
// No scope may do it. The writer is not named in what is written: that is the board's.
func (b *Board) Compile(ctx context.Context, w board.Writer, tenant string, o CompileOptions) (*CompileReport, error) {
	return b.learner.Compile(ctx, w, tenant, o)
}

// CompileFailures returns how many compiles failed that the board began by itself.
func (b *Board) CompileFailures() uint64 { return b.learner.CompileFailures() }

// Conflict returns a conflict, with what it is between.
func (b *Board) Conflict(ctx context.Context, tenant, id string, v board.View) (*StoredConflict, error) {
	return b.reviewer.Conflict(ctx, tenant, id, v)
}

// Conflicts returns conflicts, newest first.
func (b *Board) Conflicts(ctx context.Context, o ConflictOptions) (*ConflictPage, error) {
	return b.reviewer.Conflicts(ctx, o)
}

// DecideArtifact gives an artifact its status by hand: it approves a draft, or archives
// or deprecates what is in use. What is decided stays: no compile undoes it.
//
// A draft is approved if its hash is that of its content, everything it was made of is
// on record, and no conflict speaks against it. The active version that it supersedes is
// superseded with it, in one step. It is refused if another version of it is active that
// it does not name, or another one took the place of the one it names.
func (b *Board) DecideArtifact(ctx context.Context, w board.Writer, d ArtifactDecision) (*ArtifactDecided, error) {
	return b.reviewer.DecideArtifact(ctx, w, d)
}

// DiffArtifacts returns what changed from one artifact to another. An empty from means
// the one that to supersedes.
func (b *Board) DiffArtifacts(ctx context.Context, tenant, from, to string, v board.View) (*ArtifactDiff, error) {
	return b.reviewer.DiffArtifacts(ctx, tenant, from, to, v)
}

// Learn makes memories of what users plainly state in events that were recorded just now,
// as Compile does, and of what else was stated since either was called last: a Compile
// after it finds nothing to do for them. It reads what is new and not all sessions, and
// waits for no compile. Without ids, all that is new counts; with ids of events none of
// which states anything it does nothing.
//
// No scope may do it, as with Compile.
func (b *Board) Learn(ctx context.Context, w board.Writer, tenant string, ids ...string) (*LearnReport, error) {
	return b.learner.Learn(ctx, w, tenant, ids...)
}

// Lessons returns the commands that failed in the sessions of a tenant and how that was
// mended, the most frequent and the newest first (see [compile.Lessons]). It tells of what
// the view shows only, and writes nothing. Sessions that were not compiled yet count, too:
// the newest of them, up to 2,000 events.
func (b *Board) Lessons(ctx context.Context, o LessonOptions) ([]Lesson, error) {
	return b.learner.Lessons(ctx, o)
}

// Refine has a language model write titles and summaries of the active artifacts that
// compiles made and that have none by a model yet. Each is journaled as a record of its
// own, with the lowest trust there is, so that it is there after a restart, in an export
// and when the index is rebuilt, without the model; it is erased with its artifact.
// The artifact itself, its content, its hash and every pack stay as they are.
//
// What the refiner cannot do stays for the next call, and has the title that the compile
// gave it meanwhile. An error says why the call ended early; what was done until then is
// told even so, and stays. Several calls at once do no harm, except that the refiner may
// be asked twice.
//
// No scope may do it. The board opens no connection; whatever the refiner does is up to
// its writer.
func (b *Board) Refine(ctx context.Context, w board.Writer, tenant string, o RefineOptions) (*RefineReport, error) {
	return b.reviewer.Refine(ctx, w, tenant, o)
}

// Refinement returns the newest title and summary that a model wrote for an artifact,
// or nil if none did. A caller that may see the artifact may see it.
func (b *Board) Refinement(ctx context.Context, ref board.Ref, v board.View) (*Refined, error) {
	return b.reviewer.Refinement(ctx, ref, v)
}

// SettleConflict writes how a conflict was settled, as its next version. Packs tell what
// has won and leave out what has lost; nothing else is changed, and no compile opens it
// again.
func (b *Board) SettleConflict(ctx context.Context, w board.Writer, s ConflictSettlement) (*board.PutResult, error) {
	return b.reviewer.SettleConflict(ctx, w, s)
}

// CheckAction says what happened when an action or its like was taken before, which rules
// and artifacts speak against it, and what to do instead. It holds nobody back, reads one
// state and writes nothing: the same state and question have the same answer, whatever was
// compiled, rebuilt or asked before.
//
// Rules are the constraints and policies of a user's or an operator's trust that hold, and
// artifacts those that are active and hold. Nothing has a part in the answer that the view
// does not show, or that was erased.
func (b *Board) CheckAction(ctx context.Context, o CheckOptions) (*CheckedAction, error) {
	return b.adviser.CheckAction(ctx, o)
}

// NextStep returns the tools that a session may call next, with how probable each is
// and why, by what its task did so far and by the active artifacts whose scope holds and
// that the view shows. It reads one state and writes nothing. Without such artifacts
// there are no suggestions.
func (b *Board) NextStep(ctx context.Context, o NextOptions) (*NextSteps, error) {
	return b.adviser.NextStep(ctx, o)
}

// Pack returns what an agent is given for a question: the best of what is known, as
// far as it fits into a budget of tokens, with what stands behind each entry and why
// the rest was left out. It reads one state and writes nothing. The same root and the
// same options give the same pack, bit by bit, but for how long it took. A tenant
// without records has an empty pack.
//
// What a scope does not show, and what is private to other agents than the one that
// looks, has no influence on it, as in a search.
func (b *Board) Pack(ctx context.Context, o packer.PackOptions) (*packer.Packed, error) {
	return b.packer.Pack(ctx, o)
}

// PackContext returns a markdown block of what is known of a topic: as many of the best
// hits of a search as fit into a budget, each whole, in a line. It never counts more
// than the budget, at four characters a token. Where nothing is known or nothing fits
// it says so, if there is room for that.
func (b *Board) PackContext(ctx context.Context, o packer.PackContextOptions) (string, error) {
	return b.packer.PackContext(ctx, o)
}

// Fingerprint returns a digest of what the agents of a tenant learned, without any text of
// events; see package fingerprint for what it has. It is made of one state: the same root
// gives the same bytes, here, after a rebuild and wherever the tenant is imported. What
// was erased has no part in it, nor has what is private to another agent than the one
// that is named.
//
// Only sessions are read that have new events since the last compile or fingerprint. Of
// several calls, and compiles, one runs, and the others wait.
func (b *Board) Fingerprint(ctx context.Context, o packer.FingerprintOptions) (*fingerprint.Fingerprint, error) {
	return b.packer.Fingerprint(ctx, o)
}

// VerifyPack proves what a pack says, entry by entry, down to the journal, and makes it
// again where that can be. If something does not hold, the error has the code not_proven,
// and what was found is returned with it; one that breaks the rules of the protocol is an
// invalid_document. See package packproof for what is proven.
func (b *Board) VerifyPack(ctx context.Context, tenant string, p *hmx.Pack, o packproof.VerifyPackOptions) (*packproof.PackProof, error) {
	return b.prover.VerifyPack(ctx, tenant, p, o)
}

// ExplainPack says why something is in the pack that the options ask for, or is not. It
// is named by its source id, its key or its URI.
func (b *Board) ExplainPack(ctx context.Context, o packer.PackOptions, what string) (*packproof.Explanation, error) {
	return b.prover.ExplainPack(ctx, o, what)
}
