import type mongoose from 'mongoose';
import type { Service } from './service.ts';

type Context = Service['context'];

const commandsOf = new WeakMap<Context, string[]>();

/**
 * Notes each command that the service sends to MongoDB from now on (`find venues`); its client has to monitor them (`monitoredUri`).
 */
export function watchCommands(context: Context): void {
  const commands: string[] = [];
  commandsOf.set(context, commands);
  context.db.getClient().on('commandStarted', (event: mongoose.mongo.CommandStartedEvent) => {
    commands.push(`${event.commandName} ${String(event.command[event.commandName])}`);
  });
}

/** The commands since the last call of this, in order. */
export const takeCommands = (context: Context): string[] => commandsOf.get(context)?.splice(0) ?? [];
