//go:build !(amd64 || arm64) || purego

package vector

// quickest returns the kernels that every processor has.
func quickest() kernels { return plain() }

// available returns all kernels that there are here.
func available() []kernels { return []kernels{plain()} }

// fetch does nothing: when a row is near enough is left to the processor.
func fetch([]byte) {}
