from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Any, Iterable, Protocol, Tuple

if TYPE_CHECKING:
    from .types_generated import WebhookEvent


class Headers(Protocol):
    """A dict, or what a framework has: Flask, Django, http.server."""

    def items(self) -> Iterable[Tuple[str, Any]]: ...


class WebhookVerificationError(Exception):
    """The call is not Switchboard's, or too old: answer it with 401."""


def verify_webhook(
    secret: str,
    headers: Headers,
    body: bytes | str,
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """
    The event of a call, once its signature and its age are right; otherwise it raises WebhookVerificationError. `body` is what came, before
    any parsing; `headers` are those of any framework, or a WSGI environment; `secret` begins with whsec_.
    """
    named = {str(name).lower().replace("_", "-").removeprefix("http-"): value for name, value in headers.items()}
    sent, timestamp, signatures = (named.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not (isinstance(sent, str) and isinstance(timestamp, str) and isinstance(signatures, str)):
        raise WebhookVerificationError("A header of the signature is missing.")
    age = (time.time() if now is None else now) - int(timestamp) if timestamp.isdecimal() else None
    if age is None or abs(age) > tolerance_seconds:
        raise WebhookVerificationError("The call is too old, or from the future.")
    raw = body.encode() if isinstance(body, str) else body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    # under an empty key everyone can sign
    if not key:
        raise ValueError("The secret is empty.")
    digest = hmac.new(key, f"{sent}.{timestamp}.".encode() + raw, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(digest)
    # during a rotation there are two
    if not any([hmac.compare_digest(wanted, each.encode()) for each in signatures.split(" ")]):
        raise WebhookVerificationError("No signature is right.")
    event: WebhookEvent = json.loads(raw)
    return event
