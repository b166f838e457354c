package api

import (
	"context"
	"encoding/json"
	"slices"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/operation"
)

// artifactOperations are about artifacts.
func artifactOperations() []*operation.Operation {
	const forTenant = "an administrator of the tenant decides, not its agents"
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "list_artifacts", Group: operation.GroupKnowledge, Short: "List artifacts: procedures, playbooks, policies.",
			Long:   "The active ones by default; each is an HMX-A document.",
			Method: "GET", Path: "/v1/artifacts", Command: "artifacts list", Tool: &operation.Tool{Name: "artifacts", Idempotent: true},
			Needs: reads,
		}, runListArtifacts),
		operation.Define(operation.Operation{
			Name: "get_artifact", Group: operation.GroupKnowledge, Short: "Show an artifact and its evidence.",
			Method: "GET", Path: "/v1/artifacts/{id}", Command: "artifacts show", Without: "over MCP artifacts lists them whole",
			Needs: reads,
		}, runArtifact),
		operation.Define(operation.Operation{
			Name: "artifact_chain", Group: operation.GroupKnowledge, Short: "Show the versions of an artifact, who superseded what, when and why.",
			Method: "GET", Path: "/v1/artifacts/{id}/chain", Command: "artifacts chain", Without: "over MCP artifacts lists them whole",
			Needs: reads,
		}, runArtifactChain),
		operation.Define(operation.Operation{
			Name: "artifact_diff", Group: operation.GroupKnowledge, Short: "Show what changed from one version of an artifact to another.",
			Method: "GET", Path: "/v1/artifacts/{id}/diff", Command: "artifacts diff", Without: "over MCP artifacts lists them whole",
			Needs: reads,
		}, runArtifactDiff),
		operation.Define(operation.Operation{
			Name: "approve_artifact", Group: operation.GroupKnowledge, Short: "Make a draft active.",
			Method: "POST", Path: "/v1/artifacts/{id}/approve", Command: "artifacts approve", Without: forTenant,
			Needs: auth.Admin | auth.Write, Wrote: true,
		}, func(ctx context.Context, c *operation.Call, in *approveIn) (*answer.Decided, error) {
			return decide(ctx, c, in.ID, in.Reason, (*lukasa.Tenant).ApproveArtifact)
		}),
		operation.Define(operation.Operation{
			Name: "archive_artifact", Group: operation.GroupKnowledge, Short: "Retire an active artifact.",
			Method: "POST", Path: "/v1/artifacts/{id}/archive", Command: "artifacts archive", Without: forTenant,
			Needs: auth.Admin | auth.Write, Wrote: true,
		}, func(ctx context.Context, c *operation.Call, in *decideIn) (*answer.Decided, error) {
			return decide(ctx, c, in.ID, in.Reason, (*lukasa.Tenant).ArchiveArtifact)
		}),
		operation.Define(operation.Operation{
			Name: "deprecate_artifact", Group: operation.GroupKnowledge, Short: "Mark an artifact or a draft as wrong.",
			Method: "POST", Path: "/v1/artifacts/{id}/deprecate", Command: "artifacts deprecate", Without: forTenant,
			Needs: auth.Admin | auth.Write, Wrote: true,
		}, func(ctx context.Context, c *operation.Call, in *decideIn) (*answer.Decided, error) {
			return decide(ctx, c, in.ID, in.Reason, (*lukasa.Tenant).DeprecateArtifact)
		}),
		operation.Define(operation.Operation{
			Name: "compile", Group: operation.GroupKnowledge, Short: "Derive artifacts from what happened, and memories from what users stated.",
			Method: "POST", Path: "/v1/compile", Command: "compile", Without: forTenant,
			Needs: auth.Admin | auth.Write, Wrote: true, Unscoped: true,
		}, runCompile),
		operation.Define(operation.Operation{
			Name: "next_step", Group: operation.GroupKnowledge, Short: "Suggest which tool a session may call next, and why.",
			Method: "POST", Path: "/v1/next_step", Command: "next", Tool: &operation.Tool{Idempotent: true},
			Needs: reads,
		}, runNextStep),
		operation.Define(operation.Operation{
			Name: "check_action", Group: operation.GroupKnowledge, Short: "Check a planned action against rules and past failures.",
			Method: "POST", Path: "/v1/check_action", Command: "check", Tool: &operation.Tool{Idempotent: true},
			Needs: reads,
		}, runCheckAction),
	}
}

