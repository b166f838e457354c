//go:build !(amd64 || arm64) || purego

package vector

// available returns all kernels that there are here.
func available() []kernels { return []kernels{plain()} }
