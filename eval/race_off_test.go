//go:build !race

package eval

// raceDetector says whether the race detector is on, under which a thousand questions
// take minutes.
const raceDetector = false
