import { afterAll, expect, test } from '@jest/globals';
import { inParallel } from '../support/in-parallel.ts';
import { isLongTier, scaled } from '../support/scale.ts';
import { hostedService } from '../support/service-host.ts';
import { anyCandidate, certifyModel, withOutcome } from './certification-scene.ts';
import { ROWS } from './defects.ts';

/** The runs mostly wait, so they can run concurrently. */
const AT_A_TIME = 4;

const service = await hostedService({ hasWorkers: true });
afterAll(() => service.stop());

test(
  `each defect fails the scenarios that are to catch it${isLongTier ? ', and no others' : ''}`,
  async () => {
    const wrong: Record<string, unknown> = {};
    await inParallel(ROWS, AT_A_TIME, async ({ defect, caughtBy, mayAlsoFail }) => {
      const candidate = await anyCandidate(service);
      const report = await certifyModel(candidate, [defect], isLongTier ? undefined : caughtBy);
      const failed = withOutcome(report, 'failed');
      const passed = caughtBy.filter((id) => !(id in failed));
      const others = Object.entries(failed).filter(([id]) => ![...caughtBy, ...mayAlsoFail].includes(id));
      if (passed.length + others.length > 0) wrong[defect] = { passed, others };
    });
    expect(wrong).toEqual({});
  },
  scaled(1_800_000, 300_000),
);
