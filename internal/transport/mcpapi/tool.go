package mcpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/operation"
)

// tool is an operation as an MCP tool.
type tool struct {
	op  *operation.Operation
	def *mcp.Tool
}

// Set names which tools are offered.
type Set string

// The sets of tools.
const (
	// Default is for an agent that has only this server.
	Default Set = "default"
	// Hooked is for an agent whose hooks record events and supply context.
	Hooked Set = "hooked"
	// All has every operation that is a tool.
	All Set = "all"
)

// Sets lists the names of the sets.
func Sets() []string { return []string{string(Default), string(Hooked), string(All)} }

// has reports whether a tool is in the set. The empty name is the default set.
func (s Set) has(t *operation.Tool) bool {
	switch s {
	case All:
		return true
	case Hooked:
		return t.Default && !t.Hooks
	}
	return t.Default
}

// toolsOf returns the tools of a table that are in a set, sorted by name.
func toolsOf(ops []*operation.Operation, set Set) []*tool {
	var tools []*tool
	for _, op := range ops {
		if op.Tool == nil || op.Stream || !set.has(op.Tool) {
			continue
		}
		tools = append(tools, newTool(op, set))
	}
	slices.SortFunc(tools, func(a, b *tool) int { return strings.Compare(a.def.Name, b.def.Name) })
	return tools
}

func newTool(op *operation.Operation, set Set) *tool {
	name := op.Tool.Name
	if name == "" {
		name = op.Name
	}
	closed, destructive := false, op.Tool.Destructive
	def := &mcp.Tool{
		Name:        name,
		Description: description(op),
		InputSchema: inputSchema(op, set),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:   op.ReadOnly(),
			IdempotentHint: op.Tool.Idempotent || op.ReadOnly(),
			OpenWorldHint:  &closed,
		},
	}
	if !op.ReadOnly() {
		def.Annotations.DestructiveHint = &destructive
	}
	if op.Tool.Run == nil && op.Out != reflect.TypeFor[operation.Text]() {
		def.OutputSchema = outputSchema(op)
	}
	return &tool{op: op, def: def}
}

// description is what an agent reads about a tool: when to use it.
func description(op *operation.Operation) string {
	if op.Tool.Doc != "" {
		return op.Tool.Doc
	}
	return op.Short
}

// seldom returns the names of fields that agents rarely need. They are accepted, but not
// listed, since an agent pays for each in tokens.
func seldom() []string {
	return []string{
		"agent_id", "agents", "as_of", "conditions", "confidence", "correlation_id", "counter", "event_id", "form", "forms", "frames", "id",
		"if_version", "importance", "include_tiers", "kinds", "metadata", "min_trust", "now", "ordering", "outcome_limit", "parent_event_id", "score",
		"sequence", "sessions", "source", "sources", "timestamp", "top_k", "trace_id", "ttl_seconds", "valid_from", "validity_scope", "version", "visibility",
	}
}

// inputSchema returns the schema of a tool's arguments, with the fields that are listed.
func inputSchema(op *operation.Operation, set Set) json.RawMessage {
	hidden := seldom()
	b := []byte(`{"type":"object","properties":{`)
	required := []string{}
	first := true
	for _, f := range op.Fields() {
		if !f.Required && slices.Contains(hidden, f.Name) || set == Hooked && op.Tool.Few != nil && !slices.Contains(op.Tool.Few, f.Name) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(canon.AppendQuoted(b, f.Name), ':')
		schema := f.Schema()
		doc := f.Doc
		if f.Told != "" {
			doc = f.Told
		}
		if doc != "" {
			schema = append(schema[:len(schema)-1:len(schema)-1], ',')
			if len(schema) == 2 {
				schema = schema[:1] // it is empty
			}
			schema = append(canon.AppendQuoted(append(schema, `"description":`...), doc), '}')
		}
		b = append(b, schema...)
		switch {
		case f.Also != "":
			// Neither of two names is required: some models do not accept a schema that says
			// more.
			b = append(append(canon.AppendQuoted(append(b, ','), f.Also), ':'), f.Schema()...)
		case f.Required:
			required = append(required, f.Name)
		}
	}
	b = append(b, '}')
	if len(required) > 0 {
		b = append(append(b, `,"required":`...), written(required)...)
	}
	return append(b, '}')
}

// outputSchema returns the schema of a tool's structured answer: only its required members. The
// answer itself shows the rest.
func outputSchema(op *operation.Operation) json.RawMessage {
	var whole struct {
		Required []string `json:"required"`
	}
	// A schema without such members is that of any object.
	_ = json.Unmarshal(op.OutSchema(), &whole)
	return written(struct {
		Type     string   `json:"type"`
		Required []string `json:"required,omitempty"`
	}{"object", whole.Required})
}
