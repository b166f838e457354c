package knowledge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/retrieval"
)

type embedFlags struct {
	ask.BoardFlags
	server     ask.EmbedderFlags
	dimensions int
	limit      int
}

// EmbedCommand returns the command `lukasa embed`.
func EmbedCommand(s *ask.Shell) *cobra.Command {
	var flags embedFlags
	c := &cobra.Command{
		Use:   "embed",
		Short: "Have a model make vectors of records that have none yet",
		Long: `Have an external model make vectors of all events, memories and other records that have
none by that model yet. Then ` + "`lukasa find`" + ` with the same model finds records by meaning,
and not only by words. A small model is built in and needs none of this; a larger one
finds more.

The model runs behind a server with OpenAI's protocol, such as Ollama, vLLM or
llama.cpp. Nothing is sent unless an address is given, and only to that address: the
first ` + fmt.Sprint(retrieval.MaxEmbedText) + ` characters of each text, private ones too.

The vectors are journaled: they survive a restart, are part of an export, and a rebuild
of the index does not call the model again. Erasing a record erases its vectors. Run it
again after new records: it continues where it ended. Texts that the server cannot
embed are tried again next time, and are found by their words until then.

A key is read from $` + ask.EnvEmbedKey + ` or from a file, and never from the command line.`,
		Example: `  # By Ollama on this machine, after: ollama pull nomic-embed-text
  lukasa embed --url http://localhost:11434/v1 --model nomic-embed-text
  lukasa find "when are releases cut" --embed-url http://localhost:11434/v1 --embed-model nomic-embed-text
  # By a service that requires a key, for at most 1000 texts.
  lukasa embed --url https://api.openai.com/v1 --model text-embedding-3-small --key-file key.txt --limit 1000`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return embed(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	flags.server.Add(c, "")
	c.Flags().IntVar(&flags.dimensions, "dimensions", 0, "refuse vectors that have not `N` numbers (default as many as those by that model that are here, else what the server makes)")
	c.Flags().IntVar(&flags.limit, "limit", 0, "ask about `N` texts at most (default all)")
	return c
}

// embedAnswer is what lukasa embed --json prints.
type embedAnswer struct {
	Model      string               `json:"model"`
	Dimensions int                  `json:"dimensions,omitempty"`
	Embedded   int                  `json:"embedded"`
	Failed     int                  `json:"failed"`
	Left       int                  `json:"left"`
	Problems   []embedProblemAnswer `json:"problems,omitempty"`
	answer.State
}

type embedProblemAnswer struct {
	URI    lukasa.URI `json:"uri"`
	Reason string     `json:"reason"`
}

func embed(s *ask.Shell, c *cobra.Command, flags *embedFlags) error {
	if c.Flags().Changed("limit") {
		if err := ask.InRange("limit", flags.limit, 1, 1<<30); err != nil {
			return err
		}
	}
	if c.Flags().Changed("dimensions") {
		if err := ask.InRange("dimensions", flags.dimensions, 1, hmx.MaxEmbeddings); err != nil {
			return err
		}
	}
	model, err := s.Embedder(c, &flags.server, lukasa.EmbedServer{
		Dimensions: flags.dimensions, Batch: 32, Timeout: 2 * time.Minute, // a model on a small machine takes its time
	})
	if err != nil {
		return err
	}
	if model == nil {
		return fault.New(fault.Usage, "no server was named that makes vectors").
			WithFix(fmt.Sprintf("add --url http://localhost:11434/v1 --model nomic-embed-text, or set %s and %s", ask.EnvEmbedURL, ask.EnvEmbedModel))
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Writer(ctx)
		if err != nil {
			return err
		}
		p := s.Progress()
		defer p.Done()
		done, err := t.Embed(ctx, lukasa.EmbedOptions{
			Provider: model, Dimensions: flags.dimensions, Limit: flags.limit, Progress: ask.Parts(p, "embedded", "text"),
		})
		p.Done()
		if done != nil && (err == nil || done.Done+done.Failed+done.Left > 0) {
			if failed := showEmbedded(ctx, s, t, done); err == nil {
				err = failed
			}
		}
		return asEmbed(err, done)
	})
}

// asEmbed says why it ended in the words of the command line.
func asEmbed(err error, done *lukasa.Embedded) error {
	switch {
	case err == nil || done == nil:
		return err
	case errors.Is(err, context.Canceled):
		return fault.Newf(fault.Canceled, "stopped on request; %s, and %s", term.Counted(done.Done, "vector")+" made", left(done.Left)).
			WithCause(err).WithFix("run it again to go on")
	case errors.Is(err, fault.WrongDimensions):
		return fault.From(err).WithFix("check that it is the same model; if it is meant to have others from now on, say how many with --dimensions")
	}
	return err
}

// left says how many texts are left.
func left(n int) string {
	if n == 1 {
		return "1 text is left"
	}
	return term.Thousands(n) + " texts are left"
}

// showEmbedded prints what came of it.
func showEmbedded(ctx context.Context, s *ask.Shell, t *lukasa.Tenant, done *lukasa.Embedded) error {
	root, err := t.Root(context.WithoutCancel(ctx)) // it is written, whatever comes
	if err != nil {
		return err
	}
	a := embedAnswer{
		Model: done.Model, Dimensions: done.Dimensions, Embedded: done.Done, Failed: done.Failed, Left: done.Left, State: answer.StateOf(root),
	}
	for _, p := range done.Problems {
		a.Problems = append(a.Problems, embedProblemAnswer{p.URI, fault.From(p.Err).Error()})
	}
	if s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s %s by %s, %s each\n", s.Paint.Green("embedded"), term.Counted(a.Embedded, "text"), s.Paint.Bold(term.OneLine(a.Model)), term.Counted(a.Dimensions, "number"))
	if a.Failed > 0 {
		s.Detail("failed", term.Counted(a.Failed, "text")+"; they are found by their words, and tried again the next time")
	}
	if a.Left > 0 {
		s.Detail("left", term.Counted(a.Left, "text")+"; run it again to go on")
	}
	for _, p := range a.Problems {
		s.Detail("problem", p.URI.String()+": "+term.OneLine(p.Reason))
	}
	s.Detail("root", a.Root+" over "+term.Counted(int(root.Size), "record"))
	return nil
}
