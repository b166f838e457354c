package hook

import "lukasa.dev/internal/concern"

// Question is a prompt, as what is known is compared with it.
type Question = concern.Question

// About takes a prompt apart.
func About(prompt string) *Question { return concern.About(prompt) }
