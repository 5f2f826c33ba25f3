/** The promises of docs/guarantees.md. This folder tests each; docs/evidence/guarantees.md has the figures. */
export const PROMISES = {
  1: 'No slot is ever sold twice.',
  2: 'Acknowledged changes survive the kill of any process or server, and happen only once.',
  3: 'Without Redis, sales continue; when Redis is back, even without its data, all due work is done.',
  4: 'Another worker takes over the work of a dead one; a frozen process repeats no change and sells no taken slot.',
  5: 'A write of unknown outcome gets 503; the same call with the same key then returns the one booking.',
  6: 'A host clock that is wrong or jumps breaks no selling rule, and ends or deletes nothing early.',
  7: 'Every process can be replaced under load.',
  8: 'A receiver that hangs or misbehaves does not block others.',
  9: 'After the response to a call that revokes, suspends or closes, no process acts on the old state.',
  10: 'Every call except recoveries, erasures and bulk calls ends within 12 s; within 10 s after a fault, calls succeed.',
} as const;

export type PromiseId = keyof typeof PROMISES;
