//go:build !cgo

package node

// outsideHeap is what the store holds outside of the heap: nothing, in a build without C.
func outsideHeap(int64) int64 { return 0 }
