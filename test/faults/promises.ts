/** The promises of docs/guarantees.md. This folder tests each; docs/evidence/guarantees.md has the figures. */
export const PROMISES = {
  1: 'No slot is ever sold twice.',
  2: 'Nothing that was acknowledged is lost, whatever process or server is killed; no change happens twice.',
  3: 'Without Redis, sales go on; when it is back, or empty, everything due still happens.',
  4: 'The work of a dead worker is taken up; a frozen process repeats nothing and sells nothing that was taken meanwhile.',
  5: 'A write in doubt is answered 503, and the same call again gives the one booking.',
  6: 'A host’s clock that is wrong or jumps sells nothing against the rules and ends or deletes nothing early.',
  7: 'Every process can be replaced under load.',
  8: 'A hostile receiver keeps nobody else waiting.',
  9: 'Once a change is answered that revokes, suspends or closes, no process goes by what was before.',
  10: 'No call but recoveries, erasures and bulk calls takes longer than 12 s, and within 10 s of any fault calls succeed.',
} as const;

export type PromiseId = keyof typeof PROMISES;
