// Package access has the commands about who may do what, and how much: keys, quotas and scopes.
package access
