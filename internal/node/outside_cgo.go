//go:build cgo

package node

// outsideHeap is what the store holds outside of the heap, in a build with C: its cache
// and its memory tables.
func outsideHeap(cache int64) int64 { return cache + 132<<20 }
