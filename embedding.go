package lukasa

import (
	"context"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/engine"
)

// Vectors by models outside the program.
type (
	// Embedder makes vectors of texts, many at a time. It may fail; what it cannot do
	// is done later.
	Embedder = embed.Provider
	// EmbedResult is what an [Embedder] made of one text: a vector, or why there is
	// none.
	EmbedResult = embed.Result
	// EmbedServer says how to reach a server for embeddings, see [NewEmbedder].
	EmbedServer = embed.Options
	// EmbedKey is a secret that a server wants to see. It does not print itself.
	EmbedKey = embed.Key
	// EmbedOptions says who makes vectors of what.
	EmbedOptions = engine.EmbedOptions
	// Embedded says what came of it.
	Embedded = engine.Embedded
	// EmbedProblem says why something has no vector.
	EmbedProblem = engine.EmbedProblem
)

// NewEmbedder returns an embedder that asks a server which speaks OpenAI's protocol,
// as Ollama, vLLM and the server of llama.cpp do. It sends nothing yet.
func NewEmbedder(o EmbedServer) (Embedder, error) {
	r, err := embed.NewRemote(o)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Embed has an embedder make vectors of everything that has none by its model, and
// journals them, so that nothing has to be asked for again. What the embedder cannot do
// stays for the next call. With an error, what was done is told even so.
func (t *Tenant) Embed(ctx context.Context, o EmbedOptions) (*Embedded, error) {
	o.Tenant = t.name
	return t.engine.Embed(ctx, t.writer, o)
}
