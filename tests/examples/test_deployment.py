"""The files of examples/deployment: valid by their platforms' schemas, and with settings that a scorer takes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from tests.command_line import ragvigil
from tests.conftest import Serve
from tests.examples.guides import ENVIRONMENT, EXAMPLES

DEPLOYMENT = EXAMPLES / "deployment"
MANIFESTS = sorted(DEPLOYMENT.glob("kubernetes-*.yaml"))
SECRETS = {"pagerduty": "0123456789abcdef0123456789abcdef", "token": "a-long-random-text"}


@dataclass(frozen=True)
class Started:
    """How a platform starts the scorer."""

    arguments: list[str]
    environment: dict[str, str]


def by_kubernetes(path: Path) -> Started:
    """As the pod's container of that name."""
    for document in yaml.safe_load_all(path.read_text()):
        for container in containers(document):
            if container["name"] == "ragvigil":
                return Started(container["args"], variables(container))
    raise AssertionError(f"{path} starts no ragvigil")


def by_compose(path: Path) -> Started:
    """As the service of that name."""
    service = yaml.safe_load(path.read_text())["services"]["ragvigil"]
    environment = {
        name: SECRETS["pagerduty"] if "PAGERDUTY" in value else value
        for name, value in service["environment"].items()
    }
    return Started(service["command"], environment)


def by_systemd(path: Path) -> Started:
    """As the unit says."""
    text = path.read_text()
    (command,) = re.findall(r"^ExecStart=\S+/ragvigil (.+)$", text, re.MULTILINE)
    pairs = (line.partition("=") for line in re.findall(r"^Environment=(.+)$", text, re.MULTILINE))
    secret = {"RAGVIGIL_CHANNELS__ONCALL__ROUTING_KEY": SECRETS["pagerduty"]}
    return Started(command.split(), {name: value for name, _, value in pairs} | secret)


def containers(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The containers of a workload, those that start first included."""
    pod = document.get("spec", {}).get("template", {}).get("spec", {})
    yield from pod.get("initContainers", [])
    yield from pod.get("containers", [])


def variables(container: dict[str, Any]) -> dict[str, str]:
    """A container's environment, secrets filled in and `$(NAME)` replaced as Kubernetes does."""
    found: dict[str, str] = {}
    for entry in container["env"]:
        secret = entry.get("valueFrom", {}).get("secretKeyRef")
        value = SECRETS[secret["key"]] if secret else entry["value"]
        found[entry["name"]] = re.sub(r"\$\((\w+)\)", lambda name: found[name[1]], value)
    return found


STARTED = {
    **{path.name: by_kubernetes(path) for path in MANIFESTS},
    "compose.yaml": by_compose(DEPLOYMENT / "compose.yaml"),
    "ragvigil.service": by_systemd(DEPLOYMENT / "ragvigil.service"),
}


@pytest.mark.parametrize("name", STARTED)
def test_the_scorer_takes_the_settings(name: str, tmp_path: Path) -> None:
    """By `check-config`, with the file that all of them mount."""
    started = STARTED[name]
    assert started.arguments[:2] == ["serve", "--config"]
    (tmp_path / "ragvigil.toml").write_bytes((DEPLOYMENT / "ragvigil.toml").read_bytes())
    done = ragvigil("check-config", "ragvigil.toml", folder=tmp_path, environment=started.environment)
    assert done.returncode == 0, done.stderr
    assert SECRETS["pagerduty"] not in done.stdout


def test_replicas_reach_one_scorer_with_its_token(serve: Serve) -> None:
    """The header is one that the scorer takes, without it nothing is taken, and the probe needs none."""
    path = DEPLOYMENT / "kubernetes-statefulset.yaml"
    scorer_settings = STARTED[path.name].environment
    for name in ("RAGVIGIL_RECEIVE__HTTP", "RAGVIGIL_RECEIVE__GRPC"):
        assert scorer_settings[name].startswith("0.0.0.0:")
    (service,) = (
        variables(container)
        for document in yaml.safe_load_all(path.read_text())
        for container in containers(document)
        if container["name"] == "water"
    )
    name, _, value = service["OTEL_EXPORTER_OTLP_HEADERS"].partition("=")
    scorer = serve(environment={"RAGVIGIL_RECEIVE__TOKEN": scorer_settings["RAGVIGIL_RECEIVE__TOKEN"]})
    url = f"http://{scorer.http}"
    assert httpx.get(f"{url}/healthz").status_code == 200
    protobuf = {"content-type": "application/x-protobuf"}
    assert httpx.post(f"{url}/v1/traces", content=b"", headers=protobuf).status_code == 401
    shown = {name: value.replace("%20", " ")}
    assert httpx.post(f"{url}/v1/traces", content=b"", headers=protobuf | shown).status_code == 200


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_no_service_s_name_becomes_a_setting(path: Path) -> None:
    """Kubernetes tells containers of services in variables named after them; ours would be an unknown setting."""
    documents = list(yaml.safe_load_all(path.read_text()))
    services = [document["metadata"]["name"] for document in documents if document["kind"] == "Service"]
    assert not [name for name in services if name.startswith("ragvigil")]
    for document in documents:
        if any(container["name"] == "ragvigil" for container in containers(document)):
            assert document["spec"]["template"]["spec"]["enableServiceLinks"] is False


def test_neighbours_listen_where_the_service_sends() -> None:
    """Loopback, which both share, without a token."""
    for name in ("compose.yaml", "kubernetes-neighbour.yaml", "ragvigil.service"):
        assert not {
            setting for setting in STARTED[name].environment if setting.startswith("RAGVIGIL_RECEIVE__")
        }
    assert (DEPLOYMENT / "compose.yaml").read_text().count("http://127.0.0.1:4318") == 2


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    """With a program that exists in place of the installed one."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze on the PATH")
    unit = tmp_path / "ragvigil.service"
    text = (DEPLOYMENT / "ragvigil.service").read_text()
    unit.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not ENVIRONMENT.is_dir(), reason=".ci/check-examples installs the schemas")
def test_the_manifests_fit_their_platforms_schemas() -> None:
    """Kubernetes' and compose's own."""
    checks = [["kubernetes-validate", "--strict", str(path)] for path in MANIFESTS]
    compose = str(DEPLOYMENT / "compose.yaml")
    checks.append(["check-jsonschema", "--builtin-schema", "vendor.compose-spec", compose])
    for program, *arguments in checks:
        done = subprocess.run([ENVIRONMENT / "bin" / program, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
