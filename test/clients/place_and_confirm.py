"""Books a slot with a client that openapi-python-client has generated: python place_and_confirm.py <base URL> <key> <slot_id>."""

import sys

from generated.api.bookings import confirm_booking
from generated.api.holds import place_hold
from generated.client import AuthenticatedClient
from generated.models.confirm_booking_body import ConfirmBookingBody
from generated.models.confirmation import Confirmation
from generated.models.error import Error
from generated.models.hold import Hold
from generated.models.place_hold_by_slot_id import PlaceHoldBySlotId
from generated.types import Unset

base_url, api_key, slot_id = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=api_key, prefix="", auth_header_name="x-api-key")

hold = place_hold.sync(client=client, body=PlaceHoldBySlotId(slot_id=slot_id))
assert isinstance(hold, Hold), hold

again = place_hold.sync(client=client, body=PlaceHoldBySlotId(slot_id=slot_id))
assert isinstance(again, Error), again
conflict = again.error.conflict
assert not isinstance(conflict, Unset), again
print(again.error.code, conflict.reason)

body = ConfirmBookingBody(
    hold_id=hold.hold_id,
    payment_reference="pay_1",
    customer_name="Asha Rao",
    customer_phone="+919845012345",
    idempotency_key="order-1",
)
booking = confirm_booking.sync(client=client, body=body)
assert isinstance(booking, Confirmation), booking
print(booking.status)
