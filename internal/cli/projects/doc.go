// Package projects has the command `lukasa project`, and what a person set for single projects:
// whether sessions are recorded, and the enforcement of rules.
package projects
