"""Lists, whose pages are requested when they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Generator, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")

Query = Dict[str, Any]


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    # The objects, newest first.
    data: List[T]
    # Whether there are more objects in this direction.
    has_more: bool
    # Send it as starting_after to get older objects.
    next_cursor: Optional[str]
    # Send it as ending_before to get newer objects.
    prev_cursor: Optional[str]


def to_page(body: Dict[str, Any]) -> Page[Any]:
    return Page(body["data"], body["has_more"], body.get("next_cursor"), body.get("prev_cursor"))


def _first(query: Query) -> Query:
    """The query of the first page. An iteration gets pages of 100 objects, unless the caller chooses."""
    return query if query.get("limit") is not None else {**query, "limit": 100}


class Pager(Generic[T]):
    """A list. Iterate over it to get all objects, or call page to get one page."""

    def __init__(self, query: Query, load: Callable[[Query], Page[T]]) -> None:
        self._query = query
        self._load = load

    def page(self) -> Page[T]:
        """Requests one page."""
        return self._load(self._query)

    def __iter__(self) -> Iterator[T]:
        query = _first(self._query)
        while True:
            page = self._load(query)
            yield from page.data
            if not page.next_cursor or query.get("ending_before"):
                return
            query = {**query, "starting_after": page.next_cursor}


class AsyncPager(Generic[T]):
    """A list. Iterate over it to get all objects, or await it to get one page."""

    def __init__(self, query: Query, load: Callable[[Query], Awaitable[Page[T]]]) -> None:
        self._query = query
        self._load = load

    async def page(self) -> Page[T]:
        """Requests one page."""
        return await self._load(self._query)

    def __await__(self) -> Generator[Any, None, Page[T]]:
        return self.page().__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        query = _first(self._query)
        while True:
            page = await self._load(query)
            for item in page.data:
                yield item
            if not page.next_cursor or query.get("ending_before"):
                return
            query = {**query, "starting_after": page.next_cursor}
