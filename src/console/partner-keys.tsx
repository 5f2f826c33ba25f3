import type { VNode } from 'preact';
import type { ApiKeyRow } from '../partners/partners.model.ts';
import { ApiForm, InputField } from './forms.tsx';
import { Badge, Section, Table, When } from './parts.tsx';

type KeysProps = { partnerId: string; keys: readonly ApiKeyRow[]; now: Date; timeZone: string };

/** A partner's keys, newest first, with actions for the valid ones. */
export function Keys({ partnerId, keys, now, timeZone }: KeysProps): VNode {
  const path = `/api/v1/operator/partners/${partnerId}/keys`;
  return (
    <Section id="keys" title="API keys">
      <Table
        caption={`API keys; times in ${timeZone}`}
        columns={['Key', 'Label', 'State', 'Issued', 'Last used', 'Valid until', 'Actions']}
        rows={keys.map((key) => [
          <code>{`${key.prefix}_…`}</code>,
          key.label ?? <span class="faint">none</span>,
          <Badge state={stateOf(key, now)} />,
          <When at={key.createdAt} timeZone={timeZone} />,
          <When at={key.lastUsedAt} timeZone={timeZone} />,
          <When at={key.revokedAt ?? key.expiresAt} timeZone={timeZone} />,
          stateOf(key, now) === 'active' ? <KeyActions path={`${path}/${key._id}`} keyRow={key} /> : null,
        ])}
        empty="No key has been issued yet."
      />
      <details>
        <summary>Issue a key</summary>
        <ApiForm class="stack" call={`POST ${path}`} done="The key is issued." reveal="api_key">
          <InputField
            id="key-label"
            label="Label (optional)"
            hint="To tell the keys apart."
            name="label"
            maxlength={80}
          />
          <InputField
            id="key-expires"
            label="Expires (optional)"
            hint={`Time in ${timeZone}. If empty, the key does not expire.`}
            name="expires_at"
            type="datetime-local"
            data-zone={timeZone}
          />
          <button class="primary">Issue key</button>
        </ApiForm>
      </details>
    </Section>
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRow, now: Date): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

const OVERLAPS = [
  [0, 'old key ends at once'],
  [3600, 'old key works 1 more hour'],
  [86_400, 'old key works 1 more day'],
  [604_800, 'old key works 7 more days'],
] as const;

function KeyActions({ path, keyRow: { _id, prefix } }: { path: string; keyRow: ApiKeyRow }): VNode {
  return (
    <div class="row">
      <ApiForm class="row" call={`POST ${path}/rotate`} done="The key is rotated." reveal="api_key">
        <label class="unseen" for={`overlap-${_id}`}>
          {`When ${prefix} is rotated`}
        </label>
        <select id={`overlap-${_id}`} name="overlap_seconds" data-type="integer">
          {OVERLAPS.map(([seconds, label]) => (
            <option value={seconds}>{label}</option>
          ))}
        </select>
        <button aria-label={`Rotate ${prefix}`}>Rotate</button>
      </ApiForm>
      <ApiForm
        call={`DELETE ${path}`}
        done="The key is revoked."
        question={`Revoke ${prefix}…? Every call with it is rejected from now on. This cannot be undone.`}
        yes="Revoke"
      >
        <button class="danger" aria-label={`Revoke ${prefix}`}>
          Revoke
        </button>
      </ApiForm>
    </div>
  );
}
