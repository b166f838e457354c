//go:build !cgo

package node

// outsideHeap is the store's memory outside of the heap: none in a build without cgo.
func outsideHeap(int64) int64 { return 0 }
