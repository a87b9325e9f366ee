"""Settings: one file, the environment on top, errors that name the key and the fix."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from pydantic import BaseModel
from tests.scorer.settings_tree import every_setting, tree_of

from ragvigil.scorer.config import CHANNELS, Settings, load
from ragvigil.scorer.config.channels import PagerDutyChannel
from ragvigil.scorer.config.load import OF_THE_TRACER
from ragvigil.scorer.dialects.custom import dialects_of
from ragvigil.scorer.errors import ConfigError

ROOT = Path(__file__).parents[2]
SECRET = "whsec_" + "aHVzaCEh" * 4


def written(folder: Path, text: str) -> Path:
    """A config file."""
    path = folder / "ragvigil.toml"
    path.write_text(text)
    return path


def test_defaults_need_no_file() -> None:
    """The first start is one command."""
    settings = load()
    assert (settings.receive.grpc, settings.receive.http) == ("127.0.0.1:4317", "127.0.0.1:4318")
    assert settings.sample.rate + settings.detect.burst_share == pytest.approx(0.1)
    assert settings.inbox_path == Path("ragvigil-inbox")


def test_arguments_win_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two underscores nest."""
    path = written(tmp_path, '[judge]\nkind = "builtin"\nmax_jobs = 5\n[sample]\nrate = 0.3\n')
    monkeypatch.setenv("RAGVIGIL_JUDGE__KIND", "none")
    monkeypatch.setenv("RAGVIGIL_SAMPLE__RATE", "0.4")
    settings = load(path, {"sample": {"rate": 0.5}})
    assert (settings.judge.kind, settings.judge.max_jobs, settings.sample.rate) == ("none", 5, 0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[sample]\nrat = 0.2", r"sample\.rat: unknown key \(did you mean rate\?\)"),
        ("[judge]\nkind = 'opnai'", r"judge\.kind: must be .* \(did you mean openai\?; got 'opnai'"),
        ("[judge]\nmeasures = ['relevances']", r"called 'relevances'; did you mean .*relevance\?"),
        ("[sampel]\nrate = 0.2", r"sampel: unknown key \(did you mean sample\?\)"),
        ("[sample]\nrate = 1.2", r"sample\.rate: must be at most 1 \(got 1\.2; share of records"),
        ("[sample]\nrate = nan", r"sample\.rate: "),
        ("[detect]\nburn = 2.0", r"detect: burn needs the slo whose budget burns: set slo as well"),
        (
            "[monitor.faithfulness]\nwindow_seconds = 4000\nbaseline_seconds = 100",
            r"baseline_seconds \(100\) is shorter than window_seconds \(4000\), which is compared with it: set it to ",
        ),
        ("[monitor.faithfulness]\nmin_sample = 3", r"monitor\.faithfulness\.min_sample: .*20"),
        (
            "[channels.a]\ntype = 'webhook'\nurl = 'http://x'",
            r"channels\.a\.secret: is missing",
        ),
        (
            "[channels.a]\ntype = 'pager'",
            r"channels\.a\.type: no channel is .*\(did you mean pagerduty\?\)",
        ),
        (
            "[channels.a]\ntype = 'pagerduty'\nruting_key = 'x'",
            r"unknown key \(did you mean routing_key\?\)",
        ),
        (
            "[channels.a]\ntype = 'mail'\nhost = 'x'\nto = 'ops'",
            r"channels\.a\.to: unknown key \(known: host, password, port, recipients, security, sender, trusted, ",
        ),
        ("[monitor]\nmin_drop = 0.1", r"monitor\.min_drop: .* \(say monitor\.faithfulness\.min_drop\)"),
        ("[[routes]]\ngo_on = true", r"routes: .*not a list \(write \[routes\.NAME\], not \[\[routes\]\]\)"),
        ("[[sample]]\nrate = 0.2", r"sample: .*not a list \(write \[sample\], not \[\[sample\]\]\)"),
        ("[store]\nurl = 'mysql://x'", r"store\.url: must look like sqlite:///PATH"),
        (
            "[links]\ntrace_url_template = 'https://x'",
            r"trace_url_template: must contain \{trace_id\}",
        ),
        (
            "[receive]\nhttp = '0.0.0.0:4318'",
            r"0\.0\.0\.0:4318 is not loopback \(set receive\.token",
        ),
        ("[receive]\nhttp = '4318'", r"receive\.http: must be host:port, such as 127\.0\.0\.1:4318"),
        (
            "[channels.a]\nurl = 'http://x'",
            r"channels\.a\.type: missing \(known: pagerduty, jira, .*apprise\)",
        ),
        (
            "[channels.a]\ntype = 'pagerduty'\nrouting_key = 'x'",
            r"channels\.a: routing_key must be the 32 letters[^(]*$",
        ),
        (
            "[channels.a]\ntype = 'webhook'\nurl = 'http://x'\nsecret = 'x'",
            r"channels\.a: secret must be whsec_",
        ),
        ("[monitor.faithfullness]\nmin_drop = 0.1", r"unknown key \(did you mean faithfulness\?\)"),
        ("[monitor.latency]\nmin_drop = 0.1", r"monitor\.latency: unknown key \(known: .*faithfulness"),
        ("[detect]\nslo = 1.2", r"detect\.slo: must be under 1 \(got 1\.2; "),
        ("sample = 3", r"sample: is a section, not a value \(set a key in it, such as rate\)"),
        ("channels = 3", r"channels: "),
        ("[judge]\nmodel = 'gpt-4o'", r"judge: no model 'gpt-4o' for the builtin judge; known: lexical-1$"),
        ("[receive]\nhttp = '127.0.0.1:99999'", r"receive\.http: a port is at most 65535"),
        ("[receive]\ntoken = ' '", r"receive\.token: is empty"),
        ("[assemble]\nquiet_seconds = inf", r"assemble\.quiet_seconds: "),
        (
            "[monitor]\ntick_seconds = 1e18",
            r"monitor\.tick_seconds: must be at most 3\.15576e\+09 \(got 1e\+18",
        ),
        ("[monitor]\nbucket_seconds = 1e18", r"monitor\.bucket_seconds: must be at most 86400"),
        (
            "[retention]\ncontent_days = 1e9\nscores_days = inf",
            r"retention\.content_days: must be at most 36525",
        ),
        ("[detect]\nkeep_days = nan", r"detect\.keep_days: "),
        ('[store]\nurl = "sqlite:///a\\u0000b.db"', r"store\.url: holds a NUL, which no path can"),
        ("[assemble]\nshortest_quiet_seconds = 20", r"assemble: shortest_quiet_seconds must not be above"),
        ("sample = [", r"not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_key_and_the_fix(tmp_path: Path, text: str, message: str) -> None:
    """A typo must not become a default in silence."""
    with pytest.raises(ConfigError, match=message):
        load(written(tmp_path, text))


def test_the_environment_can_say_lists_and_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that a file can."""
    monkeypatch.setenv("RAGVIGIL_MONITOR__PAGE_ENVIRONMENTS", "live, prod")
    monkeypatch.setenv("RAGVIGIL_CHANNELS__ONCALL__TYPE", "pagerduty")
    monkeypatch.setenv("RAGVIGIL_CHANNELS__ONCALL__ROUTING_KEY", "0" * 32)
    settings = load()
    assert settings.monitor.page_environments == ("live", "prod")
    assert settings.channels["oncall"].type == "pagerduty"
    monkeypatch.setenv("RAGVIGIL_MONITOR__PAGE_ENVIRONMENTS", '["one"]')
    assert load().monitor.page_environments == ("one",)
    monkeypatch.setenv("RAGVIGIL_SAMPLE", "x")
    with pytest.raises(ConfigError, match="sample: is a section"):
        load()


def test_every_list_can_be_told_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words between commas or JSON; a regular expression may hold commas and brackets itself."""
    told = {
        "SAMPLE__SIGNALS": "thumbs_down, rephrasing",
        "COVERAGE__PAGES": '["coverage_scored", "coverage_asked"]',
        "CITATIONS__DOCS__STYLES": "id,link",
        "CITATIONS__DOCS__PATTERNS": r"[(](\d{1,3})[)]",
        "CITATIONS__MORE__PATTERNS": r'["<(\\d)>", "#(\\d)"]',
    }
    for name, value in told.items():
        monkeypatch.setenv(f"RAGVIGIL_{name}", value)
    settings = load(None)
    assert settings.sample.signals == ("thumbs_down", "rephrasing")
    assert settings.coverage.pages == ("coverage_scored", "coverage_asked")
    assert settings.citations["docs"].styles == ("id", "link")
    assert settings.citations["docs"].patterns == (r"[(](\d{1,3})[)]",)
    assert settings.citations["more"].patterns == (r"<(\d)>", r"#(\d)")


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """Or every setting in it would be a default."""
    with pytest.raises(ConfigError, match="no such file"):
        load(tmp_path / "none.toml")


def test_a_secret_may_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As orchestrators mount them, with their last newline; named in the configuration or the environment."""
    mounted = tmp_path / "key"
    mounted.write_text("0" * 32 + "\n")
    text = "[channels.a]\ntype = 'pagerduty'\n"
    named = load(written(tmp_path, f"{text}routing_key = {{ file = '{mounted}' }}"))
    monkeypatch.setenv("RAGVIGIL_CHANNELS__A__ROUTING_KEY__FILE", str(mounted))
    assert load(written(tmp_path, text)) == named
    assert isinstance(named.channels["a"], PagerDutyChannel)
    assert named.channels["a"].routing_key.get_secret_value() == "0" * 32


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{ file = 'nowhere' }", r"channels\.a\.routing_key: the file nowhere cannot be read"),
        ("{ fle = 'x' }", r"channels\.a\.routing_key: must be a text, or \{ file = "),
        ("{ file = 3 }", r"channels\.a\.routing_key: must be a text, or \{ file = "),
        ("{ file = '/dev/null' }", r"channels\.a\.routing_key: is empty"),
    ],
)
def test_a_secret_that_is_not_in_its_file_is_said(tmp_path: Path, value: str, message: str) -> None:
    """At start, with the key."""
    with pytest.raises(ConfigError, match=message):
        load(written(tmp_path, f"[channels.a]\ntype = 'pagerduty'\nrouting_key = {value}"))


@pytest.mark.parametrize("kind", CHANNELS)
def test_a_channel_without_its_settings_names_the_first(tmp_path: Path, kind: str) -> None:
    """A channel without a key never gets as far as the first page."""
    with pytest.raises(ConfigError, match=r"channels\.a\.\w+: is missing"):
        load(written(tmp_path, f"[channels.a]\ntype = '{kind}'"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("type = 'jira'\napi_key = 'hush'", r"channels\.a: api_key must be the API key"),
        ("type = 'alertmanager'\nurl = 'alertmanager:9093'", r"channels\.a: url must look like https://"),
        ("type = 'grafana_irm'\nurl = 'hush'", r"channels\.a: url must look like https://"),
        ("type = 'slack'\ntoken = 'hush'\nchannel_id = 'C1'", r"channels\.a: token must be a bot token"),
        ("type = 'slack_webhook'\nurl = 'ftp://hush'", r"channels\.a: url must look like https://"),
        ("type = 'teams'\nurl = 'hush'", r"channels\.a: url must look like https://"),
        ("type = 'discord'\nurl = 'https://discord.com/hush'", r"channels\.a: url must end in /webhooks/"),
        (
            "type = 'mail'\nhost = 'h'\nsender = 'hush'\nrecipients = ['a@b.c']",
            r"channels\.a: 'hush' is no mail address",
        ),
        ("type = 'apprise'\nurl = 'nope://hush'", r"channels\.a: url is none that Apprise can use"),
    ],
)
def test_a_channel_that_cannot_work_is_said_without_sending(tmp_path: Path, text: str, message: str) -> None:
    """check-config proves each; the secret is not in the error."""
    with pytest.raises(ConfigError, match=message) as caught:
        load(written(tmp_path, f"[channels.a]\n{text}"))
    assert "hush" not in str(caught.value).replace("'hush' is no mail address", "")


def test_a_secret_is_never_in_an_error_or_in_the_settings_text(tmp_path: Path) -> None:
    """Errors end up in logs."""
    for secret in ("whsec_hush", SECRET):
        text = f"[channels.a]\ntype = 'webhook'\nsecret = '{secret}'\nurl = 3"
        with pytest.raises(ConfigError) as caught:
            load(written(tmp_path, text))
        assert secret not in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        load(written(tmp_path, f"[channels]\na = 'https://hooks.example.com/{SECRET}'"))
    assert SECRET not in str(caught.value)
    settings = load(written(tmp_path, text.replace("3", "'http://127.0.0.1'")))
    assert SECRET not in repr(settings) + settings.model_dump_json()


def test_every_setting_says_what_it_is() -> None:
    """The reference in the docs is made from these words."""
    missing = [
        f"{section}.{name}"
        for section, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
        for name, inner in field.annotation.model_fields.items()
        if inner.description is None and not hasattr(inner.annotation, "model_fields")
    ]
    assert missing == []


def test_a_button_that_nobody_hears_is_refused() -> None:
    """It would look as if somebody had the page in hand."""
    slack = {"type": "slack", "token": "xoxb-hush", "channel_id": "C1", "acknowledge": True}
    with pytest.raises(ConfigError, match=r"channels\.chat\.acknowledge: nobody would hear it"):
        load(overrides={"channels": {"chat": slack}})
    load(overrides={"channels": {"chat": slack}, "inbound": {"slack_signing_secret": "hush"}})


def test_one_key_of_the_citation_rule_leaves_its_others() -> None:
    """Else a shorter window would silently mean a week of warm-up."""
    rule = load(overrides={"monitor": {"citation": {"window_seconds": 300}}}).monitor.citation
    assert rule == load().monitor.citation.model_copy(update={"window_seconds": 300.0})
    with pytest.raises(ConfigError, match=r"monitor\.citation\.window_second: unknown key"):
        load(overrides={"monitor": {"citation": {"window_second": 300}}})


NONSENSE = ({"a": 1}, [1], "nonsense", -5, 1e300, True, "")


def test_whatever_stands_in_a_setting_is_taken_or_refused_in_our_words() -> None:
    """Never a traceback, never the words of the library, and always a fix or what the setting is for."""
    strange: list[str] = []
    places = list(every_setting())
    for place, value in itertools.product(places, NONSENSE):
        try:
            load(overrides=tree_of(place, value))
        except ConfigError as error:
            strange += [line for line in str(error).splitlines() if not _helps(line)]
    assert len(places) > 200
    assert strange == []


def _helps(line: str) -> bool:
    """Whether an error says what to do."""
    foreign = re.search(r"Input should|Field required|Value error|valid (?:string|tuple)|Expecting", line)
    return foreign is None and bool(re.search(r"\(.+\)$|must|give it|set |known: |see ", line))


def test_variables_of_the_tracer_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """One environment serves a service and its scorer: `RAGVIGIL_THREADS=0` ended every command with code 2."""
    assert {
        name
        for path in (ROOT / "tracer").rglob("*.py")
        for name in re.findall(r'"(RAGVIGIL_[A-Z_]+)"', path.read_text())
    } == OF_THE_TRACER
    page = (ROOT / "docs" / "tracer.md").read_text()
    assert set(re.findall(r"\bRAGVIGIL_[A-Z_]+\b", page)) == OF_THE_TRACER
    for name in OF_THE_TRACER:
        monkeypatch.setenv(name, "0")
    load()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("RAGVIGIL_SAMPLE_RATE", "did you mean RAGVIGIL_SAMPLE__RATE?"),
        ("RAGVIGIL_DISABLE", "did you mean RAGVIGIL_DISABLED?"),
        ("RAGVIGIL_CHANNELS_ONCALL_SECRET", "two underscores nest: RAGVIGIL_CHANNELS__..."),
    ],
)
def test_a_variable_that_is_nearly_one_is_told_which(
    name: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a section was no help to who forgot an underscore."""
    monkeypatch.setenv(name, "1")
    with pytest.raises(ConfigError, match=re.escape(f"{name}: unknown setting ({hint})")):
        load()


def test_two_servers_cannot_be_told_to_listen_at_one_place(tmp_path: Path) -> None:
    """`check-config` said ok, and `serve` ended with a traceback; port 0 is a free one for each."""
    for http in ("127.0.0.1:4399", "0.0.0.0:4399"):
        text = f'[receive]\ngrpc = "127.0.0.1:4399"\nhttp = "{http}"\ntoken = "t"\n'
        with pytest.raises(ConfigError, match=f"receive.http: {http} is where receive.grpc listens"):
            load(written(tmp_path, text))
    with pytest.raises(ConfigError, match=r"receive.http: 127.0.0.1:4399 is where receive.grpc listens"):
        load(written(tmp_path, '[receive]\ngrpc = "localhost:4399"\nhttp = "127.0.0.1:4399"\n'))
    load(written(tmp_path, '[receive]\ngrpc = "127.0.0.1:4399"\nhttp = "127.0.0.2:4399"\n'))
    load(written(tmp_path, '[receive]\ngrpc = "127.0.0.1:0"\nhttp = "127.0.0.1:0"\n'))


def test_an_address_with_a_scheme_is_told_to_drop_it(tmp_path: Path) -> None:
    """It was "not loopback", with the advice to set a token."""
    path = written(tmp_path, '[receive]\nhttp = "http://127.0.0.1:4318/"\n')
    with pytest.raises(
        ConfigError, match=r"receive\.http: must be host:port without a scheme, such as 127\.0\.0\.1:4318"
    ):
        load(path)


@pytest.mark.parametrize("address", ["http://", "http://localhost", "http://me:pw@localhost/v1/traces"])
def test_an_example_of_an_address_is_one_that_passes(tmp_path: Path, address: str) -> None:
    """It was nothing, or a host without the port that was asked for next."""
    path = written(tmp_path, f'[receive]\nhttp = "{address}"\n')
    with pytest.raises(ConfigError, match=r"without a scheme, such as 127\.0\.0\.1:4318 \("):
        load(path)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("~/x.db", "write the whole path"),
        ("sqlite:///~/x.db", "write the whole path"),
        (" ", "must look like sqlite:///PATH"),
        ("sqlite:/// ", "must look like sqlite:///PATH"),
        ("postgresql", "must look like sqlite:///PATH"),
        (".", "must look like sqlite:///PATH"),
        ("data/", "is a folder"),
        ("sqlite:///.", "is a folder"),
        ("./tests", "is a folder"),
    ],
)
def test_a_store_that_is_no_file_is_refused(url: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the name ~ was made, and a store called postgresql."""
    monkeypatch.chdir(ROOT)
    with pytest.raises(ConfigError, match=rf"store\.url: .*{problem}"):
        load(overrides={"store": {"url": url}})


def test_a_store_may_be_named_by_its_path_alone(tmp_path: Path) -> None:
    """As with --store."""
    assert load(written(tmp_path, '[store]\nurl = "week.db"\n')).store.url == "sqlite:///week.db"


@pytest.mark.parametrize("entry", ["mine.py", "mine.py:Mine"])
def test_a_dialect_is_found_in_a_folder_whose_name_has_a_colon(tmp_path: Path, entry: str) -> None:
    """It was taken for a module up to the first one."""
    folder = tmp_path / "a:b"
    folder.mkdir()
    (folder / "mine.py").write_text(
        "class Mine:\n    name = 'mine'\n    def matches(self, span): return False\n"
        "    def read(self, span): return None\n"
    )
    settings = load(written(folder, f'dialects = ["{entry}"]\n'))
    assert "mine" in [dialect.name for dialect in dialects_of(settings.dialects)]


def test_code_is_found_beside_the_file_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the command is started; what does not lie there is looked for in that folder, as before."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "dialect.py").touch()
    (tmp_path / "own" / "check.py").touch()
    text = 'dialects = ["dialect.py", "else.py", "package.module:Name"]\n'
    text += '[custom_checks.a]\nfunction = "check.py:a"\n[custom_checks.b]\nfunction = "else.py:b"\n'
    written(tmp_path / "own", text)
    monkeypatch.chdir(tmp_path)
    settings = load(Path("own/ragvigil.toml"))
    assert settings.dialects == (str(tmp_path / "own" / "dialect.py"), "else.py", "package.module:Name")
    assert settings.custom_checks["a"].function == f"{tmp_path / 'own' / 'check.py'}:a"
    assert settings.custom_checks["b"].function == "else.py:b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[receive]\nhttp = '0.0.0.0:4318'\ntoken = '${RAGVIGIL_TOKEN}'",
            r"receive\.token: \$\{RAGVIGIL_TOKEN\} is not .*set the .* RAGVIGIL_RECEIVE__TOKEN, or .* \{ file",
        ),
        (
            "[judge]\nkind = 'openai'\nmodel = 'gpt'\napi_key = '$OPENAI_API_KEY'",
            r"judge\.api_key: \$OPENAI_API_KEY is",
        ),
        (
            "[channels.a]\ntype = 'webhook'\nurl = 'https://hooks.example.com/${TEAM}/x'\nsecret = '${env:S}'",
            r"channels\.a\.url: \$\{TEAM\} is[^\n]*\nchannels\.a\.secret: \$\{env:S\} is",
        ),
        (
            "[monitor]\npage_environments = ['prod', '${STAGE:-production}']",
            r"page_environments: \$\{STAGE is not",
        ),
    ],
)
def test_what_nobody_fills_in_is_refused_with_how_it_is_given(
    tmp_path: Path, text: str, message: str
) -> None:
    """The token of an open port was the public text "${RAGVIGIL_TOKEN}", and check-config said ok."""
    with pytest.raises(ConfigError, match=message):
        load(written(tmp_path, text))


@pytest.mark.parametrize(
    "token", ["$ecret", "pa$$WORD", "$A", "a$SECRET", "${lower}", "$SECRET!", "${", "$1{A}", "A${}"]
)
def test_a_password_may_have_a_dollar(tmp_path: Path, token: str) -> None:
    """And one that is a variable's name may stand in a file."""
    found = load(written(tmp_path, f"[receive]\ntoken = '{token}'"))
    assert found.receive.token is not None
    assert found.receive.token.get_secret_value() == token
    (tmp_path / "token").write_text("$SECRET", encoding="utf-8")
    found = load(written(tmp_path, f"[receive]\ntoken = {{ file = '{tmp_path / 'token'}' }}"))
    assert found.receive.token is not None
    assert found.receive.token.get_secret_value() == "$SECRET"


def test_a_variable_that_was_not_filled_in_either_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an env file that nobody expands says it."""
    monkeypatch.setenv("RAGVIGIL_RECEIVE__TOKEN", "${TOKEN}")
    with pytest.raises(ConfigError, match=r"receive\.token: \$\{TOKEN\} is .*set by RAGVIGIL_RECEIVE__TOKEN"):
        load()


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    """As an editor of Windows writes it."""
    assert load(written(tmp_path, "\ufeff[sample]\nrate = 0.5")).sample.rate == 0.5
    (tmp_path / "token").write_text("\ufeffsesame\n", encoding="utf-8")
    found = load(written(tmp_path, f"[receive]\ntoken = {{ file = '{tmp_path / 'token'}' }}"))
    assert found.receive.token is not None
    assert found.receive.token.get_secret_value() == "sesame"
