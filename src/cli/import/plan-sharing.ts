import { textOf } from '../values.ts';
import type { WantedResource } from './check.ts';
import type { Fault } from './file-content.ts';
import type { CurrentResource } from './read-current.ts';
import { type Ids, isHiddenNow, type ResourceInPlan, resourceKey } from './steps.ts';

type InPlan = Pick<ResourceInPlan, 'venue' | 'resource' | 'current' | 'existing'>;

/** The keys of existing resources that share space with a new one; the service relates both directions. */
export function sharedWhenMade({ venue, resource, current }: InPlan): string[] {
  const index = venue.resources.indexOf(resource);
  return venue.resources
    .filter(({ key }, at) => resource.sharesWith.has(key) && (at < index || current?.resources.has(key)))
    .map(({ key }) => key);
}

/**
 * The shared space to set on a resource that an interrupted import created. Lists everything: the service may have been
 * cut off while relating resources. Space shared with resources outside the file stays.
 */
export function sharedWhenCompleted(inPlan: InPlan, ids: Ids): { shares_space_with?: string[] } {
  const { venue, resource, existing } = inPlan;
  if (existing === undefined || !saysAnything(resource)) return {};
  const idOf = (key: string) => ids.get(resourceKey(venue, key)) ?? '';
  const named = new Set(venue.resources.map(({ key }) => idOf(key)));
  const others = sharedIds(existing).filter((id) => !named.has(id));
  return { shares_space_with: [...sharedWhenMade(inPlan).map(idOf), ...others] };
}

/**
 * Existing resources must agree with the file: changing shared space takes them off sale for a moment, and fails if
 * holds or bookings overlap, so it needs a separate command. Resources of an interrupted import are completed.
 */
export function sharingFaults({ venue, resource, current, existing }: InPlan): Fault[] {
  if (existing === undefined || !resource.saysShared || isSetLater(resource, existing)) return [];
  return venue.resources.flatMap((other) => {
    const otherExisting = current?.resources.get(other.key);
    if (other === resource || otherExisting === undefined || isSetLater(other, otherExisting)) return [];
    const shouldBe = resource.sharesWith.has(other.key);
    if (sharedIds(existing).includes(otherExisting.id) === shouldBe) return [];
    const difference = shouldBe
      ? `should share space with ${other.body.name}, but does not`
      : `should not share space with ${other.body.name}, but does`;
    const message = `${difference}. An import does not change that. Run: operator resource update ${existing.id} --shares-space-with …`;
    const subject = `${venue.body.name} / ${resource.body.name}`;
    return [{ line: resource.line, subject, path: 'shares_space_with', message }];
  });
}

const saysAnything = ({ saysShared, sharesWith }: WantedResource) => saysShared || sharesWith.size > 0;

const isSetLater = (wanted: WantedResource, existing: CurrentResource) => isHiddenNow(existing) && saysAnything(wanted);

function sharedIds({ fields }: CurrentResource): string[] {
  const { shares_space_with: ids } = fields;
  return Array.isArray(ids) ? ids.map(textOf) : [];
}
