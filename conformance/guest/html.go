package guest

import (
	"embed"
	"html/template"
	"io"
)

//go:embed report.html
var pages embed.FS

// WriteHTML writes reports as one HTML page to publish, without scripts or other files.
func WriteHTML(w io.Writer, reports []*Report) error {
	t, err := template.New("report.html").Funcs(template.FuncMap{
		"slowest": func(r *Report) []Measure { return r.slowest(len(r.Measures)) },
		"share":   func(b Budget) int { return min(100, int(100*b.Value/max(b.Limit, 1))) },
		"kilo":    func(n int) int { return (n + 999) / 1000 },
		"broken":  func(r *Report) int { return r.broken() },
	}).ParseFS(pages, "report.html")
	if err != nil {
		return err
	}
	return t.Execute(w, reports)
}
