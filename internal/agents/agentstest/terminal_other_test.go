//go:build !unix

package agentstest

// dialog needs a pseudo-terminal.
func dialog(b *bench) { b.Skip("there is no pseudo-terminal here") }
