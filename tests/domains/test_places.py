from __future__ import annotations

from tests.command_runs import Run


def test_places_are_listed_with_distance_hours_and_attribution(run: Run) -> None:
    ran = run("places", "cafes in Lyon", "-n", "1")

    lines = [line.strip() for line in ran.out.splitlines()]
    assert ran.code == 0
    assert lines[0] == "Near Lyon, France"
    assert lines[2] == "1. Café du Pont"
    assert lines[3] == "https://cafe.example.org/"
    assert lines[4] == "102 m · cafe · +33 4 00 00 00 00"
    assert "Saturday: 09:00-12:00" in lines
    assert lines[-2:] == ["© OpenStreetMap contributors", "1 result from overpass"]


def test_json_is_the_tools_own_answer(run: Run) -> None:
    ran = run("places", "museum", "--lat", "45.7578", "--lon", "4.832", "--json")

    assert ran.json()["places"][0]["name"] == "Musée de l'Exemple"


def test_half_a_point_is_wrong_usage(run: Run) -> None:
    ran = run("places", "museum", "--lat", "45.7578")

    assert ran.code == 2
    assert "latitude and longitude together" in ran.err


def test_no_place_found_is_exit_code_1(run: Run) -> None:
    assert run("places", "casino in Lyon").code == 1
