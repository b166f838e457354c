// Package projects has the command `lukasa project`, and what a person set for single projects:
// whether sessions are recorded, and what becomes of an action that a rule forbids.
package projects
