package api

import "encoding/json"

// InSchema returns the JSON Schema (2020-12) of a request as one object, as MCP has it:
// what HTTP has in the path and the query is a member of it, too.
func (o *Operation) InSchema() json.RawMessage { return object(shapeOf(o.In).fields) }
