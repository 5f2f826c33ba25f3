import type mongoose from 'mongoose';
import type { Service } from './service.ts';

type Context = Service['context'];

const commandsOf = new WeakMap<Context, string[]>();

/** Records the service's commands to MongoDB, such as `find venues`. The service must use a `monitoredUri`. */
export function watchCommands(context: Context): void {
  const commands: string[] = [];
  commandsOf.set(context, commands);
  context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
    commands.push(`${event.commandName} ${String(event.command[event.commandName])}`);
  });
}

/** The commands since the last call of `takeCommands`, in order. */
export const takeCommands = (context: Context): string[] => commandsOf.get(context)?.splice(0) ?? [];
