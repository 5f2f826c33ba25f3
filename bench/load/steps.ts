import { openPublish } from '../peers/publish.ts';
import {
  openFindBookings,
  openFindClaims,
  openInsert,
  openLosingInsert,
  openThreeWrites,
  openUpdate,
} from './driver-steps.ts';
import type { OpenStep } from './http-steps.ts';
import { openConfirm, openCycle, openGet, openHoldAndRelease, openPlaceHold } from './http-steps.ts';
import type { Pace } from './run-load.ts';
import { openSignedPost } from './signed-post.ts';

/** A load repeats one of these steps. Each opens its connections and returns the function that makes one call. */
export const STEPS = {
  'place-hold': openPlaceHold,
  confirm: openConfirm,
  cycle: openCycle,
  'hold-and-release': openHoldAndRelease,
  get: openGet,
  insert: openInsert,
  'losing-insert': openLosingInsert,
  update: openUpdate,
  'three-writes': openThreeWrites,
  'find-bookings': openFindBookings,
  'find-claims': openFindClaims,
  'signed-post': openSignedPost,
  publish: openPublish,
} as const satisfies Record<string, (params: never, callers: number) => OpenStep | Promise<OpenStep>>;

export type StepName = keyof typeof STEPS;

/** A load: which step to repeat, by how many callers and at which pace. */
export type Task<Name extends StepName = StepName> = {
  [N in Name]: { step: N; params: Parameters<(typeof STEPS)[N]>[0]; callers: number; pace: Pace };
}[Name];
