"""A secret of the configuration, planted wherever one can be: no error and no page of the settings may quote it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from tests.scorer.settings_tree import every_setting, tree_of

from ragvigil.scorer.config import load
from ragvigil.scorer.errors import ConfigError

PLANTED = "s3cr3t-PLANTED-1"
ADDRESSES = (
    f"https://me:{PLANTED}@gateway:99999/v1?key={PLANTED}",
    f"https://me:{PLANTED}@gateway/v1?key={PLANTED}&v=2",
    f"https://{PLANTED}@gateway/v1",
    f"http://me:{PLANTED}/x@gateway:1/",
    f"http://me:1/{PLANTED}@gateway:1",
    f"http://me@x:{PLANTED}@gateway",
    f"http://[me:{PLANTED}@x/",
    f"http://gateway:4318/services/{PLANTED}#{PLANTED}",
    f"http:/me:{PLANTED}@gateway",
    f"ftp://me:{PLANTED}@gateway/p",
    f"//me:{PLANTED}@gateway:4317",
    f"postgresql://me:{PLANTED}@db/x",
    f"me:{PLANTED}@gateway:4317",
    f"me:{PLANTED} @gateway:4317",
    f"me:{PLANTED}@gateway",
    f"host=db password={PLANTED}",
)
"""Right and wrong ones, as they are mistyped."""
URL = "https://gateway.example"
BESIDE: Mapping[tuple[str, ...], Mapping[str, object]] = {
    ("channels", "webhook"): {"url": URL, "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
    ("channels", "pagerduty"): {"routing_key": "0" * 32},
    ("channels", "jira"): {"api_key": "key"},
    ("channels", "alertmanager"): {"url": URL},
    ("channels", "slack"): {"token": "xoxb-1", "channel_id": "C024BE91L"},
    ("channels", "mail"): {"host": "mail", "sender": "a@example.com", "recipients": ["b@example.com"]},
    ("judge",): {"kind": "openai", "model": "m", "base_url": URL},
    ("export", "langfuse"): {"url": URL, "public_key": "pk", "secret_key": "sk"},
    ("export", "phoenix"): {"url": URL},
    ("forward", "x"): {"url": URL},
}
"""What a section needs, so that nothing else is wrong with it than what is planted."""
ENDINGS = ("url", "key", "token", "secret", "password", "headers")
NONE = {("links",), ("export", "langfuse", "public_key"), ("forward", "x", "pass_headers")}
HOLDING = [
    place for place in every_setting() if place[-1].endswith(ENDINGS) and not NONE & {place, place[:1]}
]
"""Settings that hold an address or a secret, by how they are called."""


def _said(place: tuple[str, ...], value: object) -> tuple[str, str]:
    """What the error says, and what the page of the settings shows."""
    try:
        settings = load(overrides=tree_of(place, value, BESIDE.get(place[:-1])))
    except ConfigError as error:
        return str(error), ""
    return "", settings.model_dump_json()


def test_no_error_quotes_what_signs_in_of_any_setting() -> None:
    """A port with a URL before it was refused with the URL as typed, its password in it, in every log."""
    told = [
        f"{'.'.join(place)} = {value!r}: {line}"
        for place, address in itertools.product(list(every_setting()), ADDRESSES)
        if place != ("channels", "mail", "trusted")  # a path, in which nothing signs in
        for value in (address, [address], {"x": address})
        for line in _said(place, value)[0].splitlines()
        if PLANTED in line
    ]
    assert told == []


@pytest.mark.parametrize("place", HOLDING, ids=".".join)
def test_no_page_of_the_settings_shows_a_secret(place: tuple[str, ...]) -> None:
    """`check-config` is pasted into tickets; an address shows stars for who signs in and for its parameters."""
    address = f"https://me:{PLANTED}@gateway/v1?key={PLANTED}"
    for value in (PLANTED, address, {"x": address}):
        error, shown = _said(place, value)
        assert PLANTED not in error + shown


@pytest.mark.parametrize("key", ["public_url", "trace_url_template", "playbook_url"])
def test_a_link_that_signs_in_is_refused(key: str) -> None:
    """It stood in every page, and so in the chat room of everybody."""
    with pytest.raises(ConfigError, match=rf"links\.{key}: holds a name or a password before the @"):
        load(overrides={"links": {key: "https://me:pw@wiki/{trace_id}"}})
    load(overrides={"links": {key: "https://wiki/@team/{trace_id}?t={trace_id}"}})
