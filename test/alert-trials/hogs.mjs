/* oxlint-disable unicorn/no-new-array -- in such arrays, each number takes eight bytes of the heap */
// Preloaded into a process: on SIGWINCH, which nothing else handles, uses up nearly all its descriptors and heap.
import { closeSync, openSync } from 'node:fs';

const FILES_LEFT = 30;
const HEAP_MIB = 235;
const NUMBERS_PER_MIB = 131_072;

function takeFiles() {
  const files = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    for (const file of files.splice(-FILES_LEFT)) closeSync(file);
  }
}

const taken = [];
process.on('SIGWINCH', () => {
  takeFiles();
  for (let mib = 0; mib < HEAP_MIB; mib += 1) taken.push(new Array(NUMBERS_PER_MIB).fill(0.5));
});
