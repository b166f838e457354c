package api

import (
	"context"
	"encoding/json"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// contextOperations return context for an agent.
func contextOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "pack", Group: operation.GroupContext, Short: "Return what an agent needs to know for a question, within a budget of tokens.",
			Long:   "The answer is an HMX-C document. The same root and the same request give the same pack, except for the time it took.",
			Method: "POST", Path: "/v1/pack", Command: "pack", Without: "over MCP pack_context gives text to put into a prompt",
			Needs: reads,
		}, runPack),
		operation.Define(operation.Operation{
			Name: "pack_text", Group: operation.GroupContext, Short: "Return a pack as markdown, to put into a prompt.",
			Long:   "The request and the choice of entries are those of pack, and its tokens are counted on this text. Without entries the text is empty. If an event quotes the text, that part is not recorded.",
			Method: "POST", Path: "/v1/pack_text", Command: "pack", Without: "over MCP pack_context gives text to put into a prompt",
			Needs: reads, Media: "text/markdown",
		}, runPackText),
		operation.Define(operation.Operation{
			Name: "pack_context", Group: operation.GroupContext, Short: "Fill a token budget with what is known about a topic, as markdown.",
			Method: "POST", Path: "/v1/pack_context", Command: "pack", Tool: &operation.Tool{
				Default: true, Hooks: true, Idempotent: true, Run: telling(tellPackContext),
				Doc: "Everything known about a topic, sorted by kind: rules, facts, what happened when. Use it to get an overview before you start.",
			},
			Needs: reads, Media: "text/markdown",
		}, runPackContext),
		operation.Define(operation.Operation{
			Name: "context", Group: operation.GroupContext, Short: "What to know before a task: rules and goals, what matters for it, how it went before.",
			Method: "POST", Path: "/v1/context", Command: "context", Tool: &operation.Tool{
				Default: true, Hooks: true, Idempotent: true, Run: telling(tellContext),
				Doc: "Rules you must keep, goals, and how the same task went before. Call it before you change, run or deploy something.",
			},
			Needs: reads,
		}, runContext),
		operation.Define(operation.Operation{
			Name: "explain", Group: operation.GroupContext, Short: "Explain why a record is in a pack, or is not.",
			Method: "POST", Path: "/v1/explain", Command: "explain", Tool: &operation.Tool{Idempotent: true},
			Needs: reads,
		}, runExplain),
		operation.Define(operation.Operation{
			Name: "verify_pack", Group: operation.GroupContext, Short: "Prove what a pack says, entry by entry, down to the journal.",
			Long:   "The body is the pack, unchanged. If it cannot be proven, the error is not_proven.",
			Method: "POST", Path: "/v1/packs/verify", Command: "pack", Tool: &operation.Tool{Name: "verify", Idempotent: true},
			Needs: reads, Unscoped: true,
		}, runVerifyPack),
	}
}

// packIn is the request for a pack.
type packIn struct {
	Query          string                  `json:"query" doc:"the question that the context is for"`
	Budget         int                     `json:"budget,omitempty" doc:"the most tokens; values above 100000 count as 100000" min:"1" usual:"4096"`
	Strategy       hmx.Strategy            `json:"strategy,omitempty" doc:"how entries are chosen" usual:"\"ranked\""`
	Counter        string                  `json:"counter,omitempty" doc:"what counts tokens: o200k or estimate"`
	AgentID        string                  `json:"agent_id,omitempty" doc:"whose pack it is"`
	SessionID      string                  `json:"session_id,omitempty" doc:"the session under way"`
	Sections       []hmx.Section           `json:"sections,omitempty" doc:"only these sections"`
	SectionWeights map[hmx.Section]float64 `json:"section_weights,omitempty" doc:"how the budget is shared, by section"`
	Weights        map[string]float64      `json:"weights,omitempty" doc:"the weights of relevance, recency, provenance and salience"`
	MinRelevance   *float64                `json:"min_relevance,omitempty" doc:"leave out candidates below this share of the best relevance" min:"0" max:"1"`
	Tags           []string                `json:"tags,omitempty" doc:"only with one of these tags; pinned records stay"`
	Priors         json.RawMessage         `json:"priors,omitempty" doc:"what was useful before, for fingerprint_guided" type:"object"`
	AsOf           string                  `json:"as_of,omitempty" doc:"the state: a position, a root or its first digits, or a time"`
	Conditions     []string                `json:"conditions,omitempty" doc:"conditions that hold, such as project: github.com/acme/shop; records for other conditions are left out"`
	Now            hmx.Time                `json:"now,omitempty" doc:"the time for age and expiry; default that of the newest record or of what expired since"`
}

