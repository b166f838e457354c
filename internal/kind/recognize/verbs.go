package recognize

import (
	"strings"
	"sync"

	"lukasa.dev/internal/memory"
)

// VerbWords is a verb and the words that say it, between blanks.
type VerbWords struct {
	Verb  memory.Verb
	Words string
}

// ToolWords says which verb a word in the name of a tool stands for. The first
// such word in a name decides, as in search_code, WebFetch or
// mcp__github__create_pull_request.
var ToolWords = [...]VerbWords{
	{memory.VerbFind, "get read search find list grep glob query lookup view show fetch browse open retrieve ls cat select describe load screenshot crawl scrape " +
		"recall navigate goto click scroll hover head less rg launch snapshot"},
	{memory.VerbAcquire, "buy purchase download install clone acquire reserve checkout import subscribe rent obtain claim"},
	{memory.VerbBuild, "build create make generate generation new add compile init initialize scaffold draw render compose produce bootstrap store remember record register"},
	{memory.VerbModify, "edit write modify update replace patch change set delete remove rename move cancel apply insert append put save fix refactor format " +
		"rewrite undo revert restore clear reset toggle enable disable close reopen merge type fill reapply rm mv touch kill stop forget exchange return suspend resume"},
	{memory.VerbDeliver, "send publish deploy push upload release notify submit deliver ship export share announce pay refund"},
	{memory.VerbAnalyze, "analyze analyse calculate compute think test lint check verify validate compare count measure explain summarize diff debug eval " +
		"evaluate profile assess audit classify diagnose diagnostics estimate inspect parse predict score judge vet bench benchmark typecheck"},
	{memory.VerbNegotiate, "negotiate ask reply respond answer chat discuss confirm propose approve accept reject decline elicit"},
	{memory.VerbSchedule, "schedule remind postpone snooze"},
	{memory.VerbMonitor, "monitor watch poll tail ping wait observe track listen serve dev"},
	{memory.VerbDelegate, "delegate handoff escalate assign dispatch spawn invite"},
}

// ToolNouns are words that stand for a verb where a name has none of the above:
// book_reservation books, but get_book gets.
var ToolNouns = [...]VerbWords{
	{memory.VerbAcquire, "book order pull request"},
	{memory.VerbDeliver, "post mail email message payment"},
	{memory.VerbAnalyze, "review calculator thought reasoning coverage"},
	{memory.VerbNegotiate, "comment offer bid question"},
	{memory.VerbSchedule, "calendar cron plan todo reminder appointment"},
	{memory.VerbMonitor, "status log health trace metric alert output"},
	{memory.VerbDelegate, "task agent subagent transfer human"},
}

// ToolNames are whole names that their words would mislead about, in lower case
// and without what stands between the words.
var ToolNames = [...]VerbWords{
	{memory.VerbFind, "skill"},
	{memory.VerbModify, "killshell killbash editor texteditor notebook"},
	{memory.VerbDeliver, "attemptcompletion finish"},
	{memory.VerbNegotiate, "exitplanmode"},
	{memory.VerbSchedule, "todowrite todoread updateplan updatetodolist createplan managetodolist"},
	{memory.VerbMonitor, "bashoutput taskoutput getterminaloutput"},
	{memory.VerbDelegate, "newtask transfertohumanagents"},
}

// ShellWords are the words in the name of a tool that runs the command it is
// given. Only of such a tool is the argument command a line of shell; of any
// other it names a part of the tool, such as view or create.
const ShellWords = "bash sh shell zsh terminal exec execute command cmd powershell pwsh console run process"

// MakerWords are the words in the name of a tool that writes whole files. The
// files count as built and as modified, because a query does not know which it was.
const MakerWords = "write create touch"

// Actions says which verb an action in a browser stands for. All others find.
var Actions = [...]VerbWords{
	{memory.VerbModify, "type fill submit select upload drag press check uncheck input enter keypress set choose toggle"},
}

// Methods says which verb a method of HTTP stands for.
var Methods = [...]VerbWords{
	{memory.VerbFind, "GET HEAD OPTIONS"},
	{memory.VerbBuild, "POST"},
	{memory.VerbModify, "PUT PATCH DELETE"},
}

// verbIndex looks words up.
type verbIndex map[string]memory.Verb

// The indexes of tables are made when they are first asked for: a process that takes in no
// events has no time for them.

func indexVerbs(table []VerbWords) func() verbIndex {
	return sync.OnceValue(func() verbIndex {
		x := verbIndex{}
		for _, row := range table {
			for w := range strings.FieldsSeq(row.Words) {
				x[w] = row.Verb
			}
		}
		return x
	})
}

