// Package files has the commands that read and write the files of the caller: events, exports of
// tenants, recordings of other programs, and memories as Markdown.
package files
