package agents

import (
	"reflect"

	"github.com/tailscale/hujson"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
)

// part is what is edited in a JSON document.
type part interface {
	// add adds our entries, and returns their names. It updates existing ones and keeps what a
	// user added to them.
	add(*document, Command) (entries []string, err error)
	// drop removes our entries, and returns their names. It also removes containers that become
	// empty, unless they were in the former document.
	drop(d *document, c Command, former map[string]any) (entries []string, err error)
	// entries returns the names of our entries in the document.
	entries(*document, Command) ([]string, error)
	// alone returns what add writes, as a separate document.
	alone(Command) object
	// others removes our entries, and what is empty without them, from the value of a document.
	// It shares no code with the edits, since it checks them.
	others(said map[string]any, c Command)
}

// serverPart is the MCP server entry.
type serverPart struct {
	path  []string // of the object with the servers
	entry func(Command) object
}

func (p serverPart) alone(c Command) object {
	o := object{{name: serverName, value: p.entry(c)}}
	for i := len(p.path) - 1; i >= 0; i-- {
		o = object{{name: p.path[i], value: o}}
	}
	return o
}

func (p serverPart) add(d *document, c Command) ([]string, error) {
	n, err := d.top(), error(nil)
	for _, name := range p.path {
		if n, err = d.made(n, name); err != nil {
			return nil, err
		}
	}
	entry, ok, err := d.child(n, serverName)
	if err != nil {
		return nil, err
	}
	if !ok {
		d.insert(n, serverName, p.entry(c))
		return []string{dotted(below(n, serverName))}, nil
	}
	for _, name := range []string{"url", "httpUrl", "serverUrl"} {
		if i, err := d.find(entry, name); err != nil || i >= 0 {
			if err == nil {
				err = fault.Newf(fault.IDConflict, "%s: %s already names a server by its address", d.file, dotted(entry.path)).
					WithFix("remove that entry first, or keep it: then the agent uses its memory over the network, and --print shows what would be written")
			}
			return nil, err
		}
	}
	for _, m := range p.entry(c) {
		if err := d.set(entry, m); err != nil {
			return nil, err
		}
	}
	return []string{dotted(entry.path)}, nil
}

// set sets a member, unless it has the value already.
func (d *document) set(n node, m member) error {
	i, err := d.find(n, m.name)
	if err != nil {
		return err
	}
	if i < 0 {
		d.insert(n, m.name, m.value)
		return nil
	}
	v := &n.object.Members[i].Value
	if m.once || reflect.DeepEqual(plainValue(*v), plainValue(hujson.Value{Value: d.style.parsed(m.value, "")})) {
		return nil
	}
	v.Value = d.style.parsed(m.value, d.indentOf(n, n.object.Members[i].Name.BeforeExtra))
	return nil
}

// plainValue is a value without its formatting.
func plainValue(v hujson.Value) any {
	d := document{root: hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{{Name: hujson.Value{Value: hujson.String("v")}, Value: v}}}}}
	said, err := d.value()
	if err != nil {
		return nil // no value of ours
	}
	return said["v"]
}

