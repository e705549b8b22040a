from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, List, Mapping, TypedDict, TypeVar, overload

T = TypeVar("T")

if TYPE_CHECKING:

    class Page(TypedDict, Generic[T]):
        data: List[T]


@overload
def paginate(list_page: Callable[..., Page[T]], *given: Any, **query: Any) -> Iterator[T]: ...


@overload
def paginate(list_page: Callable[..., Mapping[str, Any]], *given: Any, **query: Any) -> Iterator[Any]: ...


def paginate(list_page: Callable[..., Any], *given: Any, **query: Any) -> Iterator[Any]:
    """
    Every record of a list, page by page, at the same cost at any depth: `for contact in paginate(client.contacts.list, limit=100)`. The
    rest goes to the method. Lists end: the feed of events does not, and has `follow`.
    """
    while True:
        page = list_page(*given, **query)
        # the list of groups has its page within `data`
        inner = page["data"] if isinstance(page["data"], dict) else page
        yield from inner["data"]
        meta = inner.get("meta") or inner
        following = {"cursor": meta.get("next_cursor"), "before_id": meta.get("next_before_id")}
        following = {name: place for name, place in following.items() if place is not None and place != query.get(name)}
        if not following or meta.get("has_more") is False:
            return
        query.update(following)


def follow(list_events: Callable[..., Page[T]], after: str | None = None, *, pause_seconds: float = 5.0, **query: Any) -> Iterator[T]:
    """
    The events of the feed as they happen, without end, from `after` on, or from now: `for event in follow(client.events.list, after)`.
    Store the `id` of the last one that was worked through: it is where a program that starts again goes on. `pause_seconds` between two
    looks while nothing happens.
    """
    listed: Callable[..., Any] = list_events
    # without a place the feed gives its newest events: they are the past of a program that follows from now
    place = after if after is not None else listed()["meta"]["next_cursor"]
    while True:
        page = listed(after=place, **query)
        yield from page["data"]
        place = page["meta"]["next_cursor"]
        if not page["meta"]["has_more"]:
            time.sleep(pause_seconds)
