package agentstest

// Step is one answer of the model.
type Step struct {
	// Shell is a command for the agent's shell tool.
	Shell string
	// Tool and Args are a call of another tool, by its name or the end of it: agents put the
	// name of an MCP server in front.
	Tool string
	Args map[string]any
	// Say is text. A step that only says something ends the turn.
	Say string
	// Hold keeps the answer back until the channel is closed or the agent hangs up.
	Hold <-chan struct{}
}

// Shell returns a step that runs a command.
func Shell(command string) Step { return Step{Shell: command} }

// Say returns a step that says something and ends the turn.
func Say(text string) Step { return Step{Say: text} }
