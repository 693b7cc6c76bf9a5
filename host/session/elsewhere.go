package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/reply"
)

// Elsewhere is a domain that the host could serve if it were started otherwise.
type Elsewhere struct {
	Name       string
	Extensions []string // of the files it opens
	Advice     string   // how to have it served, as an imperative
}

// WhyNoTool says why there is no tool of a name, whose domain would be dom; "" if there is no such domain.
func (s *Session) WhyNoTool(tool, dom string) string {
	c := s.source.Catalog()
	for _, a := range c.Absent {
		if strings.EqualFold(a.Name, dom) {
			return fmt.Sprintf("there is no tool %s: %s is not served: %s", quoteShort(tool), dom, reply.Line(a.Why))
		}
	}
	if why := s.unserved(func(e Elsewhere) bool { return strings.EqualFold(e.Name, dom) }); why != "" {
		return fmt.Sprintf("there is no tool %s: %s", quoteShort(tool), why)
	}
	return ""
}

// unserved returns a sentence about the first domain that fits and is not served; "" for none.
func (s *Session) unserved(fits func(Elsewhere) bool) string {
	if s.Others == nil {
		return ""
	}
	for _, e := range s.Others() {
		if fits(e) && s.servedDomain(e.Name) == nil {
			opens := "folders"
			if len(e.Extensions) > 0 {
				opens = strings.Join(e.Extensions, ", ") + " files"
			}
			return fmt.Sprintf("%s opens %s and is not served here: %s", e.Name, opens, e.Advice)
		}
	}
	return ""
}

// openFile is open, and names the domain of a file that no served domain opens.
func (c *call) openFile() (*reply.Reply, error) {
	r := answered(c.open())
	c.addMap(r)
	path, given := c.op.Param("path")
	if !given && len(c.op.Positionals) > 0 {
		path = c.op.Positionals[0].Text
	}
	if ext := strings.ToLower(filepath.Ext(path)); r.Failed && ext != "" && !c.fits(nil)(filepath.Base(path)) {
		why := c.s.unserved(func(e Elsewhere) bool { return slices.Contains(e.Extensions, ext) })
		if why != "" {
			r.Results = append(r.Results, reply.Result{Prefix: reply.Warning, Text: why})
		}
	}
	return r, nil
}
