import type { Request, Router } from 'express';
import express from 'express';
import { refuse } from '../refusals.ts';
import type { Shop } from '../shop.ts';
import { canBeOnSale, isDate, today } from '../venue-time.ts';
import { dayPage, dayPath, venuesPage } from './venue-pages.ts';

export function venueRoutes({ client, availability }: Shop): Router {
  const router = express.Router();

  router.get('/', async (_request, response) => {
    response.send(venuesPage((await client.listVenues()).data));
  });

  router.get('/venues/:venueId', async (request: Request<{ venueId: string }>, response) => {
    const { venueId } = request.params;
    const { date } = request.query;
    if (date === undefined) {
      const { time_zone } = await client.getVenue({ path: { venueId } });
      response.redirect(303, dayPath(venueId, today(time_zone)));
      return;
    }
    if (typeof date !== 'string' || !isDate(date)) throw refuse('BAD_REQUEST');
    if (!canBeOnSale(date)) throw refuse('DATE_NOT_FOUND');
    const day = await availability.day(venueId, date);
    // The page also works without the courts' names.
    const courts = await client.listResources({ path: { venueId } }).catch(() => ({ data: [] }));
    response.send(dayPage(day, date, courts.data));
  });
  return router;
}
