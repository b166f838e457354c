package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/files"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/node"
)

// serveFlags are the flags of lukasa serve: one for each setting that is no secret.
type serveFlags struct {
	config string
	print  bool
	values map[string]*string // by the name of the setting
}

func serveCommand(s *ask.Shell) *cobra.Command {
	flags := serveFlags{values: map[string]*string{}}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the memory over HTTP, WebSocket and MCP",
		Long: `Serve a data directory to agents, browsers, brokers and other services, until it
receives a signal. It prints its address, how to call it, and how to add it to an
agent. The data directory is created if it does not exist.

Every call needs a credential. The operator's own token is $LUKASA_TOKEN, or is made
on the first start and kept in the file TOKEN of the data directory;
` + "`lukasa key create`" + ` makes others, for tenants and agents. All commands work while
the directory is served: they ask the server.

Settings come from flags, from the environment (LUKASA_LISTEN is --listen), and
from a TOML file (listen = "…"), in this order; --print-config shows all of them.
An interrupt or SIGTERM lets calls under way end, a second one ends it at once.`,
		Example: `  lukasa serve
  lukasa serve --listen 0.0.0.0:8373 --tls-cert cert.pem --tls-key key.pem
  lukasa serve --print-config`,
		Args:        ask.NoArgs,
		Annotations: map[string]string{ask.Alone: "it is the server"},
		RunE:        func(c *cobra.Command, _ []string) error { return serve(s, c, &flags) },
	}
	flags.add(c)
	return c
}

// add adds the flags of all settings.
func (f *serveFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.config, "config", "", "the configuration `FILE`, in TOML (default $LUKASA_CONFIG, else none)")
	c.Flags().BoolVar(&f.print, "print-config", false, "print all settings, what they are for and where they come from, and end")
	for _, set := range node.Settings() {
		if set.Flag() == "" {
			continue
		}
		usage := set.Doc
		if set.Default != "" && set.Default != "0" && set.Default != "false" {
			usage += " (default " + set.Default + ")"
		}
		value := new(string)
		f.values[set.Name] = value
		c.Flags().Var(&settingValue{value, set.Switch}, set.Flag(), usage)
		if set.Switch {
			c.Flags().Lookup(set.Flag()).NoOptDefVal = "true"
		}
	}
}

// settingValue is a flag whose text the owner of the setting parses.
type settingValue struct {
	text *string
	is   bool // true or false
}

// String implements pflag.Value.
func (v *settingValue) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// Set implements pflag.Value.
func (v *settingValue) Set(text string) error {
	*v.text = text
	return nil
}

// Type implements pflag.Value.
func (v *settingValue) Type() string {
	if v.is {
		return "bool"
	}
	return "value"
}

// effective puts the configuration together.
func effective(s *ask.Shell, c *cobra.Command, flags *serveFlags) (*node.Effective, error) {
	given := map[string]string{}
	names := map[string]string{}
	for _, set := range node.Settings() {
		names[set.Flag()] = set.Name
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if name := names[f.Name]; name != "" {
			given[name] = f.Value.String()
		}
	})
	if text, ok := given["data"]; ok && text == "" {
		return nil, fault.New(fault.Usage, "--data is empty").WithFix("name a directory, or leave the flag out")
	}
	file := flags.config
	if !c.Flags().Changed("config") {
		file = s.Env("LUKASA_CONFIG")
	}
	e, err := node.Load(node.Sources{File: file, Lookup: s.Lookup, Flags: given})
	if err != nil {
		return nil, err
	}
	if e.Data == "" {
		home := s.Home()
		if home == "" {
			return nil, fault.New(fault.Usage, "no data directory was named, and there is no home directory to look for one in").
				WithFix("add --data DIR, or set LUKASA_DATA")
		}
		e.Data = s.HomeDir(home)
	}
	if e.Data, err = filepath.Abs(e.Data); err != nil {
		return nil, fault.Newf(fault.Internal, "where is %s: %w", e.Data, err)
	}
	return e, nil
}

