import type mongoose from 'mongoose';
import { replace } from '../support/collection-calls.in-host.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** The next look for the grant at a slot of the venue finds one, whatever there is. */
export function feignGrant(context: Context, venueId: string): void {
  replace(context, 'resources.aggregate', () => (_given, end) => {
    end();
    return {
      toArray: async () => {
        const [row] = await context.db.collection('resources').find({ venueId }).toArray();
        return [{ ...row, grants: [{}] }];
      },
    };
  });
}

const commandsOf = new WeakMap<Context, string[]>();

/** Notes each command that the service sends from now on; its client has to monitor them. */
export function monitorCommands(context: Context): void {
  if (!commandsOf.has(context)) {
    context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
      commandsOf.get(context)?.push(`${event.commandName} ${String(event.command[event.commandName])}`);
    });
  }
  commandsOf.set(context, []);
}

export const commandsMonitored = (context: Context): string[] => commandsOf.get(context) ?? [];
