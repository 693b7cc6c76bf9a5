// Package conformance holds the fixtures that define FCP, and runs them against an implementation.
//
// A fixture file is plain JSON that any language can read: the name of a suite, and tests with input and expected
// output. The suites of this package are in fixtures/, embedded. [Read] reads other files of the same format, or of the
// older one whose tests have operations and assertions.
//
// An [Adapter] returns what an implementation makes of one input. [Native] returns those of this repository; the tested
// packages run the same files in their own tests, so each rule is written down once.
//
// # Notes
//   - Objects are compared by the keys that expected has, so a fixture can leave things open. params and args are compared
//     key for key.
//   - Selectors may be expected as objects or as raw strings.
//   - The suites of StepSuites have steps for a server of the domain "names", which docs/conformance.md describes. They
//     need [Tools], the four tools of a domain.
package conformance
