// Package access has the commands for keys, quotas and scopes.
package access
