package kind

import (
	"strings"

	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
)

// MaxFrames is how many frames one event gives at most.
const MaxFrames = 6

// maxListed is how many members of a list a rule takes.
const maxListed = 3

// frames collects the frames of an event.
type frames struct {
	list [MaxFrames]memory.Frame
	n    int
	// roots are the directories that the event is known to be about.
	roots  [3]string
	rooted bool // they have been looked for
	whole  bool // all rules were applied
}

// add adds a frame, unless its reference is invalid or the frame is there already.
// It returns the clean reference.
func (f *frames) add(verb memory.Verb, kind memory.ObjectKind, ref string) string {
	if ref = recognize.CleanRef(kind, ref); ref == "" || f.n == MaxFrames {
		return ""
	}
	fr := memory.Frame{Verb: verb, Kind: kind, Ref: ref}
	for i := range f.n {
		if f.list[i] == fr {
			return ref
		}
	}
	f.list[f.n] = fr
	f.n++
	return ref
}

// taken returns the frames as a slice of their own.
func (f *frames) taken() []memory.Frame {
	if f.n == 0 {
		return nil
	}
	return append([]memory.Frame(nil), f.list[:f.n]...)
}

// forget releases the texts that it holds.
func (f *frames) forget() {
	clear(f.list[:f.n])
	if f.rooted {
		clear(f.roots[:])
	}
	f.n, f.rooted, f.whole = 0, false, false
}

// collect applies the rules, once. The result of a call that is on record gives only the
// files that its output names: the call has the rest, and is shown with its result.
func (r *reader) collect() {
	if r.frames.whole {
		return
	}
	r.frames.whole = true
	answer := r.bit == onToolResult && r.content.str(fCall) != ""
	for i := range rules {
		rule := &rules[i]
		if answer && rule.how != fileMentions {
			continue
		}
		if rule.on&r.bit != 0 && r.frames.n < MaxFrames && r.holds(rule.when) {
			r.apply(rule)
		}
	}
}

// holds reports whether a condition is met.
func (r *reader) holds(when condition) bool {
	switch when {
	case ifCreated:
		return r.content.str(fOperation) == "create"
	case ifNoPath:
		return r.content.at[fPath] == 0
	case ifShell:
		return r.shell
	case ifFailed:
		// The content of an address may be external text.
		return r.outcome == memory.OutcomeFailure && r.command.URL == ""
	case ifFailedShell:
		return r.shell && r.outcome == memory.OutcomeFailure
	case ifNotPassed:
		return r.outcome != memory.OutcomeSuccess
	case ifMaking:
		return r.tool.Makes
	case ifReaching:
		switch r.verb {
		case memory.VerbDeliver, memory.VerbNegotiate, memory.VerbSchedule, memory.VerbDelegate:
			return true
		}
		return false
	}
	return true
}

// apply adds the frames that a rule finds.
func (r *reader) apply(rule *rule) {
	verb := rule.verb
	if verb == "" {
		verb = r.verb
	}
	switch rule.how {
	case programWords:
		r.frames.add(verb, rule.kind, r.command.Program)
		r.frames.add(verb, rule.kind, r.command.Phrase)
		return
	case programFiles:
		r.addFile(memory.VerbModify, r.command.Written)
		for _, f := range r.command.Files {
			r.addFile(verb, f)
			if recognize.WordsOfMakers()[r.command.Program] {
				r.addFile(memory.VerbModify, f)
			}
		}
		return
	case programAddress:
		r.frames.add(verb, rule.kind, r.command.URL)
		return
	case afterTool:
		r.frames.add(verb, rule.kind, r.sourceTool())
		return
	case serverName:
		r.frames.add(verb, rule.kind, r.tool.Server)
		return
	}
	p, n := r.member(rule)
	if n == 0 {
		return
	}
	switch rule.how {
	case whole:
		r.addAll(verb, rule.kind, p, n)
	case ownedName:
		name := p.strAt(n)
		if owner := p.strAt(r.argsAt[fOwner]); owner != "" && name != "" && !strings.Contains(name, "/") {
			name = owner + "/" + name
		}
		r.frames.add(verb, rule.kind, name)
	case hostName:
		r.frames.add(verb, rule.kind, recognize.HostOf(recognize.CleanRef(memory.ObjURL, p.strAt(n))))
	case patchHeaders:
		r.addPatched(verb, p, n)
	case fileMentions:
		r.addMentioned(verb, p, n)
	}
}

