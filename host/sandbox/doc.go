// Package sandbox runs untrusted WebAssembly plugins so that a plugin can hurt nothing but its own call.
//
// Three layers, outermost first:
//
//   - Scan reads a module without running it and refuses what cannot work or what would burn the compiler, with an error
//     that says what to change.
//   - A Plugin owns one worker process: this same binary, started with WorkerArg, an empty environment and three pipes.
//     A call that passes its deadline, or a worker whose resident memory passes its cap, ends with the worker killed;
//     the next NewInstance starts another.
//   - Inside the worker an engine over wazero serves the guest's imports: extism:host/env, fcp:host/env and a subset of
//     WASI preview 1 that holds no files, no arguments, no environment, a fixed clock and a seeded random source.
//
// A worker holds many instances of its plugin and runs one call at a time. Nothing the worker says is trusted: frame lengths
// are checked before anything is allocated, texts are escaped and bounded, and logs are limited again on this side.
//
// # Notes
//
//   - There are no termination checks in compiled code: they cost more than the pipe does and stop neither recursion nor
//     compile bombs. A late guest is stopped by killing its process.
//   - An Instance may be gone at any time. Whatever it held must be rebuilt by its owner; Error.Fatal says when.
//   - The binary that imports this package must hand its process to RunWorker when its first argument is WorkerArg.
package sandbox
