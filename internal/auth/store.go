package auth

// Store is the credentials of a server.
type Store struct{}
