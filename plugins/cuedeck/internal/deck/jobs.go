package deck

import _ "embed"

// jobs are the jobs of the manifest.
//
//go:embed jobs.txt
var jobs string
