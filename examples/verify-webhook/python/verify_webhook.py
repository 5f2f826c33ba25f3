import hashlib
import hmac
import re
import time
from typing import Optional


class WebhookRefused(Exception):
    """The delivery is not genuine: respond 401 and do nothing else. The message is the reason, for your log."""


def verify_webhook(
    body: bytes,  # exactly as received: request.get_data(), request.body
    timestamp: Optional[str],  # X-Service-Timestamp
    signature: Optional[str],  # X-Service-Signature
    previous_signature: Optional[str],  # X-Service-Signature-Previous, sent while a rotation overlaps
    secret_key: str,
    now_seconds: Optional[int] = None,
) -> None:
    """Raises WebhookRefused unless the delivery was signed with secret_key, at most 300 s before or after now."""
    is_signature = re.compile(r"sha256=[0-9a-f]{64}")
    now = int(time.time()) if now_seconds is None else now_seconds
    if not secret_key:
        raise WebhookRefused("missing_secret")
    if not re.fullmatch(r"[0-9]{1,15}", timestamp or ""):
        raise WebhookRefused("malformed_timestamp")
    if not is_signature.fullmatch(signature or ""):
        raise WebhookRefused("malformed_signature")
    if abs(now - int(timestamp)) > 300:
        raise WebhookRefused("outside_replay_window")
    expected = hmac.new(secret_key.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    received = [each for each in (signature, previous_signature) if is_signature.fullmatch(each or "")]
    if not any([hmac.compare_digest(f"sha256={expected}", each) for each in received]):
        raise WebhookRefused("signature_mismatch")
