package term

// Terminal says what is at the other end of a stream.
type Terminal struct {
	Is      bool // a person's terminal
	ANSI    bool // and it understands escape sequences
	Unicode bool // and it shows all of Unicode, whatever the locale says
	Columns int  // and the width of a line in characters; 0 is unknown
}

// Palette colours words when the reader is a terminal that wants colours, and
// leaves them alone otherwise. The zero value leaves them alone.
type Palette struct{ on bool }

// newPalette honours NO_COLOR (set to anything) and TERM=dumb.
func newPalette(t Terminal, env func(string) string) Palette {
	return Palette{on: t.ANSI && env("NO_COLOR") == "" && env("TERM") != "dumb"}
}

func (p Palette) Bold(s string) string   { return p.wrap("1", s) }
func (p Palette) Dim(s string) string    { return p.wrap("2", s) }
func (p Palette) Red(s string) string    { return p.wrap("31", s) }
func (p Palette) Green(s string) string  { return p.wrap("32", s) }
func (p Palette) Yellow(s string) string { return p.wrap("33", s) }

func (p Palette) wrap(sgr, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}
