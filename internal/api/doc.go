// Package api is the table of operations: what clients can request of a board, which rights
// that needs, and the types of request and answer.
//
// HTTP and MCP serve the table, and tests compare the command line with it. So all of them
// offer every operation, and one function, [operation.Allow], decides what a caller may do.
package api