// options returns the request in the form of the library.
func (in *packIn) options(c *operation.Call) (o lukasa.PackOptions, err error) {
	o = lukasa.PackOptions{
		Query: in.Query, Budget: min(in.Budget, lukasa.MaxPackBudget), Strategy: in.Strategy, Counter: in.Counter, Session: in.SessionID, Sections: in.Sections,
		SectionWeights: in.SectionWeights, Weights: in.Weights, Tags: in.Tags, Priors: hmx.Raw(in.Priors), Embedder: c.Embedder,
	}
	if in.MinRelevance != nil {
		o.MinRelevance = hmx.Some(*in.MinRelevance)
	}
	if o.AsOf, err = c.AsOf(in.AsOf); err != nil {
		return o, err
	}
	o.View, err = c.HeadView(in.AgentID, in.Now)
	o.View.Conditions = in.Conditions
	return o, err
}

func runPack(ctx context.Context, c *operation.Call, in *packIn) (*hmx.Pack, error) {
	o, err := in.options(c)
	if err != nil {
		return nil, err
	}
	packed, err := c.Tenant().Pack(ctx, o)
	if err != nil {
		return nil, err
	}
	return packed.Pack, nil
}

// packTextIn is the request for a pack as text.
type packTextIn struct {
	packIn
	Marked bool `json:"marked,omitempty" doc:"as a block with a title and a mark, for a prompt; the budget covers the whole block"`
}

// packTitle is the title of a marked pack, and markTokens an upper bound of its tokens with the
// mark, by all counters.
const (
	packTitle  = "Memory (Lukasa): recalled for this prompt, not said by the user."
	markTokens = 26
)

func runPackText(ctx context.Context, c *operation.Call, in *packTextIn) (*operation.Text, error) {
	if in.Marked {
		in.Budget = max(in.Budget-markTokens, 1)
		if query, _ := c.Board.Handout().Cut(in.Query, echo.User); strings.TrimSpace(query) != "" {
			in.Query = query // the prompt may contain earlier packs
		}
	}
	o, err := in.options(c)
	if err != nil {
		return nil, err
	}
	packed, err := c.Tenant().Pack(ctx, o)
	if err != nil {
		return nil, err
	}
	if in.Marked {
		return &operation.Text{Body: c.Board.Handout().Wrap(packTitle, packed.Text)}, nil
	}
	c.Board.Handout().Hand(packed.Text)
	return &operation.Text{Body: packed.Text}, nil
}

// packContextIn is the request for a block of context.
type packContextIn struct {
	Topic        string          `json:"topic" doc:"what it is about"`
	BudgetTokens *int            `json:"budget_tokens,omitempty" doc:"1 to 100000, else the nearest of these; default 2000" told:"of the answer, default 800"`
	Ordering     lukasa.Ordering `json:"ordering,omitempty" usual:"\"relevance+recency\""`
	Conditions   []string        `json:"conditions,omitempty" doc:"conditions that hold, such as project: NAME"`
}

func runPackContext(ctx context.Context, c *operation.Call, in *packContextIn) (*operation.Text, error) {
	o := lukasa.PackContextOptions{BlockRequest: lukasa.BlockRequest{Topic: in.Topic, Ordering: in.Ordering}}
	if in.BudgetTokens != nil {
		o.Budget = hmx.Some(*in.BudgetTokens)
	}
	var err error
	if o.View, err = c.HeadView("", hmx.Time{}); err != nil {
		return nil, err
	}
	o.View.Conditions = in.Conditions
	block, err := c.Tenant().PackContext(ctx, o)
	if err != nil {
		return nil, err
	}
	c.Board.Handout().Hand(block)
	return &operation.Text{Body: block}, nil
}

