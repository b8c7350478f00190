"""The Helm chart renders, is valid for Kubernetes, and names only what exists."""

from __future__ import annotations

from typing import Any

import kubernetes_validate
import pytest

from tests.deployment.chart import load_manifests, render_chart
from tests.deployment.names import check_command, find_unknown_settings

pytestmark = pytest.mark.process
KUBERNETES_VERSION = "1.37.0"
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "fixed size": {"http.autoscaling.enabled": False, "worker.autoscaling.enabled": False},
    "by processor alone": {"worker.autoscaling.queueDepth.enabled": False},
    "bare": {
        "ingress.enabled": False,
        "networkPolicy.enabled": False,
        "migration.enabled": False,
        "settings": {"CITEWELL_API_TOKENS": True},
    },
}


@pytest.fixture(scope="module")
def manifests() -> list[dict[str, Any]]:
    return load_manifests()


def find_kind(manifests: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [one for one in manifests if one["kind"] == kind]


def list_pods(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made = [*find_kind(manifests, "Deployment"), *find_kind(manifests, "Job")]
    return [one["spec"]["template"]["spec"] for one in made]


def test_every_variant_is_valid_for_kubernetes(manifests: list[dict[str, Any]]) -> None:
    """What a variant shares with the others is checked once: a check takes a tenth of a second."""
    checked: list[dict[str, Any]] = []
    for changes in VARIANTS.values():
        found = load_manifests(changes) if changes else manifests
        assert len({(one["kind"], one["metadata"]["name"]) for one in found}) == len(found)
        checked += [one for one in found if one not in checked]

    for one in checked:
        kubernetes_validate.validate(one, KUBERNETES_VERSION, strict=True)


def test_no_value_is_missing() -> None:
    for name, text in render_chart().items():
        assert "<no value>" not in text, name
        assert "%!" not in text, name


def test_the_settings_and_commands_exist(manifests: list[dict[str, Any]]) -> None:
    (settings,) = find_kind(manifests, "ConfigMap")

    assert find_unknown_settings(settings["data"]) == []
    for pod in list_pods(manifests):
        check_command([str(part) for part in pod["containers"][0]["args"]])


def test_a_value_that_is_no_text_becomes_one() -> None:
    (settings,) = find_kind(load_manifests(VARIANTS["bare"]), "ConfigMap")

    assert settings["data"] == {"CITEWELL_API_TOKENS": "true"}


def test_every_pod_has_least_privilege(manifests: list[dict[str, Any]]) -> None:
    for pod in list_pods(manifests):
        (container,) = pod["containers"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {one["mountPath"] for one in container["volumeMounts"]} == {
            "/tmp",
            "/var/lib/citewell",
        }


def test_the_secret_is_named_and_never_made(manifests: list[dict[str, Any]]) -> None:
    assert find_kind(manifests, "Secret") == []
    for pod in list_pods(manifests):
        assert {"secretRef": {"name": "citewell"}} in pod["containers"][0]["envFrom"]


def test_the_probes_ask_the_routes_of_the_server(manifests: list[dict[str, Any]]) -> None:
    (http,) = [pod for pod in list_pods(manifests) if pod["containers"][0]["name"] == "http"]
    container = http["containers"][0]

    asked = {kind: container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")}  # fmt: skip

    assert asked == {
        "startup": "/health/live",
        "liveness": "/health/live",
        "readiness": "/health/ready",
    }


def test_a_pod_may_end_later_than_its_calls(manifests: list[dict[str, Any]]) -> None:
    """After SIGTERM it accepts connections for 10 s, and calls may run for 30 s more by default."""
    (http,) = [pod for pod in list_pods(manifests) if pod["containers"][0]["name"] == "http"]

    assert http["terminationGracePeriodSeconds"] >= 10 + 30


def test_workers_are_scaled_by_the_metric_that_the_server_has(
    manifests: list[dict[str, Any]],
) -> None:
    (worker,) = [
        one
        for one in find_kind(manifests, "HorizontalPodAutoscaler")
        if one["metadata"]["name"].endswith("worker")
    ]

    names = [one["external"]["metric"]["name"] for one in worker["spec"]["metrics"][1:]]

    assert names == ["citewell_jobs_queued"]


def test_private_networks_and_the_metadata_service_are_out_of_reach(
    manifests: list[dict[str, Any]],
) -> None:
    everybody = next(
        one for one in find_kind(manifests, "NetworkPolicy") if one["metadata"]["name"] == "test"
    )
    blocks = [
        target["ipBlock"]
        for rule in everybody["spec"]["egress"]
        for target in rule["to"]
        if "ipBlock" in target
    ]
    public = next(block for block in blocks if block["cidr"] == "0.0.0.0/0")

    assert {"10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"} <= set(
        public["except"]
    )
    assert everybody["spec"]["ingress"] == []


def test_the_schema_is_updated_before_the_program(manifests: list[dict[str, Any]]) -> None:
    (job,) = find_kind(manifests, "Job")

    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-upgrade"


def test_services_and_budgets_select_pods_that_exist(manifests: list[dict[str, Any]]) -> None:
    made = find_kind(manifests, "Deployment")
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in made]
    selectors = [
        *(one["spec"]["selector"] for one in find_kind(manifests, "Service")),
        *(
            one["spec"]["selector"]["matchLabels"]
            for one in (*made, *find_kind(manifests, "PodDisruptionBudget"))
        ),
    ]

    for wanted in selectors:
        assert sum(wanted.items() <= one.items() for one in labels) == 1
