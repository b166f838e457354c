package documents

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/wire"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

// Formats of an input that holds documents.
const (
	formatAuto   = "auto"   // json or ndjson, by its first lines
	formatJSON   = "json"   // one document, over as many lines as it likes
	formatNDJSON = "ndjson" // one document a line
)

func formats() []string { return []string{formatAuto, formatJSON, formatNDJSON} }

// maxDocument is the longest text that is looked at: the largest document, and
// room for white space. What is longer is skipped without being held.
const maxDocument = wire.DefaultMaxBytes

// document is one JSON text of an input.
type document struct {
	line int    // where it begins, counted from 1
	text []byte // valid until the next one is asked for
	err  error  // it is too long to be looked at
}

// lineOf returns the line of the input that a problem of the document is on.
func (d document) lineOf(p hmx.Problem) int {
	return d.line + bytes.Count(d.text[:min(p.Offset, len(d.text))], []byte("\n"))
}

// documents is the sequence of documents in an input.
type documents struct {
	lines *wire.Reader // nil for format json
	whole io.Reader    // for format json, until it is read
	count int
}

// readDocuments starts reading src. Format auto looks at the first lines only, so
// that a stream is answered while it still flows.
func readDocuments(src io.Reader, format string) (*documents, error) {
	switch format {
	case formatAuto:
		head, err := lookAhead(src)
		if err != nil && err != io.EOF {
			return nil, err
		}
		src = io.MultiReader(bytes.NewReader(head), src)
		if oneDocument(head) {
			return &documents{whole: src}, nil
		}
	case formatJSON:
		return &documents{whole: src}, nil
	case formatNDJSON:
	default:
		return nil, ask.UnknownName(fault.Usage, "format", format, formats())
	}
	return &documents{lines: wire.NewReader(src, wire.Options{MaxBytes: maxDocument})}, nil
}

// next returns the next document, or io.EOF.
func (d *documents) next() (document, error) {
	if d.lines == nil {
		return d.nextWhole()
	}
	line, err := d.lines.Next()
	var bad *wire.LineError
	switch {
	case errors.As(err, &bad):
		d.count++
		return document{line: bad.Line, err: bad.Err}, nil
	case err != nil:
		var failed *wire.ReadError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return document{}, err
	}
	d.count++
	return document{line: line.Number, text: line.Text}, nil
}

func (d *documents) nextWhole() (document, error) {
	if d.whole == nil {
		return document{}, io.EOF
	}
	text, err := io.ReadAll(io.LimitReader(d.whole, maxDocument+1))
	if err != nil {
		return document{}, err
	}
	rest := int64(0)
	if len(text) > maxDocument {
		if rest, err = io.Copy(io.Discard, d.whole); err != nil {
			return document{}, err
		}
	}
	d.whole = nil
	if len(bytes.TrimSpace(text)) == 0 {
		return document{}, io.EOF
	}
	d.count++
	if len(text) > maxDocument {
		return document{line: 1, err: &wire.TooLongError{Size: int64(len(text)) + rest, Limit: maxDocument}}, nil
	}
	return document{line: 1, text: text}, nil
}

// problem returns what there is to say about the input as a whole.
func (d *documents) problem() (hmx.Problem, bool) {
	if d.lines == nil {
		return hmx.Problem{}, false
	}
	return d.lines.Counts().Problem()
}

// lookAhead reads until the first two lines that are not blank have ended, or a
// document's worth has been read. One line is enough if it is a document.
func lookAhead(src io.Reader) ([]byte, error) {
	var head []byte
	chunk := make([]byte, 32<<10)
	for len(head) <= maxDocument {
		n, err := src.Read(chunk)
		head = append(head, chunk[:n]...)
		first, second := firstLines(head)
		if second != nil || isObject(first) || err != nil {
			return head, err
		}
	}
	return head, nil
}

// firstLines returns the first two lines of text that are not blank, each once it
// has ended.
func firstLines(text []byte) (first, second []byte) {
	for line := range bytes.Lines(text) {
		if line[len(line)-1] != '\n' {
			break
		}
		switch line = bytes.Trim(line, " \t\r\n"); {
		case len(line) == 0:
		case first == nil:
			first = line
		default:
			return first, line
		}
	}
	return first, nil
}

// isObject reports whether a line looks like a whole object.
func isObject(line []byte) bool {
	return len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}'
}

// oneDocument guesses from its beginning whether an input is one document over
// several lines: neither of its first two lines is one by itself, or the beginning
// of one that was torn.
func oneDocument(head []byte) bool {
	first, second := firstLines(append(slices.Clip(head), '\n')) // the last line may lack its end
	first = bytes.TrimPrefix(first, []byte("\xEF\xBB\xBF"))      // a mark to be refused, but not to mislead
	if len(first) == 0 || second == nil || isObject(first) || isObject(second) {
		return false
	}
	torn := first[0] == '{' && second[0] == '{' && !bytes.HasSuffix(first, []byte(":")) && !bytes.HasSuffix(first, []byte("["))
	return !torn && (first[0] == '{' || first[0] == '[')
}

// kindNames lists the kinds for help and errors.
func kindNames() []string {
	var names []string
	for _, k := range hmx.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// parseKind reads a --kind flag; empty means that the kind is to be detected.
func parseKind(name string) (hmx.Kind, error) {
	if name == "" {
		return "", nil
	}
	k, err := hmx.ParseKind(name)
	if err != nil {
		return "", ask.UnknownName(fault.UnknownKind, "kind", name, kindNames())
	}
	return k, nil
}
