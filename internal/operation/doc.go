// Package operation describes operations: requests to a board with one answer each, the
// fields of the request, the rights that it needs, and the call with its caller and board.
//
// It decodes requests strictly: the error for a bad one names the field, the rule and the
// fix. [Allow] is the only place that decides what a credential permits. Schemas are made of
// the types of request and answer, so that documents, tools and clients equal what is
// decoded. The operations themselves are in package api.
package operation
