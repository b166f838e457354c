// Package auth knows who calls: credentials, what they may do, and for whom.
package auth
