// Package api is the table of operations: what can be asked of a board from outside, by
// whom, with which request, for which answer.
//
// HTTP and MCP serve the table; the command line is compared with it. So all of them have
// all of it, and whether a caller may do something is decided in one place, [Allow].
package api
