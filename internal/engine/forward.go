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

// Ancestors returns the chain of parents of an event, nearest first. It ends at a parent
// that is not recorded, is erased, is out of scope, or was in the chain before.
func (b *Board) Ancestors(ctx context.Context, tenant, id string, v board.View) ([]*board.StoredEvent, error) {
	return b.browser.Ancestors(ctx, tenant, id, v)
}

// AppendEvents records events. Valid ones are recorded even if others are refused; the
// result says which. The error is for failures that are not about the events; the result
// then has the receipts of those that were recorded before. The events must not be changed
// while the call runs.
//
// Under a scope, events that it does not allow are refused one by one.
func (b *Board) AppendEvents(ctx context.Context, w board.Writer, events []*hmx.Event) (*board.AppendResult, error) {
	return b.core.AppendEvents(ctx, w, events)
}

// CheckScope verifies a token for a tenant, and returns what it allows.
func (b *Board) CheckScope(ctx context.Context, tenant, token string) (*scope.Access, error) {
	return b.core.CheckScope(ctx, tenant, token)
}

// Checkpoint returns the signed current state of the tenant.
func (b *Board) Checkpoint(ctx context.Context, tenant string) (signed notary.Signed, err error) {
	return b.core.Checkpoint(ctx, tenant)
}

// CountTenants returns how many tenants have records, without [SystemTenant].
func (b *Board) CountTenants(ctx context.Context) (int, error) { return b.core.CountTenants(ctx) }

// Damages returns the damage found when the directory was opened.
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

// EventsOf returns events by their ids, in the order of the ids, of one state. A missing,
// erased or hidden event is nil.
func (b *Board) EventsOf(ctx context.Context, tenant string, ids []string, v board.View) ([]*board.StoredEvent, error) {
	return b.browser.EventsOf(ctx, tenant, ids, v)
}

// Expire journals the end of everything of a tenant that has expired at now: versioned
// records by their TTL, events by their ttl_seconds, and both by retention policies.
// Expired versioned records keep their history, unless a policy erases them; expired
// events are erased. The writer is the actor of the records.
//
// The writer's trust does not matter. A policy applies only to records with at most its
// own trust. So that no caller expires anything early, now must not be in the future: not
// later than the board's clock or, if that runs behind, the tenant's newest record.
//
// Expire is refused under a scope.
func (b *Board) Expire(ctx context.Context, w board.Writer, tenant string, now time.Time) (*erase.Expired, error) {
	return b.eraser.Expire(ctx, w, tenant, now)
}

// Failed returns why writes are refused, or nil.
func (b *Board) Failed() error { return b.core.Failed() }

// Forget puts a tombstone on a versioned record: reads no longer return it, and its
// history stays. Forgetting it again changes nothing.
func (b *Board) Forget(ctx context.Context, w board.Writer, ref board.Ref, reason string, expect board.Expect) (*board.PutResult, error) {
	return b.core.Forget(ctx, w, ref, reason, expect)
}

// FormerKeys returns the keys that verify what was signed for a tenant with earlier keys,
// oldest first.
func (b *Board) FormerKeys(tenant string) []string { return b.core.FormerKeys(tenant) }

// Get returns a versioned record. A forgotten or expired one is returned with that state.
// An erased one is the error erased for an operator; for an agent or under a scope it does
// not exist, since it may have been hidden from them.
func (b *Board) Get(ctx context.Context, ref board.Ref, v board.View) (*board.Thing, error) {
	return b.core.Get(ctx, ref, v)
}

// History returns every version of a record, oldest first. Versions out of scope are left
// out, with the changes after them.
func (b *Board) History(ctx context.Context, ref board.Ref, v board.View) (memory.URI, []browse.Change, error) {
	return b.browser.History(ctx, ref, v)
}

// ID returns the directory's own id, which is part of what it signs.
func (b *Board) ID() string { return b.core.ID() }

// Ingest records a stream of events, one per line. A bad line does not affect others.
// Events are acknowledged in groups; if Ingest returns an error, those of the report are
// still recorded, and sending the whole stream again is harmless.
func (b *Board) Ingest(ctx context.Context, src io.Reader, o stream.IngestOptions) (stream.IngestReport, error) {
	return stream.Ingest(ctx, b.core, src, o)
}

// List returns versioned records, newest first.
func (b *Board) List(ctx context.Context, o browse.ListOptions) (*browse.Page, error) {
	return b.browser.List(ctx, o)
}

