package api

import (
	"context"
	"encoding/json"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// proofOperations return roots, checkpoints and proofs, and maintain the log.
func proofOperations() []*operation.Operation {
	const forAuditors = "proofs are for auditors; an agent has verify"
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "root", Group: operation.GroupProof, Short: "Name the state of the tenant: how many records, and the root over them.",
			Method: "GET", Path: "/v1/root", Command: "root", Without: forAuditors,
			Needs: reads,
		}, runRoot),
		operation.Define(operation.Operation{
			Name: "checkpoint", Group: operation.GroupProof, Short: "Sign the state of the tenant (a C2SP note).",
			Method: "GET", Path: "/v1/checkpoint", Command: "root", Without: forAuditors,
			Needs: reads, Unscoped: true, Media: "text/plain",
		}, runCheckpoint),
		operation.Define(operation.Operation{
			Name: "verifier_key", Group: operation.GroupProof, Short: "Show the public key that verifies signatures.",
			Method: "GET", Path: "/v1/key", Command: "root", Without: forAuditors,
			Needs: reads,
		}, runVerifierKey),
		operation.Define(operation.Operation{
			Name: "prove_inclusion", Group: operation.GroupProof, Short: "Prove that a record is in the tenant's log.",
			Method: "GET", Path: "/v1/proof/inclusion", Command: "prove", Without: forAuditors,
			Needs: reads, Unscoped: true,
		}, runProve),
		operation.Define(operation.Operation{
			Name: "prove_consistency", Group: operation.GroupProof, Short: "Prove that the tenant's log only grew.",
			Method: "GET", Path: "/v1/proof/consistency", Command: "prove", Without: forAuditors,
			Needs: reads, Unscoped: true,
		}, runProveConsistency),
		operation.Define(operation.Operation{
			Name: "expire", Group: operation.GroupProof, Short: "Record the expiry of everything whose time is over.",
			Method: "POST", Path: "/v1/expire", Command: "expire", Without: "an administrator of the tenant does it, not its agents",
			Needs: auth.Admin | auth.Write, Wrote: true, Unscoped: true,
		}, runExpire),
		operation.Define(operation.Operation{
			Name: "export", Group: operation.GroupProof, Short: "Export all records of the tenant, as lines of JSON.",
			Method: "GET", Path: "/v1/export", Command: "export", Without: "it is large, and not a text for an agent",
			Needs: reads | auth.Admin, Unscoped: true, Stream: true, Media: "application/x-ndjson",
		}, (func(context.Context, *operation.Call, *nothing) (*operation.Text, error))(nil)),
		operation.Define(operation.Operation{
			Name: "import", Group: operation.GroupProof, Short: "Import an export of a tenant.",
			Long:   "The body is the export, unchanged. The tenant is that of the file. It must be new here, or hold the first of the same records.",
			Method: "POST", Path: "/v1/import", Command: "import", Without: "it is large, and not a text for an agent",
			Needs: writes | auth.Admin, Board: true, Stream: true, Wrote: true,
		}, (func(context.Context, *operation.Call, *importIn) (*answer.Imported, error))(nil)),
		operation.Define(operation.Operation{
			Name: "verify", Group: operation.GroupProof, Short: "Verify the data directory: quickly, or to the last byte.",
			Method: "POST", Path: "/v1/verify", Command: "verify", Without: "it is about the server; an agent verifies packs",
			Needs: reads | auth.Admin, Board: true,
		}, runVerify),
	}
}

func runRoot(ctx context.Context, c *operation.Call, _ *nothing) (*answer.State, error) {
	root, err := c.Tenant().Root(ctx)
	if err != nil {
		return nil, err
	}
	a := answer.StateOf(root)
	return &a, nil
}

func runCheckpoint(ctx context.Context, c *operation.Call, _ *nothing) (*operation.Text, error) {
	signed, err := c.Tenant().Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	if c.Warn != nil && signed.Warning != nil {
		c.Warn(signed.Warning)
	}
	return &operation.Text{Body: string(signed.Note)}, nil
}

