// Package knowledge has the commands about what was learned: compile, artifacts, conflicts,
// fingerprints, and the models that embed texts and refine titles.
package knowledge
