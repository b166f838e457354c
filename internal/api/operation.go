package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/quota"
)

// Operation is one thing that can be asked of a board, on every transport. The table of
// all of them is [Operations]; nothing about a transport is written anywhere else.
type Operation struct {
	// Name is its name in snake case: of the operation in the OpenAPI document, of the
	// tool in MCP.
	Name string
	// Group is under which heading it is documented.
	Group string
	// Short says what it does in one sentence. An agent pays for its tokens.
	Short string
	// Long is what a person may want to know besides, or empty.
	Long string

	// Method and Path are the HTTP route, as patterns of [http.ServeMux] have it.
	Method, Path string
	// Command is the command line that does the same, such as "artifacts list", or empty
	// where there is none; Without says why then.
	Command, Without string
	// Tool says how it is offered over MCP, or is nil where it is not, and Without says
	// why.
	Tool *Tool

	// Needs are the rights without which it is refused.
	Needs auth.Rights
	// Then are the rights that some of its requests need as well, for which it asks itself.
	Then auth.Rights
	// Board says that it is about the server and no tenant, which leaves it to operators.
	Board bool
	// Operators says that only operators may do it, in the tenant that they name.
	Operators bool
	// AnyTenant says that operators may do it without naming a tenant: it is about those
	// of the events then, or about the server.
	AnyTenant bool
	// Unscoped says that nobody with a scope may do it.
	Unscoped bool
	// Stream says that a transport serves it by its own means, since it is no single
	// question with a single answer. Run is nil then. In and Out say what travels.
	Stream bool
	// Wrote says that a good answer is a write, after which reads see something new.
	Wrote bool
	// Media is the type of the answer if it is not JSON: then Out is [Text].
	Media string

	// In and Out are the types of request and answer.
	In, Out reflect.Type
	// Run does it. In is a pointer to a value of the type In, checked and complete; the
	// answer is one to a value of the type Out.
	Run func(ctx context.Context, c *Call, in any) (any, error)
}

// Tool is how an operation is offered to an agent.
type Tool struct {
	// Name is that of the tool if it is not the operation's.
	Name string
	// Default says that it is offered without being asked for.
	Default bool
	// Hooks says that an agent with hooks hardly needs it, since they do the same by
	// themselves: it is not in the set of tools for such agents.
	Hooks bool
	// Few are the fields that the set of tools for agents with hooks shows; nil is all. The
	// others are taken, too.
	Few []string
	// Doc is what an agent reads of it, where that is not the operation's Short: when to use
	// it, in plain words.
	Doc string
	// Run answers with the text that a model reads, or is nil for the operation's own answer
	// as JSON. In is as [Operation.Run] has it.
	Run func(ctx context.Context, c *Call, in any) (*Text, error)
	// Destructive and Idempotent are hints of the protocol. What needs no right but to
	// read is read-only.
	Destructive, Idempotent bool
}

// Text is an answer that is not JSON.
type Text struct {
	Body string
}

// Call is one call: who asks, of which board.
type Call struct {
	Board *lukasa.Board
	Who   *auth.Principal
	// Keys are the credentials of the server; nil where there is none.
	Keys *auth.Store
	// Quotas are the limits of tenants; nil where there are none.
	Quotas *quota.Book
	// IfMatch is the version that a write expects, as an ETag without quotes; empty for
	// any, "*" for one that exists.
	IfMatch string
	// IfAbsent says that a write expects that there is nothing yet.
	IfAbsent bool
	// Session is the one that the calling agent is in, or empty where that is not known. The
	// answers of tools leave out what was said in it: the agent has it before its eyes.
	Session string
	// Conditions are what holds for the calling agent, such as its project, where a request
	// does not say; nil where that is not known. Answers of tools go by them.
	Conditions []string
	// Now gives the time it is. Nil means time.Now.
	Now func() time.Time
	// Embedder makes vectors of questions; nil leaves that to the built-in model.
	Embedder lukasa.Embedder
	// Ingested is told what became of an event that the call records, and how large it was,
	// if it is not nil.
	Ingested func(became lukasa.Disposition, bytes int)
	// Progress receives how far a long operation is, if it is not nil.
	Progress func(done, total uint64, what string)
}

// Tenant returns the tenant that the caller deals with, in the caller's hands.
func (c *Call) Tenant() *lukasa.Tenant {
	t := c.Board.Tenant(c.Who.Tenant, c.Who.Writer())
	if c.Who.Scope != "" {
		t = t.Scoped(c.Who.Scope)
	}
	return t
}

// ReadOnly reports whether the operation changes nothing.
func (o *Operation) ReadOnly() bool { return o.Needs == auth.Read && !o.Wrote }

// Adds reports whether the operation counts against what a tenant may keep: it writes, and
// does more than to take something away, which a tenant that has too much must be able to do.
func (o *Operation) Adds() bool {
	return o.Wrote && o.Method != http.MethodDelete && (o.Tool == nil || !o.Tool.Destructive)
}

// Body reports whether its requests have a body.
func (o *Operation) Body() bool {
	return o.Method == http.MethodPost || o.Method == http.MethodPut || o.Method == http.MethodPatch
}
