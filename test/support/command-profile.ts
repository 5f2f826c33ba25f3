import { eventually } from './eventually.ts';
import type { HostedService } from './service-host.ts';

type Database = NonNullable<HostedService['context']['db']['db']>;

/** Has the database record every command from now on, in an empty `system.profile` that has room for all of them. */
export async function startProfile(db: Database): Promise<void> {
  await eventually('the record is empty', async () => {
    // What was under way when it was dropped has made it anew.
    await db.collection('system.profile').drop();
    await db.createCollection('system.profile', { capped: true, size: 32 * 1024 * 1024 });
    return true;
  });
  await db.command({ profile: 2 });
}
