package secret

// Rules returns the rules in the order in which they are tried.
func Rules() []Rule {
	list := make([]Rule, len(rules))
	for i, r := range rules {
		list[i] = Rule{r.name, r.what}
	}
	return list
}
