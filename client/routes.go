package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// route is the route of an operation. Names in braces come from the request; its other fields
// go into the query of GET and DELETE, and into the body of others.
type route struct {
	method, path string
	// query are fields that go into the query of other methods as well.
	query []string
	// whole is the field that is the whole body, if there is one.
	whole string
	// again says that the operation is idempotent.
	again bool
}

// routes returns the operations of the interface by name, except streams.
func routes() map[string]route {
	get := func(path string) route { return route{method: http.MethodGet, path: path, again: true} }
	post := func(path string) route { return route{method: http.MethodPost, path: path} }
	ask := func(path string) route { return route{method: http.MethodPost, path: path, again: true} }
	return map[string]route{
		"record_event":  post("/v1/sessions/{session_id}/events"),
		"list_events":   get("/v1/events"),
		"list_sessions": get("/v1/sessions"),

		"pack":         ask("/v1/pack"),
		"pack_text":    ask("/v1/pack_text"),
		"pack_context": ask("/v1/pack_context"),
		"context":      ask("/v1/context"),
		"explain":      ask("/v1/explain"),
		"verify_pack":  {method: http.MethodPost, path: "/v1/packs/verify", whole: "pack", again: true},
		"search":       ask("/v1/search"),
		"find":         ask("/v1/find"),

		"remember":           post("/v1/memories"),
		"remember_if_absent": post("/v1/memories/if_absent"),
		"put_memory":         {method: http.MethodPut, path: "/v1/memories/{key...}"},
		"recall":             get("/v1/memories/{key...}"),
		"list_memories":      get("/v1/memories"),
		"list_tags":          get("/v1/tags"),
		"memory_history":     get("/v1/history"),
		"restore_memory":     post("/v1/restore"),
		"forget":             post("/v1/forget"),
		"delete_memory":      {method: http.MethodDelete, path: "/v1/memories/{key...}"},
		"redact_memory":      post("/v1/redact"),
		"feedback":           post("/v1/feedback"),
		"list_feedback":      get("/v1/feedback"),
		"resolve":            get("/v1/resolve"),
		"memory_tool":        post("/v1/memory_tool"),

		"list_artifacts":     get("/v1/artifacts"),
		"get_artifact":       get("/v1/artifacts/{id}"),
		"artifact_chain":     get("/v1/artifacts/{id}/chain"),
		"artifact_diff":      get("/v1/artifacts/{id}/diff"),
		"approve_artifact":   post("/v1/artifacts/{id}/approve"),
		"archive_artifact":   post("/v1/artifacts/{id}/archive"),
		"deprecate_artifact": post("/v1/artifacts/{id}/deprecate"),
		"compile":            post("/v1/compile"),
		"next_step":          ask("/v1/next_step"),
		"check_action":       ask("/v1/check_action"),
		"list_conflicts":     get("/v1/conflicts"),
		"get_conflict":       get("/v1/conflicts/{id}"),
		"resolve_conflict":   post("/v1/conflicts/{id}/resolve"),
		"dismiss_conflict":   post("/v1/conflicts/{id}/dismiss"),

		"put_policy":         {method: http.MethodPost, path: "/v1/policies", whole: "policy"},
		"list_policies":      get("/v1/policies"),
		"get_policy":         get("/v1/policies/{id}"),
		"relate_memories":    post("/v1/graph/edges"),
		"list_edges":         get("/v1/graph/edges"),
		"put_entity":         {method: http.MethodPost, path: "/v1/graph/entities", whole: "entity"},
		"list_entities":      get("/v1/graph/entities"),
		"put_relation":       {method: http.MethodPost, path: "/v1/graph/relations", whole: "relation"},
		"list_relations":     get("/v1/graph/relations"),
		"neighbours":         get("/v1/graph/neighbours"),
		"stats":              get("/v1/stats"),
		"storage":            get("/v1/storage"),
		"timeline":           get("/v1/sessions/{session_id}/timeline"),
		"graph":              get("/v1/graph"),
		"export_fingerprint": get("/v1/fingerprint"),
		"import_fingerprint": {method: http.MethodPost, path: "/v1/fingerprints", query: []string{"private"}, whole: "fingerprint"},
		"list_fingerprints":  get("/v1/fingerprints"),

		"root":              get("/v1/root"),
		"verifier_key":      get("/v1/key"),
		"verify":            ask("/v1/verify"),
		"expire":            post("/v1/expire"),
		"checkpoint":        get("/v1/checkpoint"),
		"prove_inclusion":   get("/v1/proof/inclusion"),
		"prove_consistency": get("/v1/proof/consistency"),

		"create_key":      post("/v1/keys"),
		"list_keys":       get("/v1/keys"),
		"get_key":         get("/v1/keys/{id}"),
		"revoke_key":      {method: http.MethodDelete, path: "/v1/keys/{id}"},
		"mint_scope":      post("/v1/scopes"),
		"check_scope":     ask("/v1/scopes/check"),
		"list_violations": get("/v1/violations"),
		"list_acts":       get("/v1/acts"),
		"list_tenants":    get("/v1/tenants"),
		"get_quota":       get("/v1/quota"),
		"set_quota":       {method: http.MethodPut, path: "/v1/quota"},
	}
}