// member returns the node of the field of a rule; 0 means none.
func (r *reader) member(rule *rule) (*page, canon.Node) {
	switch rule.where {
	case inArguments:
		return r.args, r.argsAt[rule.field]
	case inMetadata:
		return &r.metadata, r.metadata.at[rule.field]
	}
	return &r.content, r.content.at[rule.field]
}

// addAll adds the string n, or the first few strings of the list n. For objects in a
// list, which tools with several files take, it adds the path of each.
func (r *reader) addAll(verb memory.Verb, kind memory.ObjectKind, p *page, n canon.Node) {
	if p.doc.Kind(n) != canon.Array {
		r.addOne(verb, kind, p.strAt(n))
		return
	}
	left := maxListed
	first, end := p.doc.Children(n)
	for c := first; c < end && left > 0; c = p.doc.After(c) {
		left--
		at := c
		if kind == memory.ObjFile && p.doc.Kind(c) == canon.Object {
			at = p.doc.Member(c, "path")
		}
		if at != canon.None {
			r.addOne(verb, kind, p.strAt(at))
		}
	}
}

func (r *reader) addOne(verb memory.Verb, kind memory.ObjectKind, ref string) {
	if kind == memory.ObjFile || kind == memory.ObjURL && strings.HasPrefix(ref, "file://") {
		r.addFile(verb, ref)
		return
	}
	r.frames.add(verb, kind, ref)
}

// addFile adds a file by its path in the event. An absolute path is also added relative
// to the root of the project: agents use absolute paths, people relative ones.
func (r *reader) addFile(verb memory.Verb, ref string) {
	if ref == "" {
		return
	}
	ref = r.frames.add(verb, memory.ObjFile, ref)
	if near, ok := r.near(ref); ok {
		r.frames.add(verb, memory.ObjFile, near)
	}
}

// near returns a clean absolute path relative to the root of the project, if it is below
// a root that the event names.
func (r *reader) near(ref string) (string, bool) {
	if !recognize.Absolute(ref) {
		return "", false
	}
	for _, root := range r.roots() {
		if rest, ok := strings.CutPrefix(ref, root); ok && root != "" && len(rest) > 1 && rest[0] == '/' {
			return rest[1:], true
		}
	}
	return "", false
}

// roots returns the directories that the event is about, the most specific first.
func (r *reader) roots() *[3]string {
	f := &r.frames
	if !f.rooted {
		f.rooted = true
		for i, root := range [...]string{r.metadata.str(fRoot), r.metadata.str(fCwd), r.cwd()} {
			f.roots[i] = ""
			if root = recognize.CleanRef(memory.ObjFile, root); recognize.Absolute(root) && root != "/" {
				f.roots[i] = root
			}
		}
	}
	return &f.roots
}

// cwd returns the directory that a command or a tool was run in.
func (r *reader) cwd() string {
	if r.args != nil {
		if dir := r.args.strAt(r.argsAt[fCwd]); dir != "" {
			return dir
		}
	}
	return r.content.str(fCwd)
}

// addPatched adds the files of the patch n, or of the patch in a list of words.
func (r *reader) addPatched(verb memory.Verb, p *page, n canon.Node) {
	if p.doc.Kind(n) == canon.Array {
		left := maxListed
		first, end := p.doc.Children(n)
		for c := first; c < end && left > 0; c = p.doc.After(c) {
			left--
			r.addPatched(verb, p, c)
		}
		return
	}
	if p.doc.Kind(n) != canon.String || !recognize.PatchLike(p.doc.Raw(n)) {
		return
	}
	var found [MaxFrames]recognize.Patched
	for _, f := range recognize.ReadPatch(r.text(p, n, recognize.MaxPatch), found[:0]) {
		r.addFile(verb, f.Path)
		if f.Made {
			r.addFile(memory.VerbBuild, f.Path)
		}
	}
}

// addMentioned adds the files that text n names, or the texts below it.
func (r *reader) addMentioned(verb memory.Verb, p *page, n canon.Node) {
	var text string
	if p.doc.Kind(n) == canon.String {
		text = r.text(p, n, recognize.MaxScan)
	} else {
		r.scratch = r.gather(r.scratch[:0], p, n, recognize.MaxScan)
		text = string(r.scratch)
	}
	if text == "" {
		return
	}
	var m recognize.Mentions
	m.Scan(text)
	for _, path := range m.Paths[:m.N] {
		r.addFile(verb, path)
	}
}
