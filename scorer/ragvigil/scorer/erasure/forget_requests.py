"""Requests for erasure, from ``ragvigil forget`` to the scorer."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from ragvigil.scorer.erasure.forgetting import Forgotten, Wanted
from ragvigil.scorer.request_files import RequestFiles


def forget_requests(inbox: Path) -> RequestFiles[Wanted, Forgotten]:
    """The folder of them in an inbox."""
    return RequestFiles(inbox / "forget", TypeAdapter(Wanted), TypeAdapter(Forgotten))
