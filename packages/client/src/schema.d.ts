// Generated from docs/openapi.partner.json. Run: npm run docs

export interface paths {
    "/api/v1/partner/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read your partner, key and limits */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/venues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the venues granted to you */
        get: operations["listVenues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/venues/{venueId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a venue */
        get: operations["getVenue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/venues/{venueId}/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the resources of a venue */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/slots/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find free slots of several venues on one date
         * @description Sorted by venue, resource and start. A page covers 20 venues and can be empty: continue while next_cursor is not null. Another channel can take a free slot at any time: place a hold before you promise it.
         */
        get: operations["searchSlots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/slots/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the slots of a venue on one date
         * @description Another channel can take a free slot at any time: place a hold before you promise it. Send the ETag in If-None-Match to get 304 if nothing has changed.
         */
        get: operations["getAvailability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/slots/availability/range": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the slots of a venue on several dates
         * @description Another channel can take a free slot at any time: place a hold before you promise it. Send the ETag in If-None-Match to get 304 if nothing has changed.
         */
        get: operations["getAvailabilityRange"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your holds, newest first */
        get: operations["listHolds"];
        put?: never;
        /**
         * Place a hold on a slot
         * @description Reserves the slot until hold_expiry_at. Of concurrent calls for a slot, one gets it. With resource_ids or sport_category, the first free slot is held.
         */
        post: operations["placeHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/holds/{holdId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a hold */
        get: operations["getHold"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/holds/{holdId}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend a hold, counted from now
         * @description Never shortens the hold. A hold ends at most two hours after it was placed, and at the end of its slot at the latest.
         */
        post: operations["extendHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/holds/{holdId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a hold
         * @description Frees the slot. Releasing a RELEASED hold again returns 200 and changes nothing.
         */
        post: operations["releaseHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a hold into a booking
         * @description Confirm before hold_expiry_at. No money is moved. The same key for the same hold returns the same booking.
         */
        post: operations["confirmBooking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your bookings, newest first */
        get: operations["listBookings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings/{bookingId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a booking */
        get: operations["getBooking"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings/{bookingId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a booking
         * @description Frees the slot of a BOOKED booking. No money is moved.
         */
        post: operations["cancelBooking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings/{bookingId}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a booking
         * @description Frees the slot of a BOOKED booking. A CANCELLED booking can be refunded too. No money is moved.
         */
        post: operations["refundBooking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the packages that you sell */
        get: operations["listCatalogue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages/{packageId}/purchase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sell a package to a customer */
        post: operations["buyPackage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages/purchases/{purchaseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a purchase */
        get: operations["getPurchase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/packages/active": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a customer's purchases that can be used at a venue
         * @description Purchases with credits left that have not expired, soonest expiry first: the order in which credits are consumed.
         */
        get: operations["listActivePurchases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your subscriptions */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Subscribe an endpoint to events and get its secret
         * @description Only this response and a rotation return the secret. You can have 20 subscriptions, and no two active ones with the same URL, types and venues. See callbacks for the deliveries.
         */
        post: operations["createSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the address, the events or the venues of a subscription
         * @description Omitted fields, the secret and the status stay. Waiting deliveries go to the new URL with their next attempt. Changing the URL takes about a second; after the response nothing is sent to the old one.
         */
        patch: operations["changeSubscription"];
        trace?: never;
    };
    "/api/v1/partner/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a subscription
         * @description Signs every later attempt with the new secret, retries included. The call takes about a second; after its response nothing is signed with the old secret alone.
         */
        post: operations["rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample event to a subscription
         * @description The sample is signed, retried and listed like any delivery, and has `details.test: true`. It is not in the feed.
         */
        post: operations["sendTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recover the deliveries that a subscription missed
         * @description Delivers every subscribed event from `since` to `until` that has no success, including those that wait for a retry. Repeating the call is safe. During one recovery, a call for another period is 429. event_id stays the same; the current secret signs.
         */
        post: operations["recoverDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the events at your venues, oldest first
         * @description Webhook bodies of the last 30 days, without `delivery_id`, to reconcile after an outage. Events of one reservation keep their order. Other events can follow events that happened later, normally by less than a second: continue with `next_cursor`, not with the last `timestamp`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/observability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the state of your deliveries, and list dead letters or other deliveries */
        get: operations["getObservability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/observability/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a delivery with its attempts */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/partner/observability/deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver an event now
         * @description Starts a new series of up to five attempts, numbered from 1, also for a delivery that succeeded or waits for a retry. event_id stays the same; the current secret signs. 409 during an attempt.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sandbox/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start again: remove your subscriptions, release holds and cancel bookings
         * @description Removes your webhook subscriptions, releases your ACTIVE holds and cancels your BOOKED bookings. Call it before a test run. Sandbox only: in a production deployment this path is 404 ROUTE_NOT_FOUND.
         */
        post: operations["resetSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sandbox/holds/{holdId}/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Expire an ACTIVE hold now
         * @description Sandbox only: in a production deployment this path is 404 ROUTE_NOT_FOUND.
         */
        post: operations["expireHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sandbox/deliveries/{id}/advance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a delivery's next attempt now
         * @description Sandbox only: in a production deployment this path is 404 ROUTE_NOT_FOUND.
         */
        post: operations["advanceDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sandbox/slots/{slotId}/walk-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sell a slot as the venue
         * @description Simulates a walk-in: the venue sells the slot itself. Sandbox only: in a production deployment this path is 404 ROUTE_NOT_FOUND.
         */
        post: operations["sellByOtherChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sandbox/slots/{slotId}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a slot that was sold as the venue
         * @description Sandbox only: in a production deployment this path is 404 ROUTE_NOT_FOUND.
         */
        post: operations["releaseByOtherChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is alive */
        get: operations["checkLife"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that calls can be served */
        get: operations["checkReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this description */
        get: operations["getDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActivePurchaseList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Purchase"][];
        };
        Availability: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * Format: date
             * @example 2026-11-21
             */
            date: string;
            /** @description All slots of the schedule, including taken ones, sorted by resource_id, then by slot_start. */
            slots: components["schemas"]["Slot"][];
        };
        AvailabilityChangedDelivery: {
            /**
             * Format: uuid
             * @description The same in every delivery of this change.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /**
             * @example availability_changed
             * @enum {string}
             */
            event_type: "availability_changed";
            /**
             * Format: date-time
             * @description When the change happened.
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description Null: the event is about the venue.
             * @example null
             */
            slot_id: string | null;
            /**
             * Format: uuid
             * @description Null: the event is about the venue.
             * @example null
             */
            hold_id: string | null;
            /**
             * Format: uuid
             * @description Null: the event is about the venue.
             * @example null
             */
            booking_id: string | null;
            /**
             * Format: uuid
             * @description Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.
             * @example 00000000-0000-7000-8000-000000000000
             */
            partner_id: string;
            /** @description Ignore unknown fields: more may be added. */
            details: {
                /**
                 * @description What changed: `blackout`, `prices`, `schedule` (hours or slot length), `resource` (added, on or off sale, shared space), `venue` (on or off sale, time zone) or `grant` (your grant began or ended).
                 * @example blackout
                 */
                reason: "blackout" | "prices" | "schedule" | "resource" | "venue" | "grant" | (string & {});
                /** @description The resources that the change affects. Null: all resources of the venue. */
                resource_ids: string[] | null;
                /**
                 * Format: date-time
                 * @description Slots before this instant did not change. Null: no bound. Only blackouts and price rules have bounds.
                 * @example 2026-11-21T04:30:00.000Z
                 */
                from: string | null;
                /**
                 * Format: date-time
                 * @description Slots of a day whose opening hours begin at or after this instant did not change. Null: no bound.
                 * @example 2026-11-21T05:30:00.000Z
                 */
                to: string | null;
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
            };
            /**
             * Format: uuid
             * @description New in every attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
        };
        AvailabilityRange: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * Format: date
             * @example 2026-11-21
             */
            from: string;
            /**
             * Format: date
             * @example 2026-11-21
             */
            to: string;
            /** @description One item for each date, in order. */
            days: {
                /**
                 * Format: date
                 * @example 2026-11-21
                 */
                date: string;
                /** @description All slots of the schedule, including taken ones, sorted by resource_id, then by slot_start. */
                slots: components["schemas"]["Slot"][];
            }[];
        };
        Booking: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description A slug, unique in the service. Copy it from the listing; never construct it.
             * @example koramangala-arena-turf-a
             */
            resource_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T04:30:00.000Z
             */
            slot_start: string;
            /**
             * Format: date-time
             * @example 2026-11-21T05:30:00.000Z
             */
            slot_end: string;
            /**
             * @example BOOKED
             * @enum {string}
             */
            status: "BOOKED" | "CANCELLED" | "REFUNDED";
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            booked_at: string;
            /**
             * @description Rupees, with at most two decimals.
             * @example 1200
             */
            price_rupees: number;
            /** @example pay_QxT4e9Lk2m */
            payment_reference: string | null;
            /**
             * @description As you sent it, or null.
             * @example order-2026-000731
             */
            order_reference: string | null;
            /** @description As you sent it, or empty. */
            metadata: {
                [key: string]: string;
            };
            /** @example Asha Rao */
            customer_name: string | null;
            /**
             * @description As given on confirm.
             * @example +919845012345
             */
            customer_phone: string | null;
            /** @example asha.rao@example.com */
            customer_email: string | null;
            venue: {
                /**
                 * Format: uuid
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
                 */
                venue_id: string;
                /** @example Koramangala Arena */
                name: string | null;
                /** @example Bengaluru */
                city: string | null;
            };
            resource: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /** @example turf */
                resource_type: string | null;
                /** @example football */
                sport_category: string | null;
            };
            /**
             * Format: date-time
             * @example null
             */
            cancelled_at: string | null;
            /** @example null */
            cancellation_reason: string | null;
            /**
             * Format: date-time
             * @example null
             */
            refunded_at: string | null;
            /** @example null */
            refund_reason: string | null;
            /** @description Present only if confirm requested a credit. */
            package_credit_consumed?: boolean;
            /**
             * Format: uuid
             * @description Present only if a credit was consumed.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c
             */
            package_purchase_id?: string;
        };
        BookingCancelledDelivery: {
            /**
             * Format: uuid
             * @description The same in every delivery of this change.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /**
             * @example booking_cancelled
             * @enum {string}
             */
            event_type: "booking_cancelled";
            /**
             * Format: date-time
             * @description When the change happened.
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * Format: uuid
             * @description Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /** @description Ignore unknown fields: more may be added. */
            details: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T04:30:00.000Z
                 */
                slot_start: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T05:30:00.000Z
                 */
                slot_end: string;
                /**
                 * @description In rupees. Only for the partner that made the change.
                 * @example 1200
                 */
                price_rupees?: number;
                /**
                 * @description As you sent it on hold or confirm. Only in events of your own holds and bookings.
                 * @example order-2026-000731
                 */
                order_reference?: string;
                /** @description As you sent it on hold or confirm. Only in events of your own holds and bookings. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others. */
                resource_ids_affected?: string[];
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
                /**
                 * @description Why the booking was cancelled. Only for the partner that made the change.
                 * @example Rain: the turf is closed.
                 */
                reason?: string;
            };
            /**
             * Format: uuid
             * @description New in every attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
        };
        BookingCreatedDelivery: {
            /**
             * Format: uuid
             * @description The same in every delivery of this change.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /**
             * @example booking_created
             * @enum {string}
             */
            event_type: "booking_created";
            /**
             * Format: date-time
             * @description When the change happened.
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * Format: uuid
             * @description Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /** @description Ignore unknown fields: more may be added. */
            details: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T04:30:00.000Z
                 */
                slot_start: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T05:30:00.000Z
                 */
                slot_end: string;
                /**
                 * @description In rupees. Only for the partner that made the change.
                 * @example 1200
                 */
                price_rupees?: number;
                /**
                 * @description As you sent it on hold or confirm. Only in events of your own holds and bookings.
                 * @example order-2026-000731
                 */
                order_reference?: string;
                /** @description As you sent it on hold or confirm. Only in events of your own holds and bookings. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others. */
                resource_ids_affected?: string[];
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
            };
            /**
             * Format: uuid
             * @description New in every attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
        };
        BookingList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Booking"][];
            /**
             * @description Pass it as `cursor` for the next page. Null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        BookingRefundedDelivery: {
            /**
             * Format: uuid
             * @description The same in every delivery of this change.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /**
             * @example booking_refunded
             * @enum {string}
             */
            event_type: "booking_refunded";
            /**
             * Format: date-time
             * @description When the change happened.
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * Format: uuid
             * @description Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /** @description Ignore unknown fields: more may be added. */
            details: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T04:30:00.000Z
                 */
                slot_start: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T05:30:00.000Z
                 */
                slot_end: string;
                /**
                 * @description In rupees. Only for the partner that made the change.
                 * @example 1200
                 */
                price_rupees?: number;
                /**
                 * @description As you sent it on hold or confirm. Only in events of your own holds and bookings.
                 * @example order-2026-000731
                 */
                order_reference?: string;
                /** @description As you sent it on hold or confirm. Only in events of your own holds and bookings. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others. */
                resource_ids_affected?: string[];
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
                /**
                 * @description Why the booking was refunded. Only for the partner that made the change.
                 * @example Rain: the turf is closed.
                 */
                reason?: string;
            };
            /**
             * Format: uuid
             * @description New in every attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
        };
        BuyPackageBody: {
            /**
             * @description The customer who owns the credits. Numbers match in any notation.
             * @example +919845012345
             */
            customer_phone: string;
            /**
             * @description How you were paid. Stored as given; no money is moved.
             * @example upi
             */
            payment_method: string;
            /**
             * @description Names this operation: a repeated call with the same key has no further effect and gets the first response again.
             * @example purchase-2026-000112
             */
            idempotency_key: string;
        };
        BuyPackageResult: {
            purchase: components["schemas"]["Purchase"];
        };
        /** @description Applies to the whole booking and moves no money: a field that begins with `amount` is rejected. */
        CancelBookingBody: {
            /**
             * @description Stored with the booking.
             * @example Rain: the turf is closed.
             */
            reason: string;
            /**
             * @description Names this operation: a repeated call with the same key has no further effect and gets the first response again.
             * @example cancel-2026-000731
             */
            idempotency_key: string;
        };
        CancelBookingResult: {
            /** @example Booking cancelled successfully */
            message: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * @example CANCELLED
             * @enum {string}
             */
            status: "CANCELLED";
        };
        CatalogueList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Package"][];
        };
        /** @description Send at least one field. */
        ChangeSubscriptionBody: {
            /**
             * Format: uri
             * @description An absolute https URL of a public host, without user name, password, fragment, backslash, braces and invisible characters, on port 443 or 1024 and above by default. It is stored as the URL standard writes it (host in lower case, special characters percent-encoded), and is then at most 2,048 characters long. Redirects are not followed.
             * @example https://partner.example.com/webhooks/bookings
             */
            endpoint_url?: string;
            /** @description The event types to deliver. Duplicates count once. */
            event_types?: ("hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed")[];
            /** @description Deliver only events of these venues, each granted to you. Null (the default of a new subscription): all venues granted to you. The feed is not filtered. */
            venue_ids?: string[] | null;
        };
        CheckLifeResult: {
            /**
             * @example ok
             * @enum {string}
             */
            status: "ok";
        };
        CheckReadinessResult: {
            /**
             * @example ready
             * @enum {string}
             */
            status: "ready";
            /**
             * @example ok
             * @enum {string}
             */
            database: "ok";
            /**
             * @description Reported, not required. If Redis responds but rejects writes, the value contains its error code.
             * @example ok
             */
            redis: "ok" | "unreachable" | "refuses writes: OOM" | "refuses writes: READONLY" | "refuses writes: MISCONF" | "refuses writes: NOREPLICAS" | "refuses writes: NOPERM" | (string & {});
            /**
             * @description The release of the time zone database in the process.
             * @example 2026b
             */
            zone_data: string;
        };
        ConfirmBookingBody: {
            /**
             * Format: uuid
             * @description One of your ACTIVE holds.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * @description Your payment reference. Stored as given; no money is moved.
             * @example pay_QxT4e9Lk2m
             */
            payment_reference: string;
            /** @example Asha Rao */
            customer_name: string;
            /**
             * @description A valid phone number: E.164, or a national number of IN.
             * @example +919845012345
             */
            customer_phone: string;
            /**
             * Format: email
             * @example asha.rao@example.com
             */
            customer_email?: string;
            /** @description true consumes a credit of the customer's active purchase at the venue, if there is one. "required" confirms only with a credit: without one, 409 NO_PACKAGE_CREDIT and the hold stays. Default: false. */
            use_package_credit?: boolean;
            /**
             * @description Names this operation: a repeated call with the same key has no further effect and gets the first response again.
             * @example order-2026-000731
             */
            idempotency_key: string;
            /**
             * @description Replaces the order_reference of the hold. If omitted, that one stays.
             * @example order-2026-000731
             */
            order_reference?: string;
            /** @description Replaces all metadata of the hold. If omitted, that metadata stays. */
            metadata?: {
                [key: string]: string;
            };
        };
        Confirmation: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * @example BOOKED
             * @enum {string}
             */
            status: "BOOKED";
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            booked_at: string;
            /**
             * @description Rupees, with at most two decimals.
             * @example 1200
             */
            price_rupees: number;
            /** @description Present only if a credit was requested and consumed. */
            package_credit_consumed?: boolean;
            /**
             * Format: uuid
             * @description The purchase from which the credit was taken.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c
             */
            package_purchase_id?: string;
        };
        Conflict: {
            /**
             * @description Why no hold was placed: `none_free` if you accepted several slots, `price_changed`, or a reason as in availability.
             * @example held
             */
            reason: "held" | "booked" | "blackout" | "past" | "beyond_horizon" | "inactive" | "none_free" | "price_changed" | (string & {});
            /**
             * Format: date-time
             * @description When the blocking hold expires, unless it is confirmed or extended.
             * @example 2026-11-20T09:25:00.000Z
             */
            free_at?: string;
            /**
             * Format: uuid
             * @description The blocking hold. Present only if it is your own.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id?: string;
            /** @description Present with `none_free`: why each resource is not available, in the order of preference. */
            resources?: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /**
                 * @description The id of the slot. Treat it as opaque.
                 * @example koramangala-arena-turf-a_20261121T0430Z
                 */
                slot_id: string | null;
                /** @example held */
                reason: "held" | "booked" | "blackout" | "past" | "beyond_horizon" | "inactive" | "no_slot" | (string & {});
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:25:00.000Z
                 */
                free_at?: string;
            }[];
            /**
             * @description Present with `price_changed`: the price of the slot now.
             * @example 1200
             */
            price_rupees?: number;
            /**
             * @description Present with `price_changed`: the price that you sent.
             * @example 1200
             */
            expected_price_rupees?: number;
            /**
             * @description Present with `price_changed`: the free slot.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id?: string;
            /** @description Free slots of the same venue and sport, nearest in time, within the booking horizon. */
            alternatives: components["schemas"]["Slot"][];
        };
        CreateSubscriptionBody: {
            /**
             * Format: uri
             * @description An absolute https URL of a public host, without user name, password, fragment, backslash, braces and invisible characters, on port 443 or 1024 and above by default. It is stored as the URL standard writes it (host in lower case, special characters percent-encoded), and is then at most 2,048 characters long. Redirects are not followed.
             * @example https://partner.example.com/webhooks/bookings
             */
            endpoint_url: string;
            /** @description The event types to deliver. Duplicates count once. */
            event_types: ("hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed")[];
            /** @description Deliver only events of these venues, each granted to you. Null (the default of a new subscription): all venues granted to you. The feed is not filtered. */
            venue_ids?: string[] | null;
        };
        CreatedSubscription: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
             */
            id: string;
            /** @example https://partner.example.com/webhooks/bookings */
            endpoint_url: string;
            event_types: ("hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed" | (string & {}))[];
            /**
             * @description Only events of these venues are delivered; null: of all venues granted to you.
             * @example null
             */
            venue_ids: string[] | null;
            /**
             * @example active
             * @enum {string}
             */
            status: "active" | "inactive";
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            created_at: string;
            /**
             * @description Verify deliveries with it; later reads do not return it. The whole string, prefix included, is the HMAC key of X-Service-Signature. Give the whole string to a library for Standard Webhooks, too.
             * @example whsec_c2FtcGxlLXNlY3JldC1vZi1leGFjdGx5LTMyLWJ5dGU=
             */
            secret_key: string;
        };
        Delivery: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06
             */
            id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /** @example hold_created */
            event_type: "hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed" | (string & {});
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
             */
            subscription_id: string;
            /** @example https://partner.example.com/webhooks/bookings */
            endpoint_url: string | null;
            /**
             * @description cancelled: before delivery, the subscription was deactivated, or you were suspended or lost the grant for the venue. discarded: the platform operator discarded the dead letter; you can still redeliver or recover it.
             * @example dead_letter
             * @enum {string}
             */
            state: "pending" | "retrying" | "succeeded" | "dead_letter" | "cancelled" | "discarded";
            attempts: components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: date-time
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:40:12.345Z
             */
            dead_lettered_at: string | null;
            /**
             * Format: date-time
             * @description Present only in a discarded delivery.
             * @example 2026-11-20T09:15:00.000Z
             */
            discarded_at?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            created_at: string;
            /** @description The body that is sent, without `delivery_id`. */
            payload: components["schemas"]["Event"] | null;
        };
        DeliveryAttempt: {
            /**
             * Format: uuid
             * @description X-Delivery-Id of this attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
            /**
             * @description Counted from 1. An interrupted attempt is repeated under the same number.
             * @example 1
             */
            attempt: number;
            /**
             * @description The series of attempts, counted from 1; each redelivery starts one. Null in attempts of older releases.
             * @example 1
             */
            series: number | null;
            /**
             * @description Where this attempt was sent to. Null in attempts of older releases.
             * @example https://partner.example.com/webhooks/bookings
             */
            endpoint_url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:40:12.345Z
             */
            sent_at: string;
            /**
             * @description Null without a response.
             * @example 503
             */
            status_code: number | null;
            /**
             * @description The stage that failed; null after a success. `interrupted`, and `subscription_changed` (URL, secret or status changed meanwhile), do not count as attempts.
             * @example http_status
             * @enum {string|null}
             */
            error: "blocked_address" | "dns_error" | "connection_refused" | "connection_reset" | "tls_error" | "timeout" | "redirect" | "http_status" | "network_error" | "interrupted" | "subscription_changed" | null;
            /**
             * @description More about `error`, or null.
             * @example null
             */
            error_detail: "name_not_found" | "name_server_failed" | "host_unreachable" | "certificate_expired" | "certificate_not_yet_valid" | "hostname_mismatch" | "unknown_issuer" | "certificate_invalid" | "client_certificate_required" | "protocol_version" | "not_tls" | "handshake_failed" | "headers_too_large" | "malformed_response" | "too_many_interim_responses" | null | (string & {});
            /**
             * @description Scheme, host and port of the redirect target.
             * @example null
             */
            redirect_to: string | null;
            /** @example 183 */
            duration_ms: number | null;
            /**
             * @description The start of your endpoint's response, or null if it is not text.
             * @example upstream unavailable
             */
            response_excerpt: string | null;
        };
        /** @description Every error response. Decide by `code`; `message` is for your developers and may change. */
        Error: {
            /** @description false */
            success: boolean;
            error: {
                code: "VALIDATION_ERROR" | "INVALID_JSON" | "MALFORMED_REQUEST" | "INVALID_API_KEY" | "PARTNER_SUSPENDED" | "UNAUTHORIZED" | "VENUE_NOT_AUTHORIZED" | "ROUTE_NOT_FOUND" | "VENUE_NOT_FOUND" | "RESOURCE_NOT_FOUND" | "SLOT_NOT_FOUND" | "HOLD_NOT_FOUND" | "BOOKING_NOT_FOUND" | "PACKAGE_NOT_FOUND" | "PURCHASE_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "SLOT_NOT_AVAILABLE" | "PRICE_CHANGED" | "HOLD_LIMIT_REACHED" | "HOLD_EXPIRED" | "INVALID_HOLD_STATE" | "DOUBLE_BOOKING_ATTEMPT" | "NO_PACKAGE_CREDIT" | "IDEMPOTENCY_KEY_MISMATCH" | "WEBHOOK_LIMIT_REACHED" | "SUBSCRIPTION_EXISTS" | "WEBHOOK_INACTIVE" | "DELIVERY_IN_PROGRESS" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | (string & {});
                /** @description What was wrong and what to do next. */
                message: string;
                /** @description The X-Request-Id of this response. Send it to the operator if you ask for help. */
                request_id: string;
                /**
                 * Format: uri-reference
                 * @description The page about this code, relative to the address of the service.
                 */
                docs?: string;
                /** @description With VALIDATION_ERROR: every faulty field. */
                details?: {
                    path: string;
                    message: string;
                }[];
                conflict?: components["schemas"]["Conflict"];
                /** @description With INVALID_HOLD_STATE, if your hold is confirmed: its booking. */
                booking_id?: string;
            };
        };
        Event: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /** @example hold_created */
            event_type: "hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed" | (string & {});
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string | null;
            /**
             * Format: uuid
             * @description Null in availability_changed.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string | null;
            /**
             * Format: uuid
             * @description Null except in the events of a booking.
             * @example null
             */
            booking_id: string | null;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            details: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id?: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T04:30:00.000Z
                 */
                slot_start?: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T05:30:00.000Z
                 */
                slot_end?: string;
                /**
                 * @description In rupees. Only for the partner that made the change.
                 * @example 1200
                 */
                price_rupees?: number;
                /**
                 * @description As you sent it on hold or confirm. Only in events of your own holds and bookings.
                 * @example order-2026-000731
                 */
                order_reference?: string;
                /** @description As you sent it on hold or confirm. Only in events of your own holds and bookings. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others. */
                resource_ids_affected?: string[];
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
                /** @description The resources that the change affects. Null: all resources of the venue. */
                resource_ids?: string[] | null;
                /**
                 * Format: date-time
                 * @description Slots before this instant did not change. Null: no bound. Only blackouts and price rules have bounds.
                 * @example 2026-11-21T04:30:00.000Z
                 */
                from?: string | null;
                /**
                 * Format: date-time
                 * @description Slots of a day whose opening hours begin at or after this instant did not change. Null: no bound.
                 * @example 2026-11-21T05:30:00.000Z
                 */
                to?: string | null;
                /**
                 * Format: date-time
                 * @description In hold_created.
                 * @example 2026-11-20T09:25:00.000Z
                 */
                hold_expiry_at?: string;
                /**
                 * @description In availability_changed: what changed. In other events: why, if a reason was given; only for the partner that made the change.
                 * @example Rain: the turf is closed.
                 */
                reason?: string;
            };
        };
        EventList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Event"][];
            /**
             * @description Pass it as `after`. At the end it stays valid and finds every later event.
             * @example v2.5b1f0c9e.mKQ3rV0e2sW8yTzL4nPcXgA7dHjB1uFi9oQkNvE6xRbSaMhZt5wJqUyD0lY
             */
            next_cursor: string;
        };
        ExtendHoldBody: {
            /**
             * @description The new lifetime, counted from now. An earlier end than the present one changes nothing.
             * @example 900
             */
            ttl_seconds: number;
        };
        FreeSlot: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * @description A slug, unique in the service. Copy it from the listing; never construct it.
             * @example koramangala-arena-turf-a
             */
            resource_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T04:30:00.000Z
             */
            slot_start: string;
            /**
             * Format: date-time
             * @example 2026-11-21T05:30:00.000Z
             */
            slot_end: string;
            /**
             * @description The price of this slot, in rupees.
             * @example 1200
             */
            price_rupees: number;
            /**
             * @description Only a hold reserves the slot.
             * @example true
             */
            is_available: boolean;
        };
        GetDescriptionResult: {
            /** @example 3.1.0 */
            openapi: string;
        };
        GetObservabilityResult: {
            success: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T11:40:12.345Z
             */
            generated_at: string;
            /** @description Your deliveries that were created in the last 24 hours, with all their attempts. */
            summary: {
                /** @example 24 */
                window_hours: number;
                /** @example 318 */
                events: number;
                deliveries: {
                    /** @example 2 */
                    pending: number;
                    /** @example 1 */
                    retrying: number;
                    /** @example 314 */
                    succeeded: number;
                    /** @example 1 */
                    dead_letter: number;
                };
                /** @example 329 */
                attempts: number;
                /**
                 * @description The share of successful attempts; null without attempts.
                 * @example 0.954
                 */
                success_rate: number | null;
                /** @description The response time of your endpoints; null without attempts. */
                latency_ms: {
                    /** @example 84 */
                    p50: number | null;
                    /** @example 240 */
                    p95: number | null;
                    /** @example 1310 */
                    p99: number | null;
                };
            };
            subscriptions: {
                /**
                 * Format: uuid
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
                 */
                id: string;
                /** @example https://partner.example.com/webhooks/bookings */
                endpoint_url: string;
                /**
                 * @example active
                 * @enum {string}
                 */
                status: "active" | "inactive";
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:40:12.345Z
                 */
                last_success_at: string | null;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:15:00.000Z
                 */
                last_failure_at: string | null;
                /** @example 0 */
                consecutive_failures: number;
                /** @example 1 */
                dead_letter: number;
            }[];
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Delivery"][];
            /**
             * @description Pass it as `cursor` for the next page. Null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        GetPurchaseResult: {
            purchase: components["schemas"]["Purchase"];
        };
        Hold: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * @description CONSUMED: confirmed into a booking. RELEASED: cancelled by its partner, or released by the platform operator. EXPIRED: not confirmed in time.
             * @example CONSUMED
             * @enum {string}
             */
            status: "ACTIVE" | "CONSUMED" | "RELEASED" | "EXPIRED";
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description A slug, unique in the service. Copy it from the listing; never construct it.
             * @example koramangala-arena-turf-a
             */
            resource_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T04:30:00.000Z
             */
            slot_start: string;
            /**
             * Format: date-time
             * @example 2026-11-21T05:30:00.000Z
             */
            slot_end: string;
            /**
             * @description In rupees. The hold fixes it, and the booking keeps it.
             * @example 1200
             */
            price_rupees: number;
            /**
             * Format: date-time
             * @description The hold expires at this instant: its slot is then free. At most `slot_end`.
             * @example 2026-11-20T09:25:00.000Z
             */
            hold_expiry_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            created_at: string;
            /**
             * @description As you sent it, or null.
             * @example order-2026-000731
             */
            order_reference: string | null;
            /** @description As you sent it, or empty. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description The booking made from the hold. Present only if the hold is CONSUMED.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id?: string;
        };
        HoldCancelledDelivery: {
            /**
             * Format: uuid
             * @description The same in every delivery of this change.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /**
             * @example hold_cancelled
             * @enum {string}
             */
            event_type: "hold_cancelled";
            /**
             * Format: date-time
             * @description When the change happened.
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * Format: uuid
             * @description Null: there is no booking yet.
             * @example null
             */
            booking_id: string | null;
            /**
             * Format: uuid
             * @description Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /** @description Ignore unknown fields: more may be added. */
            details: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T04:30:00.000Z
                 */
                slot_start: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T05:30:00.000Z
                 */
                slot_end: string;
                /**
                 * @description In rupees. Only for the partner that made the change.
                 * @example 1200
                 */
                price_rupees?: number;
                /**
                 * @description As you sent it on hold or confirm. Only in events of your own holds and bookings.
                 * @example order-2026-000731
                 */
                order_reference?: string;
                /** @description As you sent it on hold or confirm. Only in events of your own holds and bookings. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others. */
                resource_ids_affected?: string[];
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
                /**
                 * @description Why the hold was released, if a reason was given. Only for the partner that made the change.
                 * @example Rain: the turf is closed.
                 */
                reason?: string;
            };
            /**
             * Format: uuid
             * @description New in every attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
        };
        HoldCreatedDelivery: {
            /**
             * Format: uuid
             * @description The same in every delivery of this change.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /**
             * @example hold_created
             * @enum {string}
             */
            event_type: "hold_created";
            /**
             * Format: date-time
             * @description When the change happened.
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * Format: uuid
             * @description Null: there is no booking yet.
             * @example null
             */
            booking_id: string | null;
            /**
             * Format: uuid
             * @description Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /** @description Ignore unknown fields: more may be added. */
            details: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T04:30:00.000Z
                 */
                slot_start: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T05:30:00.000Z
                 */
                slot_end: string;
                /**
                 * @description In rupees. Only for the partner that made the change.
                 * @example 1200
                 */
                price_rupees?: number;
                /**
                 * @description As you sent it on hold or confirm. Only in events of your own holds and bookings.
                 * @example order-2026-000731
                 */
                order_reference?: string;
                /** @description As you sent it on hold or confirm. Only in events of your own holds and bookings. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others. */
                resource_ids_affected?: string[];
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:25:00.000Z
                 */
                hold_expiry_at: string;
            };
            /**
             * Format: uuid
             * @description New in every attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
        };
        HoldExpiredDelivery: {
            /**
             * Format: uuid
             * @description The same in every delivery of this change.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08
             */
            event_id: string;
            /**
             * @example hold_expired
             * @enum {string}
             */
            event_type: "hold_expired";
            /**
             * Format: date-time
             * @description When the change happened.
             * @example 2026-11-20T09:15:00.000Z
             */
            timestamp: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * Format: uuid
             * @description Null: there is no booking yet.
             * @example null
             */
            booking_id: string | null;
            /**
             * Format: uuid
             * @description Who made the change: you, another partner, or 00000000-0000-7000-8000-000000000000 for the venue.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /** @description Ignore unknown fields: more may be added. */
            details: {
                /**
                 * @description A slug, unique in the service. Copy it from the listing; never construct it.
                 * @example koramangala-arena-turf-a
                 */
                resource_id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T04:30:00.000Z
                 */
                slot_start: string;
                /**
                 * Format: date-time
                 * @example 2026-11-21T05:30:00.000Z
                 */
                slot_end: string;
                /**
                 * @description In rupees. Only for the partner that made the change.
                 * @example 1200
                 */
                price_rupees?: number;
                /**
                 * @description As you sent it on hold or confirm. Only in events of your own holds and bookings.
                 * @example order-2026-000731
                 */
                order_reference?: string;
                /** @description As you sent it on hold or confirm. Only in events of your own holds and bookings. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Every resource with slots that this change blocks or frees, including resource_id. Only if that resource shares space with others. */
                resource_ids_affected?: string[];
                /** @description Only in a sample that you requested: nothing has changed. */
                test?: boolean;
            };
            /**
             * Format: uuid
             * @description New in every attempt.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07
             */
            delivery_id: string;
        };
        HoldList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Hold"][];
            /**
             * @description Pass it as `cursor` for the next page. Null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        Me: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02
             */
            partner_id: string;
            /** @example Turf Town */
            name: string;
            /**
             * @description Always active here: calls of a suspended partner are rejected.
             * @example active
             * @enum {string}
             */
            status: "active" | "suspended";
            /**
             * @description The mode of the deployment. The paths under *Sandbox* exist in a sandbox only.
             * @example sandbox
             * @enum {string}
             */
            mode: "sandbox" | "production";
            /** @description The key with which this call was made. */
            key: {
                /**
                 * Format: uuid
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b09
                 */
                id: string;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:15:00.000Z
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description When the key expires; null if it does not.
                 * @example null
                 */
                expires_at: string | null;
                /**
                 * Format: date-time
                 * @description When the key was last used, to the minute; null before its first use is recorded.
                 * @example 2026-11-20T11:40:12.345Z
                 */
                last_used_at: string | null;
            };
            limits: {
                /**
                 * @description Your calls in a minute, with all keys together; null without a limit.
                 * @example 600
                 */
                rate_limit_per_minute: number | null;
                /**
                 * @description Your ACTIVE holds at the same time.
                 * @example 500
                 */
                max_active_holds: number;
                /**
                 * @description The lifetime of a hold without `ttl_seconds`.
                 * @example 600
                 */
                hold_ttl_seconds: number;
                /**
                 * @description The largest `ttl_seconds`.
                 * @example 1800
                 */
                max_hold_ttl_seconds: number;
                /**
                 * @description The longest life of an extended hold, from when it was placed.
                 * @example 7200
                 */
                max_hold_life_seconds: number;
                /**
                 * @description The number of dates for which one call may read availability.
                 * @example 31
                 */
                max_range_days: number;
                /**
                 * @description Your webhook subscriptions, inactive ones included.
                 * @example 20
                 */
                max_webhooks: number;
                /** @description The delay after each failed attempt; the last attempt has none. */
                webhook_retry_delays_seconds: number[];
            };
            /**
             * @description Slots can be held up to this many days after today's date at the venue, inclusive.
             * @example 90
             */
            horizon_days: number;
            /** @description Every venue granted to you, by name. The list of venues has their other fields. */
            venues: {
                /**
                 * Format: uuid
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
                 */
                venue_id: string;
                /** @example Koramangala Sports Arena */
                name: string;
            }[];
        };
        NotReady: {
            /**
             * @example unavailable
             * @enum {string}
             */
            status: "unavailable" | "stopping";
            /**
             * @example unreachable
             * @enum {string}
             */
            database?: "ok" | "unreachable";
            /**
             * @description Reported, not required. If Redis responds but rejects writes, the value contains its error code.
             * @example ok
             */
            redis: "ok" | "unreachable" | "refuses writes: OOM" | "refuses writes: READONLY" | "refuses writes: MISCONF" | "refuses writes: NOREPLICAS" | "refuses writes: NOPERM" | (string & {});
            missing_indexes?: string[];
            remedy?: string;
        };
        Package: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0b
             */
            package_id: string;
            /** @example Ten evenings */
            name: string;
            /** @example Ten hours of football, any weekday. */
            description: string | null;
            venue_ids: string[];
            /**
             * @description The number of bookings that the package pays for.
             * @example 10
             */
            credits: number;
            /**
             * @description Rupees, with at most two decimals.
             * @example 9000
             */
            price_rupees: number;
            /**
             * @description Counted from the purchase.
             * @example 90
             */
            validity_days: number;
            /**
             * @description An inactive package is not for sale. Its purchases stay valid.
             * @example active
             * @enum {string}
             */
            status: "active" | "inactive";
        };
        /** @description Name the slot in one way: slot_id; or resource_id, resource_ids or sport_category, each with venue_id and slot_start. slot_id may be combined with resource_id, venue_id and slot_start if they name the same slot. */
        PlaceHoldBody: {
            /**
             * @description The slot, as availability lists it.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id?: string;
            /**
             * Format: uuid
             * @description The venue of the slot; required without slot_id.
             */
            venue_id?: string;
            resource_id?: string;
            /**
             * Format: date-time
             * @description The start of the slot, as availability lists it.
             */
            slot_start?: string;
            /** @description Instead of resource_id: the first free one of these resources, in your order of preference. */
            resource_ids?: string[];
            /** @description Instead of resource_id: any free resource of this sport, ignoring case. The cheapest is held; among equals, the one with the first resource_id. */
            sport_category?: string;
            /** @description With sport_category: only resources with slots of this length. */
            duration_minutes?: number;
            /** @description The price that your customer has seen. A slot at another price is not held: 409 PRICE_CHANGED. */
            expected_price_rupees?: number;
            /**
             * @description Names this operation: a repeated call with the same key has no further effect and gets the first response again.
             * @example order-2026-000731
             */
            idempotency_key?: string;
            /**
             * @description The lifetime of the hold. Default: 600, unless the operator set another.
             * @example 600
             */
            ttl_seconds?: number;
            /**
             * @description Your own reference of the order; stored as given.
             * @example order-2026-000731
             */
            order_reference?: string;
            /** @description Your own data: at most 20 texts of 500 characters. Only your reads and events show it. Store no personal data in it. */
            metadata?: {
                [key: string]: string;
            };
        };
        Purchase: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c
             */
            id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0b
             */
            package_id: string;
            /**
             * @description As given.
             * @example +919845012345
             */
            customer_phone: string;
            /** @example upi */
            payment_method: string;
            /** @example 10 */
            credits_total: number;
            /** @example 9 */
            credits_remaining: number;
            /**
             * @description EXHAUSTED: no credits left; a refund that returns one makes it ACTIVE. EXPIRED: after expires_at, or if ended_at is set.
             * @example ACTIVE
             * @enum {string}
             */
            status: "ACTIVE" | "EXHAUSTED" | "EXPIRED";
            venue_ids: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            purchased_at: string;
            /**
             * Format: date-time
             * @example 2027-02-18T09:15:00.000Z
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When an operator ended it early. Otherwise absent.
             * @example 2026-11-20T09:15:00.000Z
             */
            ended_at?: string;
            /**
             * @description Why an operator ended it. Present with ended_at.
             * @example Returned to the customer, who asked to be erased.
             */
            end_reason?: string;
        };
        RecoverDeliveriesBody: {
            /**
             * Format: date-time
             * @description The start of the period, at most 14 days before `until`.
             * @example 2026-11-20T09:15:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description The end of the period, included. Default: now.
             * @example 2026-11-20T11:40:12.345Z
             */
            until?: string;
        };
        RecoverDeliveriesResult: {
            /**
             * @description How many deliveries start.
             * @example 12
             */
            recovered: number;
        };
        /** @description Applies to the whole booking and moves no money: a field that begins with `amount` is rejected. */
        RefundBookingBody: {
            /**
             * @description Stored with the booking.
             * @example Rain: the turf is closed.
             */
            reason: string;
            /**
             * @description Names this operation: a repeated call with the same key has no further effect and gets the first response again.
             * @example cancel-2026-000731
             */
            idempotency_key: string;
        };
        RefundBookingResult: {
            /** @example Booking refunded successfully */
            message: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * @example REFUNDED
             * @enum {string}
             */
            status: "REFUNDED";
        };
        ReleaseByOtherChannelResult: {
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @description The venue's booking, which you cannot read.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * @example CANCELLED
             * @enum {string}
             */
            status: "CANCELLED";
        };
        ReleaseHoldBody: {
            /**
             * @description Why you release the hold. Other partners do not see it.
             * @example The customer chose another time.
             */
            reason?: string;
        };
        ReleaseHoldResult: {
            /** @example Hold released */
            message: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
             */
            hold_id: string;
            /**
             * @description CONSUMED: confirmed into a booking. RELEASED: cancelled by its partner, or released by the platform operator. EXPIRED: not confirmed in time.
             * @example RELEASED
             * @enum {string}
             */
            status: "ACTIVE" | "CONSUMED" | "RELEASED" | "EXPIRED";
        };
        ResetSandboxResult: {
            /**
             * @description Removed with their waiting deliveries.
             * @example 1
             */
            subscriptions: number;
            /**
             * @description Released.
             * @example 2
             */
            holds: number;
            /**
             * @description Cancelled.
             * @example 1
             */
            bookings: number;
        };
        Resource: {
            /**
             * @description A slug, unique in the service. Copy it from the listing; never construct it.
             * @example koramangala-arena-turf-a
             */
            resource_id: string;
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /** @example Turf A */
            name: string;
            /** @example turf */
            resource_type: string;
            /** @example football */
            sport_category: string;
            /**
             * @description The length of a slot.
             * @example 60
             */
            duration_minutes: number;
            /**
             * @description The base price, in rupees; availability has the price of each slot.
             * @example 1200
             */
            price_rupees: number;
            /**
             * @description In the venue's time zone. Dates can have other hours: see availability.
             * @example 06:00
             */
            operating_hours_start: string;
            /**
             * @description If not after the start, it is on the next day. 00:00 to 00:00 is the whole day.
             * @example 23:00
             */
            operating_hours_end: string;
        };
        ResourceList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Resource"][];
        };
        RotateSecretBody: {
            /**
             * @description How long deliveries also carry X-Service-Signature-Previous, made with the old secret. Default: 0.
             * @example 86400
             */
            overlap_seconds?: number;
        };
        RotatedSecret: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
             */
            id: string;
            /**
             * @description Verify deliveries with it; later reads do not return it. The whole string, prefix included, is the HMAC key of X-Service-Signature. Give the whole string to a library for Standard Webhooks, too.
             * @example whsec_c2FtcGxlLXNlY3JldC1vZi1leGFjdGx5LTMyLWJ5dGU=
             */
            secret_key: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:40:12.345Z
             */
            secret_rotated_at: string;
        };
        SearchSlotsResult: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["FreeSlot"][];
            /**
             * @description Pass it as `cursor` for the next page. Null on the last page.
             * @example null
             */
            next_cursor: string | null;
        };
        SellByOtherChannelBody: {
            /** @description Also sell a slot that you hold. Confirming that hold is then DOUBLE_BOOKING_ATTEMPT. Default: false. */
            override_holds?: boolean;
        };
        SellByOtherChannelResult: {
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * Format: uuid
             * @description The venue's booking, which you cannot read.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
             */
            booking_id: string;
            /**
             * @example BOOKED
             * @enum {string}
             */
            status: "BOOKED";
        };
        SendTestEventBody: {
            /**
             * @description A subscribed type. Default: the first one.
             * @example booking_created
             * @enum {string}
             */
            event_type?: "hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed";
        };
        Slot: {
            /**
             * @description The id of the slot. Treat it as opaque.
             * @example koramangala-arena-turf-a_20261121T0430Z
             */
            slot_id: string;
            /**
             * @description A slug, unique in the service. Copy it from the listing; never construct it.
             * @example koramangala-arena-turf-a
             */
            resource_id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T04:30:00.000Z
             */
            slot_start: string;
            /**
             * Format: date-time
             * @example 2026-11-21T05:30:00.000Z
             */
            slot_end: string;
            /**
             * @description The price of this slot, in rupees.
             * @example 1200
             */
            price_rupees: number;
            /**
             * @description `true` does not reserve the slot: only a hold does.
             * @example true
             */
            is_available: boolean;
            /** @description Why the slot is not available. It does not tell who holds the slot. */
            unavailable_reason?: "held" | "booked" | "blackout" | "past" | "beyond_horizon" | "inactive" | (string & {});
        };
        Stalled: {
            /**
             * @example stalled
             * @enum {string}
             */
            status: "stalled";
            stalled: {
                /** @example sweep lapsed-holds */
                name: string;
                /**
                 * @description How long it has been silent, in seconds.
                 * @example 130
                 */
                silent_seconds: number;
            }[];
        };
        Subscription: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
             */
            id: string;
            /** @example https://partner.example.com/webhooks/bookings */
            endpoint_url: string;
            event_types: ("hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed" | (string & {}))[];
            /**
             * @description Only events of these venues are delivered; null: of all venues granted to you.
             * @example null
             */
            venue_ids: string[] | null;
            /**
             * @example active
             * @enum {string}
             */
            status: "active" | "inactive";
            /**
             * Format: date-time
             * @example 2026-11-20T09:15:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null before the first rotation.
             * @example null
             */
            secret_rotated_at: string | null;
        };
        SubscriptionConflict: {
            /**
             * Format: uuid
             * @description The active subscription with this URL, these types and these venues.
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
             */
            subscription_id: string;
        };
        /** @description Every error response. Decide by `code`; `message` is for your developers and may change. */
        SubscriptionExistsError: {
            /** @description false */
            success: boolean;
            error: {
                code: "VALIDATION_ERROR" | "INVALID_JSON" | "MALFORMED_REQUEST" | "INVALID_API_KEY" | "PARTNER_SUSPENDED" | "UNAUTHORIZED" | "VENUE_NOT_AUTHORIZED" | "ROUTE_NOT_FOUND" | "VENUE_NOT_FOUND" | "RESOURCE_NOT_FOUND" | "SLOT_NOT_FOUND" | "HOLD_NOT_FOUND" | "BOOKING_NOT_FOUND" | "PACKAGE_NOT_FOUND" | "PURCHASE_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "SLOT_NOT_AVAILABLE" | "PRICE_CHANGED" | "HOLD_LIMIT_REACHED" | "HOLD_EXPIRED" | "INVALID_HOLD_STATE" | "DOUBLE_BOOKING_ATTEMPT" | "NO_PACKAGE_CREDIT" | "IDEMPOTENCY_KEY_MISMATCH" | "WEBHOOK_LIMIT_REACHED" | "SUBSCRIPTION_EXISTS" | "WEBHOOK_INACTIVE" | "DELIVERY_IN_PROGRESS" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE" | (string & {});
                /** @description What was wrong and what to do next. */
                message: string;
                /** @description The X-Request-Id of this response. Send it to the operator if you ask for help. */
                request_id: string;
                /**
                 * Format: uri-reference
                 * @description The page about this code, relative to the address of the service.
                 */
                docs?: string;
                /** @description With VALIDATION_ERROR: every faulty field. */
                details?: {
                    path: string;
                    message: string;
                }[];
                conflict?: components["schemas"]["SubscriptionConflict"];
                /** @description With INVALID_HOLD_STATE, if your hold is confirmed: its booking. */
                booking_id?: string;
            };
        };
        SubscriptionList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Subscription"][];
        };
        Venue: {
            /**
             * Format: uuid
             * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
             */
            venue_id: string;
            /** @example Koramangala Arena */
            name: string;
            /** @example 80 Feet Road, Koramangala 4th Block */
            address: string;
            /** @example Bengaluru */
            city: string;
            /**
             * @description Nothing is sold while it is inactive.
             * @example active
             */
            status: "active" | "inactive" | (string & {});
            /**
             * @description IANA time zone of the venue.
             * @example Asia/Kolkata
             */
            time_zone: string;
        };
        VenueList: {
            success: boolean;
            /**
             * @description The length of `data`.
             * @example 1
             */
            count: number;
            data: components["schemas"]["Venue"][];
        };
    };
    responses: {
        /** @description `BOOKING_NOT_FOUND`: There is no booking with that id, or you may not read it. Use booking_id as returned by confirm. */
        BookingNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `DELIVERY_IN_PROGRESS`: An attempt of the delivery is in progress, or the state of the delivery does not allow this call. Read the delivery. If an attempt is in progress, repeat the call after it has ended. */
        DeliveryInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `DELIVERY_NOT_FOUND`: You have no delivery with that id. Take the id from /api/v1/partner/observability. */
        DeliveryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `HOLD_EXPIRED`: The hold expired at hold_expiry_at, so its slot is free again. Place a new hold on the slot.
         *
         *     `INVALID_HOLD_STATE`: The hold or booking is in a state that does not allow this operation. Read its current state. To repeat an earlier call, send the same idempotency_key.
         */
        HoldExpiredOrInvalidHoldState: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `HOLD_EXPIRED`: The hold expired at hold_expiry_at, so its slot is free again. Place a new hold on the slot.
         *
         *     `INVALID_HOLD_STATE`: The hold or booking is in a state that does not allow this operation. Read its current state. To repeat an earlier call, send the same idempotency_key.
         *
         *     `DOUBLE_BOOKING_ATTEMPT`: The venue sold the slot to another channel before the hold was confirmed. Place a hold on another slot.
         *
         *     `NO_PACKAGE_CREDIT`: use_package_credit is "required", and the customer has no credit at the venue. The hold stays ACTIVE. Sell a package first, or take a payment and confirm without use_package_credit (or with true, which needs no credit).
         *
         *     `IDEMPOTENCY_KEY_MISMATCH`: The idempotency_key was used before for a different request. Use a new key for each operation. Send the same key only to repeat a call.
         */
        HoldExpiredOrInvalidHoldStateOrDoubleBookingAttemptOrNoPackageCreditOrIdempotencyKeyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `HOLD_LIMIT_REACHED`: You have the maximum number of ACTIVE holds, or the hold would exceed its maximum lifetime. Confirm or release holds first, or send a smaller ttl_seconds.
         *
         *     `HOLD_EXPIRED`: The hold expired at hold_expiry_at, so its slot is free again. Place a new hold on the slot.
         *
         *     `INVALID_HOLD_STATE`: The hold or booking is in a state that does not allow this operation. Read its current state. To repeat an earlier call, send the same idempotency_key.
         */
        HoldLimitReachedOrHoldExpiredOrInvalidHoldState: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `HOLD_NOT_FOUND`: You have no hold with that id. Use hold_id as returned when the hold was placed. */
        HoldNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_MISMATCH`: The idempotency_key was used before for a different request. Use a new key for each operation. Send the same key only to repeat a call. */
        IdempotencyKeyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INTERNAL_ERROR`: An unexpected error occurred. Repeat the call with the same idempotency_key. If it fails again, send request_id to the platform operator. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INVALID_API_KEY`: The x-api-key header is missing, or the key is malformed, unknown, expired, revoked or for another deployment (sandbox or production). Send a valid key; ask the platform operator for one. */
        InvalidApiKey: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `INVALID_HOLD_STATE`: The hold or booking is in a state that does not allow this operation. Read its current state. To repeat an earlier call, send the same idempotency_key.
         *
         *     `IDEMPOTENCY_KEY_MISMATCH`: The idempotency_key was used before for a different request. Use a new key for each operation. Send the same key only to repeat a call.
         */
        InvalidHoldStateOrIdempotencyKeyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PACKAGE_NOT_FOUND`: You have no package on sale with that id. Take package_id from your catalogue, /api/v1/packages. */
        PackageNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PARTNER_SUSPENDED`: The partner of the key is suspended. On the operator interface: the partner of the delivery is suspended. Contact the platform operator, who can reactivate the partner. */
        PartnerSuspended: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `PARTNER_SUSPENDED`: The partner of the key is suspended. On the operator interface: the partner of the delivery is suspended. Contact the platform operator, who can reactivate the partner.
         *
         *     `UNAUTHORIZED`: The booking to cancel or refund was made by another partner. Check the booking_id.
         */
        PartnerSuspendedOrUnauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `PARTNER_SUSPENDED`: The partner of the key is suspended. On the operator interface: the partner of the delivery is suspended. Contact the platform operator, who can reactivate the partner.
         *
         *     `VENUE_NOT_AUTHORIZED`: The venue in the query or body does not exist or is not granted to you, or its grant was revoked. Take venue_id from the list of your venues, or ask the platform operator for a grant.
         */
        PartnerSuspendedOrVenueNotAuthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The body is larger than 100 KB. Send a smaller body. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PURCHASE_NOT_FOUND`: You have no package purchase with that id. Use purchase.id as returned when the package was sold. */
        PurchaseNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RATE_LIMITED`: You sent more requests than your limit allows, or too many invalid keys came from your address. Wait for the seconds in Retry-After. The RateLimit header shows how many requests are left. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RESOURCE_NOT_FOUND`: There is no resource with that id, or it belongs to another venue. Copy resource_id from the list of the venue's resources. */
        ResourceNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `RESOURCE_NOT_FOUND`: There is no resource with that id, or it belongs to another venue. Copy resource_id from the list of the venue's resources.
         *
         *     `SLOT_NOT_FOUND`: slot_id is malformed or unknown, the schedule has no such slot, or the venue of the slot is not granted to you. Copy slot_id or slot_start from availability of a venue in your list of venues.
         */
        ResourceNotFoundOrSlotNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: The database is unavailable, so the call may or may not have taken effect. Wait for the seconds in Retry-After, then repeat the call with the same idempotency_key. */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SLOT_NOT_AVAILABLE`: The slot is held, booked or blacked out, has already begun, is beyond the booking horizon, or its venue or resource is inactive. Choose one of error.conflict.alternatives, or read availability again. */
        SlotNotAvailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `SLOT_NOT_AVAILABLE`: The slot is held, booked or blacked out, has already begun, is beyond the booking horizon, or its venue or resource is inactive. Choose one of error.conflict.alternatives, or read availability again.
         *
         *     `PRICE_CHANGED`: The slot is free, but its price is not the expected_price_rupees that you sent. Nothing is held. If the customer accepts the price in error.conflict, send this price as expected_price_rupees.
         *
         *     `HOLD_LIMIT_REACHED`: You have the maximum number of ACTIVE holds, or the hold would exceed its maximum lifetime. Confirm or release holds first, or send a smaller ttl_seconds.
         *
         *     `IDEMPOTENCY_KEY_MISMATCH`: The idempotency_key was used before for a different request. Use a new key for each operation. Send the same key only to repeat a call.
         */
        SlotNotAvailableOrPriceChangedOrHoldLimitReachedOrIdempotencyKeyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SLOT_NOT_FOUND`: slot_id is malformed or unknown, the schedule has no such slot, or the venue of the slot is not granted to you. Copy slot_id or slot_start from availability of a venue in your list of venues. */
        SlotNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `SLOT_NOT_FOUND`: slot_id is malformed or unknown, the schedule has no such slot, or the venue of the slot is not granted to you. Copy slot_id or slot_start from availability of a venue in your list of venues.
         *
         *     `BOOKING_NOT_FOUND`: There is no booking with that id, or you may not read it. Use booking_id as returned by confirm.
         */
        SlotNotFoundOrBookingNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `SUBSCRIPTION_EXISTS`: You already have an active subscription with this endpoint_url, these event_types and these venue_ids. Use the subscription in error.conflict.subscription_id. If you lost its secret, rotate it. */
        SubscriptionExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SubscriptionExistsError"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The body is not declared as JSON, or its charset or encoding is not supported. Send Content-Type: application/json, encoded as UTF-8. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_ERROR`: A field of the body, the query or the path is missing, malformed or out of range, or the query has an unknown field. Correct every field listed in error.details, then send the request again. */
        ValidationError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `VALIDATION_ERROR`: A field of the body, the query or the path is missing, malformed or out of range, or the query has an unknown field. Correct every field listed in error.details, then send the request again.
         *
         *     `INVALID_JSON`: The body is not one complete JSON document in UTF-8, or cannot be decompressed. Send one JSON object, encoded as UTF-8.
         */
        ValidationErrorOrInvalidJson: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VENUE_NOT_FOUND`: There is no such venue, or the venue in the path is not granted to you. Take venue_id from the list of venues. */
        VenueNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `WEBHOOK_INACTIVE`: The subscription is deactivated, so nothing is delivered to it. Ask the platform operator to activate it. */
        WebhookInactive: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `WEBHOOK_INACTIVE`: The subscription is deactivated, so nothing is delivered to it. Ask the platform operator to activate it.
         *
         *     `DELIVERY_IN_PROGRESS`: An attempt of the delivery is in progress, or the state of the delivery does not allow this call. Read the delivery. If an attempt is in progress, repeat the call after it has ended.
         */
        WebhookInactiveOrDeliveryInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `WEBHOOK_LIMIT_REACHED`: You have 20 webhook subscriptions, which is the maximum. Change one of them with PATCH.
         *
         *     `SUBSCRIPTION_EXISTS`: You already have an active subscription with this endpoint_url, these event_types and these venue_ids. Use the subscription in error.conflict.subscription_id. If you lost its secret, rotate it.
         */
        WebhookLimitReachedOrSubscriptionExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SubscriptionExistsError"];
            };
        };
        /** @description `WEBHOOK_NOT_FOUND`: You have no webhook subscription with that id. Take the id from the list of your subscriptions. */
        WebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `WEBHOOK_NOT_FOUND`: You have no webhook subscription with that id. Take the id from the list of your subscriptions.
         *
         *     `DELIVERY_NOT_FOUND`: You have no delivery with that id. Take the id from /api/v1/partner/observability.
         */
        WebhookNotFoundOrDeliveryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
        "X-Request-Id": string;
        /** @description An alternative to the field idempotency_key, in UTF-8. If you send both, they must be equal. */
        "Idempotency-Key": string;
        /** @description The ETag of an earlier response. */
        "If-None-Match": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The id of this request in logs and in error.request_id. The service keeps yours if it has 1 to 128 characters A-Z a-z 0-9 . _ -
         * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0a
         */
        "X-Request-Id": string;
        /**
         * @description The remaining limit: `r` requests until the window ends in `t` seconds. Absent if no limit applies.
         * @example "partner";r=587;t=42
         */
        RateLimit: string;
        /**
         * @description The limit: `q` requests in a window of `w` seconds. Absent if no limit applies.
         * @example "partner";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Repeat the call after this many seconds.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description The version of the response. Send it in If-None-Match.
         * @example W/"4f2-9mPq0x7cR3vT1k"
         */
        ETag: string;
        /**
         * @description `true` if the response repeats that of an earlier call with the same idempotency_key; otherwise absent.
         * @example true
         */
        "Idempotent-Replayed": "true";
        /**
         * @description Unknown body fields that were ignored, separated by commas, at most 10. Check them for typing errors. Absent if there are none.
         * @example customer_nmae, colour
         */
        "X-Ignored-Fields": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You, your key, your limits and your venues. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *       "name": "Turf Town",
                     *       "status": "active",
                     *       "mode": "sandbox",
                     *       "key": {
                     *         "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b09",
                     *         "created_at": "2026-11-20T09:15:00.000Z",
                     *         "expires_at": null,
                     *         "last_used_at": "2026-11-20T11:40:12.345Z"
                     *       },
                     *       "limits": {
                     *         "rate_limit_per_minute": 600,
                     *         "max_active_holds": 500,
                     *         "hold_ttl_seconds": 600,
                     *         "max_hold_ttl_seconds": 1800,
                     *         "max_hold_life_seconds": 7200,
                     *         "max_range_days": 31,
                     *         "max_webhooks": 20,
                     *         "webhook_retry_delays_seconds": [
                     *           300,
                     *           900,
                     *           1800,
                     *           3600
                     *         ]
                     *       },
                     *       "horizon_days": 90,
                     *       "venues": [
                     *         {
                     *           "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *           "name": "Koramangala Sports Arena"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listVenues: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your venues, by name; none before onboarding. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *           "name": "Koramangala Arena",
                     *           "address": "80 Feet Road, Koramangala 4th Block",
                     *           "city": "Bengaluru",
                     *           "status": "active",
                     *           "time_zone": "Asia/Kolkata"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["VenueList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVenue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `venue_id` as listed.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
                 */
                venueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The venue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "name": "Koramangala Arena",
                     *       "address": "80 Feet Road, Koramangala 4th Block",
                     *       "city": "Bengaluru",
                     *       "status": "active",
                     *       "time_zone": "Asia/Kolkata"
                     *     }
                     */
                    "application/json": components["schemas"]["Venue"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["VenueNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listResources: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `venue_id` as listed.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
                 */
                venueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All resources of the venue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *           "name": "Turf A",
                     *           "resource_type": "turf",
                     *           "sport_category": "football",
                     *           "duration_minutes": 60,
                     *           "price_rupees": 1200,
                     *           "operating_hours_start": "06:00",
                     *           "operating_hours_end": "23:00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["VenueNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    searchSlots: {
        parameters: {
            query: {
                /**
                 * @description A calendar date in each venue's time zone; a slot belongs to the date on which its operating day begins.
                 * @example 2026-11-21
                 */
                date: string;
                /** @description Only these venues: at most 20 ids, separated by commas. Default: all your venues. */
                venue_ids?: string;
                /** @description Only resources of this sport_category, ignoring case. */
                sport?: string;
                /** @description Only venues in this city, ignoring case. */
                city?: string;
                /** @description Only slots that begin at or after this local time. Without `to`, this includes those after the next midnight. */
                from?: string;
                /** @description Only slots that begin before this local time. If it is earlier than `from`, it is after midnight: from=22:00&to=02:00. 24:00 is midnight. */
                to?: string;
                /** @description `next_cursor` of the previous page, unchanged. Omit it for the first page. */
                cursor?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The slots that can be held. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *           "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "price_rupees": 1200,
                     *           "is_available": true
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SearchSlotsResult"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAvailability: {
        parameters: {
            query: {
                /**
                 * @description A venue granted to you.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
                 */
                venue_id: string;
                /**
                 * @description A calendar date in the venue's time zone; a slot belongs to the date on which its operating day begins.
                 * @example 2026-11-21
                 */
                date: string;
                /** @description Only the slots of this resource. */
                resource_id?: string;
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The slots of the date. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "date": "2026-11-21",
                     *       "slots": [
                     *         {
                     *           "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "price_rupees": 1200,
                     *           "is_available": true
                     *         },
                     *         {
                     *           "slot_id": "koramangala-arena-turf-a_20261121T0530Z",
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_start": "2026-11-21T05:30:00.000Z",
                     *           "slot_end": "2026-11-21T06:30:00.000Z",
                     *           "price_rupees": 1500,
                     *           "is_available": false,
                     *           "unavailable_reason": "booked"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Availability"];
                };
            };
            /** @description Nothing has changed since the response with this ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            404: components["responses"]["ResourceNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAvailabilityRange: {
        parameters: {
            query: {
                /**
                 * @description A venue granted to you.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01
                 */
                venue_id: string;
                /**
                 * @description The first date, not after `to`.
                 * @example 2026-11-21
                 */
                from: string;
                /**
                 * @description The last date, included; the range has at most 31 days.
                 * @example 2026-11-22
                 */
                to: string;
                /** @description Only the slots of this resource. */
                resource_id?: string;
            };
            header?: {
                /** @description The ETag of an earlier response. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The slots of each date. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "from": "2026-11-21",
                     *       "to": "2026-11-21",
                     *       "days": [
                     *         {
                     *           "date": "2026-11-21",
                     *           "slots": [
                     *             {
                     *               "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *               "resource_id": "koramangala-arena-turf-a",
                     *               "slot_start": "2026-11-21T04:30:00.000Z",
                     *               "slot_end": "2026-11-21T05:30:00.000Z",
                     *               "price_rupees": 1200,
                     *               "is_available": true
                     *             },
                     *             {
                     *               "slot_id": "koramangala-arena-turf-a_20261121T0530Z",
                     *               "resource_id": "koramangala-arena-turf-a",
                     *               "slot_start": "2026-11-21T05:30:00.000Z",
                     *               "slot_end": "2026-11-21T06:30:00.000Z",
                     *               "price_rupees": 1500,
                     *               "is_available": false,
                     *               "unavailable_reason": "booked"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AvailabilityRange"];
                };
            };
            /** @description Nothing has changed since the response with this ETag. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            404: components["responses"]["ResourceNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listHolds: {
        parameters: {
            query?: {
                /** @description Only the holds in this state. */
                status?: "ACTIVE" | "CONSUMED" | "RELEASED" | "EXPIRED";
                /** @description The maximum number of items on the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page, unchanged. Omit it for the first page. */
                cursor?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of your holds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *           "status": "CONSUMED",
                     *           "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "price_rupees": 1200,
                     *           "hold_expiry_at": "2026-11-20T09:25:00.000Z",
                     *           "created_at": "2026-11-20T09:15:00.000Z",
                     *           "order_reference": "order-2026-000731",
                     *           "metadata": {
                     *             "basket": "b-118"
                     *           },
                     *           "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["HoldList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    placeHold: {
        parameters: {
            query?: never;
            header?: {
                /** @description An alternative to the field idempotency_key, in UTF-8. If you send both, they must be equal. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                 *       "idempotency_key": "order-2026-000731",
                 *       "ttl_seconds": 600,
                 *       "order_reference": "order-2026-000731",
                 *       "metadata": {
                 *         "basket": "b-118",
                 *         "channel": "app"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PlaceHoldBody"];
            };
        };
        responses: {
            /** @description The slot is yours until hold_expiry_at. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *       "status": "ACTIVE",
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "resource_id": "koramangala-arena-turf-a",
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "slot_start": "2026-11-21T04:30:00.000Z",
                     *       "slot_end": "2026-11-21T05:30:00.000Z",
                     *       "price_rupees": 1200,
                     *       "hold_expiry_at": "2026-11-20T09:25:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "order_reference": "order-2026-000731",
                     *       "metadata": {
                     *         "basket": "b-118"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Hold"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            404: components["responses"]["ResourceNotFoundOrSlotNotFound"];
            409: components["responses"]["SlotNotAvailableOrPriceChangedOrHoldLimitReachedOrIdempotencyKeyMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getHold: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `hold_id` as returned when the hold was placed.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
                 */
                holdId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hold as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *       "status": "CONSUMED",
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "resource_id": "koramangala-arena-turf-a",
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "slot_start": "2026-11-21T04:30:00.000Z",
                     *       "slot_end": "2026-11-21T05:30:00.000Z",
                     *       "price_rupees": 1200,
                     *       "hold_expiry_at": "2026-11-20T09:25:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "order_reference": "order-2026-000731",
                     *       "metadata": {
                     *         "basket": "b-118"
                     *       },
                     *       "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04"
                     *     }
                     */
                    "application/json": components["schemas"]["Hold"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["HoldNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    extendHold: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `hold_id` as returned when the hold was placed.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
                 */
                holdId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ttl_seconds": 900
                 *     }
                 */
                "application/json": components["schemas"]["ExtendHoldBody"];
            };
        };
        responses: {
            /** @description The hold with its new expiry. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *       "status": "ACTIVE",
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "resource_id": "koramangala-arena-turf-a",
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "slot_start": "2026-11-21T04:30:00.000Z",
                     *       "slot_end": "2026-11-21T05:30:00.000Z",
                     *       "price_rupees": 1200,
                     *       "hold_expiry_at": "2026-11-20T09:25:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "order_reference": "order-2026-000731",
                     *       "metadata": {
                     *         "basket": "b-118"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Hold"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            404: components["responses"]["HoldNotFound"];
            409: components["responses"]["HoldLimitReachedOrHoldExpiredOrInvalidHoldState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    releaseHold: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `hold_id` as returned when the hold was placed.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
                 */
                holdId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The customer chose another time."
                 *     }
                 */
                "application/json": components["schemas"]["ReleaseHoldBody"];
            };
        };
        responses: {
            /** @description The hold is released. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Hold released",
                     *       "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *       "status": "RELEASED"
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseHoldResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["HoldNotFound"];
            409: components["responses"]["HoldExpiredOrInvalidHoldState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    confirmBooking: {
        parameters: {
            query?: never;
            header?: {
                /** @description An alternative to the field idempotency_key, in UTF-8. If you send both, they must be equal. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                 *       "payment_reference": "pay_QxT4e9Lk2m",
                 *       "customer_name": "Asha Rao",
                 *       "customer_phone": "+919845012345",
                 *       "customer_email": "asha.rao@example.com",
                 *       "idempotency_key": "order-2026-000731",
                 *       "order_reference": "order-2026-000731",
                 *       "metadata": {
                 *         "basket": "b-118",
                 *         "channel": "app"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmBookingBody"];
            };
        };
        responses: {
            /** @description The slot is booked. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04",
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "status": "BOOKED",
                     *       "booked_at": "2026-11-20T09:15:00.000Z",
                     *       "price_rupees": 1200,
                     *       "package_purchase_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c"
                     *     }
                     */
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            404: components["responses"]["HoldNotFound"];
            409: components["responses"]["HoldExpiredOrInvalidHoldStateOrDoubleBookingAttemptOrNoPackageCreditOrIdempotencyKeyMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBookings: {
        parameters: {
            query?: {
                /** @description Only bookings at this venue. */
                venue_id?: string;
                /** @description The first date of booked_at, in the time zone of the venue, or in the service's zone if venue_id is omitted. */
                from?: string;
                /** @description The last date of booked_at, included. */
                to?: string;
                status?: "BOOKED" | "CANCELLED" | "REFUNDED";
                /** @description Only the booking that this hold became. */
                hold_id?: string;
                /** @description Only bookings with exactly this reference. */
                payment_reference?: string;
                /** @description Only bookings with exactly this order_reference. */
                order_reference?: string;
                /** @description Only bookings of this phone number, in any notation. */
                customer_phone?: string;
                /** @description The beginning of the name. Case and surrounding blanks are ignored. */
                customer_name?: string;
                /** @description The slot begins on this date or later, in the time zone of the venue, or in the service's zone if venue_id is omitted. */
                slot_from?: string;
                /** @description The slot begins on this date or earlier. */
                slot_to?: string;
                /** @description The maximum number of items on the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page, unchanged. Omit it for the first page. */
                cursor?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of your bookings. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04",
                     *           "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *           "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *           "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "status": "BOOKED",
                     *           "booked_at": "2026-11-20T09:15:00.000Z",
                     *           "price_rupees": 1200,
                     *           "payment_reference": "pay_QxT4e9Lk2m",
                     *           "order_reference": "order-2026-000731",
                     *           "metadata": {
                     *             "basket": "b-118"
                     *           },
                     *           "customer_name": "Asha Rao",
                     *           "customer_phone": "+919845012345",
                     *           "customer_email": "asha.rao@example.com",
                     *           "venue": {
                     *             "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *             "name": "Koramangala Arena",
                     *             "city": "Bengaluru"
                     *           },
                     *           "resource": {
                     *             "resource_id": "koramangala-arena-turf-a",
                     *             "resource_type": "turf",
                     *             "sport_category": "football"
                     *           },
                     *           "cancelled_at": null,
                     *           "cancellation_reason": null,
                     *           "refunded_at": null,
                     *           "refund_reason": null,
                     *           "package_purchase_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c"
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["BookingList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBooking: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `booking_id` as returned by confirm.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
                 */
                bookingId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The booking as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04",
                     *       "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *       "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "resource_id": "koramangala-arena-turf-a",
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "slot_start": "2026-11-21T04:30:00.000Z",
                     *       "slot_end": "2026-11-21T05:30:00.000Z",
                     *       "status": "BOOKED",
                     *       "booked_at": "2026-11-20T09:15:00.000Z",
                     *       "price_rupees": 1200,
                     *       "payment_reference": "pay_QxT4e9Lk2m",
                     *       "order_reference": "order-2026-000731",
                     *       "metadata": {
                     *         "basket": "b-118"
                     *       },
                     *       "customer_name": "Asha Rao",
                     *       "customer_phone": "+919845012345",
                     *       "customer_email": "asha.rao@example.com",
                     *       "venue": {
                     *         "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *         "name": "Koramangala Arena",
                     *         "city": "Bengaluru"
                     *       },
                     *       "resource": {
                     *         "resource_id": "koramangala-arena-turf-a",
                     *         "resource_type": "turf",
                     *         "sport_category": "football"
                     *       },
                     *       "cancelled_at": null,
                     *       "cancellation_reason": null,
                     *       "refunded_at": null,
                     *       "refund_reason": null,
                     *       "package_purchase_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c"
                     *     }
                     */
                    "application/json": components["schemas"]["Booking"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["BookingNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelBooking: {
        parameters: {
            query?: never;
            header?: {
                /** @description An alternative to the field idempotency_key, in UTF-8. If you send both, they must be equal. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `booking_id` as returned by confirm.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
                 */
                bookingId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Rain: the turf is closed.",
                 *       "idempotency_key": "cancel-2026-000731"
                 *     }
                 */
                "application/json": components["schemas"]["CancelBookingBody"];
            };
        };
        responses: {
            /** @description Booking cancelled successfully */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Booking cancelled successfully",
                     *       "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04",
                     *       "status": "CANCELLED"
                     *     }
                     */
                    "application/json": components["schemas"]["CancelBookingResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrUnauthorized"];
            404: components["responses"]["BookingNotFound"];
            409: components["responses"]["InvalidHoldStateOrIdempotencyKeyMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    refundBooking: {
        parameters: {
            query?: never;
            header?: {
                /** @description An alternative to the field idempotency_key, in UTF-8. If you send both, they must be equal. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `booking_id` as returned by confirm.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04
                 */
                bookingId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Rain: the turf is closed.",
                 *       "idempotency_key": "cancel-2026-000731"
                 *     }
                 */
                "application/json": components["schemas"]["RefundBookingBody"];
            };
        };
        responses: {
            /** @description Booking refunded successfully */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Booking refunded successfully",
                     *       "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04",
                     *       "status": "REFUNDED"
                     *     }
                     */
                    "application/json": components["schemas"]["RefundBookingResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrUnauthorized"];
            404: components["responses"]["BookingNotFound"];
            409: components["responses"]["InvalidHoldStateOrIdempotencyKeyMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listCatalogue: {
        parameters: {
            query?: {
                /** @description Only packages that can be used at this venue. */
                venue_id?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your catalogue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "package_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0b",
                     *           "name": "Ten evenings",
                     *           "description": "Ten hours of football, any weekday.",
                     *           "venue_ids": [
                     *             "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01"
                     *           ],
                     *           "credits": 10,
                     *           "price_rupees": 9000,
                     *           "validity_days": 90,
                     *           "status": "active"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogueList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    buyPackage: {
        parameters: {
            query?: never;
            header?: {
                /** @description An alternative to the field idempotency_key, in UTF-8. If you send both, they must be equal. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `package_id` from the catalogue.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0b
                 */
                packageId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer_phone": "+919845012345",
                 *       "payment_method": "upi",
                 *       "idempotency_key": "purchase-2026-000112"
                 *     }
                 */
                "application/json": components["schemas"]["BuyPackageBody"];
            };
        };
        responses: {
            /** @description The purchase. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purchase": {
                     *         "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c",
                     *         "package_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0b",
                     *         "customer_phone": "+919845012345",
                     *         "payment_method": "upi",
                     *         "credits_total": 10,
                     *         "credits_remaining": 9,
                     *         "status": "ACTIVE",
                     *         "venue_ids": [
                     *           "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01"
                     *         ],
                     *         "purchased_at": "2026-11-20T09:15:00.000Z",
                     *         "expires_at": "2027-02-18T09:15:00.000Z",
                     *         "ended_at": "2026-11-20T09:15:00.000Z",
                     *         "end_reason": "Returned to the customer, who asked to be erased."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["BuyPackageResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["PackageNotFound"];
            409: components["responses"]["IdempotencyKeyMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPurchase: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `purchase.id` as returned when the package was sold.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c
                 */
                purchaseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The purchase as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purchase": {
                     *         "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c",
                     *         "package_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0b",
                     *         "customer_phone": "+919845012345",
                     *         "payment_method": "upi",
                     *         "credits_total": 10,
                     *         "credits_remaining": 9,
                     *         "status": "ACTIVE",
                     *         "venue_ids": [
                     *           "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01"
                     *         ],
                     *         "purchased_at": "2026-11-20T09:15:00.000Z",
                     *         "expires_at": "2027-02-18T09:15:00.000Z",
                     *         "ended_at": "2026-11-20T09:15:00.000Z",
                     *         "end_reason": "Returned to the customer, who asked to be erased."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GetPurchaseResult"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["PurchaseNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listActivePurchases: {
        parameters: {
            query: {
                /**
                 * @description A valid phone number: E.164, or a national number of IN.
                 * @example +919845012345
                 */
                customer_phone: string;
                /** @description The venue at which the credits are to be used. */
                venue_id: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The purchases. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0c",
                     *           "package_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0b",
                     *           "customer_phone": "+919845012345",
                     *           "payment_method": "upi",
                     *           "credits_total": 10,
                     *           "credits_remaining": 9,
                     *           "status": "ACTIVE",
                     *           "venue_ids": [
                     *             "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01"
                     *           ],
                     *           "purchased_at": "2026-11-20T09:15:00.000Z",
                     *           "expires_at": "2027-02-18T09:15:00.000Z",
                     *           "ended_at": "2026-11-20T09:15:00.000Z",
                     *           "end_reason": "Returned to the customer, who asked to be erased."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ActivePurchaseList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSubscriptions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All your subscriptions, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *           "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *           "event_types": [
                     *             "booking_created",
                     *             "booking_cancelled",
                     *             "hold_expired"
                     *           ],
                     *           "venue_ids": null,
                     *           "status": "active",
                     *           "created_at": "2026-11-20T09:15:00.000Z",
                     *           "secret_rotated_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                 *       "event_types": [
                 *         "booking_created",
                 *         "booking_cancelled",
                 *         "hold_expired"
                 *       ],
                 *       "venue_ids": [
                 *         "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateSubscriptionBody"];
            };
        };
        responses: {
            /** @description The subscription with its secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *       "event_types": [
                     *         "booking_created",
                     *         "booking_cancelled",
                     *         "hold_expired"
                     *       ],
                     *       "venue_ids": null,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "secret_key": "whsec_c2FtcGxlLXNlY3JldC1vZi1leGFjdGx5LTMyLWJ5dGU="
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedSubscription"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            409: components["responses"]["WebhookLimitReachedOrSubscriptionExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `id` of one of your subscriptions.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                 *       "event_types": [
                 *         "booking_created",
                 *         "booking_cancelled",
                 *         "hold_expired"
                 *       ],
                 *       "venue_ids": [
                 *         "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ChangeSubscriptionBody"];
            };
        };
        responses: {
            /** @description The subscription as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *       "event_types": [
                     *         "booking_created",
                     *         "booking_cancelled",
                     *         "hold_expired"
                     *       ],
                     *       "venue_ids": null,
                     *       "status": "active",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "secret_rotated_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["SubscriptionExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `id` of one of your subscriptions.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["RotateSecretBody"];
            };
        };
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *       "secret_key": "whsec_c2FtcGxlLXNlY3JldC1vZi1leGFjdGx5LTMyLWJ5dGU=",
                     *       "secret_rotated_at": "2026-11-20T11:40:12.345Z"
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["WebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendTestEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `id` of one of your subscriptions.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "event_type": "booking_created"
                 *     }
                 */
                "application/json": components["schemas"]["SendTestEventBody"];
            };
        };
        responses: {
            /** @description The delivery of the sample; its attempt follows. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06",
                     *       "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *       "event_type": "hold_created",
                     *       "subscription_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *       "state": "pending",
                     *       "attempts": [],
                     *       "next_attempt_at": "2026-11-20T09:15:00.000Z",
                     *       "dead_lettered_at": null,
                     *       "discarded_at": "2026-11-20T09:15:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "payload": {
                     *         "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *         "event_type": "hold_created",
                     *         "timestamp": "2026-11-20T09:15:00.000Z",
                     *         "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *         "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *         "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *         "booking_id": null,
                     *         "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *         "details": {
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "price_rupees": 1200,
                     *           "hold_expiry_at": "2026-11-20T09:25:00.000Z",
                     *           "test": true
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["WebhookInactive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    recoverDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `id` of one of your subscriptions.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-11-20T09:15:00.000Z",
                 *       "until": "2026-11-20T11:40:12.345Z"
                 *     }
                 */
                "application/json": components["schemas"]["RecoverDeliveriesBody"];
            };
        };
        responses: {
            /** @description The deliveries follow. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovered": 12
                     *     }
                     */
                    "application/json": components["schemas"]["RecoverDeliveriesResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["WebhookInactive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The next_cursor of an earlier response. Omit it to read from the beginning. */
                after?: string;
                /** @description Only events from this instant on. Use it to start, then continue with next_cursor. A future instant returns only the cursor of the feed's end. */
                since?: string;
                /** @description Only events of this type. */
                event_type?: "hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed";
                /** @description Only events at this venue. */
                venue_id?: string;
                /** @description The maximum number of items on the page. */
                limit?: number;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the feed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *           "event_type": "hold_created",
                     *           "timestamp": "2026-11-20T09:15:00.000Z",
                     *           "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *           "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *           "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *           "booking_id": null,
                     *           "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *           "details": {
                     *             "resource_id": "koramangala-arena-turf-a",
                     *             "slot_start": "2026-11-21T04:30:00.000Z",
                     *             "slot_end": "2026-11-21T05:30:00.000Z",
                     *             "price_rupees": 1200,
                     *             "hold_expiry_at": "2026-11-20T09:25:00.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": "v2.5b1f0c9e.mKQ3rV0e2sW8yTzL4nPcXgA7dHjB1uFi9oQkNvE6xRbSaMhZt5wJqUyD0lY"
                     *     }
                     */
                    "application/json": components["schemas"]["EventList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getObservability: {
        parameters: {
            query?: {
                /** @description Which deliveries `data` lists. */
                status?: "pending" | "retrying" | "succeeded" | "dead_letter" | "all";
                event_type?: "hold_created" | "hold_cancelled" | "hold_expired" | "booking_created" | "booking_cancelled" | "booking_refunded" | "availability_changed";
                /** @description Only deliveries to this subscription. */
                subscription_id?: string;
                /** @description The maximum number of items on the page. */
                limit?: number;
                /** @description `next_cursor` of the previous page, unchanged. Omit it for the first page. */
                cursor?: string;
            };
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of your deliveries, and a page of them. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "generated_at": "2026-11-20T11:40:12.345Z",
                     *       "summary": {
                     *         "window_hours": 24,
                     *         "events": 318,
                     *         "deliveries": {
                     *           "pending": 2,
                     *           "retrying": 1,
                     *           "succeeded": 314,
                     *           "dead_letter": 1
                     *         },
                     *         "attempts": 329,
                     *         "success_rate": 0.954,
                     *         "latency_ms": {
                     *           "p50": 84,
                     *           "p95": 240,
                     *           "p99": 1310
                     *         }
                     *       },
                     *       "subscriptions": [
                     *         {
                     *           "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *           "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *           "status": "active",
                     *           "last_success_at": "2026-11-20T11:40:12.345Z",
                     *           "last_failure_at": "2026-11-20T09:15:00.000Z",
                     *           "consecutive_failures": 0,
                     *           "dead_letter": 1
                     *         }
                     *       ],
                     *       "count": 1,
                     *       "data": [
                     *         {
                     *           "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06",
                     *           "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *           "event_type": "hold_created",
                     *           "subscription_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *           "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *           "state": "dead_letter",
                     *           "attempts": [
                     *             {
                     *               "delivery_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07",
                     *               "attempt": 1,
                     *               "series": 1,
                     *               "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *               "sent_at": "2026-11-20T11:40:12.345Z",
                     *               "status_code": 503,
                     *               "error": "http_status",
                     *               "error_detail": null,
                     *               "redirect_to": null,
                     *               "duration_ms": 183,
                     *               "response_excerpt": "upstream unavailable"
                     *             }
                     *           ],
                     *           "next_attempt_at": null,
                     *           "dead_lettered_at": "2026-11-20T11:40:12.345Z",
                     *           "discarded_at": "2026-11-20T09:15:00.000Z",
                     *           "created_at": "2026-11-20T09:15:00.000Z",
                     *           "payload": {
                     *             "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *             "event_type": "hold_created",
                     *             "timestamp": "2026-11-20T09:15:00.000Z",
                     *             "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *             "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *             "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *             "booking_id": null,
                     *             "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *             "details": {
                     *               "resource_id": "koramangala-arena-turf-a",
                     *               "slot_start": "2026-11-21T04:30:00.000Z",
                     *               "slot_end": "2026-11-21T05:30:00.000Z",
                     *               "price_rupees": 1200,
                     *               "hold_expiry_at": "2026-11-20T09:25:00.000Z"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["GetObservabilityResult"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The `id` of a delivery, or the X-Delivery-Id of one of its attempts.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06",
                     *       "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *       "event_type": "hold_created",
                     *       "subscription_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *       "state": "dead_letter",
                     *       "attempts": [
                     *         {
                     *           "delivery_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b07",
                     *           "attempt": 1,
                     *           "series": 1,
                     *           "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *           "sent_at": "2026-11-20T11:40:12.345Z",
                     *           "status_code": 503,
                     *           "error": "http_status",
                     *           "error_detail": null,
                     *           "redirect_to": null,
                     *           "duration_ms": 183,
                     *           "response_excerpt": "upstream unavailable"
                     *         }
                     *       ],
                     *       "next_attempt_at": null,
                     *       "dead_lettered_at": "2026-11-20T11:40:12.345Z",
                     *       "discarded_at": "2026-11-20T09:15:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "payload": {
                     *         "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *         "event_type": "hold_created",
                     *         "timestamp": "2026-11-20T09:15:00.000Z",
                     *         "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *         "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *         "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *         "booking_id": null,
                     *         "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *         "details": {
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "price_rupees": 1200,
                     *           "hold_expiry_at": "2026-11-20T09:25:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["DeliveryNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The `id` of a delivery, or the X-Delivery-Id of one of its attempts.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery; its attempts follow. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06",
                     *       "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *       "event_type": "hold_created",
                     *       "subscription_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *       "state": "pending",
                     *       "attempts": [],
                     *       "next_attempt_at": "2026-11-20T09:15:00.000Z",
                     *       "dead_lettered_at": null,
                     *       "discarded_at": "2026-11-20T09:15:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "payload": {
                     *         "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *         "event_type": "hold_created",
                     *         "timestamp": "2026-11-20T09:15:00.000Z",
                     *         "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *         "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *         "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *         "booking_id": null,
                     *         "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *         "details": {
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "price_rupees": 1200,
                     *           "hold_expiry_at": "2026-11-20T09:25:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspendedOrVenueNotAuthorized"];
            404: components["responses"]["WebhookNotFoundOrDeliveryNotFound"];
            409: components["responses"]["WebhookInactiveOrDeliveryInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resetSandbox: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many objects of each kind were ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscriptions": 1,
                     *       "holds": 2,
                     *       "bookings": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ResetSandboxResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    expireHold: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `hold_id` as returned when the hold was placed.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03
                 */
                holdId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hold, EXPIRED. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *       "status": "EXPIRED",
                     *       "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *       "resource_id": "koramangala-arena-turf-a",
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "slot_start": "2026-11-21T04:30:00.000Z",
                     *       "slot_end": "2026-11-21T05:30:00.000Z",
                     *       "price_rupees": 1200,
                     *       "hold_expiry_at": "2026-11-20T09:25:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "order_reference": "order-2026-000731",
                     *       "metadata": {
                     *         "basket": "b-118"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Hold"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["HoldNotFound"];
            409: components["responses"]["HoldExpiredOrInvalidHoldState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    advanceDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The `id` of a delivery, or the X-Delivery-Id of one of its attempts.
                 * @example 0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery; its attempt follows. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b06",
                     *       "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *       "event_type": "hold_created",
                     *       "subscription_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b05",
                     *       "endpoint_url": "https://partner.example.com/webhooks/bookings",
                     *       "state": "pending",
                     *       "attempts": [],
                     *       "next_attempt_at": "2026-11-20T09:15:00.000Z",
                     *       "dead_lettered_at": null,
                     *       "discarded_at": "2026-11-20T09:15:00.000Z",
                     *       "created_at": "2026-11-20T09:15:00.000Z",
                     *       "payload": {
                     *         "event_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b08",
                     *         "event_type": "hold_created",
                     *         "timestamp": "2026-11-20T09:15:00.000Z",
                     *         "venue_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01",
                     *         "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *         "hold_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b03",
                     *         "booking_id": null,
                     *         "partner_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02",
                     *         "details": {
                     *           "resource_id": "koramangala-arena-turf-a",
                     *           "slot_start": "2026-11-21T04:30:00.000Z",
                     *           "slot_end": "2026-11-21T05:30:00.000Z",
                     *           "price_rupees": 1200,
                     *           "hold_expiry_at": "2026-11-20T09:25:00.000Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["DeliveryNotFound"];
            409: components["responses"]["DeliveryInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sellByOtherChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `slot_id` as availability lists it.
                 * @example koramangala-arena-turf-a_20261121T0430Z
                 */
                slotId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["SellByOtherChannelBody"];
            };
        };
        responses: {
            /** @description The slot is sold. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04",
                     *       "status": "BOOKED"
                     *     }
                     */
                    "application/json": components["schemas"]["SellByOtherChannelResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["SlotNotFound"];
            409: components["responses"]["SlotNotAvailable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    releaseByOtherChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description `slot_id` as availability lists it.
                 * @example koramangala-arena-turf-a_20261121T0430Z
                 */
                slotId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The slot is free. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "slot_id": "koramangala-arena-turf-a_20261121T0430Z",
                     *       "booking_id": "0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b04",
                     *       "status": "CANCELLED"
                     *     }
                     */
                    "application/json": components["schemas"]["ReleaseByOtherChannelResult"];
                };
            };
            400: components["responses"]["ValidationErrorOrInvalidJson"];
            401: components["responses"]["InvalidApiKey"];
            403: components["responses"]["PartnerSuspended"];
            404: components["responses"]["SlotNotFoundOrBookingNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    checkLife: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is alive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["CheckLifeResult"];
                };
            };
            /** @description The process responds, but some of its regular work has stalled: restart it. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "stalled",
                     *       "stalled": [
                     *         {
                     *           "name": "sweep lapsed-holds",
                     *           "silent_seconds": 130
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Stalled"];
                };
            };
        };
    };
    checkReadiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Calls can be served. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "database": "ok",
                     *       "redis": "ok",
                     *       "zone_data": "2026b"
                     *     }
                     */
                    "application/json": components["schemas"]["CheckReadinessResult"];
                };
            };
            /** @description Calls cannot be served: the database is unreachable, or lacks a guard index or validator. Or the process is `stopping`: it still serves calls, but should get no more. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "unavailable",
                     *       "database": "unreachable",
                     *       "redis": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["NotReady"];
                };
            };
        };
    };
    getDescription: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": components["schemas"]["GetDescriptionResult"];
                };
            };
        };
    };
}
