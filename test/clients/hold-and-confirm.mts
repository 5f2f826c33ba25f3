/** Books a slot with a client of openapi-generator: program.mts <base URL> <key> <slot_id>. */
import { BookingsApi, Configuration, HoldsApi, ResponseError } from './client/index.ts';

const [basePath = '', apiKey = '', slotId = ''] = process.argv.slice(2);
const configuration = new Configuration({ basePath, apiKey });
const holds = new HoldsApi(configuration);

const hold = await holds.placeHold({ placeHoldBody: { slotId } });
const rejection = await holds.placeHold({ placeHoldBody: { slotId } }).catch((error: unknown) => error);
if (!(rejection instanceof ResponseError)) throw new Error('held twice');
const { error } = await rejection.response.json();
process.stdout.write(`${error.code} ${error.conflict.reason}\n`);

const booking = await new BookingsApi(configuration).confirmBooking({
  confirmBookingBody: {
    holdId: hold.holdId,
    paymentReference: 'pay_1',
    customerName: 'Asha Rao',
    customerPhone: '+919845012345',
    idempotencyKey: `order-${hold.holdId}`,
  },
});
process.stdout.write(`${booking.status}\n`);
