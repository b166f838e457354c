package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/refine"
)

// Titles and summaries of artifacts by models outside the program. docs/compile.md
// describes it.
type (
	// Refiner writes titles and summaries. It may fail; what it cannot do is done
	// later.
	Refiner = refine.Refiner
	// RefinePrompt is what a [Refiner] is asked.
	RefinePrompt = refine.Prompt
	// RefineText is what a [Refiner] answers.
	RefineText = refine.Text
	// RefineServer says how to reach a server for completions, see [NewRefiner].
	RefineServer = refine.Options
	// RefineKey is a secret that a server wants to see. It does not print itself.
	RefineKey = refine.Key
	// RefineOptions says who writes titles and summaries.
	RefineOptions = engine.RefineOptions
	// RefineReport says what came of it.
	RefineReport = engine.RefineReport
	// RefineProblem says why an artifact has no title by a model.
	RefineProblem = engine.RefineProblem
	// Refined is what a model wrote for an artifact, to be shown and nothing else.
	Refined = engine.Refined
)

// How long a title and a summary by a model may be, in code points.
const (
	MaxRefinedTitle   = memory.MaxRefinedTitle
	MaxRefinedSummary = memory.MaxRefinedSummary
)

// NewRefiner returns a refiner that asks a server which speaks OpenAI's protocol for
// chats, as Ollama, vLLM and the server of llama.cpp do. It sends nothing yet.
func NewRefiner(o RefineServer) (Refiner, error) {
	r, err := refine.NewRemote(o)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Refine has a language model write titles and summaries of the active artifacts that
// compiles made and that have none by a model yet, and journals them, so that nothing
// has to be asked for again. Artifacts and packs stay as they are. What the model cannot
// do stays for the next call. With an error, what was done is told even so. No scope may
// do it.
func (t *Tenant) Refine(ctx context.Context, o RefineOptions) (*RefineReport, error) {
	return t.engine.Refine(ctx, t.writer, t.name, o)
}

// Refinement returns the newest title and summary that a model wrote for an artifact, or
// nil if none did. They are derived text of the lowest trust: show them beside the
// artifact's own, and decide nothing by them.
func (t *Tenant) Refinement(ctx context.Context, artifact string, v View) (*Refined, error) {
	return t.engine.Refinement(ctx, Ref{Tenant: t.name, Kind: ArtifactKind, ID: artifact}, t.view(v))
}
