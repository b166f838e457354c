package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/refine"
)

// Titles and summaries of artifacts by external models. docs/compile.md describes it.
type (
	// Refiner writes titles and summaries. It may fail; failed artifacts are retried later.
	Refiner = refine.Refiner
	// RefinePrompt is the request to a [Refiner].
	RefinePrompt = refine.Prompt
	// RefineText is the answer of a [Refiner].
	RefineText = refine.Text
	// RefineServer configures the connection to a completion server, see [NewRefiner].
	RefineServer = refine.Options
	// RefineKey is an API key. It does not print itself.
	RefineKey = refine.Key
	// RefineOptions configures Refine.
	RefineOptions = engine.RefineOptions
	// RefineReport is the result of Refine.
	RefineReport = engine.RefineReport
	// RefineProblem says why an artifact has no title by a model.
	RefineProblem = engine.RefineProblem
	// Refined is what a model wrote for an artifact, for display only.
	Refined = engine.Refined
)

// Maximum lengths of a title and a summary by a model, in code points.
const (
	MaxRefinedTitle   = memory.MaxRefinedTitle
	MaxRefinedSummary = memory.MaxRefinedSummary
)

// NewRefiner returns a refiner for a server with OpenAI's chat protocol, such as Ollama, vLLM
// and the server of llama.cpp. It sends nothing yet.
func NewRefiner(o RefineServer) (Refiner, error) {
	r, err := refine.NewRemote(o)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Refine lets a language model write titles and summaries for the active compiled artifacts
// that have none by a model yet, and journals them, so that they are never requested again.
// Artifacts and packs stay unchanged. What fails is left for the next call. With an error it
// also returns what was done. No scope permits it.
func (t *Tenant) Refine(ctx context.Context, o RefineOptions) (*RefineReport, error) {
	return t.engine.Refine(ctx, t.writer, t.name, o)
}

// Refinement returns the newest title and summary that a model wrote for an artifact, or nil if
// there are none. They are derived text of the lowest trust: show them beside the artifact's
// own, and base no decision on them.
func (t *Tenant) Refinement(ctx context.Context, artifact string, v View) (*Refined, error) {
	return t.engine.Refinement(ctx, Ref{Tenant: t.name, Kind: ArtifactKind, ID: artifact}, t.view(v))
}
