/** What every step of the demo's story works with. */

import type { Api } from './api.ts';
import type { Cleanup } from './cleanup.ts';
import type { Receiver } from './receiver.ts';
import type { Transcript } from './transcript.ts';

export interface StepContext {
  /** The API as the partner of this run. */
  readonly partner: Api;
  readonly partnerId: string;
  readonly transcript: Transcript;
  readonly cleanup: Cleanup;
  readonly receiver: Receiver;
}
