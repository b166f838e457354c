package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lukasa.dev/internal/fault"
)

// report writes findings as they come, so that an input of any length needs no
// more memory than its longest document.
type report struct {
	validation
	shell *shell
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
	if r.shell.json {
		fmt.Fprint(r.shell.stdout, `{"problems":[`)
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
	if r.shown++; r.shell.json {
		r.json(f)
		return
	}
	f.print(r.shell.stdout, r.shell.paint, r.name)
}

func (r *report) json(f finding) {
	if r.shown > 1 {
		fmt.Fprint(r.shell.stdout, ",")
	}
	_ = encodeLine(trimmed{r.shell.stdout}, f) // the output remembers a failure
}

// trimmed passes on what is written without the line ends.
type trimmed struct{ w io.Writer }

func (t trimmed) Write(p []byte) (int, error) {
	if _, err := t.w.Write(bytes.TrimRight(p, "\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// print writes the finding for a person: where, which rule, what was found and
// what is allowed.
func (f finding) print(w io.Writer, paint palette, input string) {
	at := strings.Trim(input, `"`)
	if f.Line > 0 {
		at += fmt.Sprintf(":%d", f.Line)
	}
	word := paint.red("error")
	if f.Warning {
		word = paint.yellow("warning")
	}
	pointer := f.Pointer
	if pointer == "" {
		pointer = "the document"
	}
	fmt.Fprintf(w, "%s: %s %s: %s\n", paint.bold(oneLine(at)), word, f.Rule, paint.bold(oneLine(pointer)))
	fmt.Fprintf(w, "    %s %s\n", paint.dim("found  "), oneLine(f.Found))
	fmt.Fprintf(w, "    %s %s\n", paint.dim("allowed"), oneLine(f.Allowed))
}

// end closes the answer and returns it as an error if it is no.
func (r *report) end() error {
	r.Valid = r.Complete && r.Invalid == 0 && r.Errors == 0
	if r.shell.json {
		figures, err := json.Marshal(r.validation)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.shell.stdout, "],%s\n", figures[1:])
	} else {
		r.summary()
	}
	where := r.name
	if r.files > 1 {
		where = counted(r.files, "file")
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
	return fault.Newf(fault.InvalidDocument, "%s of %s in %s %s not valid", thousands(invalid), counted(all, "document"), name, verb)
}

func (r *report) summary() {
	s := r.shell
	if r.Omitted > 0 {
		fmt.Fprintf(s.stdout, "… and %s; --max 0 shows all\n", counted(r.Omitted, "more problem"))
	}
	if r.Documents == 0 {
		return
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(r.Kinds)) {
		kinds = append(kinds, counted(r.Kinds[k], k))
	}
	line := strings.Join(kinds, ", ")
	switch {
	case r.Valid:
		line = s.paint.green("valid") + ": " + line
	case r.Errors == 0:
		line = s.paint.yellow("not all read") + ": " + line + ", no problems in them"
	default:
		line = s.paint.red("not valid") + ": " + line + fmt.Sprintf(", %s of them with problems, %s", thousands(r.Invalid), counted(r.Errors, "problem"))
	}
	if r.Warnings > 0 {
		line += ", " + counted(r.Warnings, "warning")
	}
	fmt.Fprintln(s.stdout, line)
}
