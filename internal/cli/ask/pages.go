package ask

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
)

// AddPaging adds the flags of commands that answer in pages.
func AddPaging(c *cobra.Command, limit *int, all *bool, usual int) {
	c.Flags().IntVar(limit, "limit", usual, "at most `N`")
	c.Flags().BoolVar(all, "all", false, "all of them, a page after the other")
}

// BadAfter says that what is wrong with a page is its --after, if it is.
func BadAfter(c *cobra.Command, err error) error {
	e := fault.From(err)
	rest, ok := strings.CutPrefix(e.Error(), "after: ")
	if !ok || e.Code != fault.InvalidArgument || !c.Flags().Changed("after") {
		return err
	}
	return fault.New(fault.Usage, "--after: "+rest).WithCause(err).WithFix(e.Advice())
}

// Pages prints an answer that comes in pages: as a table, or as one JSON
// object with a named array that is written as it comes.
type Pages struct {
	Shell *Shell
	name  string
	Table *term.Table
	rows  [][]string
	Count int
	begun bool // the JSON object
	// States shows the state of records instead of their status.
	States bool
}

func (s *Shell) NewPages(name string, head ...string) *Pages {
	return &Pages{Shell: s, name: name, Table: s.Table(head...)}
}

// open begins the JSON object, once the first page is known: a command that fails
// before that prints no answer.
func (p *Pages) open() {
	if p.Shell.JSON && !p.begun {
		p.begun = true
		fmt.Fprintf(p.Shell.Stdout, `{"%s":[`, p.name)
	}
}

// Add adds an item: as JSON, or as a row.
func (p *Pages) Add(item any, row ...string) error {
	p.Count++
	if !p.Shell.JSON {
		p.rows = append(p.rows, row)
		return nil
	}
	p.open()
	if p.Count > 1 {
		fmt.Fprint(p.Shell.Stdout, ",")
	}
	return term.EncodeLine(term.WithoutLineEnds(p.Shell.Stdout), item)
}

// Flush prints the rows of a page.
func (p *Pages) Flush() error {
	p.Table.Rows(p.rows)
	p.rows = nil
	return p.Shell.Stdout.Failed()
}

// End closes the answer.
func (p *Pages) End(next string, err error) error {
	s := p.Shell
	if err != nil {
		return err
	}
	p.open()
	switch {
	case s.JSON && next == "":
		fmt.Fprintln(s.Stdout, `],"next":null}`)
	case s.JSON:
		fmt.Fprintf(s.Stdout, `],"next":"%s"}`+"\n", next) // it is base64
	case next != "":
		fmt.Fprintf(s.Stdout, "… and more: --all, or --after %s\n", next)
	case p.Count == 0:
		fmt.Fprintln(s.Stdout, s.Paint.Dim("no "+p.name))
	}
	return nil
}
