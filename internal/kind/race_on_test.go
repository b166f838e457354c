//go:build race

package kind

const raceDetector = true
