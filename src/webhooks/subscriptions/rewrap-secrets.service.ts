import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { type SecretBox, SecretBoxError } from '../../platform/secret-box.ts';
import { countSealings, findSealed, forgetPreviousSecrets, replaceSealed, type SealedRow } from './secrets.store.ts';
import { findSubscription } from './subscriptions.store.ts';

type RewrapDeps = { db: Db; log: Logger; secretBox: SecretBox };

type RewrapReport = {
  rewrapped: number;
  /** How many secrets no key in ENCRYPTION_KEYS decrypts; the log names each. */
  unreadable: number;
  /** Every secret is now encrypted with the first key. */
  isDone: boolean;
  /** How many secrets need each key id, configured or not. */
  inUse: Record<string, number>;
  /** Configured keys that no secret needs. */
  droppable: string[];
};

/**
 * Encrypts every stored secret with the first key, in the present format (ADR 0013). Safe at any time and concurrently:
 * a row is written only if it has not changed since it was read, so a concurrent rotation wins. After an interruption
 * the next run completes the work. A secret that no key decrypts is named in the log and stays unchanged.
 */
export async function rewrapSecrets(deps: RewrapDeps, stopping: AbortSignal): Promise<RewrapReport> {
  await forgetPreviousSecrets(deps.db);
  const counts = { rewrapped: 0, unreadable: 0 };
  for await (const row of findSealed(deps.db)) {
    if (stopping.aborted) break;
    const { rewrapped, unreadable } = await rewrapRow(deps, row);
    counts.rewrapped += rewrapped;
    counts.unreadable += unreadable;
  }
  return logReport(deps, { ...counts, ...(await findKeysInUse(deps)) });
}

/** Encrypts both secrets of a row in one write; starts again after a concurrent rotation. */
async function rewrapRow(deps: RewrapDeps, row: SealedRow): Promise<Pick<RewrapReport, 'rewrapped' | 'unreadable'>> {
  for (let latest: SealedRow | null = row; latest !== null; latest = await findSubscription(deps.db, row._id)) {
    const current = reseal(deps, latest, latest.sealedSecret);
    const previous = reseal(deps, latest, latest.sealedPreviousSecret);
    const rewrapped = Number(current.isNew) + Number(previous.isNew);
    const secrets = {
      sealedSecret: current.sealed ?? latest.sealedSecret,
      sealedPreviousSecret: previous.sealed,
    };
    if (rewrapped > 0 && !(await replaceSealed(deps.db, latest, secrets))) continue;
    const errors = [current, previous].flatMap(({ error }) => error ?? []);
    for (const error of errors) logUnreadable(deps, latest, error);
    return { rewrapped, unreadable: errors.length };
  }
  return { rewrapped: 0, unreadable: 0 };
}

function reseal({ secretBox }: RewrapDeps, { _id, partnerId }: SealedRow, sealed: string | null) {
  if (sealed === null || sealed.startsWith(secretBox.prefix)) return { sealed, isNew: false, error: null };
  const context = { owner: partnerId, id: _id };
  try {
    return { sealed: secretBox.seal(secretBox.open(sealed, context), context), isNew: true, error: null };
  } catch (err) {
    if (!(err instanceof SecretBoxError)) throw err;
    return { sealed, isNew: false, error: err };
  }
}

function logUnreadable({ log }: RewrapDeps, { _id, partnerId }: SealedRow, { fault, message }: SecretBoxError): void {
  log.error(
    { alert: 'secret_unreadable', subscription_id: _id, partner_id: partnerId, fault },
    `a webhook secret could not be encrypted again: ${message}`,
  );
}

/** The keys that the stored secrets need at this moment. */
async function findKeysInUse({
  db,
  secretBox,
}: RewrapDeps): Promise<Pick<RewrapReport, 'isDone' | 'inUse' | 'droppable'>> {
  const sealings = [...(await countSealings(db))];
  const inUse: Record<string, number> = {};
  for (const [sealing, count] of sealings) {
    const id = sealing.slice(sealing.indexOf('.') + 1);
    inUse[id] = (inUse[id] ?? 0) + count;
  }
  return {
    isDone: sealings.every(([sealing]) => `${sealing}.` === secretBox.prefix),
    inUse,
    droppable: secretBox.keyIds.slice(1).filter((id) => inUse[id] === undefined),
  };
}

function logReport({ log, secretBox }: RewrapDeps, report: RewrapReport): RewrapReport {
  const { rewrapped, unreadable, isDone, inUse, droppable } = report;
  const fields = { rewrapped, unreadable, first_key: secretBox.keyIds[0], in_use: inUse, droppable };
  if (isDone) {
    log.info(
      fields,
      'every secret is encrypted with the first key: once every process runs with it, you can remove the others from ENCRYPTION_KEYS',
    );
  } else {
    log.error(
      fields,
      'some secrets are not encrypted with the first key: keep every key in use, and run this again when every process has the first key',
    );
  }
  return report;
}

/** Logs the keys that stored secrets need and ENCRYPTION_KEYS lacks, because deliveries wait; returns their ids. */
export async function logMissingKeys({ db, log, secretBox }: RewrapDeps): Promise<string[]> {
  const { inUse } = await findKeysInUse({ db, log, secretBox });
  const missing = Object.keys(inUse).filter((id) => !secretBox.keyIds.includes(id));
  if (missing.length > 0) {
    log.error(
      { alert: 'encryption_key_missing', key_ids: missing, in_use: inUse },
      'ENCRYPTION_KEYS lacks keys that webhook secrets are encrypted with: put them back; until then, deliveries wait',
    );
  }
  return missing;
}
