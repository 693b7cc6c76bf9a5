package session

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// file is what open read.
type file struct {
	real  string
	data  []byte
	stamp files.Stamp
}

func readFile(roots *files.Roots, path string) (f file, err error) {
	if f.real, err = roots.Resolve(path); err == nil {
		f.data, f.stamp, err = roots.Read(f.real)
	}
	return f, err
}

// source reads the file at path, for the domain it belongs to and within that
// domain's roots. Unified, it is the content that says whose it is, so any
// domain's roots will do to look.
func (c *call) source(path string) (d *domain.Domain, roots *files.Roots, f file, no *reply.Reply) {
	d = c.s.domain(c.dom)
	roots = c.s.rootsOf(d)
	f, err := readFile(roots, path)
	if c.dom == "" {
		for _, other := range c.s.domains {
			if own := c.s.rootsOf(other); err != nil && own != roots {
				if g, again := readFile(own, path); again == nil {
					roots, f, err = own, g, nil
				}
			}
		}
	}
	if err == nil && c.dom == "" {
		if d = c.s.pick(f.real, f.data); d == nil {
			var known []string
			for _, d := range c.s.domains {
				known = append(known, fmt.Sprintf("%s (%s)", d.Name(), strings.Join(d.Manifest.Extensions, " ")))
			}
			return nil, nil, f, reply.Errorf(nil, "cannot open %s: no loaded domain knows this kind of file; there are %s", roots.Show(f.real), strings.Join(known, ", "))
		}
		if own := c.s.rootsOf(d); own != roots {
			roots = own
			f, err = readFile(roots, path)
		}
	}
	if err != nil {
		return nil, nil, f, reply.Errorf(nil, "cannot open %s", err)
	}
	return d, roots, f, nil
}
