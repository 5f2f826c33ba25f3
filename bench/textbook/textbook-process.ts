/**
 * The textbook way to place a hold: mongoose models, check and insert in a transaction, jobs added before the response.
 * Like the product, this service authenticates, checks the grant and the limit of holds, and writes an event. It has
 * only the indexes that it needs. Two calls for one free slot can both succeed, which the benchmark ignores.
 */

import type { AddressInfo } from 'node:net';
import { Queue } from 'bullmq';
import type { NextFunction, Request, Response } from 'express';
import express from 'express';
import helmet from 'helmet';
import Joi from 'joi';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { pinoHttp } from 'pino-http';
import type { TextbookSettings } from './textbook.ts';

const MAX_ACTIVE_HOLDS = 500;
const TTL_MS = 600_000;
const HOUR_MS = 3_600_000;

type HoldRow = {
  partnerId: string;
  resourceId: string;
  slotStart: Date;
  slotEnd: Date;
  pricePaise: number;
  status: 'ACTIVE' | 'EXPIRED' | 'CONSUMED';
  expiresAt: Date;
};

const keySchema = new mongoose.Schema({ _id: String, partnerId: { type: String, required: true } });
const resourceSchema = new mongoose.Schema({
  _id: String,
  venueId: { type: String, required: true },
  pricePaise: { type: Number, required: true },
});
const grantSchema = new mongoose.Schema<{ _id: string; partnerId: string; venueId: string }>({
  _id: String,
  partnerId: { type: String, required: true },
  venueId: { type: String, required: true },
});
grantSchema.index({ partnerId: 1, venueId: 1 });
const holdSchema = new mongoose.Schema<HoldRow>({
  partnerId: { type: String, required: true },
  resourceId: { type: String, required: true },
  slotStart: { type: Date, required: true },
  slotEnd: { type: Date, required: true },
  pricePaise: { type: Number, required: true },
  status: { type: String, enum: ['ACTIVE', 'EXPIRED', 'CONSUMED'], required: true },
  expiresAt: { type: Date, required: true },
});
holdSchema.index({ resourceId: 1, slotStart: 1 });
holdSchema.index({ partnerId: 1, status: 1, expiresAt: 1 });
const eventSchema = new mongoose.Schema<{ name: string; holdId: string; at: Date }>({
  name: { type: String, required: true },
  holdId: { type: String, required: true },
  at: { type: Date, required: true },
});

const Key = mongoose.model('textbook_keys', keySchema);
const Resource = mongoose.model('textbook_resources', resourceSchema);
const Grant = mongoose.model('textbook_grants', grantSchema);
const Hold = mongoose.model('textbook_holds', holdSchema);
const Event = mongoose.model('textbook_events', eventSchema);

const body = Joi.object({ slot_id: Joi.string().max(250).required() });

async function authenticate(req: Request, res: Response, next: NextFunction): Promise<void> {
  const key = await Key.findById(req.get('X-API-Key')).lean();
  if (key === null) {
    res.status(401).json({ error: 'unauthorized' });
    return;
  }
  res.locals['partnerId'] = key.partnerId;
  next();
}

/** Parses `<resource>_<YYYYMMDDTHHmm>Z`. */
function parseSlotId(slotId: string): { resourceId: string; slotStart: Date } {
  const [, resourceId = '', ...parts] = /^(.+)_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z$/.exec(slotId) ?? [];
  const [year, month, day, hour, minute] = parts;
  return { resourceId, slotStart: new Date(`${year}-${month}-${day}T${hour}:${minute}:00Z`) };
}

async function insertIfFree(partnerId: string, slotId: string) {
  const { resourceId, slotStart } = parseSlotId(slotId);
  const resource = await Resource.findById(resourceId).lean();
  if (resource === null) return 404;
  if ((await Grant.exists({ partnerId, venueId: resource.venueId })) === null) return 403;
  return mongoose.connection.transaction(async (session) => {
    const now = new Date();
    const slotEnd = new Date(slotStart.getTime() + HOUR_MS);
    const alive = { status: 'ACTIVE' as const, expiresAt: { $gt: now } };
    const activeHolds = await Hold.countDocuments({ partnerId, ...alive }).session(session);
    if (activeHolds >= MAX_ACTIVE_HOLDS) return 429;
    const overlap = { resourceId, slotStart: { $lt: slotEnd }, slotEnd: { $gt: slotStart } };
    const taken = await Hold.exists({ ...overlap, $or: [alive, { status: 'CONSUMED' as const }] }).session(session);
    if (taken !== null) return 409;
    const fields = { partnerId, resourceId, slotStart, slotEnd, pricePaise: resource.pricePaise };
    const expiresAt = new Date(now.getTime() + TTL_MS);
    const [hold] = await Hold.create([{ ...fields, status: 'ACTIVE', expiresAt }], { session });
    await Event.create([{ name: 'hold_created', holdId: hold?.id ?? '', at: now }], { session });
    return hold;
  });
}

async function start({ mongodbUri, redisUrl, logFile }: TextbookSettings): Promise<number> {
  await mongoose.connect(mongodbUri, {
    maxPoolSize: 64,
    writeConcern: { w: 'majority', journal: true },
  });
  await Promise.all([Key, Resource, Grant, Hold, Event].map((model) => model.init()));
  const connection = { url: redisUrl };
  const events = new Queue('textbook-events', { connection });
  const expiries = new Queue('textbook-expiries', { connection });

  const app = express();
  app.use(pinoHttp({ logger: pino(pino.destination(logFile)) }), helmet(), express.json());
  // Express 5 handles rejections of async handlers.
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers
  app.post('/api/v1/partner/holds', authenticate, async (req, res) => {
    const { value, error } = body.validate(req.body) as { value: { slot_id: string }; error?: Error };
    if (error !== undefined) {
      res.status(400).json({ error: error.message });
      return;
    }
    const hold = await insertIfFree(res.locals['partnerId'] as string, value.slot_id);
    if (hold === undefined || typeof hold === 'number') {
      res.status(hold ?? 500).json({ error: 'rejected' });
      return;
    }
    await events.add('hold_created', { holdId: hold.id });
    await expiries.add('expire', { holdId: hold.id }, { delay: TTL_MS });
    res.status(201).json({ hold_id: hold.id, slot_id: value.slot_id, hold_expiry_at: hold.expiresAt });
  });
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

process.once('message', (settings: TextbookSettings) => {
  void start(settings).then((port) => process.send?.({ port }));
});
process.once('disconnect', () => process.exit());
