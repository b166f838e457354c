package memorytool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// Operations serve the memory tool of language models.
func Operations() []*operation.Operation {
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "memory_tool", Group: operation.GroupMemories, Short: "Run a command of Anthropic's memory tool on files below /memories.",
			Long: "The request is the input of the tool as a model wrote it; the answer is the text for its tool_result. Files are memories of the whole tenant with the key memories/PATH and the tag " +
				"memory-tool; every change is a version. A view needs only the right read. docs/memory-tool.md describes it.",
			Method: "POST", Path: "/v1/memory_tool", Without: "on the command line, remember, recall, list and forget do the same by keys",
			Tool:  &operation.Tool{Destructive: true},
			Needs: auth.Read, Then: auth.Write, Wrote: true,
		}, run),
	}
}

// Request is the input of the tool, as documented for memory_20250818.
type Request struct {
	Command    string  `json:"command" enum:"view,create,str_replace,insert,delete,rename"`
	Path       string  `json:"path,omitempty" doc:"below /memories; for all commands except rename"`
	ViewRange  []int64 `json:"view_range,omitempty" doc:"first and last line to view; -1 is the end"`
	FileText   *string `json:"file_text,omitempty" doc:"for create"`
	OldStr     *string `json:"old_str,omitempty" doc:"for str_replace; must occur once in the file"`
	NewStr     *string `json:"new_str,omitempty" doc:"for str_replace; default empty"`
	InsertLine *int64  `json:"insert_line,omitempty" doc:"for insert: after this line, 0 at the beginning"`
	InsertText *string `json:"insert_text,omitempty" doc:"for insert"`
	OldPath    string  `json:"old_path,omitempty" doc:"for rename"`
	NewPath    string  `json:"new_path,omitempty" doc:"for rename"`
}

// Result is the answer to the model.
type Result struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error"`
}

// toolError is an error message for the model that made the call.
type toolError struct{ words string }

func (e *toolError) Error() string { return e.words }

// wrong returns an error for the model.
func wrong(format string, args ...any) error { return &toolError{fmt.Sprintf(format, args...)} }

