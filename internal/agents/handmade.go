package agents

// handmade reports whether the entry of our server in a file has something that we never write:
// another member, or another program than ours, which is called with `mcp` first. Nothing of it
// may be lost without a copy.
func (t target) handmade(c *config, cmd Command) (bool, error) {
	switch t.form {
	case formPlugin:
		return false, nil
	case formTOML:
		f, err := parseTOML(t.file, c.data)
		if err != nil {
			return false, err
		}
		entry, there, err := f.entry()
		return there && otherEntry(entry, []string{"command", "args"}), err
	}
	d, err := parseDocument(t.file, c.data)
	if err != nil {
		return false, err
	}
	said, err := d.value()
	if err != nil {
		return false, err
	}
	for _, p := range t.parts {
		if open, ok := p.(openCodePart); ok {
			p = open.said(said)
		}
		if s, ok := p.(serverPart); ok && s.handmade(said, cmd) {
			return true, nil
		}
	}
	return false, nil
}

// handmade is the same for what a document says.
func (p serverPart) handmade(said map[string]any, cmd Command) bool {
	at := said
	for _, name := range p.path {
		at, _ = at[name].(map[string]any)
	}
	entry, there := at[serverName].(map[string]any)
	var names []string
	for _, m := range p.entry(cmd) {
		names = append(names, m.name)
	}
	return there && otherEntry(entry, names)
}

// otherEntry reports whether an entry has a member beside some, or calls another program.
func otherEntry(entry map[string]any, names []string) bool {
	left := len(entry)
	for _, name := range names {
		if _, ok := entry[name]; ok {
			left--
		}
	}
	if left > 0 {
		return true
	}
	args, _ := entry["args"].([]any)
	if words, ok := entry["command"].([]any); ok && len(words) > 0 {
		args = words[1:]
	}
	return len(args) == 0 || args[0] != "mcp"
}