func (p serverPart) drop(d *document, _ Command, former map[string]any) ([]string, error) {
	nodes := []node{d.top()}
	for _, name := range p.path {
		n, ok, err := d.child(nodes[len(nodes)-1], name)
		if err != nil || !ok {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	n := nodes[len(nodes)-1]
	i, err := d.find(n, serverName)
	if err != nil || i < 0 {
		return nil, err
	}
	d.remove(n.object, i)
	for k := len(p.path); k > 0; k-- {
		if err := d.prune(nodes[k-1], p.path[k-1], former); err != nil {
			return nil, err
		}
	}
	return []string{dotted(below(n, serverName))}, nil
}

// prune removes an empty member, unless the former document had it.
func (d *document) prune(n node, name string, former map[string]any) error {
	i, err := d.find(n, name)
	if err != nil || i < 0 || had(former, below(n, name)) {
		return err
	}
	switch v := n.object.Members[i].Value.Value.(type) {
	case *hujson.Object:
		if len(v.Members) > 0 || len(v.AfterExtra) > 0 {
			return nil
		}
	case *hujson.Array:
		if len(v.Elements) > 0 || len(v.AfterExtra) > 0 {
			return nil
		}
	default:
		return nil
	}
	d.remove(n.object, i)
	return nil
}

// had reports whether a document has a value at a path.
func had(doc map[string]any, path []string) bool {
	var v any = doc
	for _, name := range path {
		o, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = o[name]; !ok {
			return false
		}
	}
	return true
}

func (p serverPart) entries(d *document, _ Command) ([]string, error) {
	n := d.top()
	for _, name := range p.path {
		c, ok, err := d.child(n, name)
		if err != nil || !ok {
			return nil, err
		}
		n = c
	}
	if i, err := d.find(n, serverName); err != nil || i < 0 {
		return nil, err
	}
	return []string{dotted(below(n, serverName))}, nil
}

// openCodePart is the MCP server entry of OpenCode, whose second version has the servers one
// level deeper and does not know `enabled`.
type openCodePart struct{}

func (p openCodePart) of(d *document) serverPart {
	said, err := d.value()
	if err != nil {
		said = nil // the edit reports the error
	}
	return p.said(said)
}

// said is of for the value of a document.
func (openCodePart) said(doc map[string]any) serverPart {
	first := serverPart{path: []string{"mcp"}, entry: func(c Command) object {
		return object{{name: "type", value: "local"}, {name: "command", value: texts(append([]string{c.Program}, c.mcp()...))}, {name: "enabled", value: true, once: true}}
	}}
	second := serverPart{path: []string{"mcp", "servers"}, entry: func(c Command) object {
		return object{{name: "type", value: "local"}, {name: "command", value: texts(append([]string{c.Program}, c.mcp()...))}}
	}}
	if had(doc, []string{"plugins"}) {
		return second
	}
	mcp, _ := doc["mcp"].(map[string]any)
	servers, ok := mcp["servers"].(map[string]any)
	if _, named := servers["type"]; ok && !named {
		return second
	}
	return first
}

func (p openCodePart) alone(c Command) object { return p.said(nil).alone(c) }

func (p openCodePart) add(d *document, c Command) ([]string, error) { return p.of(d).add(d, c) }

func (p openCodePart) drop(d *document, c Command, former map[string]any) ([]string, error) {
	return p.of(d).drop(d, c, former)
}

func (p openCodePart) entries(d *document, c Command) ([]string, error) { return p.of(d).entries(d, c) }

// hooksPart is the hooks of an agent, in a member `hooks` with a list for each event.
type hooksPart struct {
	agent string
	// flat says that the list contains the commands themselves, instead of groups with a
	// matcher and a list of commands.
	flat bool
	// typed says that a command in a flat list has the type command, as those in groups have.
	typed bool
	// named says that commands have a name.
	named bool
	// version says that the file has a member `version` with the value 1.
	version bool
	// unit is the number of its timeout units in a second, if it is not one.
	unit int
}

// command is one command of a list.
func (p hooksPart) command(c Command, s hook.Subscription) object {
	var o object
	if p.named {
		o = append(o, member{name: "name", value: serverName})
	}
	if p.typed || !p.flat {
		o = append(o, member{name: "type", value: "command"})
	}
	o = append(o, member{name: "command", value: c.line(p.agent)})
	if s.Timeout > 0 {
		o = append(o, member{name: "timeout", value: s.Timeout * max(p.unit, 1)})
	}
	if p.flat && s.Matcher != "" {
		o = append(o, member{name: "matcher", value: s.Matcher})
	}
	return o
}

// element is the element for the list of an event.
func (p hooksPart) element(c Command, s hook.Subscription) object {
	if p.flat {
		return p.command(c, s)
	}
	var o object
	if s.Matcher != "" {
		o = append(o, member{name: "matcher", value: s.Matcher})
	}
	return append(o, member{name: "hooks", value: list{p.command(c, s)}})
}

func (p hooksPart) alone(c Command) object {
	var events, o object
	for _, s := range hook.Events(p.agent) {
		events = append(events, member{name: s.Event, value: list{p.element(c, s)}})
	}
	if p.version {
		o = append(o, member{name: "version", value: 1})
	}
	return append(o, member{name: "hooks", value: events})
}

func (p hooksPart) add(d *document, c Command) ([]string, error) {
	if p.version {
		if err := d.set(d.top(), member{name: "version", value: 1, once: true}); err != nil {
			return nil, err
		}
	}
	hooks, err := d.made(d.top(), "hooks")
	if err != nil {
		return nil, err
	}
	var entries []string
	wanted := map[string]bool{}
	for _, s := range hook.Events(p.agent) {
		wanted[s.Event] = true
		entries = append(entries, "hooks."+s.Event)
		if err := p.subscribe(d, hooks, c, s); err != nil {
			return nil, err
		}
	}
	// Remove what an earlier version subscribed to, and this one does not.
	_, err = p.dropFrom(d, hooks, c, func(event string) bool { return !wanted[event] })
	return entries, err
}

// subscribe ensures that an event has our command exactly once.
func (p hooksPart) subscribe(d *document, hooks node, c Command, s hook.Subscription) error {
	arr, at, err := p.event(d, hooks, s.Event)
	if err != nil {
		return err
	}
	if arr == nil {
		d.insert(hooks, s.Event, list{p.element(c, s)})
		return nil
	}
	ours, err := p.ours(d, arr, at, c)
	if err != nil {
		return err
	}
	if len(ours) == 0 {
		d.appendTo(arr, at, p.element(c, s))
		return nil
	}
	for i := len(ours) - 1; i > 0; i-- {
		p.take(d, arr, ours[i])
	}
	return d.set(ours[0].command, member{name: "command", value: c.line(p.agent)})
}

// event returns the list of an event, or nil, and its node.
func (p hooksPart) event(d *document, hooks node, name string) (*hujson.Array, node, error) {
	i, err := d.find(hooks, name)
	if err != nil || i < 0 {
		return nil, node{}, err
	}
	m := hooks.object.Members[i]
	at := node{path: below(hooks, name), indent: d.indentOf(hooks, m.Name.BeforeExtra)}
	arr, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil, node{}, d.wrongType(at.path, "a list", m.Value.Value)
	}
	return arr, at, nil
}

// mine is the place of a command of ours: the element of the list, and the index of the command
// in it.
type mine struct {
	element int
	group   *hujson.Array // nil in a flat list
	inner   int
	command node
}

// ours returns our commands in the list of an event, in order.
func (p hooksPart) ours(d *document, arr *hujson.Array, at node, c Command) ([]mine, error) {
	var found []mine
	for i, e := range arr.Elements {
		o, ok := e.Value.(*hujson.Object)
		if !ok {
			continue // a foreign entry
		}
		n := node{object: o, path: at.path, indent: d.indentOf(node{indent: at.indent + d.style.unit}, e.BeforeExtra)}
		if p.flat {
			if p.isOurs(d, n, c) {
				found = append(found, mine{element: i, command: n})
			}
			continue
		}
		k, err := d.find(n, "hooks")
		if err != nil {
			return nil, err
		}
		if k < 0 {
			continue
		}
		group, ok := o.Members[k].Value.Value.(*hujson.Array)
		if !ok {
			continue
		}
		inside := node{indent: d.indentOf(n, o.Members[k].Name.BeforeExtra) + d.style.unit}
		for j, h := range group.Elements {
			o, ok := h.Value.(*hujson.Object)
			if !ok {
				continue
			}
			cmd := node{object: o, path: below(n, "hooks"), indent: d.indentOf(inside, h.BeforeExtra)}
			if p.isOurs(d, cmd, c) {
				found = append(found, mine{element: i, group: group, inner: j, command: cmd})
			}
		}
	}
	return found, nil
}

// isOurs reports whether an object is a command of ours.
func (p hooksPart) isOurs(d *document, n node, c Command) bool {
	i, err := d.find(n, "command")
	if err != nil || i < 0 {
		return false
	}
	line, ok := n.object.Members[i].Value.Value.(hujson.Literal)
	return ok && line.Kind() == '"' && c.own(line.String(), p.agent)
}

// take removes a command of ours, and its group if that becomes empty.
func (p hooksPart) take(d *document, arr *hujson.Array, m mine) {
	if m.group != nil && len(m.group.Elements) > 1 {
		d.removeElement(m.group, m.inner)
		return
	}
	d.removeElement(arr, m.element)
}

// dropFrom removes our commands from the lists of the events for which `which` is true.
func (p hooksPart) dropFrom(d *document, hooks node, c Command, which func(event string) bool) ([]string, error) {
	var dropped []string
	for _, m := range hooks.object.Members {
		name := m.Name.Value.(hujson.Literal).String() // names are strings
		if _, ok := m.Value.Value.(*hujson.Array); !ok || !which(name) {
			continue
		}
		arr, at, err := p.event(d, hooks, name)
		if err != nil {
			return nil, err
		}
		ours, err := p.ours(d, arr, at, c)
		if err != nil {
			return nil, err
		}
		for i := len(ours) - 1; i >= 0; i-- {
			p.take(d, arr, ours[i])
		}
		if len(ours) > 0 {
			dropped = append(dropped, "hooks."+name)
		}
	}
	return dropped, nil
}

func (p hooksPart) drop(d *document, c Command, former map[string]any) ([]string, error) {
	hooks, ok, err := d.child(d.top(), "hooks")
	if err != nil || !ok {
		return nil, err
	}
	dropped, err := p.dropFrom(d, hooks, c, func(string) bool { return true })
	if err != nil || len(dropped) == 0 {
		return nil, err
	}
	for _, entry := range dropped {
		if err := d.prune(hooks, entry[len("hooks."):], former); err != nil {
			return nil, err
		}
	}
	if err := d.prune(d.top(), "hooks", former); err != nil {
		return nil, err
	}
	top := d.top()
	if len(top.object.Members) != 1 || !p.version || had(former, []string{"version"}) {
		return dropped, nil
	}
	if i, err := d.find(top, "version"); err == nil && i == 0 {
		d.remove(top.object, i)
	}
	return dropped, nil
}

func (p hooksPart) entries(d *document, c Command) ([]string, error) {
	hooks, ok, err := d.child(d.top(), "hooks")
	if err != nil || !ok {
		return nil, err
	}
	var entries []string
	for _, m := range hooks.object.Members {
		name := m.Name.Value.(hujson.Literal).String() // names are strings
		if _, ok := m.Value.Value.(*hujson.Array); !ok {
			continue
		}
		arr, at, err := p.event(d, hooks, name)
		if err != nil {
			return nil, err
		}
		ours, err := p.ours(d, arr, at, c)
		if err != nil {
			return nil, err
		}
		if len(ours) > 0 {
			entries = append(entries, "hooks."+name)
		}
	}
	return entries, nil
}