func run(ctx context.Context, c *operation.Call, in *Request) (*Result, error) {
	if in.Command != "view" {
		if err := operation.HasRights("memory_tool: "+in.Command, auth.Read|auth.Write, c.Who); err != nil {
			return nil, err
		}
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	v, err := c.View(hmx.Time{})
	if err != nil {
		return nil, err
	}
	t := &tool{c: c, tenant: c.Tenant(), view: v}
	content, err := t.do(ctx, in)
	if bad, ok := errors.AsType[*toolError](err); ok {
		return &Result{Content: bad.words, IsError: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Result{Content: content}, nil
}

// check refuses calls that violate the description of the tool: required arguments must be
// present, and unknown ones absent.
func (in *Request) check() error {
	fields := []struct {
		name     string
		given    bool
		commands string // that accept it; an exclamation mark follows those that require it
	}{
		{"path", in.Path != "", "view! create! str_replace! insert! delete!"},
		{"view_range", in.ViewRange != nil, "view"},
		{"file_text", in.FileText != nil, "create!"},
		{"old_str", in.OldStr != nil, "str_replace!"},
		{"new_str", in.NewStr != nil, "str_replace"},
		{"insert_line", in.InsertLine != nil, "insert!"},
		{"insert_text", in.InsertText != nil, "insert!"},
		{"old_path", in.OldPath != "", "rename!"},
		{"new_path", in.NewPath != "", "rename!"},
	}
	for _, f := range fields {
		takes, needs := false, false
		for command := range strings.FieldsSeq(f.commands) {
			name, must := strings.CutSuffix(command, "!")
			if name == in.Command {
				takes, needs = true, must
			}
		}
		switch {
		case f.given && !takes:
			return fault.Newf(fault.InvalidArgument, "%s: %s does not take it", f.name, in.Command).WithFix("leave it out")
		case needs && !f.given:
			return fault.Newf(fault.InvalidArgument, "%s: %s needs it", f.name, in.Command).WithFix("send the input as the model wrote it")
		}
	}
	if n := len(in.ViewRange); in.ViewRange != nil && n != 2 {
		return fault.Newf(fault.InvalidArgument, "view_range: it has %d numbers", n).WithFix("give two, the first and the last line")
	}
	return nil
}

// tool executes the commands of one call.
type tool struct {
	c      *operation.Call
	tenant *lukasa.Tenant
	view   lukasa.View
}

// do executes a command and returns the answer to the model.
func (t *tool) do(ctx context.Context, in *Request) (string, error) {
	if in.Command == "rename" {
		return t.rename(ctx, in.OldPath, in.NewPath)
	}
	p, err := ParsePath(in.Path)
	if err != nil {
		return "", err
	}
	switch in.Command {
	case "view":
		return t.show(ctx, p, in.ViewRange)
	case "create":
		return t.create(ctx, p, *in.FileText)
	case "str_replace":
		replacement := ""
		if in.NewStr != nil {
			replacement = *in.NewStr
		}
		return t.replace(ctx, p, *in.OldStr, replacement)
	case "insert":
		return t.insert(ctx, p, *in.InsertLine, *in.InsertText)
	}
	return t.remove(ctx, p)
}

// show views a file or a directory.
func (t *tool) show(ctx context.Context, p Path, lines []int64) (string, error) {
	f, err := t.read(ctx, p)
	if err != nil {
		return "", err
	}
	if f.live {
		return viewFile(p, f.text, lines)
	}
	files, err := t.below(ctx, p)
	if err != nil {
		return "", err
	}
	if len(files) == 0 && !p.root() {
		return "", wrong("The path %s does not exist. Please provide a valid path.", p)
	}
	if lines != nil {
		return "", wrong("Error: `view_range` is for files, and %s is a directory", p)
	}
	return viewDirectory(p, files), nil
}

// create writes a new file.
func (t *tool) create(ctx context.Context, p Path, text string) (string, error) {
	done, err := t.attempt(ctx, p, func(f *file) (string, error) {
		if f.live || p.root() {
			return "", wrong("Error: File %s already exists", p)
		}
		if err := t.free(ctx, p); err != nil {
			return "", err
		}
		return "File created successfully at: " + p.String(), t.write(ctx, f, text)
	})
	return done, err
}

// free refuses a path that is a directory, or below a file.
func (t *tool) free(ctx context.Context, p Path) error {
	for up := p.parent(); !up.root(); up = up.parent() {
		f, err := t.read(ctx, up)
		if err != nil {
			return err
		}
		if f.live {
			return wrong("Error: %s cannot be created, since %s is a file", p, up)
		}
	}
	files, err := t.below(ctx, p)
	if err == nil && len(files) > 0 {
		err = wrong("Error: File %s already exists", p)
	}
	return err
}

// replace replaces the only occurrence of a text in a file.
func (t *tool) replace(ctx context.Context, p Path, old, text string) (string, error) {
	return t.attempt(ctx, p, func(f *file) (string, error) {
		if !f.live {
			return "", wrong("Error: The path %s does not exist. Please provide a valid path.", p)
		}
		next, line, err := replaceOnce(p, f.text, old, text)
		if err != nil {
			return "", err
		}
		return "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n" + snippet(next, line, text), t.write(ctx, f, next)
	})
}

// insert inserts lines after a line.
func (t *tool) insert(ctx context.Context, p Path, line int64, text string) (string, error) {
	return t.attempt(ctx, p, func(f *file) (string, error) {
		if !f.live {
			return "", wrong("Error: The path %s does not exist", p)
		}
		next, err := insertLines(f.text, line, text)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("The file %s has been edited.", p), t.write(ctx, f, next)
	})
}

// remove deletes a file, or a directory with everything below it.
func (t *tool) remove(ctx context.Context, p Path) (string, error) {
	if p.root() {
		return "", wrong("Error: The directory %s itself cannot be deleted", p)
	}
	files, err := t.at(ctx, p)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if _, err := t.attempt(ctx, f.path, func(f *file) (string, error) { return "", t.forget(ctx, f) }); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("Successfully deleted %s", p), nil
}

// rename moves a file, or a directory with everything below it. It moves each file to its new
// name before it deletes the old one: an interruption loses nothing, and leaves some files
// under both names.
func (t *tool) rename(ctx context.Context, from, to string) (string, error) {
	old, err := ParsePath(from)
	if err != nil {
		return "", err
	}
	next, err := ParsePath(to)
	if err != nil {
		return "", err
	}
	if old.root() || next.within(old) {
		return "", wrong("Error: %s cannot be renamed to %s", old, next)
	}
	files, err := t.at(ctx, old)
	if err != nil {
		return "", err
	}
	there, err := t.read(ctx, next)
	if err != nil {
		return "", err
	}
	if there.live || next.root() {
		return "", wrong("Error: The destination %s already exists", next)
	}
	if err := t.free(ctx, next); err != nil {
		if bad, ok := errors.AsType[*toolError](err); ok && strings.HasSuffix(bad.words, "already exists") {
			err = wrong("Error: The destination %s already exists", next)
		}
		return "", err
	}
	size := int64(0)
	for _, f := range files {
		size += int64(f.size)
	}
	if err := t.charge(len(files), size); err != nil { // all of it, or nothing is moved
		return "", err
	}
	for _, f := range files {
		if err := t.move(ctx, f.path, f.path.moved(old, next)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("Successfully renamed %s to %s", old, next), nil
}

// at returns the file at a path, or the files below it: at least one.
func (t *tool) at(ctx context.Context, p Path) ([]entry, error) {
	f, err := t.read(ctx, p)
	if err != nil {
		return nil, err
	}
	if f.live {
		return []entry{{p, len(f.text)}}, nil
	}
	files, err := t.below(ctx, p)
	if err == nil && len(files) == 0 {
		err = wrong("Error: The path %s does not exist", p)
	}
	return files, err
}