// listArtifactsIn selects the artifacts to list.
type listArtifactsIn struct {
	Type          hmx.ArtifactType `query:"type" doc:"of this type, such as task_schema or failure_playbook"`
	Status        hmx.Status       `query:"status" doc:"default active"`
	All           bool             `query:"all" doc:"of every status"`
	Tag           string           `query:"tag" doc:"with this tag, such as the name of a tool"`
	MinConfidence float64          `query:"min_confidence" min:"0" max:"1"`
	pageIn
	Now hmx.Time `query:"now"`
}

func runListArtifacts(ctx context.Context, c *operation.Call, in *listArtifactsIn) (*answer.Artifacts, error) {
	switch {
	case in.All && in.Status != "":
		return nil, fault.New(fault.InvalidArgument, "all: it cannot be combined with status").WithFix("leave one out")
	case in.Type != "" && !slices.Contains(hmx.ArtifactTypes(), in.Type) && !hmx.CustomType(string(in.Type)):
		return nil, fault.Newf(fault.InvalidArgument, "type: %s is no type of artifacts", operation.Quoted(string(in.Type))).WithFix("give task_schema, failure_playbook, decision_policy, causal_pattern, strategy_template or x-{vendor}-{type}")
	}
	v, err := c.View(in.Now)
	if err != nil {
		return nil, err
	}
	found, err := c.Tenant().Artifacts(ctx, lukasa.ArtifactOptions{
		Type: in.Type, Status: in.Status, Any: in.All, Tag: in.Tag, MinConfidence: in.MinConfidence, Limit: in.Limit, After: in.After, View: v,
	})
	if err != nil {
		return nil, err
	}
	return answer.ArtifactsOf(found), nil
}

// artifactIn names an artifact.
type artifactIn struct {
	ID string `path:"id" doc:"the artifact_id"`
}

func runArtifact(ctx context.Context, c *operation.Call, in *artifactIn) (*answer.Artifact, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	d, err := c.Tenant().Artifact(ctx, in.ID, v)
	if err != nil {
		return nil, err
	}
	return answer.ArtifactOf(d), nil
}

func runArtifactChain(ctx context.Context, c *operation.Call, in *artifactIn) (*answer.Chain, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	list, err := t.ArtifactChain(ctx, in.ID, v)
	if err != nil {
		return nil, err
	}
	return answer.ChainOf(t.URI(lukasa.ArtifactKind, in.ID), list), nil
}

// diffIn names two artifacts.
type diffIn struct {
	ID   string `path:"id" doc:"the later one"`
	From string `query:"from" doc:"the earlier one; default the one that it supersedes"`
}

func runArtifactDiff(ctx context.Context, c *operation.Call, in *diffIn) (*answer.Diff, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	d, err := c.Tenant().DiffArtifacts(ctx, in.From, in.ID, v)
	if err != nil {
		return nil, err
	}
	return answer.DiffOf(d), nil
}

// approveIn names the draft to activate.
type approveIn struct {
	ID     string `path:"id" doc:"the artifact_id"`
	Reason string `json:"reason,omitempty" doc:"why, for later readers"`
}

// decideIn names an artifact to archive or deprecate, with the reason.
type decideIn struct {
	ID     string `path:"id" doc:"the artifact_id"`
	Reason string `json:"reason" doc:"why, for later readers"`
}

