package lukasa

import (
	"context"

	"lukasa.dev/internal/embed"
	"lukasa.dev/internal/engine"
)

// Vectors by external models.
type (
	// Embedder embeds texts in batches. It may fail; failed texts are retried later.
	Embedder = embed.Provider
	// EmbedResult is the result of an [Embedder] for one text: a vector, or an error.
	EmbedResult = embed.Result
	// EmbedServer configures the connection to an embedding server, see [NewEmbedder].
	EmbedServer = embed.Options
	// EmbedKey is an API key. It does not print itself.
	EmbedKey = embed.Key
	// EmbedOptions configures Embed.
	EmbedOptions = engine.EmbedOptions
	// Embedded is the result of Embed.
	Embedded = engine.Embedded
	// EmbedProblem says why a record has no vector.
	EmbedProblem = engine.EmbedProblem
)

// NewEmbedder returns an embedder for a server with OpenAI's protocol, such as Ollama, vLLM and
// the server of llama.cpp. It sends nothing yet.
func NewEmbedder(o EmbedServer) (Embedder, error) {
	r, err := embed.NewRemote(o)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Embed embeds everything that has no vector by the embedder's model, and journals the vectors,
// so that they are never requested again. What fails is left for the next call. With an error
// it also returns what was done.
func (t *Tenant) Embed(ctx context.Context, o EmbedOptions) (*Embedded, error) {
	o.Tenant = t.name
	return t.engine.Embed(ctx, t.writer, o)
}
