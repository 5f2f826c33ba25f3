"""Books a slot with a client of openapi-generator: hold_and_confirm.py <base URL> <key> <slot_id>."""

import sys

import openapi_client as service

base_url, api_key, slot_id = sys.argv[1:]
configuration = service.Configuration(host=base_url)
configuration.api_key["PartnerKey"] = api_key
client = service.ApiClient(configuration)
body = service.PlaceHoldBody(slot_id=slot_id)

hold = service.HoldsApi(client).place_hold(body)
try:
    service.HoldsApi(client).place_hold(body)
except service.ApiException as rejection:
    assert rejection.status == 409, rejection
    error = rejection.data.error
    print(error.code, error.conflict.reason)

booking = service.BookingsApi(client).confirm_booking(
    service.ConfirmBookingBody(
        hold_id=hold.hold_id,
        payment_reference="pay_1",
        customer_name="Asha Rao",
        customer_phone="+919845012345",
        idempotency_key=f"order-{hold.hold_id}",
    )
)
print(booking.status)
