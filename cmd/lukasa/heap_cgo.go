//go:build cgo

package main

// outsideHeap is the store's memory outside of the heap in a build with cgo: its cache and its
// memory tables.
const outsideHeap = 180 << 20
