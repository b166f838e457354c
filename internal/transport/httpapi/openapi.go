package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"lukasa.dev/internal/operation"
)

// object is a JSON object. encoding/json sorts its members, so the document is always the same.
type object = map[string]any

// document describes the operations.
func document(ops []*operation.Operation, version string) []byte {
	if version == "" {
		version = "0"
	}
	paths := object{
		"/healthz":      object{"get": open("health", "Whether the process answers.")},
		"/readyz":       object{"get": open("ready", "Whether calls are served.")},
		"/openapi.json": object{"get": open("describe", "This document.")},
	}
	var tags []object
	seen := map[string]bool{}
	for _, op := range ops {
		at := pathOf(op)
		item, ok := paths[at].(object)
		if !ok {
			item = object{}
			paths[at] = item
		}
		item[strings.ToLower(op.Method)] = described(op)
		if !seen[op.Group] {
			seen[op.Group] = true
			tags = append(tags, object{"name": op.Group})
		}
	}
	doc := object{
		"openapi":           "3.1.0",
		"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"info": object{
			"title": "Lukasa", "version": version,
			"description": "The memory of software agents. The tenant is that of the credential; an operator names one with X-Lukasa-Tenant.",
		},
		"security":   []object{{"bearer": []string{}}},
		"tags":       tags,
		"paths":      paths,
		"components": components(),
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		panic("httpapi: a schema of the table is no JSON: " + err.Error()) // a test makes the document
	}
	return out.Bytes()
}

// pathOf returns the path of an operation as OpenAPI writes it.
func pathOf(op *operation.Operation) string { return strings.ReplaceAll(op.Path, "...}", "}") }

// described describes an operation.
func described(op *operation.Operation) object {
	d := object{
		"operationId": op.Name, "summary": op.Short, "tags": []string{op.Group},
		"parameters": parameters(op), "responses": responses(op),
	}
	if op.Long != "" {
		d["description"] = op.Long
	}
	if op.Body() {
		d["requestBody"] = object{"required": !optional(op), "content": bodies(op)}
	}
	return d
}

// bodies describes the types of a body, with their schemas.
func bodies(op *operation.Operation) object {
	schema := any(op.BodySchema())
	if !op.Stream {
		return object{mediaJSON: object{"schema": schema}}
	}
	if op.Path == tracesPath {
		return object{
			mediaJSON:     object{"schema": schema},
			mediaProtobuf: object{"schema": object{"type": "string", "description": "An ExportTraceServiceRequest."}},
		}
	}
	all := object{mediaNDJSON: object{"schema": object{"type": "string", "description": "Lines of JSON."}}}
	if op.Path == eventsPath {
		all[mediaJSON] = object{"schema": object{"oneOf": []any{schema, object{"type": "array", "description": "Events; the valid ones are recorded."}}}}
	}
	return all
}

// optional reports whether a request without a body is complete.
func optional(op *operation.Operation) bool {
	for _, f := range op.Fields() {
		if f.Required && (f.Place == operation.InBody || f.Place == operation.AsBody) {
			return false
		}
	}
	return !op.Stream
}

// parameters describes the path, the query and the headers.
func parameters(op *operation.Operation) []object {
	list := []object{}
	for _, f := range op.Fields() {
		if f.Place != operation.InPath && f.Place != operation.InQuery {
			continue
		}
		p := object{"name": f.Name, "in": string(f.Place), "schema": f.Schema()}
		if f.Required && f.Also == "" {
			p["required"] = true
		}
		if f.Doc != "" {
			p["description"] = f.Doc
		}
		list = append(list, p)
		if f.Also != "" {
			list = append(list, object{"name": f.Also, "in": string(f.Place), "schema": f.Schema(), "description": "The same as " + f.Name + "; one of them is given."})
		}
	}
	for _, name := range []string{"Tenant", "Scope", "RequestID"} {
		list = append(list, object{"$ref": "#/components/parameters/" + name})
	}
	switch {
	case op.Stream:
	case op.ReadOnly() && op.Method == http.MethodGet:
		list = append(list, object{"$ref": "#/components/parameters/IfNoneMatch"})
	case !op.ReadOnly():
		list = append(list, object{"$ref": "#/components/parameters/IfMatch"})
	}
	return list
}

