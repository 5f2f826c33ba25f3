/** Books a slot through openapi-fetch with types of openapi-typescript: program.mts <base URL> <key> <slot_id>. */
import createClient from 'openapi-fetch';
import type { paths } from './client.d.ts';

const [baseUrl = '', apiKey = '', slotId = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { 'x-api-key': apiKey } });

const { data: hold } = await client.POST('/api/v1/partner/holds', { body: { slot_id: slotId } });
if (hold === undefined) throw new Error('not held');
const { error: rejection } = await client.POST('/api/v1/partner/holds', { body: { slot_id: slotId } });
if (rejection === undefined || !('conflict' in rejection.error)) throw new Error('held twice');
process.stdout.write(`${rejection.error.code} ${rejection.error.conflict?.reason}\n`);

const { data: booking } = await client.POST('/api/v1/bookings/confirm', {
  body: {
    hold_id: hold.hold_id,
    payment_reference: 'pay_1',
    customer_name: 'Asha Rao',
    customer_phone: '+919845012345',
    idempotency_key: `order-${hold.hold_id}`,
  },
});
process.stdout.write(`${booking?.status}\n`);
