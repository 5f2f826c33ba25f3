/**
 * Call your payment provider here; this template takes no money. Authorise the amount while the hold is active, and
 * return the provider's reference. Return the same reference for the same order: a customer may click twice.
 * Capture the amount when the booking is confirmed. Void it if the booking service rejects the confirm or responds with
 * `package_credit_consumed`. Only that field shows that a credit paid: the service also books if no credit is left.
 */
export async function authorisePayment(orderId: string): Promise<string> {
  return `no-payment-${orderId}`;
}
