import type { Request, Router } from 'express';
import express from 'express';
import { RefusedError } from '../refusals.ts';
import type { Shop } from '../shop.ts';
import type { Form } from './customer.ts';
import { customerOf, requireOrderId, requireOwn } from './customer.ts';
import { packagesPage, purchasePage } from './package-pages.ts';

type PackageRequest = Request<{ packageId: string }, unknown, Form | undefined>;

export function packageRoutes({ client, store, orders }: Shop, isSecure: boolean): Router {
  const router = express.Router();
  const form = express.urlencoded({ extended: false, limit: '10kb' });

  router.get('/packages', async (_request, response) => {
    response.send(packagesPage((await client.listCatalogue()).data));
  });

  router.post('/packages/:packageId', form, async (request: PackageRequest, response) => {
    const { order_id, customer_phone: phone = '' } = request.body ?? {};
    const orderId = requireOrderId(order_id);
    const customer = customerOf(request as Request<never>, response, isSecure);
    requireOwn(store.order(orderId) ?? { customer }, customer);
    try {
      response.send(
        purchasePage(await orders.buyPackage({ orderId, customer }, request.params.packageId, phone)),
      );
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      response.status(409).send(packagesPage((await client.listCatalogue()).data, error.refusal));
    }
  });
  return router;
}
