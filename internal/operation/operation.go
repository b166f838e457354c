package operation

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/quota"
)

// The groups under which operations are documented.
const (
	GroupEvents    = "Events"
	GroupContext   = "Context"
	GroupMemories  = "Memories"
	GroupKnowledge = "Knowledge"
	GroupProof     = "Proof and care"
	GroupAdmin     = "Administration"
)

// Operation is one request type of a board, on every transport. Package api has the table of
// all of them; transports have no other description.
type Operation struct {
	// Name is its name in snake case: the operation in the OpenAPI document, the tool in MCP.
	Name string
	// Group is the heading under which it is documented.
	Group string
	// Short says what it does in one sentence. An agent pays for its tokens.
	Short string
	// Long has further details for people, or is empty.
	Long string

	// Method and Path are the HTTP route, as a pattern of [http.ServeMux].
	Method, Path string
	// Command is the equivalent command line, such as "artifacts list", or empty if there is
	// none; Without then says why.
	Command, Without string
	// Tool says how MCP offers it, or is nil if it does not; Without then says why.
	Tool *Tool

	// Needs are the rights that every request needs.
	Needs auth.Rights
	// Then are the rights that some of its requests need as well. The operation checks these
	// itself.
	Then auth.Rights
	// Board says that it is about the server and not about a tenant, so only operators may call
	// it.
	Board bool
	// Operators says that only operators may call it, for the tenant that they name.
	Operators bool
	// AnyTenant says that operators may call it without naming a tenant: it is then about the
	// tenants of the events, or about the server.
	AnyTenant bool
	// Unscoped says that no caller with a scope may call it.
	Unscoped bool
	// Stream says that each transport serves it in its own way, since it is not one request
	// with one answer. Run is then nil. In and Out are the types of the messages.
	Stream bool
	// Wrote says that success is a write, after which reads return something new.
	Wrote bool
	// Media is the type of an answer that is not JSON. Out is then [Text].
	Media string

	// In and Out are the types of request and answer.
	In, Out reflect.Type
	// Run executes it. in is a pointer to a checked and complete value of the type In; the
	// answer is a pointer to a value of the type Out.
	Run func(ctx context.Context, c *Call, in any) (any, error)
}

// Tool is how MCP offers an operation to an agent.
type Tool struct {
	// Name is the name of the tool if it differs from that of the operation.
	Name string
	// Default says that it is in the default set of tools.
	Default bool
	// Hooks says that the hooks of an agent already do the same: it is not in the set of tools
	// for agents with hooks.
	Hooks bool
	// Few are the fields that the set of tools for agents with hooks shows; nil means all. The
	// others are accepted as well.
	Few []string
	// Doc is the description for agents if it differs from the operation's Short: when to use
	// it, in plain words.
	Doc string
	// Run returns the text that a model reads, or is nil for the operation's answer as JSON. in
	// is as for [Operation.Run].
	Run func(ctx context.Context, c *Call, in any) (*Text, error)
	// Destructive and Idempotent are hints of the protocol. A tool that needs only the right to
	// read is read-only.
	Destructive, Idempotent bool
}

// Text is an answer that is not JSON.
type Text struct {
	Body string
}

// Call is one call: the caller and the board.
type Call struct {
	Board *lukasa.Board
	Who   *auth.Principal
	// Keys are the credentials of the server; nil if there are none.
	Keys *auth.Store
	// Quotas are the limits of tenants; nil if there are none.
	Quotas *quota.Book
	// IfMatch is the version that a write expects, as an ETag without quotes; empty for
	// any, "*" for one that exists.
	IfMatch string
	// IfAbsent says that a write expects that the record does not exist yet.
	IfAbsent bool
	// Session is the session of the calling agent, or empty if unknown. Answers of tools leave
	// out what was said in it, since it is in the agent's context already.
	Session string
	// Conditions hold for the calling agent, such as its project, unless a request states its
	// own; nil if unknown. Answers of tools depend on them.
	Conditions []string
	// Now returns the current time. Nil means time.Now.
	Now func() time.Time
	// Embedder embeds questions; nil means the built-in model.
	Embedder lukasa.Embedder
	// Ingested, if not nil, receives the disposition and the size of each event that the call
	// records.
	Ingested func(became lukasa.Disposition, bytes int)
	// Progress, if not nil, receives the progress of a long operation.
	Progress func(done, total uint64, what string)
	// Warn receives what went wrong beside an answer that is good, if it is not nil.
	Warn func(err error)
}

// Tenant returns the tenant of the call, with the caller as its writer.
func (c *Call) Tenant() *lukasa.Tenant {
	t := c.Board.Tenant(c.Who.Tenant, c.Who.Writer())
	if c.Who.Scope != "" {
		t = t.Scoped(c.Who.Scope)
	}
	return t
}

// ReadOnly reports whether the operation changes nothing.
func (o *Operation) ReadOnly() bool { return o.Needs == auth.Read && !o.Wrote }

// Adds reports whether the operation counts against the storage limit of a tenant: it writes,
// and does not only remove, which a tenant over its limit must be able to do.
func (o *Operation) Adds() bool {
	return o.Wrote && o.Method != http.MethodDelete && (o.Tool == nil || !o.Tool.Destructive)
}

// Body reports whether its requests have a body.
func (o *Operation) Body() bool {
	return o.Method == http.MethodPost || o.Method == http.MethodPut || o.Method == http.MethodPatch
}

// Define completes an operation with the types of its function.
func Define[In, Out any](o Operation, run func(ctx context.Context, c *Call, in *In) (*Out, error)) *Operation {
	o.In, o.Out = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	if run != nil {
		o.Run = func(ctx context.Context, c *Call, in any) (any, error) {
			out, err := run(ctx, c, in.(*In))
			if err != nil {
				return nil, err // and not a typed nil
			}
			return out, nil
		}
	}
	return &o
}
