package agentstest

// Step is one answer of the model.
type Step struct {
	// Shell is a command for the agent's shell tool.
	Shell string
	// Tool and Args are a call of another tool, by its name or the end of it: agents prefix it
	// with the name of an MCP server.
	Tool string
	Args map[string]any
	// Say is text. A step with only text ends the turn.
	Say string
	// Hold delays the answer until the channel is closed or the agent disconnects.
	Hold <-chan struct{}
}

// Shell returns a step that runs a command.
func Shell(command string) Step { return Step{Shell: command} }

// Say returns a step with text that ends the turn.
func Say(text string) Step { return Step{Say: text} }
