/** The `_id` of a grant, which says whose it is and for what: a grant can be read by it beside whatever names both. */
export const grantIdOf = (partnerId: string, venueId: string): string => `${partnerId}:${venueId}`;