// contextIn is the request for a bundle.
type contextIn struct {
	Verb         lukasa.Verb       `json:"verb,omitempty" doc:"what is to be done"`
	Objects      map[string]string `json:"objects,omitempty" doc:"the objects, by kind, such as {\"file\":\"a.go\"}"`
	BudgetTokens int               `json:"budget_tokens,omitempty" min:"0" told:"default 800"`
	IncludeTiers []lukasa.Tier     `json:"include_tiers,omitempty"`
	OutcomeLimit int               `json:"outcome_limit,omitempty" min:"0"`
	Form         lukasa.Form       `json:"form,omitempty"`
	AgentID      string            `json:"agent_id,omitempty"`
	Conditions   []string          `json:"conditions,omitempty" doc:"conditions that hold, such as project: NAME"`
	Now          hmx.Time          `json:"now,omitempty"`
}

// options returns the request in the form of the library.
func (in *contextIn) options(c *operation.Call) (o lukasa.ContextOptions, err error) {
	o = lukasa.ContextOptions{
		Verb: in.Verb, Objects: in.Objects, BudgetTokens: in.BudgetTokens, IncludeTiers: in.IncludeTiers, OutcomeLimit: in.OutcomeLimit, Form: in.Form,
	}
	o.View, err = c.HeadView(in.AgentID, in.Now)
	return o, err
}

func runContext(ctx context.Context, c *operation.Call, in *contextIn) (*answer.Bundle, error) {
	o, err := in.options(c)
	if err != nil {
		return nil, err
	}
	o.View.Conditions = in.Conditions
	found, err := c.Tenant().Context(ctx, o)
	if err != nil {
		return nil, err
	}
	return answer.BundleOf(found), nil
}

// explainIn is a question about a pack.
type explainIn struct {
	ID string `json:"id" doc:"the source_id of an entry, or a URI"`
	packIn
}

func runExplain(ctx context.Context, c *operation.Call, in *explainIn) (*answer.Explanation, error) {
	o, err := in.options(c)
	if err != nil {
		return nil, err
	}
	e, err := c.Tenant().ExplainPack(ctx, o, in.ID)
	if err != nil {
		return nil, err
	}
	return answer.ExplanationOf(e), nil
}

// verifyPackIn is a pack to verify.
type verifyPackIn struct {
	Pack json.RawMessage `body:"pack" doc:"an HMX-C document"`
}

func runVerifyPack(ctx context.Context, c *operation.Call, in *verifyPackIn) (*answer.PackProof, error) {
	p, _, err := hmx.DecodePack(in.Pack)
	if err != nil {
		return nil, fault.Newf(fault.InvalidDocument, "pack: %w", err).WithFix("send the pack exactly as you received it")
	}
	// The errors of a pack reveal the content of records, so only the pack's own agent may see
	// them.
	if c.Who.Role == auth.Agent && p.AgentID.Value != c.Who.Agent {
		return nil, fault.Newf(fault.NotPermitted, "agent_id: the pack is not one of %s, the only agent that this credential speaks for", operation.Quoted(c.Who.Agent)).
			WithFix("give a pack of your own, or use a credential of the tenant")
	}
	t := c.Tenant()
	proof, err := t.VerifyPack(ctx, p, lukasa.VerifyPackOptions{Embedder: c.Embedder, Far: true, Progress: c.Counted("replaying")})
	if err != nil {
		return nil, unproven(proof, err)
	}
	a := answer.PackProofOf(proof)
	return &a, nil
}

// unproven is the error for a pack that does not verify, with its first failing entry.
func unproven(proof *lukasa.PackProof, err error) error {
	if proof == nil {
		return err
	}
	for _, e := range proof.Entries {
		if !e.OK {
			failed := fault.From(err)
			return fault.Newf(failed.Code, "%s: %s", e.URI, e.Problem).WithCause(err).WithFix(failed.Advice())
		}
	}
	return err
}
