import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findPrograms } from '../../bench/peers/programs.ts';
import type { PeersReport, SenderRun } from '../../bench/peers/report.ts';
import { asTable } from '../../bench/peers/report.ts';

describe('programs that the bench of peers does not bring', () => {
  let folder = '';
  const addProgram = (name: string) => writeFile(path.join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'peers-'));
    for (const name of ['initdb', 'postgres', 'psql', 'outpost']) await addProgram(name);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('are named where their variable is not set or its folder lacks them, each with how to get it', async () => {
    const { missing } = await findPrograms({ OUTPOST_BIN: folder, POSTGRES_BIN: folder });
    expect(missing).toContain(`OUTPOST_BIN is ${folder}, which lacks outpost-server.\n  Outpost: `);
    expect(missing).toContain('RABBITMQ_BIN is not set: the folder with rabbitmq-server.\n  RabbitMQ: ');
    expect(missing).not.toContain('POSTGRES_BIN');
  });

  test('are taken from the folders given', async () => {
    for (const name of ['outpost-server', 'rabbitmq-server']) await addProgram(name);
    const folders = { OUTPOST_BIN: folder, RABBITMQ_BIN: folder, POSTGRES_BIN: folder };
    expect(await findPrograms(folders)).toEqual({ folders, missing: undefined });
  });
});

describe('the table of senders', () => {
  const runsOf = (rates: readonly number[], cpuUs: SenderRun['cpuUs'], p50?: number): SenderRun[] =>
    rates.map((perSecond) => ({
      perSecond,
      cpuUs,
      othersShare: 0.04,
      ...(p50 !== undefined && { age: { p50, p99: 2 * p50, max: 3 * p50 } }),
    }));
  const report: PeersReport = {
    at: '2026-01-02T03:04:05.000Z',
    commit: 'abcdef12',
    machine: { cores: 2, cpu: 'A processor', node: '20.20.2' },
    minutes: 9.13,
    events: 5000,
    runs: 3,
    senders: {
      limit: runsOf([20_000, 24_000, 22_000], { client: 40 }, 0.2),
      outpost: runsOf([2200, 2400, 1100], { outpost: 400, 'postgres 2': 30, 'postgres 3': 50 }, 27),
      delivery: runsOf([1100, 1200, 1100], { mongod: 200, 'webhook-delivery': 200 }),
      whole: runsOf([550, 600, 550], { mongod: 800 }, 30),
    },
  };
  const rows = asTable(report)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const rowOf = (label: string) => rows.find((cells) => cells[1]?.startsWith(label));

  test('has a row for each sender, as wide as its head', () => {
    expect(rows).toHaveLength(2 + 4);
    expect(new Set(rows.map((cells) => cells.length)).size).toBe(1);
  });

  test('has medians with their spread, and ratios to the signed POST round by round', () => {
    expect(rowOf('Outpost')?.slice(2, -1)).toEqual([
      '2,200 (1,100–2,400)',
      '0.10 (0.05–0.11)',
      '0.48 ms (outpost 0.40, postgres 0.08) = 12.0 ×',
      '27.0 / 54.0 ms',
    ]);
    expect(rowOf('signed POST')?.[3]).toBe('1.00');
  });

  test('leaves out a latency that was not measured', () => {
    expect(rowOf('this product, delivery')?.at(-2)).toBe('');
  });

  test('says of how many events and rounds, and what others took of the machine', () => {
    expect(asTable(report)).toMatch(/5,000 events; rounds: 3, .* up to 4 % of the machine/);
  });
});
