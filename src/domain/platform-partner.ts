/** The built-in partner that walk-ins and all changes by operators belong to. */
export const PLATFORM_PARTNER_ID = '00000000-0000-7000-8000-000000000000';
