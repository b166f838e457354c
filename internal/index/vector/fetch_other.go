//go:build !amd64 || purego

package vector

// fetch does nothing: it leaves prefetching to the processor.
func fetch([]byte) {}
