package hmx

import (
	"embed"
	"slices"
)

// schemaFiles are the published JSON Schemas, printed from the tables that the decoder uses; a
// test compares the two.
//
//go:embed schema/event.json schema/artifact.json schema/pack.json
var schemaFiles embed.FS

// Schema returns the JSON Schema (2020-12) of kind k. [Check] also applies what a schema cannot
// express, such as sizes, hashes and sums.
func Schema(k Kind) ([]byte, error) {
	if _, err := ParseKind(string(k)); err != nil {
		return nil, err
	}
	data, err := schemaFiles.ReadFile("schema/" + string(k) + ".json")
	return slices.Clip(data), err
}

// schemaID is the address of the schema of kind k, as the documents give it.
func schemaID(k Kind) string { return "https://hippocortex.dev/schemas/hmx-1.0/" + string(k) + ".json" }
