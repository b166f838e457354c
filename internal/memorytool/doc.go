// Package memorytool serves the memory tool of language models: files below /memories are
// memories of the tenant, and every change is a version.
//
// Paths are strict: no path leaves /memories, and no two paths name one file. Answers are the
// documented texts of the tool. An edit that another one overtakes is done again on the new
// text, a few times.
package memorytool
