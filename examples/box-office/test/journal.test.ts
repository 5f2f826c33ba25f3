import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { openJournal } from '../src/journal.ts';
import { localTime } from '../src/venue-time.ts';
import { html, toText } from '../src/web/html.ts';
import { temporaryFolder } from './support.ts';

const journalFile = async () => path.join(await temporaryFolder(), 'data', 'journal.jsonl');

test('what was appended is there when the journal is opened again, in order', async () => {
  const file = await journalFile();
  const { journal } = await openJournal<number>(file);
  await Promise.all([1, 2, 3].map((each) => journal.append(each)));
  await journal.append(4);
  await journal.close();
  const again = await openJournal<number>(file);
  assert.deepEqual(again.entries, [1, 2, 3, 4]);
  await again.journal.close();
});

test('a line that was being written when the process died is cut off, and the next one is whole', async () => {
  const file = await journalFile();
  const first = await openJournal<string>(file);
  await first.journal.append('whole');
  await first.journal.close();
  await appendFile(file, '"ha');
  const second = await openJournal<string>(file);
  assert.deepEqual(second.entries, ['whole']);
  await second.journal.append('next');
  await second.journal.close();
  assert.equal(await readFile(file, 'utf8'), '"whole"\n"next"\n');
});

test('what is not needed any more is gone once it is half of the file, and what is needed stays', async () => {
  const file = await journalFile();
  const isOdd = (entries: number[]) => entries.filter((each) => each % 2 === 1);
  const lines = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1).map(Number);
  const first = await openJournal<number>(file);
  for (const each of [1, 2, 4]) await first.journal.append(each);
  await first.journal.close();
  const second = await openJournal<number>(file, isOdd);
  assert.deepEqual(second.entries, [1]);
  await second.journal.append(3);
  await second.journal.close();
  assert.deepEqual(await lines(), [1, 3]);
});

test('a broken line within is not passed over', async () => {
  const file = await journalFile();
  await (await openJournal(file)).journal.close();
  await writeFile(file, '"ha\n"whole"\n');
  await assert.rejects(openJournal(file), /journal\.jsonl:1 is not JSON/);
});

test('a second writer is refused while the first lives, and takes over from a dead one', async () => {
  const file = await journalFile();
  const { journal } = await openJournal(file);
  await writeFile(`${file}.lock`, String(process.ppid));
  await assert.rejects(openJournal(file), /end it first/);
  await journal.close();
  // No process has this number: Linux and macOS end well below it.
  await writeFile(`${file}.lock`, '99999999');
  await (await openJournal(file)).journal.close();
});

test('local times tell apart the two 01:00s of a long night', () => {
  const times = ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'].map((each) =>
    localTime(each, 'Europe/London'),
  );
  assert.deepEqual(times, ['2026-10-25T01:00+01:00', '2026-10-25T01:00+00:00']);
  assert.equal(localTime('2026-11-21T18:30:00.000Z', 'Asia/Kolkata'), '2026-11-22T00:00+05:30');
});

test('what customers type stays text', () => {
  assert.equal(toText(html`<p title="${'"'}">${'<script>'}</p>`), '<p title="&quot;">&lt;script&gt;</p>');
});
