//go:build cgo

package main

// outsideHeap is what the store holds outside of the heap, in a build with C: its cache
// and its memory tables.
const outsideHeap = 180 << 20
