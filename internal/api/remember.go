package api

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/operation"
)

// memoryOperations write memories.
func memoryOperations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "remember", Group: operation.GroupMemories, Short: "Store a memory under a key; an existing key gets a new version.",
			Long:   "The body is a memory as docs/formats/memory.md describes it; its default type is fact. Fields that it leaves out get their defaults, not the values of the previous version.",
			Method: "POST", Path: "/v1/memories", Command: "remember", Tool: &operation.Tool{
				Default: true, Few: []string{"key", "text", "type"}, Idempotent: true, Run: telling(tellRemember),
				Doc: "Keep something for later sessions: a fact, a rule or a preference of the user, a decision. An existing key gets a new version.",
			},
			Needs: writes, Wrote: true,
		}, runRemember),
		operation.Define(operation.Operation{
			Name: "remember_if_absent", Group: operation.GroupMemories, Short: "Store a memory unless its key exists; then return the existing one.",
			Long:   "The answer is the memory that has the key afterwards, new or not.",
			Method: "POST", Path: "/v1/memories/if_absent", Command: "remember", Tool: &operation.Tool{Idempotent: true},
			Needs: writes, Wrote: true,
		}, runRememberIfAbsent),
		operation.Define(operation.Operation{
			Name: "put_memory", Group: operation.GroupMemories, Short: "Store a memory under the key in the path.",
			Long:   "As remember; If-Match and If-None-Match say which version is expected.",
			Method: "PUT", Path: "/v1/memories/{key...}", Command: "remember", Without: "over MCP it is remember",
			Needs: writes, Wrote: true,
		}, runPutMemory),
	}
}

// memoryIn is a memory to write.
type memoryIn struct {
	Raw  json.RawMessage `raw:""`
	Text string          `json:"text"`
	Type memory.Type     `json:"type,omitempty" usual:"\"fact\""`

	Tags       []string          `json:"tags,omitempty"`
	Frames     []frameIn         `json:"frames,omitempty" doc:"when it matters: {verb, kind, ref}, such as modify, file, a.go"`
	Importance *float64          `json:"importance,omitempty" min:"0" max:"1"`
	Confidence *float64          `json:"confidence,omitempty" min:"0" max:"1"`
	Data       json.RawMessage   `json:"data,omitempty" doc:"fields of its type, such as {\"strength\":\"hard\"} of a constraint" type:"object"`
	ValidFrom  hmx.Time          `json:"valid_from,omitempty"`
	ValidUntil hmx.Time          `json:"valid_until,omitempty"`
	TTLSeconds int64             `json:"ttl_seconds,omitempty" min:"1"`
	Visibility memory.Visibility `json:"visibility,omitempty"`
	Validity   json.RawMessage   `json:"validity_scope,omitempty" doc:"where it holds, such as {\"conditions\":[\"project: NAME\"]}" type:"object"`
	Sources    []lukasa.URI      `json:"sources,omitempty" doc:"what it was derived from"`
	Forms      json.RawMessage   `json:"forms,omitempty" type:"object"`
	Metadata   json.RawMessage   `json:"metadata,omitempty" type:"object"`
	IfVersion  *uint32           `json:"if_version,omitempty" doc:"write only if this is the current version; 0 if there must be none"`
}

// frameIn is a situation in which a memory matters.
type frameIn struct {
	Verb memory.Verb       `json:"verb"`
	Kind memory.ObjectKind `json:"kind"`
	Ref  string            `json:"ref"`
}

// rememberIn is a memory with its key and id.
type rememberIn struct {
	Key string `json:"key,omitempty"`
	ID  string `json:"id,omitempty"`
	memoryIn
}

// read builds the memory that a request describes.
func (in *memoryIn) read(key, id string) (*lukasa.Memory, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(in.Raw, &fields); err != nil {
		return nil, fault.New(fault.InvalidArgument, "body: there is none").WithFix(`send a memory, such as {"key": "release/cadence", "text": "Every second Tuesday."}`)
	}
	delete(fields, "if_version") // not a field of a memory
	for name, value := range map[string]string{"key": key, "id": id, "type": string(in.Type)} {
		if value == "" {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fields[name] = text
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return lukasa.DecodeMemory(text)
}

func runRemember(ctx context.Context, c *operation.Call, in *rememberIn) (*answer.Write, error) {
	m, err := in.read(in.Key, in.ID)
	if err != nil {
		return nil, err
	}
	return rememberOne(ctx, c, m, in.IfVersion)
}

func rememberOne(ctx context.Context, c *operation.Call, m *lukasa.Memory, version *uint32) (*answer.Write, error) {
	t := c.Tenant()
	expect, err := c.Expect(ctx, t, lukasa.Ref{Kind: lukasa.MemoryKind, ID: m.ID, Key: m.Key}, version)
	if err != nil {
		return nil, err
	}
	put, err := t.Put(ctx, m, expect)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

// ifAbsentIn is a memory to write if its key is free.
type ifAbsentIn struct {
	Key string `json:"key"`
	memoryIn
}

func runRememberIfAbsent(ctx context.Context, c *operation.Call, in *ifAbsentIn) (*answer.Thing, error) {
	m, err := in.read(in.Key, "")
	if err != nil {
		return nil, err
	}
	t := c.Tenant()
	if _, err := t.Put(ctx, m, lukasa.Version(0)); err != nil && !errors.Is(err, fault.VersionConflict) {
		return nil, err
	}
	v, err := c.View(hmx.Time{})
	if err != nil {
		return nil, err
	}
	thing, err := t.Get(context.WithoutCancel(ctx), lukasa.Ref{Kind: lukasa.MemoryKind, Key: m.Key}, v)
	if err != nil {
		return nil, err
	}
	a, err := answer.ThingOf(thing)
	return &a, err
}

// putMemoryIn is a memory whose key is in the path.
type putMemoryIn struct {
	Key string `path:"key" doc:"the key, such as release/cadence"`
	memoryIn
}

func runPutMemory(ctx context.Context, c *operation.Call, in *putMemoryIn) (*answer.Write, error) {
	m, err := in.read(in.Key, "")
	if err != nil {
		return nil, err
	}
	return rememberOne(ctx, c, m, in.IfVersion)
}

// moment returns a time of a request, zero if it has none.
func moment(t hmx.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Time()
}
