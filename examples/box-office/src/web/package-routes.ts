import type { Request, Response, Router } from 'express';
import express from 'express';
import { RefusedError, statusFor, UnansweredError } from '../refusals.ts';
import type { Shop } from '../shop.ts';
import type { Form } from './customer.ts';
import { customerOf, readForm, requireOrderId } from './customer.ts';
import { packagesPage } from './package-pages.ts';

type PackageRequest = Request<{ packageId: string }, unknown, Form>;

export function packageRoutes({ client, store, orders }: Shop): Router {
  const router = express.Router();

  router.get('/packages', async (_request, response) => {
    response.send(packagesPage((await client.listCatalogue()).data));
  });

  router.post('/packages/:packageId', readForm, async (request: PackageRequest, response: Response) => {
    const { packageId } = request.params;
    const { customer_phone: phone = '' } = request.body;
    const customer = customerOf(response);
    const orderId = requireOrderId(request.body, store, customer, 'hold');
    try {
      await orders.buyPackage({ orderId, customer }, packageId, phone);
    } catch (error) {
      if (error instanceof RefusedError) {
        const { data } = await client.listCatalogue();
        const { refusal } = error;
        response.status(statusFor(refusal)).send(packagesPage(data, { packageId, phone, refusal }));
        return;
      }
      if (!(error instanceof UnansweredError)) throw error;
    }
    // The order's page shows the outcome, also later.
    response.redirect(303, `/orders/${orderId}`);
  });
  return router;
}