func decide(ctx context.Context, c *operation.Call, id, reason string, do func(*lukasa.Tenant, context.Context, string, string) (*lukasa.ArtifactDecided, error)) (*answer.Decided, error) {
	t := c.Tenant()
	done, err := do(t, ctx, id, reason)
	if err != nil {
		return nil, err
	}
	root, err := t.Root(context.WithoutCancel(ctx)) // the write is done, so ignore cancellation
	if err != nil {
		return nil, err
	}
	return answer.DecidedOf(done, root), nil
}

// compileIn is the request to compile events into artifacts.
type compileIn struct {
	Full   bool `json:"full,omitempty" doc:"read every session again; the outcome is the same"`
	DryRun bool `json:"dry_run,omitempty" doc:"say what would change, and write nothing"`
}

func runCompile(ctx context.Context, c *operation.Call, in *compileIn) (*answer.Compiled, error) {
	o := lukasa.CompileOptions{Full: in.Full, DryRun: in.DryRun}
	if tell := c.Counted("reading events"); tell != nil {
		o.Progress = func(done, all int) { tell(uint64(done), uint64(all)) }
	}
	report, err := c.Tenant().Compile(ctx, o)
	if err != nil {
		return nil, err
	}
	return answer.CompiledOf(report, in.DryRun), nil
}

// nextIn names a session.
type nextIn struct {
	SessionID string   `json:"session_id"`
	Limit     int      `json:"limit,omitempty" min:"1" max:"100" usual:"3"`
	Tags      []string `json:"tags,omitempty" doc:"only artifacts whose validity scope has one of these tags, or none"`

	Conditions []string `json:"conditions,omitempty" doc:"conditions that hold, such as project: NAME"`
}

func runNextStep(ctx context.Context, c *operation.Call, in *nextIn) (*answer.Next, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	v.Conditions = in.Conditions
	found, err := c.Tenant().NextStep(ctx, lukasa.NextOptions{Session: in.SessionID, Limit: in.Limit, Tags: in.Tags, View: v})
	if err != nil {
		return nil, err
	}
	return answer.NextOf(in.SessionID, found), nil
}

// checkIn is a planned action.
type checkIn struct {
	Tool      string          `json:"tool,omitempty" doc:"the tool, or command"`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"of the tool" type:"object"`
	Command   string          `json:"command,omitempty" doc:"a command line, instead of a tool"`
	Branch    string          `json:"branch,omitempty" doc:"the git branch checked out"`
	SessionID string          `json:"session_id,omitempty" doc:"the session under way; its earlier steps count too"`
	AgentID   string          `json:"agent_id,omitempty"`
	Tags      []string        `json:"tags,omitempty"`
	Now       hmx.Time        `json:"now,omitempty"`

	Conditions []string `json:"conditions,omitempty" doc:"conditions that hold, such as project: NAME"`
}

func runCheckAction(ctx context.Context, c *operation.Call, in *checkIn) (*answer.Check, error) {
	if (in.Tool == "") == (in.Command == "") {
		return nil, fault.New(fault.InvalidArgument, "tool, command: exactly one must be given").WithFix("give a tool with its arguments, or a command line")
	}
	if in.Command != "" && len(in.Arguments) > 0 {
		return nil, fault.New(fault.InvalidArgument, "arguments: they need a tool").WithFix("write them into the command line")
	}
	if in.SessionID != "" {
		if err := memory.CheckID("session_id", in.SessionID); err != nil {
			return nil, err
		}
	}
	o := lukasa.CheckOptions{Action: lukasa.Action{Tool: in.Tool, Arguments: string(in.Arguments), Command: in.Command}, Session: in.SessionID, Tags: in.Tags}
	o.Action.Place.Branch = in.Branch
	var err error
	if o.View, err = c.HeadView(in.AgentID, in.Now); err != nil {
		return nil, err
	}
	o.View.Conditions = in.Conditions
	found, err := c.Tenant().CheckAction(ctx, o)
	if err != nil {
		return nil, err
	}
	return answer.CheckOf(found), nil
}