// MintScope returns the text of a token for an agent of a tenant. The token names the
// writer as its granter; the writer needs at least the trust of a user, and grants no more
// trust than it has. A writer with a scope cannot mint; it can narrow its own token.
// Nothing is recorded.
func (b *Board) MintScope(ctx context.Context, w board.Writer, tenant string, g scope.Grant) (string, error) {
	return b.core.MintScope(ctx, w, tenant, g)
}

// Named returns the live records of a kind with a name, ignoring case: an entity by its
// name or an alias.
func (b *Board) Named(ctx context.Context, tenant string, kind record.Kind, name string, v board.View) ([]*board.Thing, error) {
	return b.browser.Named(ctx, tenant, kind, name, v)
}

// NewKey creates a new signing key. Earlier signatures can still be verified with the old
// one.
func (b *Board) NewKey(ctx context.Context) error { return b.core.NewKey(ctx) }

// Now returns the time by the board's clock.
func (b *Board) Now() time.Time { return b.core.Now() }

// Prove returns a proof that a record is in the tenant's tree.
func (b *Board) Prove(ctx context.Context, tenant string, o browse.ProveOptions) (*notary.Proof, error) {
	return b.browser.Prove(ctx, tenant, o)
}

// ProveConsistency returns a proof that the tree of size to continues the tree of size
// from. Zero for to means the current tree.
func (b *Board) ProveConsistency(ctx context.Context, tenant string, from, to uint64) (*notary.ConsistencyProof, error) {
	return b.browser.ProveConsistency(ctx, tenant, from, to)
}

// Purge rewrites the index so that nothing deleted is left in its files, and overwrites
// erased payloads that are on the disk again.
func (b *Board) Purge(ctx context.Context) error { return b.core.Purge(ctx) }

// Put writes a version of a record: a new one, or the next of the one with the same id or,
// if it has no id, the same key. Its trust is at most the lowest of its sources; an
// unknown source counts as external. The body is normalised, and gets its id, if it lacks
// one; a feedback gets its profile. Secrets are scrubbed, unless they are to be kept.
func (b *Board) Put(ctx context.Context, w board.Writer, tenant string, body memory.Body, expect board.Expect) (*board.PutResult, error) {
	return b.core.Put(ctx, w, tenant, body, expect)
}

// Reached returns the highest recorded sequence of a session. ok is false if the session
// has no event.
func (b *Board) Reached(ctx context.Context, tenant, session string) (sequence int64, ok bool, err error) {
	return b.browser.Reached(ctx, tenant, session)
}

// Rebuild builds a new index from the journal and replaces the old one. Until then the old
// one stays; a failed or interrupted rebuild changes nothing. All other operations wait
// meanwhile.
func (b *Board) Rebuild(ctx context.Context, tell apply.Progress) error {
	return b.core.Rebuild(ctx, tell)
}

// Receipt returns the signed receipt of the redaction at a position.
func (b *Board) Receipt(ctx context.Context, tenant string, redaction uint64) (notary.Signed, error) {
	return b.eraser.Receipt(ctx, tenant, redaction)
}

// Redact erases versioned records and events, with their whole history, for good: on the
// disk, in every index, and against being sent again. When it returns, the payloads are
// overwritten. Index files that are no longer in use may hold names until [Board.Purge].
// It is refused under a scope.
func (b *Board) Redact(ctx context.Context, w board.Writer, uris []memory.URI) (*erase.Erasure, error) {
	return b.eraser.Redact(ctx, w, uris)
}

// Referrers returns the live records that refer to a record or an event: edges, relations,
// conflicts, feedback, and what was derived from it.
func (b *Board) Referrers(ctx context.Context, u memory.URI, v board.View) ([]*board.Thing, error) {
	return b.browser.Referrers(ctx, u, v)
}

// Resolve returns what a URI names.
func (b *Board) Resolve(ctx context.Context, u memory.URI, v board.View) (*browse.Resolved, error) {
	return b.browser.Resolve(ctx, u, v)
}

// ResolveAt returns what a URI named at a version or, as of a position, what
// [Board.Resolve] would have returned then: forgotten records are returned with that
// state, and later ones are not found. What was erased since is erased at every position.
// A record must have been visible then and be visible now.
//
// Without a time in the view, expiry and validity as of a position are judged by the time
// of the record there.
func (b *Board) ResolveAt(ctx context.Context, u memory.URI, at browse.At, v board.View) (*browse.Resolved, error) {
	return b.browser.ResolveAt(ctx, u, at, v)
}

