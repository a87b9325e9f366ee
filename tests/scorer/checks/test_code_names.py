"""What an answer names in code, and as addresses, has to stand in the passages; placeholders name nothing."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.one_check import result
from tests.scorer.checks.test_restating import answered

from ragvigil.scorer.checks.reading.code_names import code_names

API = (
    "Authenticate with a key in the header `X-Api-Key`. Base URL: https://api.acme.com. Replay a delivery with "
    "`POST /v2/webhooks/{id}/replay`. List projects with GET /v2/projects. Set `max_retries` to 5 in config.yaml. "
    "Install it with `npm install acme-sdk`. Support: support@acme.com. The option `--dry-run` shows what is done."
)
YAML = "server:\n  port: 8080\ncache:\n  sizeMB: 256\nauth:\n  session_ttl: 12h\n"
CLIENT = "Create a client with `AcmeClient(api_key=...)` from the package `acme_sdk` and call `client.list_orders()`."
STANDS = (
    (API, "You can replay a delivery with `POST /v2/webhooks/{id}/replay`."),
    (
        API,
        "```bash\ncurl -X POST https://api.acme.com/v2/webhooks/42/replay -H 'X-Api-Key: KEY'\n```\nSo it is replayed.",
    ),
    (API, "Set `max_retries: 5` in `config.yaml`."),
    (API, "Install it with `npm install acme-sdk` and write to support@acme.com for help."),
    (API, "Install it with `yarn add acme-sdk`, then run it with `--dry-run` first."),
    (API, "Call `GET https://api.acme.com/v2/projects`, or `/v2/webhooks/:id/replay`."),
    (API, "Send the key, e.g. `X-Api-Key: <your-api-key>`, after `export ACME_API_KEY=your-key`."),
    (
        API,
        "```python\nproject_list = requests.get('https://api.acme.com/v2/projects')\n```\nIt is in `project_list`.",
    ),
    (API, "Test it against http://localhost or https://example.com/hook, or write to you@example.com."),
    (YAML, "The port is `server.port`; increase `cache.sizeMB`."),
    (YAML, "Set `auth.session_ttl: 12h`."),
    (CLIENT, "Install it with `pip install acme_sdk` and call `my_client.list_orders()`."),
    (CLIENT, "Use `AcmeClient(api_key=os.environ['API_KEY'])`, with `pip install --upgrade pip` before."),
    ("The retry count is set in the admin panel.", "The setting `retry_count` is in the admin panel."),
    ("It returns total_count and items.", "Read `data.total_count`, then loop over `data.items`."),
    ("Columns: user_id and created_at.", "The column `users.user_id` has an index, `created_at` none."),
    ("The hook useQuery takes a function.", "Use `useQuery(['todos'], fetchTodos)`; `fetchTodos` is yours."),
    ("The flag dryRun defaults to false.", "`dryRun` is off; on the command line it is `--dry-run`."),
    ("Clone the repository and run make.", "Run `git clone <repository-url>`, `cd my-project` and `make`."),
    (
        "Logs are in /var/log/app.",
        "The logs are under `/var/log/app/`, as with `tail -f /var/log/app/error.log`.",
    ),
)
INVENTED = (
    (API, "You can replay it with `POST /v2/deliveries/{id}/retry`.", "POST /v2/deliveries/{id}/retry"),
    (API, "Set `retry_count` to five in config.yaml.", "retry_count"),
    (API, "Set `retry_count: 5` in config.yaml.", "retry_count"),
    (API, "Install it with `npm install acme-client`.", "npm install acme-client"),
    (API, "Install it with `pip install acme-sdk`.", "pip install acme-sdk"),
    (API, "You can write to help@acme.com.", "help@acme.com"),
    (API, "Download it from https://acme-files.net/get.", "https://acme-files.net/get"),
    (API, "Run it with `--simulate` first.", "--simulate"),
    (
        API,
        "```\ncurl https://api.acme.com/v2/deliveries\n```\nThis replays it.",
        "https://api.acme.com/v2/deliveries",
    ),
    (YAML, "Set `token_lifetime` under `auth` to 12h.", "token_lifetime"),
    (YAML, "The port is `http.listen_port`.", "http.listen_port"),
    (CLIENT, "Call `client.fetch_orders()`.", "client.fetch_orders"),
)


@pytest.mark.parametrize(("passage", "answer"), STANDS)
def test_what_stands_in_the_passages_or_stands_for_something_is_founded(passage: str, answer: str) -> None:
    """In whatever spelling, put together of their parts, or defined by the answer."""
    assert result(answered(answer, passage), "no_hallucinated_entities").value in (None, 1.0)


@pytest.mark.parametrize(("passage", "answer", "name"), INVENTED)
def test_what_stands_nowhere_is_told(passage: str, answer: str, name: str) -> None:
    """With its name."""
    found = result(answered(answer, passage), "no_hallucinated_entities")
    assert found.value is not None
    assert found.value < 1
    assert name in str(found.details["missing"])


@pytest.mark.parametrize(
    "text", ["`a_b` ", "a@", "https://a.", "`npm install a`", "a.b.c.d@", "`--a-b-c", "` ` "]
)
def test_long_answers_are_read_in_time(text: str) -> None:
    """However much code they hold."""
    long = text * (200_000 // len(text))
    start = time.process_time()
    code_names(long, long, "a. " * 60_000)
    assert time.process_time() - start < 2
