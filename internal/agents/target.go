package agents

import (
	"bytes"
	"slices"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
)

// withoutHooks returns the target without its hooks.
func (t target) withoutHooks() target {
	t.parts = slices.DeleteFunc(slices.Clone(t.parts), func(p part) bool {
		_, is := p.(hooksPart)
		return is
	})
	return t
}

// empty reports whether a target without hooks has nothing left.
func (t target) empty() bool { return t.form == formPlugin || t.form == formJSON && len(t.parts) == 0 }

// entries returns the names of our entries in a file.
func (t target) entries(c *config, cmd Command) ([]string, error) {
	switch t.form {
	case formPlugin:
		if c.there && ownPlugin(c.data) {
			return []string{"plugin"}, nil
		}
		return nil, nil
	case formTOML:
		f, err := parseTOML(t.file, c.data)
		if err != nil {
			return nil, err
		}
		_, there, err := f.entry()
		if err != nil || !there {
			return nil, err
		}
		return []string{tomlServers + "." + serverName}, nil
	}
	d, err := parseDocument(t.file, c.data)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, p := range t.parts {
		entries, err := p.entries(d, cmd)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	return all, nil
}

// add returns the file with our entries, and their names.
func (t target) add(c *config, cmd Command) ([]byte, []string, error) {
	switch t.form {
	case formPlugin:
		if c.there && !ownPlugin(c.data) {
			return nil, nil, fault.Newf(fault.IDConflict, "%s exists already, and is not of Lukasa", t.file).WithFix("move it away or rename it; it was not changed")
		}
		return hook.OpenCodePlugin(cmd.Program, cmd.hook(hook.OpenCode)), []string{"plugin"}, nil
	case formTOML:
		f, err := parseTOML(t.file, c.data)
		if err != nil {
			return nil, nil, err
		}
		text, err := f.add(cmd)
		return text, []string{tomlServers + "." + serverName}, err
	}
	return addJSON(t.file, c.data, t.parts, cmd)
}

// addJSON is add for a JSON document.
func addJSON(file string, text []byte, parts []part, cmd Command) ([]byte, []string, error) {
	d, err := parseDocument(file, text)
	if err != nil {
		return nil, nil, err
	}
	var all []string
	for _, p := range parts {
		entries, err := p.add(d, cmd)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, entries...)
	}
	out := d.bytes()
	return out, all, judged(file, text, out, parts, cmd)
}

// judged parses the result of an edit again, and compares it with the original.
func judged(file string, before, after []byte, parts []part, cmd Command) error {
	was, err := parseDocument(file, before)
	if err != nil {
		return err
	}
	is, err := parseDocument(file, after)
	if err != nil {
		return unsafeEdit(file)
	}
	return sameBut(was, is, parts, cmd)
}

// drop returns the file without our entries, and whether it contained anything else. former may
// be nil.
func (t target) drop(c, former *config, cmd Command) (text []byte, held bool, err error) {
	if t.form == formTOML {
		f, err := parseTOML(t.file, c.data)
		if err != nil {
			return nil, false, err
		}
		text, _, err := f.drop()
		return text, len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) > 0, err
	}
	var before []byte
	if former != nil {
		before = former.data
	}
	return dropJSON(t.file, c.data, before, t.parts, cmd)
}

// dropJSON is drop for a JSON document.
func dropJSON(file string, text, former []byte, parts []part, cmd Command) ([]byte, bool, error) {
	d, err := parseDocument(file, text)
	if err != nil {
		return nil, false, err
	}
	var had map[string]any
	if f, err := parseDocument(file, former); err == nil {
		had, _ = f.value() // an unreadable file counts as empty
		for _, p := range parts {
			if ours, err := p.entries(f, cmd); err == nil && len(ours) > 0 {
				p.others(had, cmd) // containers of an earlier entry of ours belong to us
			}
		}
	}
	for _, p := range parts {
		if _, err := p.drop(d, cmd, had); err != nil {
			return nil, false, err
		}
	}
	out := d.bytes()
	if err := judged(file, text, out, parts, cmd); err != nil {
		return nil, false, err
	}
	top := d.top().object
	comments, _ := splitExtra(slices.Concat(d.root.BeforeExtra, d.root.AfterExtra, top.AfterExtra))
	return out, len(top.Members) > 0 || len(comments) > 0, nil
}

// alone is the content for the file.
func (t target) alone(cmd Command) string {
	switch t.form {
	case formPlugin:
		return string(hook.OpenCodePlugin(cmd.Program, cmd.hook(hook.OpenCode)))
	case formTOML:
		return (&tomlFile{newline: "\n"}).table(cmd)
	}
	var o object
	for _, p := range t.parts {
		o = append(o, p.alone(cmd)...)
	}
	return style{newline: "\n", unit: "  "}.write(o, "") + "\n"
}

// ownPlugin reports whether a file is a plugin of ours, by its first line.
func ownPlugin(data []byte) bool {
	line := func(text []byte) []byte {
		first, _, _ := bytes.Cut(text, []byte("\n"))
		return bytes.TrimSpace(first)
	}
	return bytes.Equal(line(data), line(hook.OpenCodePlugin("", nil)))
}