func IndexWords(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		x := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			x[w] = true
		}
		return x
	})
}

var (
	verbsOfWords   = indexVerbs(ToolWords[:])
	verbsOfNouns   = indexVerbs(ToolNouns[:])
	verbsOfNames   = indexVerbs(ToolNames[:])
	VerbsOfActions = indexVerbs(Actions[:])
	VerbsOfMethods = indexVerbs(Methods[:])
	wordsOfShells  = IndexWords(ShellWords)
	WordsOfMakers  = IndexWords(MakerWords)
)

// MaxWord is the longest word that a table has.
const MaxWord = 24

// Get looks w up in lower case, and without the s of a plural.
func (x verbIndex) Get(w []byte) (memory.Verb, bool) {
	if v, ok := x[string(w)]; ok {
		return v, true
	}
	if n := len(w); n > 3 && w[n-1] == 's' {
		v, ok := x[string(w[:n-1])]
		return v, ok
	}
	return "", false
}

// ToolFacts is what the name of a tool says.
type ToolFacts struct {
	Verb   memory.Verb
	Known  bool   // a table knows the name or a word in it
	Noun   bool   // only a noun in it
	Shell  bool   // it runs the command that it is given
	Makes  bool   // it writes files whole, and so makes those that are not there
	Server string // of an MCP tool, the server that offers it
}

// ReadTool reads the name of a tool.
func ReadTool(name string) ToolFacts {
	f := ToolFacts{Verb: memory.VerbBuild}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok && tool != "" {
			f.Server, name = server, tool
		}
	}
	if len(name) > 256 {
		name = name[:256]
	}
	var whole [2 * MaxWord]byte
	if verb, ok := verbsOfNames()[string(Fold(whole[:0], name))]; ok {
		f.Verb, f.Known = verb, true
		return f
	}
	var noun memory.Verb
	words := splitter{rest: name}
	for words.next() {
		w := words.word()
		if verb, ok := verbsOfWords().Get(w); ok && !f.Known {
			f.Verb, f.Known, f.Makes = verb, true, WordsOfMakers()[string(w)]
		} else if verb, ok := verbsOfNouns().Get(w); ok && noun == "" {
			noun = verb
		}
		f.Shell = f.Shell || wordsOfShells()[string(w)]
	}
	if !f.Known && noun != "" {
		f.Verb, f.Known, f.Noun = noun, true, true
	}
	// A tool that tests or edits is not a shell, whatever runs below it.
	f.Shell = f.Shell && !f.Known
	return f
}

// wordVerb returns the verb that a word or a name such as test:unit stands for.
func wordVerb(name string) (memory.Verb, bool) {
	f := ReadTool(name)
	return f.Verb, f.Known
}

// Fold appends s in lower case without underscores, hyphens and blanks, as far as
// there is room in dst.
func Fold[T string | []byte](dst []byte, s T) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '_' || c == '-' || c == ' ':
			continue
		case c-'A' < 26:
			c |= 0x20
		}
		if len(dst) == cap(dst) {
			return dst[:0]
		}
		dst = append(dst, c)
	}
	return dst
}

// splitter takes a name apart into words: at whatever is not a letter or digit,
// before a capital after a small letter, and before the last capital of several
// that a small letter follows.
type splitter struct {
	rest string
	buf  [MaxWord]byte
	n    int
}

// next reads the next word and reports whether there is one.
func (s *splitter) next() bool {
	i := 0
	for i < len(s.rest) && !letterOrDigit(s.rest[i]) {
		i++
	}
	start := i
	for i < len(s.rest) && letterOrDigit(s.rest[i]) {
		if i > start && capital(s.rest[i]) && (!capital(s.rest[i-1]) || i+1 < len(s.rest) && small(s.rest[i+1])) {
			break
		}
		i++
	}
	s.n = 0
	for _, c := range []byte(s.rest[start:i]) {
		if s.n < MaxWord {
			if capital(c) {
				c |= 0x20
			}
			s.buf[s.n] = c
			s.n++
		}
	}
	s.rest = s.rest[i:]
	return s.n > 0
}

// word returns the word that next has read, in lower case.
func (s *splitter) word() []byte { return s.buf[:s.n] }

func letterOrDigit(c byte) bool { return small(c) || capital(c) || c-'0' < 10 }
func capital(c byte) bool       { return c-'A' < 26 }
func small(c byte) bool         { return c-'a' < 26 }
