// Package ask is what every command stands on: the shell it runs in, the flags and arguments it
// takes, and the board it asks.
//
// A [Shell] is all that a command may touch of the world around it: streams, variables, files and
// the clock. [Shell.Visit] opens the board of a data directory and closes it again. While a server
// has the directory, [Shell.OrForward] sends the command line to the server, which runs the same
// code on the board that it has open; see decision 36.
//
// [OperationCommand] makes a command of an operation of internal/api: its flags are fields of the
// request, and a printer of package show prints the answer.
//
// The package knows no command. [Program] is the whole command line, for code that runs another
// command.
package ask
