// Package refine lets a language model write titles and summaries of artifacts.
//
// [Build] makes the prompt for an artifact, [Parse] extracts a title and a summary from the
// answer, and [Clean] makes a text fit to be shown. All three are pure functions. A [Remote] is
// a client of a server with OpenAI's protocol.
//
// Guarantees: prompts are bounded, and texts of tools, users and third parties occur only as
// strings of a JSON document, with angle brackets escaped, since chat templates use them for
// marks. An answer is accepted only if it is one JSON object with a title and a summary and
// nothing else. The results are one line each, not longer than
// [lukasa.dev/internal/memory.MaxRefinedTitle] and
// [lukasa.dev/internal/memory.MaxRefinedSummary], of visible characters.
//
// It does not check whether a title is true. Text in the evidence can make a model write a
// misleading one, so titles are for display, and no decision may depend on them. It stores
// nothing.
package refine

import "context"

// Refiner writes titles and summaries. It may fail.
type Refiner interface {
	// Name names the model.
	Name() string
	// Refine returns the model's text for a prompt. An error with the code invalid_argument is
	// about this prompt alone; any other error is not about the prompt, so other prompts would
	// fail as well. It returns when the context ends.
	Refine(ctx context.Context, p Prompt) (Text, error)
}

// Prompt is a request to a model.
type Prompt struct {
	Task string // the instruction; always the same
	Data string // the input: one JSON object
}

// Text is what a model wrote for an artifact. A [Remote] returns clean texts.
type Text struct {
	Title   string
	Summary string
}
