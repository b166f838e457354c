// Package refine has a language model write titles and summaries of artifacts.
//
// [Build] makes of an artifact what a model is asked, [Parse] takes a title and a
// summary out of what it answers, and [Clean] makes a text fit to be shown. All three
// are pure functions. A [Remote] asks a server that speaks OpenAI's protocol.
//
// Guarantees: what a model is sent is bounded, and whatever tools, users and strangers
// said is in it as strings of a JSON document, never beside it, with angle brackets
// escaped, of which marks of chat templates are made. An answer counts only if it is
// one JSON object with a title and a summary and nothing else. What comes out of it is
// one line each, not longer than [lukasa.dev/internal/memory.MaxRefinedTitle] and
// [lukasa.dev/internal/memory.MaxRefinedSummary], of characters that are seen.
//
// It does not: tell whether a title is true. What somebody wrote into the evidence can
// make a model write a misleading one; so a title is to be shown, and nothing is to be
// decided by it. It stores nothing.
package refine

import "context"

// Refiner writes titles and summaries. It may fail.
type Refiner interface {
	// Name names the model.
	Name() string
	// Refine returns what the model makes of a prompt. An error of code
	// invalid_argument is about this prompt alone; any other one has nothing to do
	// with it, so that there is no point in asking about others now. It returns
	// when the context ends.
	Refine(ctx context.Context, p Prompt) (Text, error)
}

// Prompt is what a model is asked.
type Prompt struct {
	Task string // what it is to do; always the same
	Data string // what with: one JSON object
}

// Text is what a model made of an artifact. What a [Remote] returns is clean.
type Text struct {
	Title   string
	Summary string
}
