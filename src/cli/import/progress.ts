import { Presets, SingleBar } from 'cli-progress';
import type { Terminal } from '../terminal.ts';
import { printable } from '../terminal.ts';
import { stepText } from './report.ts';
import type { Step } from './steps.ts';

export type Progress = { show: (step: Step, doneCount: number) => void; end: () => void };

const TEXT_WIDTH = 38;

/** A bar on standard error where that is a terminal; nothing for programs, in pipes, or where NO_COLOR asks for plain output. */
export function progressOn({ err, environment }: Terminal, total: number, isForPrograms: boolean): Progress {
  if (!err.isTty || environment.noColor || isForPrograms) {
    return { show: () => undefined, end: () => undefined };
  }
  const bar = new SingleBar(
    {
      ...{ format: '{bar} {value}/{total} {what}', barsize: 20, stream: process.stderr },
      ...{ clearOnComplete: true, stopOnComplete: false, linewrap: true, gracefulExit: false, fps: 20 },
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { what: '' });
  return {
    show: (step, doneCount) => {
      bar.update(doneCount, { what: printable(stepText(step)).slice(0, TEXT_WIDTH) });
    },
    end: () => bar.stop(),
  };
}
