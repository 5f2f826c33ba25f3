// Loaded into a process that is to run short of descriptors and heap: SIGUSR2 has it take nearly all, and the next give it back.
import { closeSync, openSync } from 'node:fs';

const MANY_FILES = 360;
const HEAP_BYTES = 235 * 1024 * 1024;

let taken;
process.on('SIGUSR2', () => {
  if (taken === undefined) {
    const files = [];
    try {
      while (files.length < MANY_FILES) files.push(openSync('/dev/null', 'r'));
    } catch {
      // As many as there are.
    }
    for (const file of files.splice(-20)) closeSync(file);
    // Numbers that are no small integers, each an object of the heap, live in its old space.
    taken = {
      files,
      heap: Array.from({ length: HEAP_BYTES / 1024 / 1024 }, () =>
        Array.from({ length: 131_072 }, () => 0.5),
      ),
    };
    return;
  }
  for (const file of taken.files) closeSync(file);
  taken = undefined;
});
