"""A client of Switchboard: a method for each operation of its OpenAPI document, by resource."""

from .client import Switchboard
from .http import File, SwitchboardConnectionError, SwitchboardError
from .paging import follow, paginate
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "File",
    "Switchboard",
    "SwitchboardConnectionError",
    "SwitchboardError",
    "WebhookVerificationError",
    "follow",
    "paginate",
    "verify_webhook",
]
