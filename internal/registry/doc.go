// Package registry keeps what a server knows of itself as records of its board, in
// [lukasa.SystemTenant]: documents by name, such as keys and limits, and acts, which are
// what operators did, one after the other.
//
// What it returned without an error is on the disk, and is there after a crash, a rebuild,
// and an export and import of that tenant. It checks no rights: that is for its callers.
package registry
