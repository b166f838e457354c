package knowledge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/review"
)

// Where a language model is when no flag says so, and its key, which no flag says.
const (
	envRefineURL   = "LUKASA_REFINE_URL"
	envRefineModel = "LUKASA_REFINE_MODEL"
	envRefineKey   = "LUKASA_REFINE_KEY"
)

type refineFlags struct {
	ask.BoardFlags
	url, model string
	limit      int
	parallel   int
	timeout    time.Duration
	replace    bool
}

// RefineCommand returns the command `lukasa refine`.
func RefineCommand(s *ask.Shell) *cobra.Command {
	var flags refineFlags
	c := &cobra.Command{
		Use:   "refine",
		Short: "Have a language model write titles of artifacts",
		Long: `Have a language model write a title and a summary for each active artifact of
` + "`lukasa compile`" + ` that has none by a model yet. They are for people who review
artifacts. The artifacts themselves, their hashes, packs and next steps do not change,
and no decision depends on a title.

The model runs behind a server with OpenAI's protocol for chats, such as Ollama, vLLM
or llama.cpp. Nothing is sent unless an address is given, and only to that address:
type, title, summary and content of the artifacts, at most 12 KB of each. Text of tools
and strangers is sent as data, and an answer counts only if it is a title and a summary
and nothing else. Both are cut to ` + fmt.Sprint(lukasa.MaxRefinedTitle) + ` and ` + fmt.Sprint(lukasa.MaxRefinedSummary) + ` characters, without
invisible characters, and stored with the lowest trust.

They are journaled: they survive a restart, are part of an export, and a rebuild of the
index does not call the model again. Erasing an artifact erases its title. Run it again
after a compile: it continues where it ended. Artifacts for which the model gives no
usable answer are tried again next time.

A key is read from $` + envRefineKey + `, and never from the command line or a file.`,
		Example: `  # By Ollama on this machine, after: ollama pull llama3.2
  lukasa compile
  lukasa refine --url http://localhost:11434/v1 --model llama3.2
  lukasa list --kind refinement
  # By a service that requires a key, in LUKASA_REFINE_KEY; at most 20 artifacts.
  lukasa refine --url https://api.openai.com/v1 --model gpt-4o-mini --limit 20`,
		Args: ask.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return refine(s, c, &flags) },
	}
	flags.AddTenant(c)
	flags.AddWriter(c)
	c.Flags().StringVar(&flags.url, "url", "", "the server that has the model, a `URL` to which /chat/completions is appended (default $"+envRefineURL+")")
	c.Flags().StringVar(&flags.model, "model", "", "the `NAME` of the model at the server (default $"+envRefineModel+")")
	c.Flags().IntVar(&flags.limit, "limit", 0, "ask about `N` artifacts at most (default all)")
	c.Flags().IntVar(&flags.parallel, "parallel", review.DefaultRefineParallel, "ask about `N` artifacts at once")
	c.Flags().DurationVar(&flags.timeout, "timeout", 2*time.Minute, "how long one answer may take, a `DURATION`")
	c.Flags().BoolVar(&flags.replace, "replace", false, "also ask about what has a title by another model; the newest is shown")
	return c
}

// refineAnswer is what lukasa refine --json prints.
type refineAnswer struct {
	Model    string                `json:"model"`
	Refined  int                   `json:"refined"`
	Failed   int                   `json:"failed"`
	Left     int                   `json:"left"`
	Problems []refineProblemAnswer `json:"problems,omitempty"`
	answer.State
}

type refineProblemAnswer struct {
	URI    lukasa.URI `json:"uri"`
	Reason string     `json:"reason"`
}

