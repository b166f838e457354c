// Package setup has the commands that connect Lukasa with a machine: install and uninstall, the
// backfill of old transcripts, and doctor, which examines the result.
package setup
