package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/retrieval"
)

// Where an embedder is when no flag says so.
const (
	envEmbedURL   = "LUKASA_EMBED_URL"
	envEmbedModel = "LUKASA_EMBED_MODEL"
	envEmbedKey   = "LUKASA_EMBED_KEY"
)

// embedderFlags say which server makes vectors. Beside other flags their names begin
// with a prefix.
type embedderFlags struct {
	prefix              string
	url, model, keyFile string
}

func (f *embedderFlags) add(c *cobra.Command, prefix string) {
	f.prefix = prefix
	c.Flags().StringVar(&f.url, prefix+"url", "", "the server that makes vectors, a `URL` to which /embeddings is appended (default $"+envEmbedURL+")")
	c.Flags().StringVar(&f.model, prefix+"model", "", "the `NAME` by which it knows the model (default $"+envEmbedModel+")")
	c.Flags().StringVar(&f.keyFile, prefix+"key-file", "", "the `FILE` with the key that it wants to see (default $"+envEmbedKey+", else none)")
}

// given reports whether one of the flags is.
func (f *embedderFlags) given(c *cobra.Command) bool {
	return c.Flags().Changed(f.prefix+"url") || c.Flags().Changed(f.prefix+"model") || c.Flags().Changed(f.prefix+"key-file")
}

// maxEmbedKey is how long a file with a key may be.
const maxEmbedKey = 64 << 10

// embedder returns who makes vectors, or nil if nobody was named.
func (s *shell) embedder(c *cobra.Command, f *embedderFlags, o lukasa.EmbedServer) (lukasa.Embedder, error) {
	value := func(flag, env, given string) (text, name string) {
		if c.Flags().Changed(f.prefix + flag) {
			return given, "--" + f.prefix + flag
		}
		return s.env(env), env
	}
	var url, model string
	o.BaseURL, url = value("url", envEmbedURL, f.url)
	o.Model, model = value("model", envEmbedModel, f.model)
	if o.BaseURL == "" {
		if c.Flags().Changed(f.prefix+"model") && !c.Flags().Changed(f.prefix+"url") {
			return nil, fault.Newf(fault.Usage, "--%smodel is given, but not where the model is", f.prefix).
				WithFix(fmt.Sprintf("add --%surl http://localhost:11434/v1, or set %s", f.prefix, envEmbedURL))
		}
		return nil, nil
	}
	if o.Model == "" {
		return nil, fault.Newf(fault.Usage, "%s is given, but not which model is meant", url).
			WithFix(fmt.Sprintf("add --%smodel nomic-embed-text, or set %s", f.prefix, envEmbedModel))
	}
	key := envEmbedKey
	o.Key = lukasa.EmbedKey(strings.TrimSpace(s.env(envEmbedKey)))
	if c.Flags().Changed(f.prefix + "key-file") {
		key = "--" + f.prefix + "key-file"
		text, err := s.readFile(c.Context(), f.keyFile, maxEmbedKey)
		if err != nil {
			return nil, err
		}
		if o.Key = lukasa.EmbedKey(strings.TrimSpace(string(text))); o.Key == "" {
			return nil, fault.Newf(fault.Usage, "%s: the file is empty", key).WithFix("put the key into it, or leave the flag away")
		}
	}
	e, err := lukasa.NewEmbedder(o)
	if err != nil {
		names := strings.NewReplacer("embedder: ", "", "use Key", "use "+envEmbedKey, "BaseURL ", url+" ", "Model ", model+" ", "Key ", key+" ")
		problem, fix := names.Replace(fault.From(err).Error()), "an address is such as http://localhost:11434/v1, which is where Ollama is"
		switch {
		case strings.HasPrefix(problem, key+" "):
			fix = "give the key alone, as the service shows it"
		case strings.HasPrefix(problem, model+" "):
			fix = "give the name by which the server knows the model"
		}
		return nil, fault.New(fault.Usage, problem).WithCause(err).WithFix(fix)
	}
	return e, nil
}

type embedFlags struct {
	boardFlags
	server     embedderFlags
	dimensions int
	limit      int
}

