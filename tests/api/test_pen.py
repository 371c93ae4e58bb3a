"""The pen: lines in order, several in one go, a bad one harms no other; ids that nobody had before."""

import io
import json

from app.api import logs
from app.api.edge import new_request_id


def test_lines_come_out_in_order_and_none_is_lost_at_the_end() -> None:
    stream = io.StringIO()
    pen = logs.Pen(stream, as_json=True)

    for number in range(500):
        pen.put(event="request", number=number, at=0.0)
    pen.close()

    assert [json.loads(line)["number"] for line in stream.getvalue().splitlines()] == list(range(500))


def test_a_line_that_cannot_be_written_harms_no_other() -> None:
    stream = io.StringIO()
    pen = logs.Pen(stream, as_json=True)

    for event in ("before", "\ud800", "after"):
        pen.put(event=event, at=0.0)
    pen.close()

    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["before", "after"]


def test_secrets_are_taken_out_and_other_text_is_left() -> None:
    assert logs.redact("tw_abc_0123456789abcdef") == "tw_abc_[redacted]"
    assert logs.redact("Bearer something") == "Bearer [redacted]"
    assert logs.redact("postgresql://me:secret@here/db") == "postgresql://me:[redacted]@here/db"
    assert logs.redact("/v1/encounters/enc_1") == "/v1/encounters/enc_1"
    assert logs.redact("anything", "authorization") == "[redacted]"


def test_request_ids_are_ulids_and_sort_by_time() -> None:
    made = [new_request_id() for _ in range(2000)]

    assert len(set(made)) == len(made)
    assert all(len(one) == 26 and set(one) <= set("0123456789abcdefghjkmnpqrstvwxyz") for one in made)
    assert [one[:10] for one in made] == sorted(one[:10] for one in made)
