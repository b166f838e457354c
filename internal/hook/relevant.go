package hook

import "lukasa.dev/internal/concern"

// Question is an analysed prompt, with which records are compared.
type Question = concern.Question

// About analyses a prompt.
func About(prompt string) *Question { return concern.About(prompt) }
