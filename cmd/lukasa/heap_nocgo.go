//go:build !cgo

package main

// outsideHeap is the store's memory outside of the heap: none in a build without cgo.
const outsideHeap = 0
