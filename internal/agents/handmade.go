package agents

// handmade reports whether our server entry in a file has something that install never writes:
// another member, or another program than ours, which is called with `mcp` first. None of it
// may be lost without a backup.
func (t target) handmade(c *config, cmd Command) (bool, error) {
	entry, names, err := t.serverEntry(c, cmd)
	if err != nil || entry == nil {
		return false, err
	}
	left := len(entry)
	for _, name := range names {
		if _, ok := entry[name]; ok {
			left--
		}
	}
	args := serverArgs(entry)
	return left > 0 || len(args) == 0 || args[0] != "mcp", nil
}

// serverEntry returns our server entry in a file, or nil if there is none, and the names of the
// members that install writes.
func (t target) serverEntry(c *config, cmd Command) (entry map[string]any, names []string, err error) {
	switch t.form {
	case formPlugin:
		return nil, nil, nil
	case formTOML:
		f, err := parseTOML(t.file, c.data)
		if err != nil {
			return nil, nil, err
		}
		entry, _, err := f.entry()
		return entry, []string{"command", "args"}, err
	}
	d, err := parseDocument(t.file, c.data)
	if err != nil {
		return nil, nil, err
	}
	said, err := d.value()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range t.parts {
		if open, ok := p.(openCodePart); ok {
			p = open.said(said)
		}
		s, ok := p.(serverPart)
		if !ok {
			continue
		}
		at := said
		for _, name := range s.path {
			at, _ = at[name].(map[string]any)
		}
		if entry, ok = at[serverName].(map[string]any); !ok {
			continue
		}
		for _, m := range s.entry(cmd) {
			names = append(names, m.name)
		}
		return entry, names, nil
	}
	return nil, nil, nil
}

// serverArgs returns the program arguments of an entry.
func serverArgs(entry map[string]any) []string {
	list, _ := entry["args"].([]any)
	if words, ok := entry["command"].([]any); ok && len(words) > 0 {
		list = words[1:]
	}
	var args []string
	for _, a := range list {
		word, _ := a.(string)
		args = append(args, word)
	}
	return args
}
