import { DomainError } from '../../domain/errors.ts';
import type { Db } from '../../platform/mongo.ts';
import { announcing, type ChangeDeps } from '../changes/changes.service.ts';
import { getResource, slotsChanged, updateResource } from './resources.service.ts';
import { unsetSchedule } from './resources.store.ts';
import { everyDay, scheduleFaults } from './schedule-faults.rules.ts';
import { changeOfResources } from './venue-changes.rules.ts';
import type { ResourceRow, Schedule } from './venues.model.ts';

/** A resource's schedule; its operating hours on every day if none is set. @throws DomainError RESOURCE_NOT_FOUND */
export async function getSchedule(deps: { db: Db }, resourceId: string): Promise<Schedule> {
  const { schedule, opensAt, closesAt } = await getResource(deps, resourceId);
  return schedule ?? everyDay({ start: opensAt, end: closesAt });
}

/** Sets the schedule for new sales. @throws DomainError RESOURCE_NOT_FOUND; VALIDATION_ERROR naming each overlap */
export async function setSchedule(deps: ChangeDeps, resourceId: string, schedule: Schedule): Promise<ResourceRow> {
  return updateResource(deps, resourceId, { schedule: checkedSchedule(schedule) });
}

/** The schedule with sorted exceptions. @throws DomainError VALIDATION_ERROR naming every opening that overlaps */
export function checkedSchedule(schedule: Schedule): Schedule {
  const details = scheduleFaults(schedule);
  const [first] = details;
  if (first !== undefined) {
    throw new DomainError('VALIDATION_ERROR', `${first.path}: ${first.message}`, { details });
  }
  return { ...schedule, exceptions: schedule.exceptions.toSorted((a, b) => (a.date < b.date ? -1 : 1)) };
}

/** Removes the schedule: the operating hours apply every day again. @throws DomainError RESOURCE_NOT_FOUND */
export async function removeSchedule(deps: ChangeDeps, resourceId: string): Promise<void> {
  const resource = await getResource(deps, resourceId);
  const change = changeOfResources(resource.venueId, 'schedule', [resourceId]);
  await announcing(deps, change, (tx) => unsetSchedule(deps.db, resourceId, tx));
  await slotsChanged(deps, resource);
}