// Restore writes the content of an earlier version as the newest one. Without a version it
// is the last content, which brings back a forgotten record. Its trust is at most that of
// the original.
func (b *Board) Restore(ctx context.Context, w board.Writer, ref board.Ref, expect board.Expect) (*board.PutResult, error) {
	return b.core.Restore(ctx, w, ref, expect)
}

// Root returns the current root of a tenant. A tenant without records has the root of the
// empty tree.
func (b *Board) Root(ctx context.Context, tenant string) (board.Root, error) {
	return b.core.Root(ctx, tenant)
}

// RootAt returns the root of a tenant at a given size.
func (b *Board) RootAt(ctx context.Context, tenant string, size uint64) (merkle.Hash, error) {
	return b.core.RootAt(ctx, tenant, size)
}

// Sessions returns the sessions of a tenant, ordered by id. Under a scope that does not
// show everything, the events are read one by one: sessions without a visible event are
// left out, and the others are summarized by their visible events.
func (b *Board) Sessions(ctx context.Context, tenant string, v board.View) ([]browse.SessionInfo, error) {
	return b.browser.Sessions(ctx, tenant, v)
}

// Storage returns the size of the directory, for all tenants together.
func (b *Board) Storage(ctx context.Context) (*audit.Storage, error) {
	return audit.StorageOf(ctx, b.core)
}

// Tail returns events in the order of recording, from a position on: a part of them, in
// bounded time and memory. A tenant without records has none yet.
func (b *Board) Tail(ctx context.Context, q browse.TailQuery) (*browse.Tailed, error) {
	return b.browser.Tail(ctx, q)
}

// Tenants iterates over the roots of all tenants but [SystemTenant], in the order of their
// first writes. The caller may use the board meanwhile; if a tenant is written, one of its
// roots is seen.
func (b *Board) Tenants(ctx context.Context) iter.Seq2[board.Root, error] { return b.core.Tenants(ctx) }

// Transition changes the status of an artifact, by the rules of HMX-A for the artifact and
// for its chain.
func (b *Board) Transition(ctx context.Context, w board.Writer, ref board.Ref, to hmx.Status, supersededBy, reason string, expect board.Expect) (*board.PutResult, error) {
	return b.core.Transition(ctx, w, ref, to, supersededBy, reason, expect)
}

// URIAt returns the URI of the record at a position: an event, or a versioned record
// without its version. Hidden, erased and other records give the same not-found error: a
// position reveals nothing about what is hidden.
func (b *Board) URIAt(ctx context.Context, tenant string, position uint64, v board.View) (memory.URI, error) {
	return b.browser.URIAt(ctx, tenant, position, v)
}

// Unscoped refuses a token for an operation that cannot be narrowed to a scope. An empty
// token means no scope.
func (b *Board) Unscoped(ctx context.Context, tenant, token, what string) error {
	return b.core.Unscoped(ctx, tenant, token, what)
}

// VerifierKey returns the key that verifies a tenant's checkpoints, proofs and receipts,
// as a line of text.
func (b *Board) VerifierKey(tenant string) string { return b.core.VerifierKey(tenant) }

// Versions returns the versions of a record, oldest first, a page at a time. It shows what
// History shows.
func (b *Board) Versions(ctx context.Context, o browse.VersionsOptions) (*browse.VersionsPage, error) {
	return b.browser.Versions(ctx, o)
}

// Watch notifies the caller when a tenant gets records: after each group with some of it,
// grew has an item, one for all since it was last received. Records from before the call
// are not notified, so read after it. The caller must call stop.
func (b *Board) Watch(tenant string) (grew <-chan struct{}, stop func()) { return b.core.Watch(tenant) }

// Weight returns the total size of the payloads of a tenant from a position on, and the
// position after them. Erased payloads count as zero.
func (b *Board) Weight(ctx context.Context, tenant string, from uint64) (bytes int64, to uint64, err error) {
	return b.browser.Weight(ctx, tenant, from)
}

// Verify checks the directory. The error says why it could not check; problems are in the
// report. A deep verification blocks all other operations, reads too.
func (b *Board) Verify(ctx context.Context, o VerifyOptions) (*VerifyReport, error) {
	return audit.Verify(ctx, b.core, o)
}

