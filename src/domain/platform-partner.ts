/** The built-in partner to which walk-ins and every change by an operator belong. */
export const PLATFORM_PARTNER_ID = '00000000-0000-7000-8000-000000000000';
