package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// vulnerable is the exit code of govulncheck if it found something. All others but 0 mean that it did not finish.
const vulnerable = 3

// checkVulnerabilities runs govulncheck as the command argv and writes to record what came of it. The record is no part of a release, since
// it depends on the day. The error says that nothing may be published.
func checkVulnerabilities(record string, argv []string) error {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	var exit *exec.ExitError
	result := "checked: nothing in the programs calls code with a known vulnerability"
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == vulnerable:
		result = "checked: the programs have known vulnerabilities"
	case err != nil:
		result = fmt.Sprintf("not checked for known vulnerabilities (%v)", err)
	}
	if err := os.WriteFile(record, fmt.Appendf(nil, "%s\n\n%q\n%s", result, argv, out), 0o644); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: see %s", result, record)
	}
	return nil
}