// Export writes all records of a tenant as lines of JSON: a head, and each record as it is
// in the journal, salts and erasures included. It exports one snapshot. If a record of
// that snapshot is erased while it runs, its content is gone, and the export ends with an
// error; a later export has the record that erased it.
func (b *Board) Export(ctx context.Context, tenant string, dst io.Writer, tell func(done, total uint64)) (board.Root, error) {
	return transfer.Export(ctx, b.core, tenant, dst, tell)
}

// Import imports the output of Export: the same records at the same positions with the
// same proofs. The tenant must be new, or hold a prefix of the same records, as after an
// interrupted import. A record is admitted only if this board would have written it in
// this place. What the export itself shows is checked for the whole export before the
// first write; so it is read twice, through a temporary file in the data directory if it
// cannot seek. What depends on the tenant's state is checked for each group of records,
// and a group is imported as a whole or not at all.
func (b *Board) Import(ctx context.Context, src io.Reader, tell func(done, total uint64)) (*ImportReport, error) {
	return transfer.Import(ctx, b.core, src, tell)
}

// Salvage writes the readable records of a tenant, as [Salvage.Write] does.
func (b *Board) Salvage(ctx context.Context, tenant string, dst io.Writer, tell func(done, total uint64)) (*Salvaged, error) {
	return transfer.SalvageTenant(ctx, b.core, tenant, dst, tell)
}

// Context returns what an agent reads when it starts: pinned records, what matters for its
// task, and the outcomes of earlier attempts, within a budget of tokens. It reads one
// state, writes nothing and counts nothing. A tenant without records has an empty bundle.
func (b *Board) Context(ctx context.Context, o ContextOptions) (*bundle.Bundle, error) {
	return b.contexts.Context(ctx, o)
}

// Embed makes a provider embed everything in a tenant that has no vector by its model:
// events and the current versions of versioned records. Each vector is journaled, so that
// it survives a restart, an export and a rebuild without the provider. Expired documents
// are not sent.
//
// What the provider cannot embed stays for the next call, and is found by its words and by
// the built-in model meanwhile. An error says why the call ended early; the result still
// reports what was done, which stays. Concurrent calls are safe, but the provider may
// embed a text twice.
//
// Embed is refused under a scope. The board opens no connection itself; the provider may.
func (b *Board) Embed(ctx context.Context, w board.Writer, o retrieval.EmbedOptions) (*retrieval.Embedded, error) {
	return b.retrieval.Embed(ctx, w, o)
}

// Search returns the documents that answer a question, best first. It reads one state and
// writes nothing. The same state gives the same answer, bit for bit.
//
// Documents that the scope does not show, and documents private to other agents, have no
// influence on the hits or their scores. The graph is then not used as a source. A caller
// can conclude from that whether others have anything private.
//
// For a past state the answer is that of then, except for what was erased since and what
// the caller may not see now. Inactive artifacts are not found.
func (b *Board) Search(ctx context.Context, o retrieval.SearchOptions) (*retrieval.Searched, error) {
	return b.retrieval.Search(ctx, o)
}

// Find returns the records that match the predicates, and those that the steps lead to.
// Hits are ordered by hops, then by the requested order, then by URI, so that the same
// state has the same answer. It reads one state, writes nothing and counts nothing.
//
// For a past state the answer is that of then, except for what was erased since and what
// the caller may not see now.
func (b *Board) Find(ctx context.Context, o FindOptions) (*Found, error) {
	return find.Find(ctx, b.retrieval, o)
}

// Graph returns a part of the knowledge as a graph. It contains nothing that the view
// hides, and no path leads through it. The same state gives the same graph.
func (b *Board) Graph(ctx context.Context, q GraphQuery) (*Graph, error) {
	return find.Neighbourhood(ctx, b.core, q)
}

// Stats counts the content of a tenant. Most comes from rows of indexes, so that a million
// events take a few seconds and little memory; only names are read from the journal. One
// call runs at a time.
func (b *Board) Stats(ctx context.Context, q StatsQuery) (*Stats, error) {
	return b.sessions.Stats(ctx, q)
}

// Timeline returns a page of a session. A session without visible events is unknown.
func (b *Board) Timeline(ctx context.Context, q TimelineQuery) (*Timeline, error) {
	return b.sessions.Timeline(ctx, q)
}

