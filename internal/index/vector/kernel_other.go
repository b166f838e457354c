//go:build !(amd64 || arm64) || purego

package vector

// available returns all kernels of this platform.
func available() []kernels { return []kernels{plain()} }
