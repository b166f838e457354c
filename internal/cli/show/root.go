package show

import (
	"fmt"

	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/term"
)

// Root prints the state of a tenant.
func Root(s *term.Screen, a *answer.State) {
	fmt.Fprintf(s.Stdout, "%s\n", s.Paint.Bold(a.Root))
	s.Detail("tenant", a.Tenant)
	s.Detail("size", term.Thousands(int(a.Size)))
	s.Detail("time", moment(a.Time))
}

// Tenants prints the states of all tenants.
func Tenants(s *term.Screen, a *answer.Tenants) {
	rows := make([][]string, len(a.Tenants))
	for i, x := range a.Tenants {
		rows[i] = []string{x.Tenant, term.Thousands(int(x.Size)), moment(x.Time), x.Root}
	}
	s.Table("TENANT", "SIZE", "TIME", "ROOT").Rows(rows)
	more(s, a.Next, len(rows), "tenants")
}
