// Package registry stores a server's own data as records of its board, in
// [lukasa.SystemTenant]: documents by name, such as keys and limits, and administrative acts in
// order.
//
// What was written without an error is on the disk, and survives a crash, a rebuild, and an
// export and import of that tenant. It does not authorize: its callers do.
package registry
