package evals

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// Report is the runs of one model.
type Report struct {
	Model   string `json:"model"`
	Command string `json:"command,omitempty"` // of the MCP server of the arm tools, if it is not our own
	Runs    []Run  `json:"runs"`
}

// Write writes the runs as a table with a sum for each arm, and after it the reasons of those that are not done and faithful.
func (r Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "card\tarm\trun\tcalls\terrors\twritten\tread\tpictures\tdescriptions\tseconds\tdone\tfaithful")
	row := func(x Run, run, done, faithful string) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%s\t%s\n", x.Card, x.Arm, run, x.Calls, x.Errors, x.Written, x.Read, x.Pictures, x.Descriptions, x.Seconds, done, faithful)
	}
	for _, x := range r.Runs {
		row(x, fmt.Sprint(x.Number), yes(x.Done), yes(x.Faithful))
	}
	for _, arm := range Arms {
		sum, n, done, faithful := Run{Card: "all", Arm: arm}, 0, 0, 0
		for _, x := range r.Runs {
			if x.Arm != arm {
				continue
			}
			n++
			sum.Calls, sum.Errors, sum.Written, sum.Read = sum.Calls+x.Calls, sum.Errors+x.Errors, sum.Written+x.Written, sum.Read+x.Read
			sum.Pictures, sum.Descriptions, sum.Seconds = sum.Pictures+x.Pictures, sum.Descriptions+x.Descriptions, sum.Seconds+x.Seconds
			done, faithful = done+one(x.Done), faithful+one(x.Faithful)
		}
		if n > 1 {
			row(sum, fmt.Sprint(n), fmt.Sprintf("%d/%d", done, n), fmt.Sprintf("%d/%d", faithful, n))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, x := range r.Runs {
		why := x.Why
		if x.Error != "" {
			why = append([]string{"ended early: " + x.Error}, why...)
		}
		for _, line := range why {
			if _, err := fmt.Fprintf(w, "%s %s %d: %s\n", x.Card, x.Arm, x.Number, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func yes(b bool) string { return [2]string{"no", "yes"}[one(b)] }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Save writes the transcript into a file of the folder, which is created: DOMAIN-NAME.ARM.NUMBER.json.
func (t Transcript) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := fmt.Sprintf("%s.%s.%d.json", strings.ReplaceAll(t.Run.Card, "/", "-"), t.Run.Arm, t.Run.Number)
	return WriteJSON(filepath.Join(dir, name), t)
}

// WriteJSON writes a value into a file.
func WriteJSON(name string, v any) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
