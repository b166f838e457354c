//go:build cgo

package node

// outsideHeap is the store's memory outside of the heap in a build with cgo: its cache and its
// memory tables.
func outsideHeap(cache int64) int64 { return cache + 132<<20 }
