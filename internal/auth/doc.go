// Package auth authenticates callers: credentials, their rights, and their tenants.
//
// # What is guaranteed
//
//   - Only the hash of a key is stored, and its text is shown once. A created key is on
//     the disk. A revoked key no longer authenticates from that moment on, even after a
//     crash, and its watches end immediately.
//   - Every invalid bearer is refused with the same message, whatever is wrong with it,
//     and no lookup depends on a secret.
//   - The tenant is that of the credential. Only an operator names one, and never
//     [lukasa.SystemTenant].
//   - A scope token removes rights, trust and visibility, and never adds any.
//   - No key has more rights than its creator, and agents create none.
//
// # What is not
//
// internal/api authorizes operations by the [Principal]. docs/security.md describes credentials
// and what they protect from.
package auth