// responses describes the possible answers.
func responses(op *operation.Operation) object {
	all := object{"default": object{"$ref": "#/components/responses/Problem"}}
	media := op.Media
	if media == "" {
		media = mediaJSON
	}
	good := object{"description": "Done.", "headers": object{"X-Request-Id": object{"schema": object{"type": "string"}}}}
	switch op.Method + " " + op.Path {
	case "GET /v1/ingest/ws":
		return object{"101": object{"description": "A WebSocket: one event per text frame, one acknowledgement per frame."}, "default": all["default"]}
	case "POST " + tracesPath:
		good["content"] = object{
			mediaJSON:     object{"schema": op.OutSchema()},
			mediaProtobuf: object{"schema": object{"type": "string", "description": "An ExportTraceServiceResponse."}},
		}
		all["default"] = statusResponse()
	case "GET /v1/events/stream":
		media = "text/event-stream"
		good["content"] = object{media: object{"schema": object{"type": "string"}}}
	default:
		good["content"] = object{media: object{"schema": op.OutSchema()}}
		if op.Method == http.MethodGet {
			all[strconv.Itoa(http.StatusNotModified)] = object{"description": "The caller's copy is current."}
		}
	}
	all["200"] = good
	return all
}

// statusResponse is a refusal as in OTLP/HTTP. Host, origin and headers are checked before
// routing, and refused with a problem.
func statusResponse() object {
	return object{
		"description": "What went wrong, as a google.rpc.Status in the encoding of the request.",
		"content": object{
			mediaJSON: object{"schema": object{
				"type": "object", "required": []string{"code", "message", "details"},
				"properties": object{
					"code":    object{"type": "integer", "description": "As google.rpc.Code numbers it."},
					"message": object{"type": "string", "description": "The error, and what to do about it."},
					"details": object{"type": "array", "description": "An ErrorInfo, whose reason is the code of the catalogue.", "items": object{"type": "object"}},
				},
			}},
			mediaProtobuf: object{"schema": object{"type": "string", "description": "A google.rpc.Status."}},
			problemType:   object{"schema": object{"$ref": "#/components/schemas/Problem"}},
		},
	}
}

// open describes an operation that needs no credential.
func open(id, summary string) object {
	return object{
		"operationId": id, "summary": summary, "security": []object{},
		"responses": object{
			"200":     object{"description": "Yes.", "content": object{mediaJSON: object{"schema": object{"type": "object"}}}},
			"default": object{"$ref": "#/components/responses/Problem"},
		},
	}
}

// components describes what all operations share.
func components() object {
	header := func(name, about string) object {
		return object{"name": name, "in": "header", "description": about, "schema": object{"type": "string"}}
	}
	return object{
		"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer", "description": "A key, a scope token, or the operator's own token."}},
		"parameters": object{
			"Tenant":      header("X-Lukasa-Tenant", "The tenant of an operator's call."),
			"Scope":       header("X-Lukasa-Scope", "A scope token that narrows what the call sees and writes."),
			"RequestID":   header("X-Request-Id", "The id of the call in logs and problems."),
			"IfMatch":     header("If-Match", "The expected version, as an ETag; * for any existing version."),
			"IfNoneMatch": header("If-None-Match", "The ETags of answers that the caller has."),
		},
		"responses": object{"Problem": object{
			"description": "What went wrong.",
			"content":     object{problemType: object{"schema": object{"$ref": "#/components/schemas/Problem"}}},
		}},
		"schemas": object{"Problem": problemSchema()},
	}
}

// problemSchema is the schema of a problem.
func problemSchema() object {
	text := func(about string) object { return object{"type": "string", "description": about} }
	return object{
		"type":     "object",
		"required": []string{"type", "title", "status", "detail", "code", "fix"},
		"properties": object{
			"type":        text("Where the code is described."),
			"title":       text("What the code means."),
			"status":      object{"type": "integer", "description": "The HTTP status."},
			"detail":      text("What happened here."),
			"code":        text("The code of the catalogue. Programs decide by it alone."),
			"fix":         text("What to do about it."),
			"request_id":  text("The id of the call."),
			"field":       text("The member of the request that the error is about."),
			"retry_after": object{"type": "integer", "description": "After how many seconds to retry."},
			"problems":    object{"type": "array", "description": "All places of a document that break a rule.", "items": object{"type": "object"}},
		},
	}
}
