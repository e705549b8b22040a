"""What operations take and answer, and the events: `from switchboard_client.types import Contact`."""

from .types_generated import *  # noqa: F401,F403
