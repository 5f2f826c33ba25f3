import { toRupees } from '../../domain/money.ts';
import { omitUndefined } from '../../platform/objects.ts';
import type { PackageRow, PurchaseWithExpiry } from './packages.model.ts';

export function packageView(row: PackageRow): Record<string, unknown> {
  return {
    package_id: row._id,
    name: row.name,
    description: row.description,
    venue_ids: row.venueIds,
    credits: row.credits,
    price_rupees: toRupees(row.pricePaise),
    validity_days: row.validityDays,
    status: row.status,
  };
}

export function operatorPackageView(row: PackageRow): Record<string, unknown> {
  return { ...packageView(row), partner_id: row.partnerId };
}

export function purchaseView(purchase: PurchaseWithExpiry): Record<string, unknown> {
  return {
    id: purchase._id,
    package_id: purchase.packageId,
    customer_phone: purchase.customerPhone,
    payment_method: purchase.paymentMethod,
    credits_total: purchase.creditsTotal,
    credits_remaining: purchase.creditsRemaining,
    status: purchase.isExpired ? 'EXPIRED' : purchase.creditsRemaining === 0 ? 'EXHAUSTED' : 'ACTIVE',
    venue_ids: purchase.venueIds,
    purchased_at: purchase.purchasedAt.toISOString(),
    expires_at: purchase.expiresAt.toISOString(),
    ...omitUndefined({ ended_at: purchase.endedAt?.toISOString(), end_reason: purchase.endReason }),
  };
}

export function operatorPurchaseView(purchase: PurchaseWithExpiry): Record<string, unknown> {
  return { ...purchaseView(purchase), partner_id: purchase.partnerId };
}
