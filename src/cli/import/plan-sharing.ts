import { textOf } from '../values.ts';
import type { WantedResource, WantedVenue } from './check.ts';
import type { Fault } from './file-content.ts';
import type { CurrentResource } from './read-current.ts';
import type { Ids, ResourceInPlan } from './steps.ts';
import { isHiddenNow, resourceKey } from './steps.ts';

/** Those that are there when a resource is made: the service gives each of them the new one in return. */
export function sharedWhenMade(
  { resources }: WantedVenue,
  { key, sharesWith }: WantedResource,
  current: ResourceInPlan['current'],
): string[] {
  const index = resources.findIndex((each) => each.key === key);
  const isThere = (each: WantedResource, at: number) =>
    at < index || current?.resources.has(each.key) === true;
  return resources
    .filter((each, at) => sharesWith.has(each.key) && isThere(each, at))
    .map((each) => each.key);
}

/**
 * What the completion of a resource says of its space where an interrupted import has made it: all that it is to share, for
 * the service may have been cut off while it related them. Ground shared with what the file does not name stays so.
 */
export function sharedWhenCompleted(
  { venue, resource, current }: ResourceInPlan,
  ids: Ids,
): { shares_space_with?: string[] } {
  const existing = current?.resources.get(resource.key);
  if (existing === undefined || !isSaid(resource)) return {};
  const idOf = (key: string) => ids.get(resourceKey(venue, key)) ?? '';
  const named = new Set(venue.resources.map(({ key }) => idOf(key)));
  const others = sharedIds(existing).filter((id) => !named.has(id));
  return { shares_space_with: [...sharedWhenMade(venue, resource, current).map(idOf), ...others] };
}

const isSaid = ({ saysShared, sharesWith }: WantedResource): boolean => saysShared || sharesWith.size > 0;

/** Whether the completion of the resource sets what it shares. */
const isSetLater = (wanted: WantedResource, existing: CurrentResource) =>
  isHiddenNow(existing) && isSaid(wanted);

/**
 * Where two resources are there, they must agree with the file: a change of what they share takes them off sale for a moment and
 * is rejected where claims overlap, so it is a command of its own. What an interrupted import has left of one of them is completed.
 */
export function sharingFaults({ venue, resource, current }: ResourceInPlan): Fault[] {
  const existing = current?.resources.get(resource.key);
  if (existing === undefined) return [];
  const others = venue.resources.filter(({ key }) => key !== resource.key);
  return others.flatMap((other) => {
    const otherExisting = current?.resources.get(other.key);
    if (otherExisting === undefined) return [];
    const [isShared, shouldBe] = [shares(existing, otherExisting), resource.sharesWith.has(other.key)];
    if (isSetLater(resource, existing) || isSetLater(other, otherExisting)) return [];
    const isSpokenOf = resource.saysShared || other.saysShared;
    // Each pair once, and nothing that the file does not speak of.
    const isSecond = venue.resources.indexOf(other) < venue.resources.indexOf(resource);
    if (isShared === shouldBe || !isSpokenOf || isSecond) return [];
    const message = shouldBe
      ? `should share space with ${other.body.name}, but does not`
      : `should not share space with ${other.body.name}, but does`;
    return [
      {
        ...{ line: resource.line, subject: `${venue.body.name} / ${resource.body.name}` },
        ...{
          path: 'shares_space_with',
          message: `${message}. An import does not change that. Run: operator resource update ${existing.id} --shares-space-with …`,
        },
      },
    ];
  });
}

function shares(one: CurrentResource, other: CurrentResource): boolean {
  return sharedIds(one).includes(other.id);
}

function sharedIds({ fields }: CurrentResource): string[] {
  const { shares_space_with: ids } = fields;
  return Array.isArray(ids) ? ids.map(textOf) : [];
}
