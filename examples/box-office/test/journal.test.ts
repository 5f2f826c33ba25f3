import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { isEntry } from '../src/entries.ts';
import { openJournal } from '../src/journal.ts';
import { html, toText } from '../src/web/html.ts';
import { temporaryFolder } from './support.ts';

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const journalFile = async () => path.join(await temporaryFolder(), 'data', 'journal.jsonl');

test('a reopened journal has all appended entries in order', async () => {
  const file = await journalFile();
  const { journal } = await openJournal(file, isNumber);
  await Promise.all([1, 2, 3].map((each) => journal.append(each)));
  await journal.append(4);
  await journal.close();
  const again = await openJournal(file, isNumber);
  assert.deepEqual(again.entries, [1, 2, 3, 4]);
  await again.journal.close();
});

test('an entry that could not be read again is not written', async () => {
  const file = await journalFile();
  const { journal } = await openJournal(file, isText);
  await assert.rejects(journal.append(undefined as unknown as string), /takes no such entry/);
  await journal.append('next');
  await journal.close();
  assert.equal(await readFile(file, 'utf8'), '"next"\n');
});

test('a half-written last line is cut off, so the next entry is readable', async () => {
  const file = await journalFile();
  const first = await openJournal(file, isText);
  await first.journal.append('whole');
  await first.journal.close();
  await appendFile(file, '"ha');
  const second = await openJournal(file, isText);
  assert.deepEqual(second.entries, ['whole']);
  await second.journal.append('next');
  await second.journal.close();
  assert.equal(await readFile(file, 'utf8'), '"whole"\n"next"\n');
});

test('opening drops unneeded entries once they are over half of the file', async () => {
  const file = await journalFile();
  const isOdd = (entries: number[]) => entries.filter((each) => each % 2 === 1);
  const lines = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1).map(Number);
  const first = await openJournal(file, isNumber);
  for (const each of [1, 2, 4]) await first.journal.append(each);
  await first.journal.close();
  const second = await openJournal(file, isNumber, isOdd);
  assert.deepEqual(second.entries, [1]);
  await second.journal.append(3);
  await second.journal.close();
  assert.deepEqual(await lines(), [1, 3]);
});

test('an invalid line in the middle prevents opening until the file is repaired', async () => {
  const file = await journalFile();
  await (await openJournal(file, isText)).journal.close();
  for (const bad of ['"ha', 'null', '1']) {
    await writeFile(file, `"whole"\n${bad}\n"whole"\n`);
    await assert.rejects(openJournal(file, isText), /journal\.jsonl:2 is no entry of this journal: restore/);
  }
  await writeFile(file, '"whole"\n');
  const { journal } = await openJournal(file, isText);
  await journal.close();
});

test('only lines in the format of this shop are entries', () => {
  const [orderId, kind, at] = ['order', 'hold', '2026-11-21T18:30:00.000Z'];
  const asked = { type: 'asked', at, orderId, customer: 'browser', kind, request: { slot_id: 'slot' } };
  const refusal = { code: 'SLOT_NOT_AVAILABLE', faults: {}, alternatives: [] };
  for (const entry of [
    asked,
    { type: 'answered', orderId, kind, answer: {} },
    { type: 'refused', orderId, kind, refusal },
    { type: 'handled', at, eventId: 'event' },
    { type: 'read', cursor: null },
    { type: 'secret', secretKey: 'whsec_one' },
  ])
    assert.ok(isEntry(entry), JSON.stringify(entry));
  for (const other of [
    ...[null, 1, 'asked', [], {}, { type: 'toString' }, { type: 'made_later' }],
    ...[
      { ...asked, kind: 'toString' },
      { ...asked, request: null },
      { ...asked, orderId: 1 },
    ],
    ...[{ type: 'refused', orderId, kind, refusal: { code: 1 } }, { type: 'read' }, { type: 'secret' }],
  ])
    assert.ok(!isEntry(other), JSON.stringify(other));
});

test('a second writer is rejected while the first lives, and takes over from a dead writer', async () => {
  const file = await journalFile();
  const { journal } = await openJournal(file, isText);
  await writeFile(`${file}.lock`, String(process.ppid));
  await assert.rejects(openJournal(file, isText), /end it first/);
  await journal.close();
  // No process has this id: Linux and macOS use only lower ids.
  await writeFile(`${file}.lock`, '99999999');
  await (await openJournal(file, isText)).journal.close();
});

test('html escapes values', () => {
  assert.equal(toText(html`<p title="${'"'}">${'<script>'}</p>`), '<p title="&quot;">&lt;script&gt;</p>');
});
