"""The section of the pages that a browser shows."""

from __future__ import annotations

from pydantic import Field

from ragvigil.scorer.config.fields import Address, Secret, Section


class Dashboard(Section):
    """Pages about incidents, series and answers, which `ragvigil dashboard` serves from the store; they only read."""

    http: Address = Field(
        default="127.0.0.1:4319",
        description="host:port of the pages; port 0 picks a free one",
    )
    token: Secret | None = Field(
        default=None,
        description="password of the pages, with any user name, or bearer token for programs; demanded when the "
        "address is not loopback",
    )
