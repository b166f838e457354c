//go:build !race

package node

// sparse is of how many cells of the matrix one is tried.
const sparse = 1
