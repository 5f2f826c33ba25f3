import type { Command } from 'commander';
import type { Connection, GlobalOptions } from './connection.ts';
import { idempotencyKeyFrom, printKeyIfUnknown, withService } from './connection.ts';
import { fieldLines } from './table.ts';
import type { World } from './world.ts';
import { writeJson, writeLine } from './world.ts';

type ConfirmOptions = GlobalOptions & {
  name: string;
  phone: string;
  email?: string;
  paymentReference: string;
  usePackageCredit?: boolean;
  orderReference?: string;
  idempotencyKey?: string;
};

export function addConfirm(program: Command, world: World): void {
  const command = program
    .command('confirm')
    .summary('Confirm a hold into a booking')
    .description('Confirm a hold into a booking, for a customer who has paid you.')
    .argument('<hold_id>', 'the hold')
    .requiredOption('--name <name>', "the customer's name")
    .requiredOption('--phone <phone>', "the customer's phone number, such as +919876543210")
    .requiredOption('--payment-reference <text>', 'your payment reference')
    .option('--email <email>', "the customer's e-mail address")
    .option('--use-package-credit', "consume a credit of the customer's package, if there is one")
    .option('--order-reference <text>', 'your order reference')
    .option('--idempotency-key <text>', 'the same key returns the same booking (default: a random key, which is shown)')
    .action(async (holdId: string) => {
      const options = command.optsWithGlobals<ConfirmOptions>();
      await withService(command, world, (connection) => confirm(holdId, options, world, connection));
    });
}

async function confirm(
  holdId: string,
  options: ConfirmOptions,
  world: World,
  { client, newestHeader }: Connection,
): Promise<void> {
  const key = idempotencyKeyFrom(options.idempotencyKey);
  const body = {
    hold_id: holdId,
    customer_name: options.name,
    customer_phone: options.phone,
    payment_reference: options.paymentReference,
    idempotency_key: key,
    ...(options.email === undefined ? {} : { customer_email: options.email }),
    ...(options.usePackageCredit === undefined ? {} : { use_package_credit: true }),
    ...(options.orderReference === undefined ? {} : { order_reference: options.orderReference }),
  };
  const call = () => client.confirmBooking({ body }, { signal: world.interrupted });
  const booking = await printKeyIfUnknown(world, `--idempotency-key ${key}`, call);
  const isReplay = newestHeader('idempotent-replayed') !== null;
  if (options.json === true) return writeJson(world.out, { ...booking, replayed: isReplay, idempotency_key: key });
  if (isReplay) writeLine(world.out, 'This key was used before: this is the booking that it made.');
  const credit: [string, string][] =
    options.usePackageCredit === undefined
      ? []
      : [
          [
            'credit',
            booking.package_credit_consumed === true
              ? `taken from ${booking.package_purchase_id}`
              : 'none taken: the customer has none',
          ],
        ];
  const fields: [string, string][] = [
    ['booking_id', booking.booking_id],
    ['slot_id', booking.slot_id],
    ['status', booking.status],
    ['booked', booking.booked_at],
    ['rupees', String(booking.price_rupees)],
    ...credit,
    ['key', key],
  ];
  for (const line of fieldLines(fields)) writeLine(world.out, line);
}