func embedCommand(s *shell) *cobra.Command {
	var flags embedFlags
	c := &cobra.Command{
		Use:   "embed",
		Short: "Have a model make vectors of what has none yet",
		Long: `Have a model outside this program make vectors of everything that has none by it yet:
events, memories and other things. Then ` + "`lukasa find`" + ` with the same model finds what a
question means, and not only what has its words. A small model is built in and needs
nothing of this; a larger one finds more.

The model is behind a server that speaks OpenAI's protocol, such as Ollama, vLLM or
llama.cpp. Nothing is sent anywhere unless an address is given, and only to that one:
the first ` + fmt.Sprint(retrieval.MaxEmbedText) + ` characters of each text, private ones too.

The vectors are journaled. They are there after a restart, in an export and when the
index is made anew, and nobody is asked again. What is erased takes its vectors with
it. Run it again after new things came: it goes on where it ended. What the server
cannot do stays for the next time, and is found by its words meanwhile.

A key is read from $` + envEmbedKey + ` or from a file, and never from the command line.`,
		Example: `  # By Ollama on this machine, after: ollama pull nomic-embed-text
  lukasa embed --url http://localhost:11434/v1 --model nomic-embed-text
  lukasa find "when are releases cut" --embed-url http://localhost:11434/v1 --embed-model nomic-embed-text
  # By a service that wants a key; so many texts at most.
  lukasa embed --url https://api.openai.com/v1 --model text-embedding-3-small --key-file key.txt --limit 1000`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.embed(c, &flags) },
	}
	flags.addTenant(c)
	flags.addWriter(c)
	flags.server.add(c, "")
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

func (s *shell) embed(c *cobra.Command, flags *embedFlags) error {
	if c.Flags().Changed("limit") {
		if err := inRange("limit", flags.limit, 1, 1<<30); err != nil {
			return err
		}
	}
	if c.Flags().Changed("dimensions") {
		if err := inRange("dimensions", flags.dimensions, 1, hmx.MaxEmbeddings); err != nil {
			return err
		}
	}
	model, err := s.embedder(c, &flags.server, lukasa.EmbedServer{
		Dimensions: flags.dimensions, Batch: 32, Timeout: 2 * time.Minute, // a model on a small machine takes its time
	})
	if err != nil {
		return err
	}
	if model == nil {
		return fault.New(fault.Usage, "no server was named that makes vectors").
			WithFix(fmt.Sprintf("add --url http://localhost:11434/v1 --model nomic-embed-text, or set %s and %s", envEmbedURL, envEmbedModel))
	}
	return s.visit(c, &flags.boardFlags, reading(), func(ctx context.Context, v *visit) error {
		t, err := v.writer(ctx)
		if err != nil {
			return err
		}
		p := s.progress()
		defer p.done()
		done, err := t.Embed(ctx, lukasa.EmbedOptions{
			Provider: model, Dimensions: flags.dimensions, Limit: flags.limit, Progress: p.parts("embedded", "text"),
		})
		p.done()
		if done != nil && (err == nil || done.Done+done.Failed+done.Left > 0) {
			if failed := s.showEmbedded(ctx, t, done); err == nil {
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
		return fault.Newf(fault.Canceled, "stopped on request; %s, and %s", counted(done.Done, "vector")+" made", left(done.Left)).
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
	return thousands(n) + " texts are left"
}

// showEmbedded prints what came of it.
func (s *shell) showEmbedded(ctx context.Context, t *lukasa.Tenant, done *lukasa.Embedded) error {
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
	if s.json {
		return s.writeJSON(a)
	}
	fmt.Fprintf(s.stdout, "%s %s by %s, %s each\n", s.paint.green("embedded"), counted(a.Embedded, "text"), s.paint.bold(oneLine(a.Model)), counted(a.Dimensions, "number"))
	if a.Failed > 0 {
		s.detail("failed", counted(a.Failed, "text")+"; they are found by their words, and tried again the next time")
	}
	if a.Left > 0 {
		s.detail("left", counted(a.Left, "text")+"; run it again to go on")
	}
	for _, p := range a.Problems {
		s.detail("problem", p.URI.String()+": "+oneLine(p.Reason))
	}
	s.detail("root", a.Root+" over "+counted(int(root.Size), "record"))
	return nil
}
