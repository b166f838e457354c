//go:build race

package text

const raceDetector = true
