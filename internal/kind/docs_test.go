package kind

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/kind/recognize"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/programs"
	"lukasa.dev/internal/testsize"
)

var update = flag.Bool("update", false, "rewrite docs/formats/frames.md from the tables")

const framesPage = "../../docs/formats/frames.md"

// TestDocumented holds the page to the tables that it is printed from.
func TestDocumented(t *testing.T) {
	want := printPage()
	if *update {
		if err := os.WriteFile(framesPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(framesPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s differs from the tables: run go test ./internal/kind -run TestDocumented -update", framesPage)
	}
}

// The words for what stands in the tables, in the order of their constants.
var (
	choiceWords = []string{"", "by the tool", "by the program", "by the action", "by the method"}
	placeWords  = []string{"content", "arguments", "metadata", "the event"}
	methodWords = []string{
		"", "as `owner/name` where `owner` stands beside it", "the files that a patch names", "files named with a line",
		"the program, and program with subcommand", "files that the command names; what it writes to is `modify`", "the address that the command names",
		"its host", "`server` of `mcp__server__tool`", "`name` of `tool:name`",
	}
	conditionWords = []string{
		"", "`operation` is `create`", "there is no path", "the tool runs commands", "it failed and names no address", "it failed and the tool runs commands",
		"not known to have passed", "the tool writes whole files", "the verb is `deliver`, `negotiate`, `schedule` or `delegate`",
	}
)

const pageHead = `# From events to frames

This page describes what the engine reads from an event when it is recorded. It is generated from the tables in ` + "`internal/kind`" + `, and a test compares it with them.

**Text.** One line of at most %d bytes: the engine's own words, plain names, and text of the event between double quotes or
backticks. Quoted text contains no such mark, so text outside of the quotes never comes from the event. White space is collapsed, long text
ends in ` + "`…`" + `, and control characters, direction marks and invisible characters are removed. Text typed in a browser is not shown.

**Frames.** At most %d, by the rules below in their order, without duplicates. Only strings count, and of a list the first %d. The verb of an
event is that of its type unless a table gives another. A file with an absolute path also has the path
relative to a root that the event names (` + "`repository_root`, `workspace`, `cwd`" + ` and similar in metadata, ` + "`cwd`" + ` in content or arguments).
A ` + "`tool_result`" + ` with a ` + "`call_id`" + ` gives only the files that its output names with a line: its call gives all others, and both are shown together.

**References** are normalised when they are recorded and when they are looked up, so that two spellings of one object match.
A file has slashes instead of backslashes, no ` + "`./`" + `, no ` + "`../`" + ` that can be resolved, no ` + "`file://`" + ` and the letter of a drive in upper case; a URL has scheme and
host in lower case, no user or password, no fragment and no slash that is the whole path; others have no white space around them.
A reference of more than %s bytes, or with control characters, names nothing.

**Bounds.** Files named with a line are looked for in the first %d KiB of a text and count up to %d; a patch is read up to %d KiB, a command
up to %d KiB and %d words. Text of external sources (a web page, an observation, a page that a tool fetched) names no files.
`

func printPage() string {
	return fmt.Sprintf(pageHead, MaxText, MaxFrames, maxListed, "1,024", recognize.MaxScan>>10, recognize.MaxMentions, recognize.MaxPatch>>10, recognize.MaxCommand>>10, recognize.MaxWords) + printTables()
}

func printTables() string {
	var b strings.Builder
	printTypes(&b)
	printRules(&b)
	b.WriteString("\n## Names\n\nOf several names with the same meaning, the first in the event counts.\n")
	printNames(&b, "Content, exactly and with case", contentTable[:])
	printNames(&b, "Arguments of tools, whatever their case and without `_` and `-`", argumentTable[:])
	printNames(&b, "Metadata, likewise", metadataTable[:])
	printTools(&b)
	printPrograms(&b)
	b.WriteString("\n## Files named with a line\n\n`path:12`, `path(12,5)`, `path::test`, `path:line 12` and `\"path\", line 12`, where the path ends in one of\n")
	list(&b, recognize.SourceExtensions)
	b.WriteString("\nand lies under none of\n")
	list(&b, strings.ReplaceAll(strings.Join(recognize.Libraries[:], "\n"), " ", "\x00"))
	b.WriteString("\nOf a trace that says `(most recent call last)` the last ones count, of every other text the first.\nLines of a patch that name a file begin with\n")
	var heads []string
	for _, h := range recognize.PatchHeads {
		heads = append(heads, strings.ReplaceAll(strings.TrimSpace(h.Head), " ", "\x00"))
	}
	list(&b, strings.Join(heads, " "))
	b.WriteString("\n")
	return b.String()
}

// list prints words in code, some to a line. A zero byte stands for a blank.
func list(b *strings.Builder, words string) {
	width := 0
	for i, w := range strings.Fields(words) {
		w = "`" + strings.ReplaceAll(w, "\x00", " ") + "`"
		switch {
		case i == 0:
		case width+len(w) > 130:
			b.WriteString(",\n")
			width = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(w)
		width += len(w) + 2
	}
}

func coded(words string) string {
	var b strings.Builder
	for i, w := range strings.Fields(words) {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString("`" + w + "`")
	}
	return b.String()
}

func printTypes(b *strings.Builder) {
	b.WriteString("\n## Types\n\n| event | verb | importance | section | tells how it went |\n|---|---|---|---|---|\n")
	for _, r := range append(slices.Clone(rows[:]), other) {
		name, verb, tells := "`"+string(r.event)+"`", "`"+string(r.verb)+"`", ""
		if r.event == "" {
			name = "every other"
		}
		if r.choose != byType {
			verb = choiceWords[r.choose] + ", else " + verb
		}
		if r.tells {
			tells = "yes"
		}
		fmt.Fprintf(b, "| %s | %s | %v | %s | %s |\n", name, verb, r.importance, r.section, tells)
	}
	fmt.Fprintf(b, "\nA message with the role `user` has %v. An event that declares `salience` has that. A `command_exec` tells only if it has ended.\n", userImportance)
	b.WriteString("\nOutcomes: `success` and `failure` by `success`, `is_error`, `exit_code` (in content, or metadata of what was run), `status_code` from 400 on, `failed` and `passed`,\n" +
		"for tools also in `result`; an `error` is a failure; feedback `positive`, `negative`, `correction` is `success`, `failure`, `partial`; else `unknown`.\n")
}

func printRules(b *strings.Builder) {
	b.WriteString("\n## Rules\n\nA row without a verb has that of the event; one without *what* means all that stands there.\n\n| event | where | what | when | verb | object |\n|---|---|---|---|---|---|\n")
	for _, r := range rules {
		verb := ""
		if r.verb != "" {
			verb = "`" + string(r.verb) + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | `%s` |\n", eventNames(r.on), placeWords[r.where]+" "+fieldName(r.where, r.field), methodWords[r.how], conditionWords[r.when], verb, r.kind)
	}
}

func eventNames(set eventSet) string {
	if set == onEvery {
		return "every"
	}
	var names []string
	for i, r := range rows {
		if set&(1<<i) != 0 {
			names = append(names, "`"+string(r.event)+"`")
		}
	}
	return strings.Join(names, ", ")
}

// fieldName returns the first name of a field.
func fieldName(where place, f field) string {
	tables := [][]fieldNames{inContent: contentTable[:], inArguments: argumentTable[:], inMetadata: metadataTable[:], inEnvelope: {{fSource, "source"}}}
	for _, row := range tables[where] {
		if row.field == f {
			return "`" + strings.Fields(row.names)[0] + "`"
		}
	}
	panic(fmt.Sprintf("field %d has no name in %s", f, placeWords[where]))
}

func printNames(b *strings.Builder, title string, table []fieldNames) {
	fmt.Fprintf(b, "\n%s:\n\n", title)
	for _, row := range table {
		if names := strings.Fields(row.names); len(names) > 1 {
			fmt.Fprintf(b, "- `%s`: %s\n", names[0], coded(strings.Join(names[1:], " ")))
		}
	}
	var single []string
	for _, row := range table {
		if names := strings.Fields(row.names); len(names) == 1 {
			single = append(single, names[0])
		}
	}
	if len(single) > 0 {
		b.WriteString("- by one name only: " + coded(strings.Join(single, " ")) + "\n")
	}
}

func printVerbs(b *strings.Builder, title string, table []recognize.VerbWords) {
	fmt.Fprintf(b, "\n%s\n\n| verb | words |\n|---|---|\n", title)
	for _, row := range table {
		fmt.Fprintf(b, "| `%s` | %s |\n", row.Verb, coded(row.Words))
	}
}

// verbRows returns rows of the table of programs as those of the tables here.
func verbRows(rows []programs.VerbWords) (out []recognize.VerbWords) {
	for _, r := range rows {
		out = append(out, recognize.VerbWords{Verb: memory.Verb(r.Verb), Words: r.Words})
	}
	return out
}

func printTools(b *strings.Builder) {
	b.WriteString("\n## Verbs of tools\n\nA name is taken apart at `_`, `-`, `.`, `/`, blanks and capitals; of `mcp__server__tool` only the tool counts. " +
		"The first word of this table that is in it\ndecides, without the s of a plural. Where none is, the tool builds.\n")
	printVerbs(b, "Words:", recognize.ToolWords[:])
	printVerbs(b, "Words that count where a name has none of those:", recognize.ToolNouns[:])
	printVerbs(b, "Whole names, in lower case and without what stands between the words:", recognize.ToolNames[:])
	b.WriteString("\nA tool with one of " + coded(recognize.ShellWords) + " in its name and no verb of its own runs the command it is given, and has its verb.\n" +
		"Of any other tool, a word in `command` that the tables know, such as `view` of an editor, goes before the name, and one in `action` after it.\n" +
		"A tool whose verb is said by one of " + coded(recognize.MakerWords) + " writes whole files, and both builds and modifies them; so does the program `touch`.\n")
	printVerbs(b, "Actions in a browser (all others `find`):", recognize.Actions[:])
	printVerbs(b, "Methods of HTTP:", recognize.Methods[:])
}

func printPrograms(b *strings.Builder) {
	b.WriteString("\n## Verbs of programs\n\nOf a line of shell, the first command counts that is not one of " + coded(programs.FrameAsideList) +
		"; without assignments,\npaths, `.exe`, and programs that run another one (")
	var names []string
	for _, r := range programs.FrameWrappers() {
		names = append(names, strings.TrimSpace(r.Name+" "+r.Sub))
	}
	b.WriteString("`" + strings.Join(names, "`, `") + "`).\nText behind `-c` of " + coded(programs.FrameShellList) + " is read as a line of its own. " +
		"A program that is not listed has the verb that its name\nsays by the words of tools, and else builds.\n")
	printVerbs(b, "By name alone:", verbRows(programs.Simple()))
	b.WriteString("\nA line of shell checks the work if one of its commands has the verb `analyze` and is none of\n`" + strings.Join(programs.Lookers(), "`, `") + "`.\n")
	b.WriteString("\nBy subcommand or flag; *target* says that the word after it says by the words of tools what it does:\n\n| program | verb | but |\n|---|---|---|\n")
	for _, p := range programs.All() {
		var but []string
		if p.Target {
			but = append(but, "*target*")
		}
		for _, row := range append(slices.Clone(p.Subs), p.Flags...) {
			but = append(but, string(row.Verb)+": "+coded(row.Words))
		}
		fmt.Fprintf(b, "| `%s` | `%s` | %s |\n", p.Name, p.Verb, strings.Join(but, "; "))
	}
}

// digestOfVersion is what everything below reads as in this Version.
const digestOfVersion = "bbc8e9a8fc0ab775eb1330a6c311785bfc551250af89e755e36bef03aa2c67a2"

// TestVersion fails when an event reads otherwise than it did in this Version.
func TestVersion(t *testing.T) {
	testsize.OneGoroutine(t)
	h := sha256.New()
	io.WriteString(h, printTables())
	for _, ev := range load(t, sessionFile) {
		fmt.Fprintf(h, "%+v\n", Read(ev))
	}
	for _, typ := range append(hmx.EventTypes(), "x-acme-signal") {
		for _, s := range hostile() {
			fmt.Fprintf(h, "%+v\n", Read(hostileEvent(typ, s)))
			fmt.Fprintf(h, "%+v\n", Read(event(typ, `{"tool_name":"Bash","arguments":{"command":`+quoteJSON(s)+`},"command":`+quoteJSON(s)+`,"message":`+quoteJSON(s)+`}`)))
		}
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != digestOfVersion {
		t.Errorf("events read otherwise than in version %d: if that is wanted, raise Version (indexes are then rebuilt) and set digestOfVersion to %s", Version, got)
	}
}

// TestTables holds what the code takes for granted about the tables.
func TestTables(t *testing.T) {
	if len(rows) != 13 || onOther != 1<<len(rows) {
		t.Fatalf("%d rows, and the bit of all others is %b", len(rows), onOther)
	}
	for bit, name := range map[eventSet]string{onMessage: "message", onToolResult: "tool_result", onCommandExec: "command_exec", onError: "error", onFeedback: "feedback"} {
		if got := eventNames(bit); got != "`"+name+"`" {
			t.Errorf("the bit of %s is that of %s", name, got)
		}
	}
	for _, r := range rules {
		if !slices.Contains(memory.ObjectKinds(), r.kind) || r.verb != "" && !slices.Contains(memory.Verbs(), r.verb) || r.on == 0 {
			t.Errorf("the rule %+v names something that there is not", r)
		}
	}
	unique := map[string]map[string]bool{}
	once := func(table, word string, limit int) {
		if unique[table] == nil {
			unique[table] = map[string]bool{}
		}
		if unique[table][word] {
			t.Errorf("%s has %q twice", table, word)
		}
		unique[table][word] = true
		if len(word) > limit || limit < 99 && string(recognize.Fold(make([]byte, 0, 99), word)) != word {
			t.Errorf("%s has %q, which will not be found", table, word)
		}
	}
	verbs := func(name string, table []recognize.VerbWords, limit int) {
		for _, row := range table {
			if !slices.Contains(memory.Verbs(), row.Verb) {
				t.Errorf("%s has the verb %q", name, row.Verb)
			}
			for _, w := range strings.Fields(row.Words) {
				once(name, w, limit)
			}
		}
	}
	verbs("toolWords", recognize.ToolWords[:], recognize.MaxWord)
	verbs("toolNouns", recognize.ToolNouns[:], recognize.MaxWord)
	verbs("toolNames", recognize.ToolNames[:], 2*recognize.MaxWord)
	verbs("actions", recognize.Actions[:], recognize.MaxWord)
	verbs("methods", recognize.Methods[:], 99)
	verbs("programs", verbRows(programs.Simple()), 99)
	for _, p := range programs.All() {
		once("programs", p.Name, 99)
		verbs("subcommands of "+p.Name, verbRows(p.Subs), 99)
		verbs("flags of "+p.Name, verbRows(p.Flags), 99)
		if group, _, ok := strings.Cut(p.Name, " "); ok && !programs.Of(group).HasSubs() {
			t.Errorf("%s is not found, because %s has no subcommands", p.Name, group)
		}
	}
	for _, w := range strings.Fields(recognize.SourceExtensions) {
		once("extensions", w, recognize.MaxExtension)
	}
	for name, table := range map[string][]fieldNames{"arguments": argumentTable[:], "metadata": metadataTable[:]} {
		for _, row := range table {
			for _, w := range strings.Fields(row.names) {
				once(name, w, recognize.MaxWord)
			}
		}
	}
	for _, row := range contentTable {
		for _, w := range strings.Fields(row.names) {
			once("content", w, 99)
		}
	}
}
