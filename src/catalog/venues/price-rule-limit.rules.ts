/** How many price rules a resource can have: every availability response reads them. */
export const MAX_PRICE_RULES = 100;
