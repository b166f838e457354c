//go:build !race

package kind

// raceDetector says whether the race detector is on, under which pools give nothing back.
const raceDetector = false
