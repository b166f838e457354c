package answer

import "lukasa.dev/internal/auth"

// NewKey is a new credential with its token, which is shown once.
type NewKey struct {
	Token string    `json:"token"`
	Key   auth.Info `json:"key"`
}

// Keys are credentials, oldest first.
type Keys struct {
	Keys []auth.Info `json:"keys"`
	Next *string     `json:"next"`
}

// Acts are administrative acts, oldest first.
type Acts struct {
	Acts []auth.Act `json:"acts"`
	Next *string    `json:"next"`
}