// refiner returns the refiner, which writes titles.
func refiner(s *ask.Shell, c *cobra.Command, f *refineFlags) (lukasa.Refiner, error) {
	value := func(flag, env, given string) (text, name string) {
		if c.Flags().Changed(flag) {
			return given, "--" + flag
		}
		return s.Env(env), env
	}
	url, urlName := value("url", envRefineURL, f.url)
	model, modelName := value("model", envRefineModel, f.model)
	switch {
	case url == "":
		return nil, fault.New(fault.Usage, "no server was named that has a language model").
			WithFix(fmt.Sprintf("add --url http://localhost:11434/v1 --model llama3.2, or set %s and %s", envRefineURL, envRefineModel))
	case model == "":
		return nil, fault.Newf(fault.Usage, "%s is given, but not which model is meant", urlName).
			WithFix(fmt.Sprintf("add --model llama3.2, or set %s", envRefineModel))
	}
	r, err := lukasa.NewRefiner(lukasa.RefineServer{
		BaseURL: url, Model: model, Key: lukasa.RefineKey(strings.TrimSpace(s.Env(envRefineKey))), MaxConcurrent: f.parallel, Timeout: f.timeout,
	})
	if err != nil {
		names := strings.NewReplacer("refiner: ", "", "use Key", "use "+envRefineKey, "BaseURL ", urlName+" ", "Model ", modelName+" ", "Key ", envRefineKey+" ")
		problem, fix := names.Replace(fault.From(err).Error()), "an address is such as http://localhost:11434/v1, which is where Ollama is"
		if strings.HasPrefix(problem, envRefineKey+" ") {
			fix = "give the key alone, as the service shows it"
		}
		return nil, fault.New(fault.Usage, problem).WithCause(err).WithFix(fix)
	}
	return r, nil
}

func refine(s *ask.Shell, c *cobra.Command, flags *refineFlags) error {
	if c.Flags().Changed("limit") {
		if err := ask.InRange("limit", flags.limit, 1, 1<<30); err != nil {
			return err
		}
	}
	if err := ask.InRange("parallel", flags.parallel, 1, review.MaxRefineParallel); err != nil {
		return err
	}
	if flags.timeout <= 0 {
		return fault.Newf(fault.Usage, "--timeout is %v, but must be more than nothing", flags.timeout).WithFix("give a time such as 30s")
	}
	model, err := refiner(s, c, flags)
	if err != nil {
		return err
	}
	return s.Visit(c, &flags.BoardFlags, ask.Reading(), func(ctx context.Context, v *ask.Visit) error {
		t, err := v.Writer(ctx)
		if err != nil {
			return err
		}
		p := s.Progress()
		defer p.Done()
		p.Counted("asking "+term.OneLine(model.Name()), 0, 0)
		done, err := t.Refine(ctx, lukasa.RefineOptions{
			Refiner: model, Limit: flags.limit, Parallel: flags.parallel, Replace: flags.replace, Progress: ask.Parts(p, "refined", "artifact"),
		})
		p.Done()
		if done != nil && (err == nil || done.Done+done.Failed+done.Left > 0) {
			if failed := showRefined(ctx, s, t, done); err == nil {
				err = failed
			}
		}
		if errors.Is(err, context.Canceled) && done != nil {
			return fault.Newf(fault.Canceled, "stopped on request; %s written, %s left", term.Counted(done.Done, "title"), term.Counted(done.Left, "artifact")).
				WithCause(err).WithFix("run it again to go on")
		}
		return err
	})
}

// showRefined prints what came of it.
func showRefined(ctx context.Context, s *ask.Shell, t *lukasa.Tenant, done *lukasa.RefineReport) error {
	root, err := t.Root(context.WithoutCancel(ctx)) // it is written, whatever comes
	if err != nil {
		return err
	}
	a := refineAnswer{Model: done.Model, Refined: done.Done, Failed: done.Failed, Left: done.Left, State: answer.StateOf(root)}
	for _, p := range done.Problems {
		a.Problems = append(a.Problems, refineProblemAnswer{p.URI, fault.From(p.Err).Error()})
	}
	if s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s %s by %s\n", s.Paint.Green("refined"), term.Counted(a.Refined, "artifact"), s.Paint.Bold(term.OneLine(a.Model)))
	if a.Failed > 0 {
		s.Detail("failed", term.Counted(a.Failed, "artifact")+"; they keep their titles, and are tried again the next time")
	}
	if a.Left > 0 {
		s.Detail("left", term.Counted(a.Left, "artifact")+"; run it again to go on")
	}
	const shown = 10
	for i, p := range a.Problems {
		if i == shown {
			s.Detail("and", "more problems; --json has the first 100")
			break
		}
		s.Detail("problem", p.URI.String()+": "+term.OneLine(p.Reason))
	}
	s.Detail("root", a.Root+" over "+term.Counted(int(root.Size), "record"))
	return nil
}
