package benchcli

import (
	"fmt"

	"lukasa.dev/eval"
)

// rowTitles are the titles of the rows of an evaluation.
var rowTitles = map[string]string{
	eval.RowBM25:    "plain BM25",
	eval.RowRecall:  "recall",
	eval.RowPack:    "pack",
	eval.RowFitted:  "recall, fitted elsewhere",
	eval.RowWords:   "recall, by words",
	eval.RowMeaning: "recall, by meaning",
	eval.RowAll:     "recall, by all",
}

// showEval prints how much of the evidence was found.
func (s *console) showEval(r *eval.Report) {
	asked := 0
	if len(r.Rows) > 0 {
		asked = r.Rows[0].All.Questions
	}
	fmt.Fprintf(s.stdout, "%s about %s of %s\n", counted(asked, "question"), counted(r.Events, "event"), counted(r.Tenants, "tenant"))
	s.showFigures("all", r.Rows, func(row *eval.Row) *eval.Figures { return &row.All })
	if len(r.Rows) > 0 {
		for i := range r.Rows[0].Categories {
			s.showFigures(r.Rows[0].Categories[i].Name, r.Rows, func(row *eval.Row) *eval.Figures { return &row.Categories[i].Figures })
		}
	}
	if len(r.Weights) > 0 {
		fmt.Fprintf(s.stdout, "\n%-26s %9s %9s  %s\n", s.bold("weights"), "shipped", "fitted", "without each tenant")
		for _, w := range r.Weights {
			fmt.Fprintf(s.stdout, "  %-24s %9.3f %9.3f ", oneLine(w.Part), w.Shipped, w.Fitted)
			for _, x := range w.Without {
				fmt.Fprintf(s.stdout, " %.3f", x)
			}
			fmt.Fprintln(s.stdout)
		}
	}
	s.showKept(r.Directory)
}

// showFigures prints the figures of one category, a line for each ranking.
func (s *console) showFigures(category string, rows []eval.Row, of func(*eval.Row) *eval.Figures) {
	if len(rows) == 0 {
		return
	}
	title := fmt.Sprintf("%s (%s)", oneLine(category), thousands(of(&rows[0]).Questions))
	fmt.Fprintf(s.stdout, "\n%s %6s %6s %6s  %6s %6s %6s %6s\n", s.bold(fmt.Sprintf("%-26s", title)), "@5", "@10", "@20", "500", "1000", "2000", "4000")
	for i := range rows {
		f := of(&rows[i])
		fmt.Fprintf(s.stdout, "  %-24s %6.3f %6.3f %6.3f  %6.3f %6.3f %6.3f %6.3f\n",
			rowTitles[rows[i].Name], f.At5, f.At10, f.At20, f.Within500, f.Within1000, f.Within2000, f.Within4000)
	}
}

// showEvalDocuments prints how well documents were found.
func (s *console) showEvalDocuments(r *eval.DocumentReport) {
	queries := "queries"
	if r.Queries == 1 {
		queries = "query"
	}
	fmt.Fprintf(s.stdout, "%s %s, %s\n\n", thousands(r.Queries), queries, counted(r.Documents, "document"))
	fmt.Fprintf(s.stdout, "%-26s %8s %10s\n", "", "nDCG@10", "recall@100")
	for _, row := range r.Rows {
		fmt.Fprintf(s.stdout, "  %-24s %8.3f %10.3f\n", rowTitles[row.Name], row.NDCG10, row.Recall100)
	}
	s.showKept(r.Directory)
}

// showKept prints where the data directory is.
func (s *console) showKept(dir string) {
	if dir != "" {
		fmt.Fprintf(s.stdout, "\nthe data directory is %s\n", oneLine(dir))
	}
}