func runVerifierKey(_ context.Context, c *operation.Call, _ *nothing) (*answer.Key, error) {
	t := c.Tenant()
	key := t.VerifierKey()
	if key == "" {
		return nil, fault.New(fault.Damaged, "the key of this directory is not known").WithFix("`lukasa verify` says what is wrong with it")
	}
	return &answer.Key{Tenant: t.Name(), Key: key}, nil
}

// proveIn names a record.
type proveIn struct {
	Position *uint64 `query:"position" doc:"the position of the record"`
	Name     string  `query:"name" also:"key" doc:"or a key or a URI"`
	Size     uint64  `query:"size" doc:"in the tree of this size; default the current size"`
	Withhold bool    `query:"withhold" doc:"leave the content out"`
}

func runProve(ctx context.Context, c *operation.Call, in *proveIn) (*lukasa.Proof, error) {
	if (in.Position == nil) == (in.Name == "") {
		return nil, fault.New(fault.InvalidArgument, "position, name: exactly one must be given").WithFix("name the record to prove")
	}
	t := c.Tenant()
	o := lukasa.ProveOptions{Size: in.Size, Withhold: in.Withhold, Warn: c.Warn}
	if in.Position != nil {
		o.Position = *in.Position
		return t.Prove(ctx, o)
	}
	var err error
	if o.Position, err = positionOf(ctx, c, t, in.Name); err != nil {
		return nil, err
	}
	return t.Prove(ctx, o)
}

// positionOf returns the position of the record behind a key or a URI.
func positionOf(ctx context.Context, c *operation.Call, t *lukasa.Tenant, name string) (uint64, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return 0, err
	}
	ref, err := c.Ref(name, 0)
	if err != nil {
		return 0, err
	}
	if ref.Kind == lukasa.EventKind {
		ev, err := t.Event(ctx, ref.ID)
		if err != nil {
			return 0, err
		}
		return ev.Position, nil
	}
	if ref.Version == 0 {
		thing, err := t.Get(ctx, ref, v)
		if err != nil {
			return 0, err
		}
		return thing.Position, nil
	}
	// A version may be a tombstone, which is a record of its own.
	uri, changes, err := t.History(ctx, ref, v)
	if err != nil {
		return 0, err
	}
	for _, ch := range changes {
		if ch.Version == ref.Version {
			return ch.Position, nil
		}
	}
	return 0, fault.Newf(fault.NotFound, "%s has no version %d", uri, ref.Version)
}

// consistencyIn names two sizes of the log.
type consistencyIn struct {
	From uint64 `query:"from,required" doc:"the earlier size"`
	To   uint64 `query:"to" doc:"the later size; default the current size"`
}

func runProveConsistency(ctx context.Context, c *operation.Call, in *consistencyIn) (*lukasa.ConsistencyProof, error) {
	return c.Tenant().ProveConsistency(ctx, in.From, in.To)
}

// expireIn has the time by which records are expired.
type expireIn struct {
	Now hmx.Time `json:"now,omitempty" doc:"not later than the current time"`
}

func runExpire(ctx context.Context, c *operation.Call, in *expireIn) (*answer.Expired, error) {
	now := c.Time()
	if !in.Now.IsZero() {
		now = in.Now.Time()
	}
	t := c.Tenant()
	done, err := t.Expire(ctx, now)
	if err != nil {
		return nil, err
	}
	root, err := t.Root(context.WithoutCancel(ctx)) // the write is done, so ignore cancellation
	if err != nil {
		return nil, err
	}
	return &answer.Expired{Things: done.Things, Events: done.Events, State: answer.StateOf(root)}, nil
}

// importIn is the first line of an export; the others follow it.
type importIn struct {
	Export json.RawMessage `body:"export" doc:"lines of JSON, as export wrote them"`
}

// verifyIn says how thoroughly to verify.
type verifyIn struct {
	Deep bool `json:"deep,omitempty" doc:"recompute everything"`
}

func runVerify(ctx context.Context, c *operation.Call, in *verifyIn) (*answer.Verified, error) {
	o := lukasa.VerifyOptions{Deep: in.Deep}
	if c.Progress != nil {
		o.Progress = func(step string, done, total uint64) { c.Progress(done, total, step) }
	}
	report, err := c.Board.Verify(ctx, o)
	if err != nil {
		return nil, err
	}
	return answer.VerifiedOf(report), nil
}
