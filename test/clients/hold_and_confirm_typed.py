"""Books a slot with a client of openapi-python-client: hold_and_confirm_typed.py <base URL> <key> <slot_id>."""

import sys

from client.api.bookings import confirm_booking
from client.api.holds import place_hold
from client.client import AuthenticatedClient
from client.models.confirm_booking_body import ConfirmBookingBody
from client.models.confirmation import Confirmation
from client.models.error import Error
from client.models.hold import Hold
from client.models.place_hold_body import PlaceHoldBody
from client.types import Unset

base_url, api_key, slot_id = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=api_key, prefix="", auth_header_name="x-api-key")

hold = place_hold.sync(client=client, body=PlaceHoldBody(slot_id=slot_id))
assert isinstance(hold, Hold), hold

again = place_hold.sync(client=client, body=PlaceHoldBody(slot_id=slot_id))
assert isinstance(again, Error), again
conflict = again.error.conflict
assert not isinstance(conflict, Unset), again
print(again.error.code, conflict.reason)

body = ConfirmBookingBody(
    hold_id=hold.hold_id,
    payment_reference="pay_1",
    customer_name="Asha Rao",
    customer_phone="+919845012345",
    idempotency_key=f"order-{hold.hold_id}",
)
booking = confirm_booking.sync(client=client, body=body)
assert isinstance(booking, Confirmation), booking
print(booking.status)
