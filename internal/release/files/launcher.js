#!/usr/bin/env node
// Starts the program from the package for this platform, which npm installs beside this one.
"use strict";
const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
let file;
try {
  file = require.resolve(`@fcp-host/${platform}/bin/fcp-host${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`fcp-host: there is no package @fcp-host/${platform} here. It is an optional dependency: install fcp-host again, without --omit=optional;`);
  console.error("fcp-host runs on Linux, macOS and Windows, on x64 and arm64.");
  process.exit(1);
}
const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends SIGINT to both processes; other signals reach only this one, so pass them on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`fcp-host: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
