// Package show prints answers for a person: one function for each type of answer. It opens nothing
// and asks nothing; what it prints is in its arguments.
package show
