/**
 * Where your payment provider comes in. Authorise the amount while the hold is alive and return the provider's reference; capture it when
 * the booking is confirmed, void it when the booking service refuses, or says `package_credit_consumed`. Nothing else says that a credit has
 * paid: where none is left the service books all the same. The same order must return the same reference: it is asked
 * for again when a customer clicks twice. This template takes no money.
 */
export async function authorisePayment(orderId: string): Promise<string> {
  return `no-payment-${orderId}`;
}
