"""verify_citation and audit_bibliography of law over every transport, without a single key."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.clients import connected
from tests.internet.apis.courtlistener import DAILY_LIMIT
from tests.internet.faults import ALWAYS
from tests.internet.world import World
from tests.requirements import requires

pytestmark = pytest.mark.usefixtures("skipped_pauses")

Environ = dict[str, str]
MARKER = "zanzibarmarker"
BRIEF = f"""ARGUMENT

Our client concedes {MARKER} in confidence. The motion fails: see Roe v. Wade, 411 U.S. 113, 131 (1973)
({MARKER}). Plaintiff's {MARKER} relies on Brown v. Board of Educ., 347 U.S. 483 (1954). Id. at 495.

The {MARKER} is not Varghese v. China Southern Airlines Co., Ltd., 925 F.3d 1339 (11th Cir. 2019).
Mr. {MARKER.title()} said so. Smith v. Jones, 347 U.S. 483 (1954); [2019] UKSC 41; 17 C.F.R. § 240.10b-5.
"""


def talk(environ: Environ, tool: str, arguments: dict[str, Any], transport: str = "memory") -> Any:
    async def call() -> Any:
        async with connected(transport, environ | {"CITEWELL_TOOLSETS": "trust"}) as client:
            return await client.call_tool(tool, arguments)

    result = asyncio.run(call())
    assert not result.is_error, result.content
    return result.structured_content


@requires("verify_citation.law_found", "verify_citation.law_absent")
@pytest.mark.parametrize("transport", ["memory", "http", "stdio"])
def test_case_citations_are_looked_up_without_a_key(environ: Environ, transport: str) -> None:
    found = talk(
        environ, "verify_citation", {"citation": "Roe v. Wade, 410 U.S. 113 (1973)"}, transport
    )
    invented = talk(environ, "verify_citation", {"citation": "Varghese v. China Southern Airlines, 925 F.3d 1339 (11th Cir. 2019)"}, transport)  # fmt: skip

    record = found["matchedRecord"]
    assert (found["existence"], found["verificationStatus"]) == ("found", "confirmed")
    assert (record["caseName"], record["citation"]) == ("Roe v. Wade", "410 U.S. 113")
    assert record["dateFiled"] == "1973-01-22"
    assert record["url"].startswith("https://www.courtlistener.com/opinion/")
    assert (invented["existence"], invented["exists"]) == ("not_registered", False)


@pytest.mark.parametrize(
    ("citation", "name"),
    [
        ("R (Miller) v Prime Minister [2019] UKSC 41", "Miller"),
        ("17 C.F.R. § 240.10b-5", "manipulative"),
        ("Case C-311/18, Data Protection Commissioner v Facebook Ireland", "Facebook"),
    ],
)
def test_law_beyond_the_reporters_is_looked_up_too(
    environ: Environ, citation: str, name: str
) -> None:
    found = talk(environ, "verify_citation", {"citation": citation})

    assert found["existence"] == "found"
    assert name in found["matchedRecord"]["caseName"]


@requires("audit_bibliography.brief", "audit_bibliography.brief_private")
def test_a_brief_is_audited_and_stays_private(environ: Environ, world: World) -> None:
    found = talk(environ, "audit_bibliography", {"bibliography": BRIEF})

    verdicts = {one["citation"]: one["verdict"] for one in found["entries"]}
    assert found["source"] == "bibliography:brief"
    assert verdicts["411 U.S. 113"] == "misplaced"
    assert verdicts["925 F.3d 1339"] == "no_such_case"
    assert [one["verdict"] for one in found["entries"] if one["citation"] == "347 U.S. 483"] == [
        "confirmed",
        "wrong_case",
    ]
    assert found["entries"][0]["suggestedCitation"] == "410 U.S. 113"
    assert found["summary"]["notFound"] == 2
    asked = repr(world.requests).lower()
    assert "courtlistener" in asked
    assert MARKER not in asked


REFERENCE = "LeCun, Y., Bengio, Y., Hinton, G. (2015). Deep learning. Nature, 521, 436-444. https://doi.org/10.1038/nature14539"
STUDY = "Networks of several layers learn representations of data (LeCun et al., 2015)."
INVENTED = "But see Varghese v. China Southern Airlines Co., Ltd., 925 F.3d 1339 (11th Cir. 2019)."
BIBTEX = "@article{a, title={Deep learning}, author={LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey}, year={2015}, journal={Nature}, doi={10.1038/nature14539}}"
BESIDE_A_LIST: dict[str, dict[str, Any]] = {
    "brief": {"bibliography": f"{BRIEF}\n\n{INVENTED}\n\nReferences\n\n{REFERENCE}"},
    "paper": {"bibliography": f"{STUDY}\n\n{INVENTED}\n\nReferences\n\n{REFERENCE}"},
    "prose": {"bibliography": f"{INVENTED}\n\nReferences\n\n{REFERENCE}", "format": "prose"},
    "bibtex": {"bibliography": f"{INVENTED}\n\n{BIBTEX}"},
    "entries": {"bibliography": INVENTED, "entries": [{"doi": "10.1038/nature14539"}]},
}


@requires("audit_bibliography.cases")
@pytest.mark.parametrize("form", sorted(BESIDE_A_LIST))
def test_an_invented_case_beside_a_list_of_references_is_found(environ: Environ, form: str) -> None:
    found = talk(environ, "audit_bibliography", BESIDE_A_LIST[form])

    assert "10.1038/nature14539" in [one.get("doi") for one in found["entries"]]
    (case,) = [one for one in found["entries"] if one.get("citation") == "925 F.3d 1339"]
    assert case["verdict"] == "no_such_case"
    assert [one["index"] for one in found["entries"]] == list(range(1, found["entryCount"] + 1))
    assert found["summary"]["notFound"] >= 1
    assert found["summary"]["total"] == found["entryCount"]


def test_a_case_that_is_a_reference_too_is_reported_once(environ: Environ) -> None:
    text = f"References\n\nRoe v. Wade, 410 U.S. 113 (1973).\n\n{REFERENCE}"

    found = talk(environ, "audit_bibliography", {"bibliography": text})

    assert [one.get("citation") for one in found["entries"]].count("410 U.S. 113") == 1
    assert found["entryCount"] == 2


def test_with_a_token_the_citations_of_a_brief_are_one_request(
    environ: Environ, world: World
) -> None:
    names = ("Roe v. Wade, 410 U.S. 113", "Brown v. Board of Education, 347 U.S. 483", "Miranda v. Arizona, 384 U.S. 436", "Gideon v. Wainwright, 372 U.S. 335", "In re Gault, 387 U.S. 1", "Mapp v. Ohio, 367 U.S. 643")  # fmt: skip
    text = "The motion is denied. " + " ".join(f"See {name}. It held so." for name in names)
    token = {"COURTLISTENER_API_TOKEN": "token-of-a-test"}

    found = talk(environ | token, "audit_bibliography", {"bibliography": text})

    asked = [one.path for one in world.requests["courtlistener"]]
    assert found["summary"]["ok"] >= 4
    assert len([path for path in asked if "citation-lookup" in path]) == 1


@requires("verify_citation.law_outage")
def test_a_brief_is_not_accused_while_the_registry_refuses(environ: Environ, world: World) -> None:
    world.fail("courtlistener", DAILY_LIMIT, times=ALWAYS)

    found = talk(environ, "audit_bibliography", {"bibliography": BRIEF})

    cases = [
        one for one in found["entries"] if "U.S." in one["citation"] or "F.3d" in one["citation"]
    ]
    assert {one["verdict"] for one in cases} == {"unchecked"}
    assert found["summary"]["notFound"] == found["summary"]["mismatched"] == 0


def test_an_entry_that_is_a_case_is_looked_up_in_a_list(environ: Environ) -> None:
    entries = [
        {"title": "Roe v. Wade, 410 U.S. 113 (1973)"},
        {"title": "Doe v. Roe, 925 F.3d 1339 (11th Cir. 2019)"},
    ]

    first, second = talk(environ, "audit_bibliography", {"entries": entries})["entries"]

    assert (first["flags"], first["existence"]) == ([], "found")
    assert second["flags"] == ["not_found"]


@pytest.mark.parametrize(
    "text",
    [
        "410 U.S. " * 400,
        "v. " * 1300,
        "(" * 4000,
        "1 F. " * 700,
        "\ud800 410 U.S. 113",
        "é" * 1990 + " 410 U.S. 113",
    ],
    ids=["pages missing", "versus", "brackets", "volumes", "surrogate", "long word"],
)
def test_hostile_citations_are_answered(environ: Environ, text: str) -> None:
    found = talk(
        environ, "verify_citation", {"citation": text.encode("utf-8", "replace").decode()[:4000]}
    )

    assert found["existence"] in {"found", "unchecked", "not_registered"}