func serve(s *ask.Shell, c *cobra.Command, flags *serveFlags) error {
	if s.Served.Board != nil {
		return fault.New(fault.Locked, "a server has the directory").WithFix("stop it first, or name another directory with --data")
	}
	e, err := effective(s, c, flags)
	if err != nil {
		return err
	}
	if flags.print {
		return e.Print(s.Stdout)
	}
	p := s.Progress()
	defer p.Done()
	log := e.NewLog(s.Stderr, s.Detect(s.Stderr).Is)
	n, err := node.Start(c.Context(), e.Config, node.Options{
		Log: log, Version: buildVersion(), WitnessDir: s.WitnessDir(),
		Progress: func(done, total uint64) {
			p.Update(func() string { return "opening: read " + term.Share(done, total) + " of the journal again" })
		},
	})
	if err != nil {
		return files.Stopped(c.Context(), err)
	}
	p.Done()
	desk, err := ask.OpenCounter(e.Data, ask.Served{Board: n.Board(), Keys: n.Keys(), Quotas: n.Quotas(), URL: n.URL()}, whole())
	if err != nil {
		_ = n.Close() // the error that matters is known
		return err
	}
	n.AtClose(func(ctx context.Context) {
		if err := desk.Close(ctx); err != nil {
			log.Warn("the socket for commands was not closed in order", "error", err)
		}
	})
	if err := welcome(c.Context(), s, e, n); err != nil {
		return err
	}
	s.Stdout.PassOn()
	return n.Run(c.Context())
}

// serveAnswer is what lukasa serve --json prints when it listens.
type serveAnswer struct {
	URL       string `json:"url"`
	MCP       string `json:"mcp"`
	Data      string `json:"data"`
	TokenFile string `json:"token_file,omitempty"` // unless it was configured
	Process   int    `json:"process"`
}

// welcome says where the server is and how to use it.
func welcome(ctx context.Context, s *ask.Shell, e *node.Effective, n *node.Node) error {
	url := n.URL()
	if s.JSON {
		return s.WriteJSON(serveAnswer{url, url + "/mcp", e.Data, n.TokenFile(), os.Getpid()})
	}
	token, where := `$LUKASA_TOKEN`, "as it was configured"
	if file := n.TokenFile(); file != "" {
		token, where = "$(cat "+ask.QuoteShell(file)+")", "in "+file+", for the operator; `lukasa key create` makes others"
	}
	tenant, err := usualTenant(ctx, s, n.Board())
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "%s %s\n", s.Paint.Green("serving"), term.OneLine(e.Data))
	s.Detail("at", url)
	s.Detail("token", where)
	fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Bold("Call it"))
	fmt.Fprintf(s.Stdout, "  curl -H \"Authorization: Bearer %s\" -H %s %s/v1/root\n", token, ask.QuoteShell("X-Lukasa-Tenant: "+tenant), url)
	fmt.Fprintf(s.Stdout, "  the interface is described at %s/openapi.json\n", url)
	snippets(s, e, url, token, tenant)
	return nil
}

// usualTenant is the one that is shown in examples: what a command takes that names none.
func usualTenant(ctx context.Context, s *ask.Shell, b *lukasa.Board) (string, error) {
	if name := s.Env("LUKASA_TENANT"); name != "" {
		return name, nil
	}
	n, err := b.CountTenants(ctx)
	if err != nil || n != 1 {
		return "default", err
	}
	for root, err := range b.Tenants(ctx) {
		return root.Tenant, err
	}
	return "default", nil
}

// snippets says how to add the memory to agents. They run a command, which goes
// through the server and needs no token. It names the tenant, since one that names none
// would not know which is meant when there are others some day.
func snippets(s *ask.Shell, e *node.Effective, url, token, tenant string) {
	program := "lukasa"
	if path, err := os.Executable(); err == nil {
		program = path
	}
	args := []string{"mcp", "--data", e.Data, "--tenant", tenant}
	var line, list []string
	for _, a := range args {
		line, list = append(line, ask.QuoteShell(a)), append(list, fmt.Sprintf("%q", a))
	}
	server := fmt.Sprintf(`{"mcpServers": {"lukasa": {"command": %q, "args": [%s]}}}`, program, strings.Join(list, ", "))
	fmt.Fprintf(s.Stdout, "\n%s\n", s.Paint.Bold("Give it to an agent (MCP)"))
	for _, snippet := range []struct{ name, text string }{
		{"Claude Code", "claude mcp add lukasa -- " + ask.QuoteShell(program) + " " + strings.Join(line, " ")},
		{"Cursor, in ~/.cursor/mcp.json", server},
		{"Claude Desktop, in claude_desktop_config.json", server},
		{"Codex, in ~/.codex/config.toml", fmt.Sprintf("[mcp_servers.lukasa]\n  command = %q\n  args = [%s]", program, strings.Join(list, ", "))},
		{"any other, over HTTP", fmt.Sprintf("%s/mcp with the headers Authorization: Bearer %s and X-Lukasa-Tenant: %s", url, token, tenant)},
	} {
		fmt.Fprintf(s.Stdout, "  %s\n  %s\n", s.Paint.Dim("# "+snippet.name), snippet.text)
	}
}
