//go:build !cgo

package main

// outsideHeap is what the store holds outside of the heap: nothing, in a build without C.
const outsideHeap = 0