// Artifact returns an artifact with its evidence: whether its hash is right and its
// sources exist, what contradicts it, and its transitions with their reasons.
func (b *Board) Artifact(ctx context.Context, tenant, id string, v board.View) (*ArtifactDetail, error) {
	return b.reviewer.Artifact(ctx, tenant, id, v)
}

// ArtifactChain returns the versions of an artifact, oldest first: what it supersedes,
// what supersedes it or would, as drafts that name it, and so on. Erased, forgotten and
// hidden versions are left out.
func (b *Board) ArtifactChain(ctx context.Context, tenant, id string, v board.View) ([]*ArtifactVersion, error) {
	return b.reviewer.ArtifactChain(ctx, tenant, id, v)
}

// Artifacts returns artifacts, newest first.
func (b *Board) Artifacts(ctx context.Context, o ArtifactOptions) (*ArtifactPage, error) {
	return b.reviewer.Artifacts(ctx, o)
}

// Compile derives artifacts from the sessions of a tenant, memories from what users
// plainly stated, and conflicts from contradictions.
//
// What it writes is a function of the tenant's records: compiled in one go or step by
// step, with or without the caches, it is the same, and a second call without new events
// writes nothing. No record has more trust than its least trusted source, and what people
// wrote, archived or forgot themselves stays as it is. An interrupted compile leaves no
// artifact with two active versions; the next call completes it. One call runs at a time.
//
// Compile is refused under a scope. Its records name the board as their writer, not the
// caller.
func (b *Board) Compile(ctx context.Context, w board.Writer, tenant string, o CompileOptions) (*CompileReport, error) {
	return b.learner.Compile(ctx, w, tenant, o)
}

// CompileFailures returns how many background compiles failed.
func (b *Board) CompileFailures() uint64 { return b.learner.CompileFailures() }

// Conflict returns a conflict with its sides.
func (b *Board) Conflict(ctx context.Context, tenant, id string, v board.View) (*StoredConflict, error) {
	return b.reviewer.Conflict(ctx, tenant, id, v)
}

// Conflicts returns conflicts, newest first.
func (b *Board) Conflicts(ctx context.Context, o ConflictOptions) (*ConflictPage, error) {
	return b.reviewer.Conflicts(ctx, o)
}

// DecideArtifact sets the status of an artifact by hand: it approves a draft, or archives
// or deprecates an artifact in use. The decision stays: no compile undoes it.
//
// A draft is approved if its hash matches its content, all its sources are on record, and
// no conflict counts against it. The active version that it supersedes is superseded in
// the same step. It is refused if another version is active that it does not name, or if
// another one replaced the one it names.
func (b *Board) DecideArtifact(ctx context.Context, w board.Writer, d ArtifactDecision) (*ArtifactDecided, error) {
	return b.reviewer.DecideArtifact(ctx, w, d)
}

// DiffArtifacts returns the difference of two artifacts. An empty from means the one that
// to supersedes.
func (b *Board) DiffArtifacts(ctx context.Context, tenant, from, to string, v board.View) (*ArtifactDiff, error) {
	return b.reviewer.DiffArtifacts(ctx, tenant, from, to, v)
}

// Learn makes memories of what users plainly state in events that were just recorded, as
// Compile does, and of other statements since the last call of either: a Compile after it
// has nothing to do for them. It reads only what is new, and waits for no compile. Without
// ids, all new events count; with ids of events that state nothing it does nothing.
//
// Learn is refused under a scope, like Compile.
func (b *Board) Learn(ctx context.Context, w board.Writer, tenant string, ids ...string) (*LearnReport, error) {
	return b.learner.Learn(ctx, w, tenant, ids...)
}

// Lessons returns the commands that failed in the sessions of a tenant and their fixes,
// most frequent and newest first (see [lessons.Lessons]). It uses only what the view
// shows, and writes nothing. Uncompiled sessions count too: the newest of them, up to
// 2,000 events.
func (b *Board) Lessons(ctx context.Context, o LessonOptions) ([]Lesson, error) {
	return b.learner.Lessons(ctx, o)
}

