package api

import (
	"encoding/json"

	"lukasa.dev/internal/operation"
)

// inSchema returns the JSON Schema (2020-12) of a request as one object, as MCP has it:
// what HTTP has in the path and the query is a member of it, too.
func inSchema(o *operation.Operation) json.RawMessage { return operation.ObjectSchema(o.Fields()) }
