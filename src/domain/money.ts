/** Integer paise as the rupees of a response (a JSON number with at most two decimals). */
export function toRupees(paise: number): number {
  return paise / 100;
}

/** Rupees of a request (at most two decimals, checked by the schema) as integer paise. */
export function toPaise(rupees: number): number {
  return Math.round(rupees * 100);
}
