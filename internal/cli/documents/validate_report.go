package documents

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// report writes findings as they come, so that an input of any length needs no
// more memory than its longest document.
type report struct {
	validation
	shell *ask.Shell
	name  string // of the input, for a message
	file  string // the same as it was given
	flags validateFlags
	files int // that could be opened
	empty int // files without a document
	shown int
}

// begin opens the answer. With --json it is one object whose problems are
// written first and whose figures follow when they are known.
func (r *report) begin() {
	if r.shell.JSON {
		fmt.Fprint(r.shell.Stdout, `{"problems":[`)
	}
}

func (r *report) add(f finding) {
	f.File = r.file
	if f.Warning && r.flags.strict {
		f.Warning = false
	}
	if f.Warning {
		r.Warnings++
	} else {
		r.Errors++
	}
	if r.flags.most > 0 && r.shown >= r.flags.most {
		r.Omitted++
		return
	}
	if r.shown++; r.shell.JSON {
		r.json(f)
		return
	}
	f.print(r.shell.Stdout, r.shell.Paint, r.name)
}

func (r *report) json(f finding) {
	if r.shown > 1 {
		fmt.Fprint(r.shell.Stdout, ",")
	}
	_ = term.EncodeLine(term.WithoutLineEnds(r.shell.Stdout), f) // the output remembers a failure
}

// print writes the finding for a person: where, which rule, what was found and
// what is allowed.
func (f finding) print(w io.Writer, paint term.Palette, input string) {
	at := strings.Trim(input, `"`)
	if f.Line > 0 {
		at += fmt.Sprintf(":%d", f.Line)
	}
	word := paint.Red("error")
	if f.Warning {
		word = paint.Yellow("warning")
	}
	pointer := f.Pointer
	if pointer == "" {
		pointer = "the document"
	}
	fmt.Fprintf(w, "%s: %s %s: %s\n", paint.Bold(term.OneLine(at)), word, f.Rule, paint.Bold(term.OneLine(pointer)))
	fmt.Fprintf(w, "    %s %s\n", paint.Dim("found  "), term.OneLine(f.Found))
	fmt.Fprintf(w, "    %s %s\n", paint.Dim("allowed"), term.OneLine(f.Allowed))
}

// end closes the answer and returns it as an error if it is no.
func (r *report) end() error {
	r.Valid = r.Complete && r.Invalid == 0 && r.Errors == 0
	if r.shell.JSON {
		figures, err := json.Marshal(r.validation)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.shell.Stdout, "],%s\n", figures[1:])
	} else {
		r.summary()
	}
	where := r.name
	if r.files > 1 {
		where = term.Counted(r.files, "file")
	}
	switch {
	case r.Valid || !r.Complete:
		return nil // what kept an input from being read is the error then
	case r.empty == r.files:
		return fault.Newf(fault.InvalidDocument, "%s is empty", where).WithFix("give it at least one JSON document")
	case r.Invalid == 0 && r.empty > 0:
		return fault.Newf(fault.InvalidDocument, "%d of %s are empty", r.empty, where).WithFix("give each at least one JSON document")
	case r.Invalid == 0:
		return fault.Newf(fault.InvalidDocument, "the documents in %s are valid, but not the way they are written down", where)
	}
	return notValid(r.Invalid, r.Documents, where)
}

// notValid is the error for an input some of whose documents are not valid.
func notValid(invalid, all int, name string) error {
	verb := "are"
	if invalid == 1 {
		verb = "is"
	}
	return fault.Newf(fault.InvalidDocument, "%s of %s in %s %s not valid", term.Thousands(invalid), term.Counted(all, "document"), name, verb)
}

func (r *report) summary() {
	s := r.shell
	if r.Omitted > 0 {
		fmt.Fprintf(s.Stdout, "… and %s; --max 0 shows all\n", term.Counted(r.Omitted, "more problem"))
	}
	if r.Documents == 0 {
		return
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(r.Kinds)) {
		kinds = append(kinds, term.Counted(r.Kinds[k], k))
	}
	line := strings.Join(kinds, ", ")
	switch {
	case r.Valid:
		line = s.Paint.Green("valid") + ": " + line
	case r.Errors == 0:
		line = s.Paint.Yellow("not all read") + ": " + line + ", no problems in them"
	default:
		line = s.Paint.Red("not valid") + ": " + line + fmt.Sprintf(", %s of them with problems, %s", term.Thousands(r.Invalid), term.Counted(r.Errors, "problem"))
	}
	if r.Warnings > 0 {
		line += ", " + term.Counted(r.Warnings, "warning")
	}
	fmt.Fprintln(s.Stdout, line)
}
