// Package sandbox runs untrusted WebAssembly plugins so that a plugin can harm nothing but its own call.
//
// Three layers, outermost first:
//
//   - Scan reads a module without running it and refuses what cannot work or would keep the compiler busy, with an error that
//     says what to change (internal/module, internal/engine).
//   - A Plugin owns its worker processes: this same binary, started with WorkerArg, an empty environment and three pipes
//     (internal/worker), confined by the system (internal/layer). When a call passes its deadline, or a worker's resident memory
//     its limit, the worker is killed; the next NewInstance starts another.
//   - Inside the worker, an engine built on wazero serves the guest's imports: extism:host/env, fcp:host/env and a subset of
//     WASI preview 1 without files, arguments and environment, with a fixed clock and seeded random numbers (internal/engine).
//
// A worker holds many instances of its plugin and runs one call at a time. Nothing the worker says is trusted: frame lengths
// are checked before anything is allocated, texts are escaped and bounded, and the host limits logs again. Compiled code is kept on
// disk (internal/codecache).
//
// # Notes
//
//   - Compiled code has no termination checks: they cost more than the pipe and stop neither recursion nor modules that keep the
//     compiler busy. A late guest is stopped by killing its process.
//   - An Instance may be lost at any time. Its owner must rebuild what it held; Error.Fatal says when.
//   - The binary that imports this package must call RunWorker when its first argument is WorkerArg.
package sandbox
