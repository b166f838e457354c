package embed

import "context"

// Provider embeds texts in batches. Unlike a [Model] it may fail.
type Provider interface {
	// Name identifies the model. Vectors of different names cannot be compared.
	Name() string
	// Dimensions is the length of a vector, and 0 while that is unknown.
	Dimensions() int
	// EmbedBatch returns one result for each text, in order. The error is not nil if some text
	// has no vector for a reason that is not its own; the results are returned even so.
	EmbedBatch(ctx context.Context, texts []string) ([]Result, error)
}

// Result is the result for one text: a vector, or an error. The vector is finite, not zero, and
// not necessarily normalised.
type Result struct {
	Vector []float32
	Err    error
}
