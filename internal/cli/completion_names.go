package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/memories"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/record"
)

// completionTime is how long a shell waits for names at most, unless completionEnv says
// otherwise.
const (
	completionTime = 2 * time.Second
	completionEnv  = "LUKASA_COMPLETION_WAIT"
)

// source is a command whose answer has names to complete, and what they are in it.
type source struct {
	args []string
	// read returns the names, each with what it is behind a tab, or without.
	read func(answer []byte) []string
}

// The names that can be completed. They are asked for with commands of our own, so that
// they come from the server if there is one, and nothing is shown that a scope hides.
func tenantNames() source {
	return source{[]string{"root", "--all"}, func(text []byte) (list []string) {
		var a struct {
			Tenants []struct {
				Tenant string
				Size   int
			}
		}
		_ = json.Unmarshal(text, &a) // what cannot be read has no names
		for _, t := range a.Tenants {
			list = append(list, t.Tenant+"\t"+term.Counted(t.Size, "record"))
		}
		return list
	}}
}

func sessionNames() source {
	return source{[]string{"events", "--limit", "1000"}, func(text []byte) (list []string) {
		var a struct {
			Sessions []struct {
				ID     string `json:"session_id"`
				Events int
				Last   string
			}
		}
		_ = json.Unmarshal(text, &a)
		for _, x := range a.Sessions {
			list = append(list, x.ID+"\t"+term.Counted(x.Events, "event")+", until "+x.Last)
		}
		return list
	}}
}

func agentNames() source {
	return source{[]string{"stats", "--top", "100", "--days", "1"}, func(text []byte) (list []string) {
		var a struct {
			Agents []struct {
				ID     string `json:"agent_id"`
				Events int
			}
		}
		_ = json.Unmarshal(text, &a)
		for _, x := range a.Agents {
			list = append(list, x.ID+"\t"+term.Counted(x.Events, "event"))
		}
		return list
	}}
}

func memoryKeys() source {
	return source{[]string{"list", "--limit", "500"}, func(text []byte) (list []string) {
		var a struct {
			Memories []struct {
				Body struct{ Key, Text string }
			}
		}
		_ = json.Unmarshal(text, &a)
		for _, x := range a.Memories {
			if x.Body.Key != "" {
				list = append(list, x.Body.Key+"\t"+term.Preview(x.Body.Text, 60))
			}
		}
		return list
	}}
}

func thingIDs(kind record.Kind) source {
	return source{[]string{"list", "--kind", kind.String(), "--limit", "200"}, func(text []byte) (list []string) {
		var a map[string]json.RawMessage
		_ = json.Unmarshal(text, &a)
		var things []struct {
			URI  string
			Body struct{ Title, Summary string }
		}
		_ = json.Unmarshal(a[memories.Plural(kind)], &things)
		for _, x := range things {
			_, id, _ := strings.Cut(x.URI, "/"+kind.String()+"/")
			id, _, _ = strings.Cut(id, "#")
			about := x.Body.Title
			if about == "" {
				about = x.Body.Summary
			}
			list = append(list, id+"\t"+term.Preview(about, 60))
		}
		return list
	}}
}

// suggestNames lets a shell complete what is in the data directory: tenants, sessions,
// agents, keys of memories, ids of artifacts and conflicts.
func suggestNames(s *ask.Shell, c *cobra.Command) {
	if c.Flags().Lookup("data") == nil {
		return
	}
	for flag, from := range map[string]source{"tenant": tenantNames(), "session": sessionNames(), "agent": agentNames()} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, completer(s, from)) // one that has its own keeps it
		}
	}
	_ = c.RegisterFlagCompletionFunc("data", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	if c.ValidArgs != nil || c.ValidArgsFunction != nil {
		return
	}
	_, takes, _ := strings.Cut(c.Use, " ")
	takes = strings.Trim(takes, "[].")
	var from source
	switch {
	case takes == "SESSION":
		from = sessionNames()
	case strings.HasPrefix(takes, "ID|URI") && c.HasParent() && c.Parent().Name() == "artifacts":
		from = thingIDs(record.Artifact)
	case strings.HasPrefix(takes, "ID|URI") && c.HasParent() && c.Parent().Name() == "conflicts":
		from = thingIDs(record.Conflict)
	case strings.HasPrefix(takes, "KEY|URI"), takes == "URI|KEY", takes == "POSITION|KEY|URI", takes == "KEY TEXT":
		from = memoryKeys()
	default:
		return
	}
	many := strings.HasSuffix(c.Use, "...") || strings.Count(takes, "URI") > 1
	complete := completer(s, from)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, args, begun)
	}
}

// completionWait returns how long the names may take. It ignores a value that is not a
// duration, since errors of a completion are not shown.
func completionWait(s *ask.Shell) time.Duration {
	if d, err := time.ParseDuration(s.Env(completionEnv)); err == nil && d > 0 {
		return d
	}
	return completionTime
}

// completer completes names that a command of ours answers.
func completer(s *ask.Shell, from source) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		args := append(append([]string{}, from.args...), "--json", "--wait", "0")
		for _, name := range []string{"data", "tenant", "scope"} {
			if f := c.Flags().Lookup(name); f != nil && f.Changed && !(name != "data" && from.args[0] == "root") {
				args = append(args, "--"+name+"="+f.Value.String())
			}
		}
		parent := c.Context()
		if parent == nil {
			parent = context.Background()
		}
		ctx, cancel := context.WithTimeout(parent, completionWait(s))
		defer cancel()
		var out bytes.Buffer
		own := ask.NewShell(whole(), strings.NewReader(""), &out, io.Discard, s.Lookup, func(any) term.Terminal { return term.Terminal{} })
		if run(ctx, own, commands(), args) != 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var list []string
		for _, line := range from.read(out.Bytes()) {
			name, about, _ := strings.Cut(line, "\t")
			// A name that a shell or a terminal could take for something else is left out.
			if name != "" && name[0] != '-' && term.OneLine(name) == name && strings.HasPrefix(name, begun) {
				list = append(list, name+"\t"+term.OneLine(about))
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}
