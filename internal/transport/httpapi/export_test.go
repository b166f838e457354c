package httpapi

import "bytes"

// OpenAPI returns the description of the interface, as OpenAPI 3.1.
func (s *Server) OpenAPI() []byte { return bytes.Clone(s.openapi) }
