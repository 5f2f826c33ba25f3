/** How many price rules a resource can have: they are a part of its document, which every availability response reads. */
export const MAX_PRICE_RULES = 100;
