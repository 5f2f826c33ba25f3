import { DomainError } from '../../domain/errors.ts';
import type { Db } from '../../platform/mongo.ts';
import { everyDay, scheduleFaults } from './schedule.rules.ts';
import type { Schedule } from './venues.model.ts';
import { getResource, slotsChanged, updateResource } from './venues.service.ts';
import { unsetSchedule } from './venues.store.ts';

/** The schedule of a resource; its operating hours on every day where none was set. @throws DomainError RESOURCE_NOT_FOUND */
export async function getSchedule(deps: { db: Db }, resourceId: string): Promise<Schedule> {
  const { schedule, opensAt, closesAt } = await getResource(deps, resourceId);
  return schedule ?? everyDay({ start: opensAt, end: closesAt });
}

/**
 * Replaces the schedule of a resource for what is sold from now on: reservations stay as they are, and nothing can be sold
 * over them, whatever the slots are now (ADR 0002).
 * @throws DomainError RESOURCE_NOT_FOUND; VALIDATION_ERROR naming every opening that overlaps another
 */
export async function setSchedule(
  deps: { db: Db },
  resourceId: string,
  schedule: Schedule,
): Promise<Schedule> {
  const checked = checkedSchedule(schedule);
  await updateResource(deps, resourceId, { schedule: checked });
  return checked;
}

/** The schedule with its exceptions by date. @throws DomainError VALIDATION_ERROR naming every opening that overlaps another */
export function checkedSchedule(schedule: Schedule): Schedule {
  const details = scheduleFaults(schedule);
  const [first] = details;
  if (first !== undefined) {
    throw new DomainError('VALIDATION_ERROR', `${first.path}: ${first.message}`, { details });
  }
  return { ...schedule, exceptions: schedule.exceptions.toSorted((a, b) => (a.date < b.date ? -1 : 1)) };
}

/**
 * Takes the schedule of a resource away, so that its operating hours are those of every day again. Safe to repeat.
 * @throws DomainError RESOURCE_NOT_FOUND
 */
export async function removeSchedule(deps: { db: Db }, resourceId: string): Promise<void> {
  const resource = await getResource(deps, resourceId);
  await unsetSchedule(deps.db, resourceId);
  await slotsChanged(deps, resource);
}
