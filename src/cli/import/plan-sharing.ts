import { textOf } from '../values.ts';
import type { WantedResource } from './check.ts';
import type { Fault } from './file-content.ts';
import type { CurrentResource } from './read-current.ts';
import { type Ids, isHiddenNow, type ResourceInPlan, resourceKey } from './steps.ts';

type InPlan = Pick<ResourceInPlan, 'venue' | 'resource' | 'currentVenue' | 'existing'>;

/** The keys of earlier resources that share space with this new one. The service records both directions. */
export function sharedAtCreation({ venue, resource, currentVenue }: InPlan): string[] {
  const index = venue.resources.indexOf(resource);
  return venue.resources
    .filter(({ key }, at) => resource.sharesWith.has(key) && (at < index || currentVenue?.resources.has(key)))
    .map(({ key }) => key);
}

/**
 * The shared space to set on a resource that an interrupted import created. Lists all that `sharedAtCreation` returns,
 * because the import may have related only some. Space shared with resources outside the file stays.
 */
export function sharedAtCompletion(inPlan: InPlan, ids: Ids): { shares_space_with?: string[] } {
  const { venue, resource, existing } = inPlan;
  if (existing === undefined || !mentionsSharing(resource)) return {};
  const idOf = (key: string) => ids.get(resourceKey(venue, key)) ?? '';
  const named = new Set(venue.resources.map(({ key }) => idOf(key)));
  const others = sharedIds(existing).filter((id) => !named.has(id));
  return { shares_space_with: [...sharedAtCreation(inPlan).map(idOf), ...others] };
}

/**
 * Existing resources must agree with the file: changing shared space takes them off sale for a moment, and fails if
 * holds or bookings overlap, so it needs a separate command. Resources of an interrupted import are exempt: the step
 * that completes them sets their shared space.
 */
export function sharingFaults({ venue, resource, currentVenue, existing }: InPlan): Fault[] {
  if (existing === undefined || !resource.hasSharing || isSetAtCompletion(resource, existing)) return [];
  return venue.resources.flatMap((other) => {
    const otherExisting = currentVenue?.resources.get(other.key);
    if (other === resource || otherExisting === undefined || isSetAtCompletion(other, otherExisting)) return [];
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

/** Whether the file mentions the resource's shared space, in its own entry or in another. */
const mentionsSharing = ({ hasSharing, sharesWith }: WantedResource) => hasSharing || sharesWith.size > 0;

const isSetAtCompletion = (wanted: WantedResource, existing: CurrentResource) =>
  isHiddenNow(existing) && mentionsSharing(wanted);

function sharedIds({ fields }: CurrentResource): string[] {
  const { shares_space_with: ids } = fields;
  return Array.isArray(ids) ? ids.map(textOf) : [];
}