// Ask calls an operation by its name in the interface, such as "search"; /openapi.json of a
// server lists all of them. in is a struct or map with the operation's fields, wherever they
// belong, or nil. out receives the answer, unless it is nil.
func (c *Client) Ask(ctx context.Context, operation string, in, out any) error {
	call, err := CallOf(operation, in, out)
	if err != nil {
		return err
	}
	return c.Do(ctx, call)
}

// CallOf returns the call that Ask makes, so that a caller can add to it, such as the version
// that a write expects.
func CallOf(operation string, in, out any) (Call, error) {
	r, ok := routes()[operation]
	if !ok {
		return Call{}, fmt.Errorf("client: there is no operation %q; Do calls what has no name here", operation)
	}
	fields := map[string]json.RawMessage{}
	if in != nil {
		text, err := json.Marshal(in)
		if err == nil {
			err = json.Unmarshal(text, &fields)
		}
		if err != nil {
			return Call{}, fmt.Errorf("client: the request of %s is no object: %w", operation, err)
		}
	}
	call := Call{Method: r.method, Out: out, Again: r.again}
	var err error
	if call.Path, err = fill(r.path, fields); err != nil {
		return Call{}, fmt.Errorf("client: %s: %w", operation, err)
	}
	call.Query = url.Values{}
	bodiless := r.method == http.MethodGet || r.method == http.MethodDelete
	for name, value := range fields {
		if bodiless || slices.Contains(r.query, name) {
			call.Query.Set(name, plain(value))
			delete(fields, name)
		}
	}
	switch {
	case bodiless:
	case r.whole != "":
		call.In = fields[r.whole]
	default:
		call.In = fields
	}
	return call, nil
}

// fill puts fields into the places of a path, and removes them from the map.
func fill(path string, fields map[string]json.RawMessage) (string, error) {
	for {
		before, rest, ok := strings.Cut(path, "{")
		if !ok {
			return path, nil
		}
		name, after, _ := strings.Cut(rest, "}")
		name, whole := strings.CutSuffix(name, "...")
		value, there := fields[name]
		text := plain(value)
		if !there || text == "" {
			return "", fmt.Errorf("%s is missing", name)
		}
		delete(fields, name)
		if whole {
			parts := strings.Split(text, "/")
			for i := range parts {
				parts[i] = url.PathEscape(parts[i])
			}
			text = strings.Join(parts, "/")
		} else {
			text = url.PathEscape(text)
		}
		path = before + text + after
	}
}

// plain is a JSON value in the form of a URL.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
