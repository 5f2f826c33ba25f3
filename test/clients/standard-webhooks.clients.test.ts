import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  expectStatus,
  freeSlotIds,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import { startWorkers } from '../support/workers.ts';
import { nodeModules, python, run, testWith } from './tools.ts';

jest.setTimeout(600_000);

// Each program reads a list of deliveries with a secret from a file and prints a list of verdicts.

const NODE = `
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
const verdicts = JSON.parse(readFileSync(process.argv[2], 'utf8')).map(({ body, headers, secret }) => {
  try {
    new Webhook(secret).verify(Buffer.from(body, 'base64'), headers);
    return true;
  } catch {
    return false;
  }
});
console.log(JSON.stringify(verdicts));
`;

const PYTHON = `
import base64, json, sys
from standardwebhooks import Webhook, WebhookVerificationError

def is_genuine(delivery):
    try:
        Webhook(delivery["secret"]).verify(base64.b64decode(delivery["body"]), delivery["headers"])
        return True
    except WebhookVerificationError:
        return False

print(json.dumps([is_genuine(each) for each in json.load(open(sys.argv[1]))]))
`;

const GO = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	text, _ := os.ReadFile(os.Args[1])
	var deliveries []struct {
		Body    []byte
		Headers map[string]string
		Secret  string
	}
	if err := json.Unmarshal(text, &deliveries); err != nil {
		panic(err)
	}
	verdicts := make([]bool, len(deliveries))
	for index, each := range deliveries {
		headers := http.Header{}
		for name, value := range each.Headers {
			headers.Set(name, value)
		}
		webhook, err := webhooks.NewWebhook(each.Secret)
		verdicts[index] = err == nil && webhook.Verify(each.Body, headers) == nil
	}
	printed, _ := json.Marshal(verdicts)
	fmt.Println(string(printed))
}
`;

type Verify = (folder: string, file: string) => Promise<string>;

const LIBRARIES: [name: string, needs: Record<string, string>, verify: Verify][] = [
  [
    'standardwebhooks of npm',
    {},
    async (folder, file) => {
      const modules = await nodeModules(['standardwebhooks@1.1.1']);
      await run('ln', ['-s', modules, path.join(folder, 'node_modules')]);
      await writeFile(path.join(folder, 'verify.mjs'), NODE);
      return run(process.execPath, ['verify.mjs', file], { cwd: folder });
    },
  ],
  [
    'standardwebhooks of PyPI',
    { python3: '--version' },
    async (folder, file) => {
      await writeFile(path.join(folder, 'verify.py'), PYTHON);
      const packages = {
        standardwebhooks: '1.1.0',
        httpx: '0.28.1',
        attrs: '26.1.0',
        'python-dateutil': '2.9.0',
        deprecated: '1.3.1',
      };
      return run(await python(packages), ['verify.py', file], { cwd: folder });
    },
  ],
  [
    'standard-webhooks/libraries/go',
    { go: 'version' },
    async (folder, file) => {
      await writeFile(path.join(folder, 'main.go'), GO);
      const require = 'require github.com/standard-webhooks/standard-webhooks/libraries v0.0.1';
      await writeFile(path.join(folder, 'go.mod'), `module example.com/verify\n\ngo 1.22\n\n${require}\n`);
      return run('go', ['run', '.', file], { cwd: folder, env: { CGO_ENABLED: '0', GOFLAGS: '-mod=mod' } });
    },
  ],
];

type Delivery = { attempt: Received; secrets: string[] };

const service = await startService();
const [receiver, workers] = await Promise.all([startReceiver(), startWorkers(service.environment)]);
afterAll(async () => {
  await workers.stop();
  await Promise.all([service.stop(), receiver.close()]);
});

/** Deliveries of every booking event before, during and after a rotation, each with its signing secrets. */
async function deliveriesAroundRotation(): Promise<Delivery[]> {
  const venue = await anyVenue(service);
  const partner = await anyPartner(service, [venue.id]);
  const { id, secretKey: first } = await subscribe(partner, receiver.url);
  const slotIds = await freeSlotIds(partner, venue.id);
  const rotate = async (overlapSeconds: number) => {
    const body = { overlap_seconds: overlapSeconds };
    const reply = await partner.api.post(`/api/v1/partner/webhooks/${id}/rotate-secret`, body);
    return String(expectStatus(reply, 200)['secret_key']);
  };
  const deliveries: Delivery[] = [];
  const deliver = async (secrets: string[]) => {
    const { booking_id: bookingId } = await bookSlot(partner, slotIds.shift() ?? '');
    const body = { reason: 'Rain', idempotency_key: `rain-${slotIds.length}` };
    expectStatus(await partner.api.post(`/api/v1/bookings/${String(bookingId)}/refund`, body), 200);
    const { hold_id: holdId } = await placeHold(partner, slotIds.shift() ?? '');
    expectStatus(await partner.api.post(`/api/v1/partner/holds/${String(holdId)}/cancel`), 200);
    const expected = deliveries.length + 5;
    await eventually(`${expected} deliveries`, () => receiver.received.length >= expected);
    deliveries.push(...receiver.received.slice(deliveries.length).map((attempt) => ({ attempt, secrets })));
  };
  await deliver([first]);
  const second = await rotate(3600);
  await deliver([second, first]);
  const third = await rotate(0);
  await deliver([third]);
  return deliveries;
}

let deliveries: Delivery[];
beforeAll(async () => {
  deliveries = await deliveriesAroundRotation();
});

for (const [name, needs, verify] of LIBRARIES) {
  const title = `${name} accepts each delivery with each of its secrets, and rejects a tampered one`;
  await testWith(needs, title, async () => {
    const folder = await temporaryFolder();
    const rows = deliveries.flatMap(({ attempt: { bytes, headers }, secrets }) => {
      const tampered = Buffer.from(bytes.toString().replace('"event_type"', '"event_typo"'));
      const row = (body: Buffer, secret: string | undefined) => ({ body: body.toString('base64'), headers, secret });
      return [...secrets.map((secret) => row(bytes, secret)), row(tampered, secrets[0])];
    });
    expect(deliveries).toHaveLength(15);
    const expected = deliveries.flatMap(({ secrets }) => [...secrets.map(() => true), false]);
    const file = path.join(folder, 'deliveries.json');
    await writeFile(file, JSON.stringify(rows));
    // The tools print other lines too, for example about downloads.
    const printed = (await verify(folder, file)).split('\n').find((line) => line.startsWith('['));
    expect(JSON.parse(printed ?? '')).toEqual(expected);
  });
}
