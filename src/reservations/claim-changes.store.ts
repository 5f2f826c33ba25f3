import type { ChangeStream } from '../platform/change-stream.ts';
import { createChangeStream } from '../platform/change-stream.ts';
import { onePer } from '../platform/coalesced.ts';
import type { Db, Expression, Tx } from '../platform/mongo.ts';
import { afterCommit } from '../platform/mongo.ts';
import type { Reservation } from './reservations.model.ts';

/** That a claim came, changed or went: nothing of what it is now but its status, where that is what has changed. */
export type ClaimChange = {
  reservationId: string;
  /** Of one that was inserted. */
  placed?: Pick<Reservation, 'venueId' | 'slotStart' | 'slotEnd'>;
  status?: string;
};

type Listener = (changes: readonly ClaimChange[]) => void;

const listenersOf = onePer((_db: Db) => new Set<Listener>());

/**
 * Tells this process of changes that it has written and that were acknowledged, before the call returns that made them (of those of a
 * transaction when it is committed), and of those that it has met.
 */
export function noteClaimChanges(db: Db, changes: readonly ClaimChange[], tx?: Tx): void {
  const tell = () => {
    for (const listener of listenersOf(db)) listener(changes);
  };
  if (tx === undefined) tell();
  else afterCommit(tx, tell);
}

/** The change that the insert of this reservation is. */
export function placedChange({
  _id,
  venueId,
  slotStart,
  slotEnd,
}: Pick<Reservation, '_id' | 'venueId' | 'slotStart' | 'slotEnd'>): ClaimChange {
  return { reservationId: _id, placed: { venueId, slotStart, slotEnd } };
}

type ClaimEvent = {
  operationType: string;
  documentKey?: { _id: string };
  fullDocument?: Pick<Reservation, 'venueId' | 'slotStart' | 'slotEnd'>;
  updateDescription?: { updatedFields?: { status?: string } };
};

/** The fields that decide what a claim takes, and until when. */
const DECISIVE = ['status', 'claimed', 'cells', 'holdExpiresAt', 'venueId', 'slotStart', 'slotEnd'];

const IS_DECISIVE: Expression = {
  $anyElementTrue: {
    $map: {
      // Of an insert there are none, whether or not the server looks.
      input: { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } },
      in: { $in: [{ $first: { $split: ['$$this.k', '.'] } }, DECISIVE] },
    },
  },
};

/** Most updates empty an outbox, and concern no claim. */
const PIPELINE: Expression[] = [
  { $match: { $or: [{ operationType: { $ne: 'update' } }, { $expr: IS_DECISIVE }] } },
  {
    $project: {
      operationType: 1,
      documentKey: 1,
      'fullDocument.venueId': 1,
      'fullDocument.slotStart': 1,
      'fullDocument.slotEnd': 1,
      'updateDescription.updatedFields.status': 1,
    },
  },
];

const CHANGES_OF_CLAIMS = new Set(['insert', 'update', 'replace', 'delete']);

/**
 * Tells `onChanges` of all changes of claims: of this process's own at once, of others' and once more of its own by a change stream,
 * as long as that is asked whether it is fresh. `onGap`: changes may have been missed.
 */
export function readClaimChanges(
  db: Db,
  { onChanges, onGap }: { onChanges: Listener; onGap: () => void },
): ChangeStream {
  listenersOf(db).add(onChanges);
  return createChangeStream<ClaimEvent>(db, {
    ...{ collection: 'reservations', pipeline: PIPELINE, onGap },
    onEvents: (events) => {
      // Of the collection itself: it was dropped or renamed.
      if (events.some(({ operationType }) => !CHANGES_OF_CLAIMS.has(operationType))) onGap();
      else onChanges(events.map(changeOf));
    },
  });
}

function changeOf({ operationType, documentKey, fullDocument, updateDescription }: ClaimEvent): ClaimChange {
  const reservationId = documentKey?._id ?? '';
  if (operationType === 'insert' && fullDocument !== undefined)
    return { reservationId, placed: fullDocument };
  const status = updateDescription?.updatedFields?.status;
  return status === undefined ? { reservationId } : { reservationId, status };
}