// Refine makes a language model write titles and summaries of the active artifacts that
// compiles wrote and that have none by a model yet. Each is journaled as a record of its
// own, with the lowest trust, so that it survives a restart, an export and a rebuild
// without the model; it is erased with its artifact. The artifact, its content, its hash
// and every pack stay the same.
//
// What the refiner cannot do stays for the next call, with the title of the compile
// meanwhile. An error says why the call ended early; the report still contains what was
// done, which stays. Concurrent calls are safe, but the refiner may receive an artifact
// twice.
//
// Refine is refused under a scope. The board opens no connection itself; the refiner may.
func (b *Board) Refine(ctx context.Context, w board.Writer, tenant string, o RefineOptions) (*RefineReport, error) {
	return b.reviewer.Refine(ctx, w, tenant, o)
}

// Refinement returns the newest title and summary by a model for an artifact, or nil if
// there is none. A caller that may see the artifact may see it.
func (b *Board) Refinement(ctx context.Context, ref board.Ref, v board.View) (*Refined, error) {
	return b.reviewer.Refinement(ctx, ref, v)
}

// SettleConflict records how a conflict was settled, as its next version. Packs show the
// winner and leave out the others; nothing else changes, and no compile opens it again.
func (b *Board) SettleConflict(ctx context.Context, w board.Writer, s ConflictSettlement) (*board.PutResult, error) {
	return b.reviewer.SettleConflict(ctx, w, s)
}

// CheckAction returns the outcomes of the action and of similar ones, the rules and
// artifacts that warn against it, and what to do instead. It blocks nothing, reads one
// state and writes nothing: the same state and question have the same answer, whatever was
// compiled, rebuilt or asked before.
//
// Rules are valid constraints and policies with the trust of a user or an operator.
// Artifacts are the active and valid ones. Records that the view hides, or that were
// erased, have no part in the answer.
func (b *Board) CheckAction(ctx context.Context, o CheckOptions) (*CheckedAction, error) {
	return b.adviser.CheckAction(ctx, o)
}

// NextStep returns the tools that a session may call next, with the probability of each
// and the reason, based on its task so far and on the active artifacts that apply and that
// the view shows. It reads one state and writes nothing. Without such artifacts there are
// no suggestions.
func (b *Board) NextStep(ctx context.Context, o NextOptions) (*NextSteps, error) {
	return b.adviser.NextStep(ctx, o)
}

// Pack returns the context for a question: the best of what is known, within a budget of
// tokens, with the sources of each entry and the reasons for what was left out. It reads
// one state and writes nothing. The same root and the same options give the same pack, bit
// for bit, except for the duration. A tenant without records has an empty pack.
//
// Records that a scope hides, and those private to other agents, have no influence, as in
// a search.
func (b *Board) Pack(ctx context.Context, o packer.PackOptions) (*packer.Packed, error) {
	return b.packer.Pack(ctx, o)
}

// PackContext returns a markdown block of what is known about a topic: as many of the best
// search hits as fit into a budget, each whole, on one line. It never exceeds the budget,
// at four characters per token. If nothing is known or nothing fits it says so, if there
// is room for that.
func (b *Board) PackContext(ctx context.Context, o packer.PackContextOptions) (string, error) {
	return b.packer.PackContext(ctx, o)
}

// Fingerprint returns a digest of what the agents of a tenant learned, without any text of
// events; see package fingerprint for its content. It depends on one state: the same root
// gives the same bytes, here, after a rebuild and wherever the tenant is imported. Erased
// records have no part in it, nor do records private to another agent than the named one.
//
// It reads only sessions that have new events since the last compile or fingerprint. One
// fingerprint or compile runs at a time.
func (b *Board) Fingerprint(ctx context.Context, o packer.FingerprintOptions) (*fingerprint.Fingerprint, error) {
	return b.packer.Fingerprint(ctx, o)
}

// VerifyPack proves the content of a pack, entry by entry, down to the journal, and makes
// it again if possible. If something does not hold, the error has the code not_proven, and
// the result is returned with it; a pack that breaks the rules of the protocol is an
// invalid_document. Package packproof lists what is proven.
func (b *Board) VerifyPack(ctx context.Context, tenant string, p *hmx.Pack, o packproof.VerifyPackOptions) (*packproof.PackProof, error) {
	return b.prover.VerifyPack(ctx, tenant, p, o)
}

// ExplainPack says why a record is in the requested pack, or is not. what is its source
// id, its key or its URI.
func (b *Board) ExplainPack(ctx context.Context, o packer.PackOptions, what string) (*packproof.Explanation, error) {
	return b.prover.ExplainPack(ctx, o, what)
}
