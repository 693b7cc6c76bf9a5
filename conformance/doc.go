// Package conformance holds the fixtures that say what FCP means, and the
// runner that holds an implementation against them.
//
// A fixture file is plain JSON that any language can read: a suite's name and
// tests of input and expected output. The suites of this package are in
// fixtures/, embedded. [Read] reads files that others wrote, in the same shape
// or in the older one whose tests hold operations and assertions.
//
// An [Adapter] gives what an implementation makes of one input. [Native] has
// those of this repository; the packages that they call run the same files in
// their own tests, so a rule is written down once.
//
// # Notes
//
//   - Objects are compared by the keys that expected holds, so a fixture says as much as it means to. params and args are
//     compared key for key.
//   - Selectors may be expected as objects or as raw strings.
//   - The suites of StepSuites hold steps for a server that serves the domain "names", which
//     docs/conformance.md describes. They need [Tools], the four tools of one.
package conformance
