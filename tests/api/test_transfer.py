"""An encounter under house rules taken to another server over HTTP; bodies that are no export."""

import shutil
from pathlib import Path

from app.api.examples import examples
from tests.api.table import Table, table
from tests.support import play

NDJSON = {"content-type": "application/x-ndjson"}


async def test_house_rules_come_along_to_a_server_that_has_none(empty_file: Path, tmp_path: Path) -> None:
    urls = []
    for name in ("here", "there"):
        shutil.copy(empty_file, tmp_path / name)
        urls.append(f"sqlite:///{tmp_path / name}")
    catalog = play.catalog()
    document = examples("put_house_rules")[0]["request"]
    async with table(urls[0], catalog=catalog) as here, table(urls[1], catalog=catalog) as there:
        rules = f"/v1/campaigns/{here.campaign}/house-rules/heavy_hands"
        put = await here.send("PUT", rules, json=document)
        assert put.is_success, put.text
        people = [{"sample": "brok", "side": "cult"}, {"sample": "sable", "side": "party"}]
        view = await here.create(*people, ruleset="dark_heresy_2e", house_rules="heavy_hands")
        await here.made(f"{here.encounter}/start")
        lines = (await here.get(f"{here.encounter}/export")).content

        address = f"/v1/encounters/import?campaign={there.campaign}&name=Yard"
        made = await there.send("POST", address, content=lines, headers=NDJSON)
        again = made.json()
        turn = await there.made(f"/v1/encounters/{again['id']}/end-turn")
        verified = (await there.get(f"/v1/encounters/{again['id']}/verify")).json()
        spoilt = lines.replace(b"one_plus_dos", b"one_less_dos")
        refused = await there.send("POST", address, content=spoilt, headers=NDJSON)

    assert (made.status_code, again["pin"], again["name"]) == (201, view["pin"], "Yard")
    assert made.headers["location"] == f"/v1/encounters/{again['id']}"
    assert turn["status"] == "done"
    assert (verified["ok"], verified["findings"]) == (True, [])
    assert (refused.status_code, refused.json()["errors"][0]["at"]) == (422, "/lines/2/document")


async def test_what_is_no_export_is_refused(duel: Table) -> None:
    address = f"/v1/encounters/import?campaign={duel.campaign}"
    lines = (await duel.get(f"{duel.encounter}/export")).content

    for content, headers, who, status in (
        (b"", NDJSON, "gm", 422),
        (b"\x00" * 100, NDJSON, "gm", 422),
        (b"[" * 100_000, NDJSON, "gm", 422),
        (lines[: len(lines) // 2], NDJSON, "gm", 422),
        (lines, {"content-type": "application/json"}, "gm", 415),
        (lines, {**NDJSON, "content-encoding": "gzip"}, "gm", 415),
        (lines, NDJSON, "ann", 403),
        (lines, NDJSON, "stranger", 404),
        (lines, NDJSON, None, 401),
    ):
        response = await duel.send("POST", address, who, content=content, headers=headers)
        assert response.status_code == status, (content[:20], response.text)


async def test_an_import_has_a_limit_of_its_own(url: str) -> None:
    async with table(url, import_limit=2048) as seats:
        await seats.create()
        lines = (await seats.get(f"{seats.encounter}/export")).content
        address = f"/v1/encounters/import?campaign={seats.campaign}"
        response = await seats.send("POST", address, content=lines, headers=NDJSON)

    assert (len(lines) > 2048, response.status_code, response.json()["limit"]) == (True, 413, 2048)
