import type { ApiRequest } from '../client.ts';
import type { Change } from './changes.ts';
import type { Fault } from './file-content.ts';

export type Action = 'create' | 'change' | 'remove' | 'complete';
export type Kind = 'venue' | 'resource' | 'schedule' | 'price rule';

/** The ids of venues and resources by their keys: those that the service has, and those that it answers while applying. */
export type Ids = Map<string, string>;

/** One call that brings the service nearer to the file. */
export type Step = {
  action: Action;
  kind: Kind;
  venue: string;
  resource?: string;
  /** Of a price rule. */
  name?: string;
  line: number;
  /** Of what is there already; empty for what is new. */
  changes: Change[];
  note?: string;
  request: (ids: Ids) => ApiRequest;
  /** Takes the id out of the response, where something was made to which later steps belong. */
  learn?: (answer: unknown, ids: Ids) => void;
};

export type Plan = { steps: Step[]; unchanged: number; ids: Ids; faults: Fault[] };
