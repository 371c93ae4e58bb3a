"""The pages behind `type`: what each problem means and what to do, for people and for programs, in three languages."""

import html
import re
from functools import cache
from typing import Any, Literal, NamedTuple

import msgspec

from app.api.language import LANGUAGES
from app.api.problem_texts import CONFLICTS, FAULTS, PROBLEMS, Code, conflict_detail, fault_message
from app.api.problems import slug_of, type_of

Language = Literal["en", "ru", "pl"]
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_NAMES = {"en": "English", "ru": "Русский", "pl": "Polski"}
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; font-size: 1.7rem; margin: 1rem 0 .5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; } a { color: LinkText; }
[aria-current] { font-weight: 600; text-decoration: none; color: inherit; }
code { font: .92em ui-monospace, monospace; } p.code { opacity: .85; }
dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; gap: .35rem 1rem; } dd { margin: 0; }
@media (max-width: 32rem) { dl { display: block; } dd { margin: 0 0 .6rem; } }
"""


class Captions(NamedTuple):
    """What stands above the parts of a page."""

    problems: str
    intro: str
    all: str
    docs: str
    operations: str
    anywhere: str
    faults: str
    conflicts: str


_CAPTIONS = {
    "en": Captions(
        "Problems",
        "Every answer that is an error is a problem (RFC 9457). Switch on `code`; titles and details are for people.",
        "All problems",
        "API documentation",
        "Operations that may answer so",
        "Any request may be answered so.",
        "What may stand in `errors[].code`",
        "What `detail` may say",
    ),
    "ru": Captions(
        "Ошибки",
        "Каждый ответ с ошибкой описан по RFC 9457. Программе нужен `code`; заголовки и пояснения — для людей.",
        "Все ошибки",
        "Документация API",
        "Операции, которые могут так ответить",
        "Так может закончиться любой запрос.",
        "Что может стоять в `errors[].code`",
        "Что может быть сказано в `detail`",
    ),
    "pl": Captions(
        "Problemy",
        "Każda odpowiedź z błędem jest opisana według RFC 9457. Program sprawdza `code`; tytuły i opisy są dla ludzi.",
        "Wszystkie problemy",
        "Dokumentacja API",
        "Operacje, które mogą tak odpowiedzieć",
        "Tak może się skończyć każde żądanie.",
        "Co może stać w `errors[].code`",
        "Co może powiedzieć `detail`",
    ),
}
_WITH_FAULTS = (Code.INVALID_REQUEST, Code.BAD_ANSWER)


@cache
def operations_with(code: Code) -> tuple[tuple[str, str, str], ...]:
    """Id, method and path of every operation that may answer so."""
    from app.api.routes import operations

    return tuple((one.id, one.method, one.path) for one in operations() if code in one.problems)


def wants_html(accept: str) -> bool:
    """Whether a page is wanted rather than JSON: whichever is named with the greater weight, JSON when in doubt."""
    weights = {"html": 0.0, "json": 0.0}
    for part in accept[:500].lower().split(","):
        kind, _, parameters = part.strip().partition(";")
        found = re.search(r"\bq=([01](?:\.\d{1,3})?)\s*(?:;|$)", parameters)
        weight = float(found[1]) if found else 1.0
        if kind.strip() in ("text/html", "application/xhtml+xml"):
            weights["html"] = max(weights["html"], weight)
        elif kind.strip() in ("application/json", "application/problem+json"):
            weights["json"] = max(weights["json"], weight)
    return weights["html"] > weights["json"]


def told(code: Code, language: str) -> dict[str, Any]:
    """One problem, for programs."""
    entry = PROBLEMS[code]
    words = entry.words(language)
    found: dict[str, Any] = {
        "type": type_of(code),
        "code": code.value,
        "status": entry.status,
        "title": words.title,
        "detail": words.detail,
        "operations": [name for name, _, _ in operations_with(code)],
    }
    if code in _WITH_FAULTS:
        found["errors"] = dict(_faults(language))
    if code is Code.CONFLICT:
        found["details"] = {word: conflict_detail(word, language) for word in CONFLICTS}
    return found


def told_all(language: str) -> bytes:
    """Every problem in one line each, for programs."""
    items = [{key: told(code, language)[key] for key in ("type", "code", "status", "title")} for code in Code]
    return msgspec.json.encode({"items": items})


def page(code: Code, language: str, *, docs: bool) -> str:
    """One problem, for people."""
    entry, captions = PROBLEMS[code], _CAPTIONS[language]
    words = entry.words(language)
    parts = [
        f"<h1>{_prose(words.title)}</h1>",
        f'<p class="code">HTTP {entry.status} · <code>{code.value}</code></p>',
        f"<p>{_prose(words.detail)}</p>",
    ]
    if code in _WITH_FAULTS:
        parts += [f"<h2>{_prose(captions.faults)}</h2>", _list(_faults(language))]
    if code is Code.CONFLICT:
        details = [(word, conflict_detail(word, language) or "") for word in CONFLICTS]
        parts += [f"<h2>{_prose(captions.conflicts)}</h2>", _list(details)]
    found = [(name, f"`{method} {path}`") for name, method, path in operations_with(code)]
    parts.append(f"<h2>{_prose(captions.operations)}</h2>")
    parts.append(_list(found) if found else f"<p>{_prose(captions.anywhere)}</p>")
    return _whole(words.title, f"/problems/{slug_of(code)}", language, "\n".join(parts), docs=docs)


def index(language: str, *, docs: bool) -> str:
    """All problems, for people."""
    captions = _CAPTIONS[language]
    items = "\n".join(
        f'<dt>{PROBLEMS[code].status} <a href="/problems/{slug_of(code)}?lang={language}"><code>{code.value}</code></a>'
        f"</dt><dd>{_prose(PROBLEMS[code].words(language).title)}</dd>"
        for code in sorted(Code, key=lambda one: (PROBLEMS[one].status, one.value))
    )
    body = f"<h1>{captions.problems}</h1>\n<p>{_prose(captions.intro)}</p>\n<dl>{items}</dl>"
    return _whole(captions.problems, "/problems", language, body, docs=docs)


def _whole(title: str, path: str, language: str, body: str, *, docs: bool) -> str:
    captions = _CAPTIONS[language]
    ways = [] if path == "/problems" else [f'<a href="/problems?lang={language}">{captions.all}</a>']
    if docs:
        ways.append(f'<a href="/docs">{captions.docs}</a>')
    current = {language: ' aria-current="page"'}
    others = " ".join(
        f'<a href="{path}?lang={one}" hreflang="{one}" lang="{one}"{current.get(one, "")}>{_NAMES[one]}</a>'
        for one in LANGUAGES
    )
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)} · Turnwright</title><style>{_STYLE}</style></head>\n"
        f"<body><header><nav>{others}</nav></header>\n<main>{body}</main>\n"
        f"<footer><hr><nav>{' '.join(ways)}</nav></footer></body></html>\n"
    )


def _faults(language: str) -> list[tuple[str, str]]:
    """Every code of a place with its sentence, in which dots stand for what would have been right."""
    return [(fault, fault_message(fault, language, "…").replace("….", "…")) for fault in FAULTS]


def _list(items: list[tuple[str, str]]) -> str:
    rows = "\n".join(f'<dt id="{word}"><code>{word}</code></dt><dd>{_prose(text)}</dd>' for word, text in items)
    return f"<dl>{rows}</dl>"


def _prose(text: str) -> str:
    """Text as HTML; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
