// Package auth knows who calls: credentials, what they may do, and for whom.
//
// # What is guaranteed
//
//   - Of a key only a hash is kept, and its text is shown once. A key that was made is on
//     the disk; one that was revoked authenticates nobody from that moment on, after a
//     crash too, and whoever watches it is told at once.
//   - Every bearer that is not good is refused in the same words, whatever is wrong with
//     it, and nothing is looked up by a secret.
//   - The tenant is that of the credential. Only an operator names one, and never
//     [lukasa.SystemTenant].
//   - A scope token takes rights, trust and sight away, and never adds any.
//   - Nobody makes a key that may more than its maker, and no agent makes one.
//
// # What is not
//
// Whether a caller may do something is decided by internal/api, by what a [Principal]
// says. docs/security.md describes credentials and what they protect from.
package auth
