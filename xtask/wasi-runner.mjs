// Runs a WASI program (a test binary built for wasm32-wasip1) under Node.
//
//   CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings $PWD/xtask/wasi-runner.mjs" \
//     cargo test -p dicechess-core --target wasm32-wasip1
//
// The program sees the workspace at its own absolute path, so that tests find their fixtures, and
// nothing else of the machine.

import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { argv, env, exit } from "node:process";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";

const PASSED_ON = ["RUST_BACKTRACE", "PROPTEST_CASES"];

const workspace = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const [program, ...args] = argv.slice(2);
if (program === undefined) {
  console.error("usage: node wasi-runner.mjs PROGRAM [ARGUMENT…]");
  exit(2);
}

const wasi = new WASI({
  version: "preview1",
  args: [program, ...args],
  env: {
    // There are no threads to start tests in.
    RUST_TEST_THREADS: "1",
    // A panic ends the program before libtest could print what it has captured.
    RUST_TEST_NOCAPTURE: "1",
    ...pick(env, PASSED_ON),
  },
  preopens: { [workspace]: workspace },
  returnOnExit: true,
});

const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
// A trap, which a panic comes down to, ends Node with status 1.
process.exitCode = wasi.start(instance);

function pick(from, names) {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}
