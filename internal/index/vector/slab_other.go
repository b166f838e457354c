//go:build !linux

package vector

// preferLarge would ask for large pages.
func preferLarge([]byte) {}
