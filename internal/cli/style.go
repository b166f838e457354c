package cli

// terminal says what is at the other end of a stream.
type terminal struct {
	is      bool // a person's terminal
	ansi    bool // and it understands escape sequences
	unicode bool // and it shows all of Unicode, whatever the locale says
	columns int  // and a line has so many characters; 0 is not known
}

// palette colours words when the reader is a terminal that wants colours, and
// leaves them alone otherwise. The zero value leaves them alone.
type palette struct{ on bool }

// newPalette honours NO_COLOR (set to anything) and TERM=dumb.
func newPalette(t terminal, env func(string) string) palette {
	return palette{on: t.ansi && env("NO_COLOR") == "" && env("TERM") != "dumb"}
}

func (p palette) bold(s string) string   { return p.wrap("1", s) }
func (p palette) dim(s string) string    { return p.wrap("2", s) }
func (p palette) red(s string) string    { return p.wrap("31", s) }
func (p palette) green(s string) string  { return p.wrap("32", s) }
func (p palette) yellow(s string) string { return p.wrap("33", s) }

func (p palette) wrap(sgr, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}
