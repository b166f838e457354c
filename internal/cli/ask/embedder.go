package ask

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/fault"
)

// EmbedderFlags say which server makes vectors. Beside other flags their names begin
// with a prefix.
type EmbedderFlags struct {
	prefix              string
	url, model, keyFile string
}

func (f *EmbedderFlags) Add(c *cobra.Command, prefix string) {
	f.prefix = prefix
	c.Flags().StringVar(&f.url, prefix+"url", "", "the server that makes vectors, a `URL` to which /embeddings is appended (default $"+EnvEmbedURL+")")
	c.Flags().StringVar(&f.model, prefix+"model", "", "the `NAME` of the model at the server (default $"+EnvEmbedModel+")")
	c.Flags().StringVar(&f.keyFile, prefix+"key-file", "", "the `FILE` with the key of the server (default $"+EnvEmbedKey+", else none)")
}

// Given reports whether one of the flags is.
func (f *EmbedderFlags) Given(c *cobra.Command) bool {
	return c.Flags().Changed(f.prefix+"url") || c.Flags().Changed(f.prefix+"model") || c.Flags().Changed(f.prefix+"key-file")
}

// Embedder returns the embedder of the flags and variables, or nil if they name none.
func (s *Shell) Embedder(c *cobra.Command, f *EmbedderFlags, o lukasa.EmbedServer) (lukasa.Embedder, error) {
	value := func(flag, env, given string) (text, name string) {
		if c.Flags().Changed(f.prefix + flag) {
			return given, "--" + f.prefix + flag
		}
		return s.Env(env), env
	}
	var url, model string
	o.BaseURL, url = value("url", EnvEmbedURL, f.url)
	o.Model, model = value("model", EnvEmbedModel, f.model)
	if o.BaseURL == "" {
		if c.Flags().Changed(f.prefix+"model") && !c.Flags().Changed(f.prefix+"url") {
			return nil, fault.Newf(fault.Usage, "--%smodel is given, but not where the model is", f.prefix).
				WithFix(fmt.Sprintf("add --%surl http://localhost:11434/v1, or set %s", f.prefix, EnvEmbedURL))
		}
		return nil, nil
	}
	if o.Model == "" {
		return nil, fault.Newf(fault.Usage, "%s is given, but not which model is meant", url).
			WithFix(fmt.Sprintf("add --%smodel nomic-embed-text, or set %s", f.prefix, EnvEmbedModel))
	}
	key := EnvEmbedKey
	o.Key = lukasa.EmbedKey(strings.TrimSpace(s.Env(EnvEmbedKey)))
	if c.Flags().Changed(f.prefix + "key-file") {
		key = "--" + f.prefix + "key-file"
		text, err := s.ReadFile(c.Context(), f.keyFile, maxEmbedKey)
		if err != nil {
			return nil, err
		}
		if o.Key = lukasa.EmbedKey(strings.TrimSpace(string(text))); o.Key == "" {
			return nil, fault.Newf(fault.Usage, "%s: the file is empty", key).WithFix("put the key into it, or leave the flag out")
		}
	}
	e, err := lukasa.NewEmbedder(o)
	if err != nil {
		names := strings.NewReplacer("embedder: ", "", "use Key", "use "+EnvEmbedKey, "BaseURL ", url+" ", "Model ", model+" ", "Key ", key+" ")
		problem, fix := names.Replace(fault.From(err).Error()), "an address is such as http://localhost:11434/v1, which is where Ollama is"
		switch {
		case strings.HasPrefix(problem, key+" "):
			fix = "give the key alone, as the service shows it"
		case strings.HasPrefix(problem, model+" "):
			fix = "give the name of the model at the server"
		}
		return nil, fault.New(fault.Usage, problem).WithCause(err).WithFix(fix)
	}
	return e, nil
}

// maxEmbedKey is how long a file with a key may be.
const maxEmbedKey = 64 << 10

// Where an embedder is when no flag says so.
const (
	EnvEmbedURL   = "LUKASA_EMBED_URL"
	EnvEmbedModel = "LUKASA_EMBED_MODEL"
	EnvEmbedKey   = "LUKASA_EMBED_KEY"
)
