// Package term is the terminal of the command line: standard output and standard error, colours,
// widths, tables, wrapped text, progress, and how errors are printed.
//
// A [Screen] has all of it. Commands write their answers to [Screen.Stdout], which remembers the
// first failure, so that a command may ignore the errors of fmt.Fprint. Whatever a stranger wrote
// is printed through [OneLine], [Visible] or [Preview]: no stored text commands a terminal.
//
// The package knows nothing of boards, operations or flags.
package term
