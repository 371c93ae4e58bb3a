"""What is wrong with house rules, in the reader's language: templates over code and figures.

English stands with the codes (`findings.MESSAGES`). Figures that are words of ours (`a whole number`, `at least 1`, the
kind of a name) are translated too; ids, numbers and fields stay as they are.
"""

import re
from collections.abc import Mapping

from app.catalog.findings import MESSAGES, Finding

_RU: Mapping[str, str] = {
    "armour_layers": "броня указывается названием, списком названий или очками по зонам",
    "bad_dice": "{got} — не запись броска ({need})",
    "bad_text": "{got} не имеет вида {need}",
    "breaks_base": "с этим изменением сами правила перестают сходиться: {got} ({need})",
    "choices_repeat": "{got} стоит в списке дважды",
    "clash_absent": "не хватает {need}, хотя действие можно совершить и так",
    "clash_length": "строки или столбцы разной длины: {got}",
    "clash_less": "{got} меньше, чем {need} рядом",
    "clash_more": "{got} больше, чем {need} рядом",
    "clash_order": "{got} не следует за {need}",
    "code_refused": "набор правил не принимает это: {got}",
    "contradiction": "это противоречит другому значению: {got}",
    "default_not_offered": "{got} нет среди вариантов: {need}{hint}",
    "ends_turn": "{got} завершает ход, без этого бой не идёт дальше; это можно изменить, но не запретить",
    "given_and_planned": "{got} — и действие, и одно из запланированных",
    "invalid": "это значение непригодно: {got}",
    "missing": "не хватает: {got}",
    "missing_name": "нет названия на языке {need} ({got})",
    "near_miss": "в основе нет {got}: это новая запись, и ей нужно всё, что нужно записи{hint}",
    "needed_by_rules": "правила сами используют {got}; это можно изменить, но не убрать",
    "no_default_type": "действию с несколькими типами нужен default_type, один из: {need}",
    "not_addable": "{got} нельзя сюда добавить{hint}",
    "not_carried": "правило этого действия не принимает {got}; оно принимает: {need}",
    "not_hundredths": "у {got} больше двух знаков после запятой",
    "not_playable": "с такими числами по правилам нельзя играть",
    "not_removable": "{got} нельзя убрать, только изменить",
    "not_settable": "{got} принадлежит коду набора правил и не задаётся",
    "nothing_to_remove": "в основе нет {got}{hint}",
    "null_in_new": "{got} — null, но убирать здесь нечего: просто не указывайте это",
    "other_ruleset": "{got} — другой набор правил, чем {need}",
    "out_of_bounds": "{got} вне границ: {need}",
    "out_of_step": "{got} не кратно {need}",
    "quality_figure": "качеству {got} нужно: {need}",
    "resolver_closed": "на {got} нельзя построить действие; можно на: {need}",
    "still_used": "{got} ещё используется, мест: {need} ({names})",
    "talent_figure": "таланту {got} нужно: {need}",
    "text_too_long": "символов: {got}; читается не больше {need}",
    "too_deep": "вложенность глубже {need}",
    "too_few": "нужно не меньше {need}",
    "too_long": "записей: {got}; читается не больше {need}",
    "too_many": "допустимо не больше {need}",
    "too_many_values": "значений больше {need}",
    "unfit_sample": "так никто не может начать бой: {got} ({need})",
    "unknown_field": "поле {got} здесь неизвестно{hint}",
    "unknown_kind": "{got} — ничто из: {need}; то, что стоит рядом, будет проверено, когда это исправлено{hint}",
    "unknown_name": "нет такого ({need}): {got}{hint}",
    "unknown_tag": "ничто никогда не ставит метку {got}{hint}",
    "unknown_word": "{got} — ничто из: {need}{hint}",
    "wrong_type": "здесь нужно: {need}",
}
_PL: Mapping[str, str] = {
    "armour_layers": "pancerz to nazwa, lista nazw albo punkty według lokacji",
    "bad_dice": "{got} nie jest zapisem rzutu ({need})",
    "bad_text": "{got} nie ma postaci {need}",
    "breaks_base": "z tą zmianą same zasady przestają być spójne: {got} ({need})",
    "choices_repeat": "{got} występuje na liście dwa razy",
    "clash_absent": "brakuje {need}, a akcję można tak wykonać",
    "clash_length": "wiersze lub kolumny różnej długości: {got}",
    "clash_less": "{got} to mniej niż {need} obok",
    "clash_more": "{got} to więcej niż {need} obok",
    "clash_order": "{got} nie następuje po {need}",
    "code_refused": "zestaw zasad tego nie przyjmuje: {got}",
    "contradiction": "to przeczy innej wartości: {got}",
    "default_not_offered": "{got} nie ma wśród opcji: {need}{hint}",
    "ends_turn": "{got} kończy turę, a bez tego walka nie pójdzie dalej; można to zmienić, ale nie zakazać",
    "given_and_planned": "{got} jest akcją i zarazem jedną z planowanych",
    "invalid": "tej wartości nie można użyć: {got}",
    "missing": "brakuje: {got}",
    "missing_name": "brak nazwy w języku {need} ({got})",
    "near_miss": "podstawa nie ma {got}: to nowy wpis i potrzebuje wszystkiego, czego potrzebuje wpis{hint}",
    "needed_by_rules": "zasady same używają {got}; można to zmienić, ale nie usunąć",
    "no_default_type": "akcja o kilku typach wymaga default_type, jednego z: {need}",
    "not_addable": "{got} nie można tu dodać{hint}",
    "not_carried": "reguła tej akcji nie przyjmuje {got}; przyjmuje: {need}",
    "not_hundredths": "{got} ma więcej niż dwa miejsca po przecinku",
    "not_playable": "z takimi liczbami nie da się grać według zasad",
    "not_removable": "{got} nie można usunąć, tylko zmienić",
    "not_settable": "{got} należy do kodu zestawu zasad i nie można tego ustawić",
    "nothing_to_remove": "podstawa nie ma {got}{hint}",
    "null_in_new": "{got} to null, ale nie ma tu czego usuwać: pomiń to",
    "other_ruleset": "{got} to inny zestaw zasad niż {need}",
    "out_of_bounds": "{got} poza granicami: {need}",
    "out_of_step": "{got} nie jest wielokrotnością {need}",
    "quality_figure": "cecha {got} przyjmuje: {need}",
    "resolver_closed": "na {got} nie można zbudować akcji; można na: {need}",
    "still_used": "{got} jest jeszcze używane, miejsc: {need} ({names})",
    "talent_figure": "talent {got} przyjmuje: {need}",
    "text_too_long": "znaków: {got}; czyta się najwyżej {need}",
    "too_deep": "zagnieżdżenie głębsze niż {need}",
    "too_few": "potrzeba co najmniej {need}",
    "too_long": "wpisów: {got}; czyta się najwyżej {need}",
    "too_many": "dozwolone najwyżej {need}",
    "too_many_values": "więcej wartości niż {need}",
    "unfit_sample": "nikt nie może tak zacząć walki: {got} ({need})",
    "unknown_field": "pole {got} jest tu nieznane{hint}",
    "unknown_kind": "{got} to żadne z: {need}; to, co stoi obok, zostanie ocenione po poprawieniu tego{hint}",
    "unknown_name": "nie ma takiego ({need}): {got}{hint}",
    "unknown_tag": "nic nigdy nie ustawia znacznika {got}{hint}",
    "unknown_word": "{got} to żadne z: {need}{hint}",
    "wrong_type": "tu potrzeba: {need}",
}
TRANSLATED: Mapping[str, Mapping[str, str]] = {"ru": _RU, "pl": _PL}

_WORDS: Mapping[str, tuple[str, str]] = {
    "a length": ("длина", "długość"),
    "a list": ("список", "lista"),
    "a map": ("объект", "obiekt"),
    "a number": ("число", "liczba"),
    "a whole number": ("целое число", "liczba całkowita"),
    "null": ("null", "null"),
    "text": ("текст", "tekst"),
    "true or false": ("true или false", "true albo false"),
    "no figure, only true": ("без числа, только true", "bez liczby, tylko true"),
    "no figure, only its id": ("без числа, только название", "bez liczby, tylko nazwa"),
    "a figure, with its id": ("число вместе с названием", "liczba razem z nazwą"),
    "nothing": ("ничего", "niczego"),
    "action": ("действие", "akcja"),
    "armour": ("броня", "pancerz"),
    "budget": ("бюджет", "budżet"),
    "characteristic": ("характеристика", "cecha główna"),
    "clause": ("пункт правил", "punkt zasad"),
    "damage_type": ("тип урона", "rodzaj obrażeń"),
    "damage type": ("тип урона", "rodzaj obrażeń"),
    "effect": ("эффект", "efekt"),
    "entry": ("запись", "wpis"),
    "figure": ("показатель", "wartość"),
    "location": ("зона попадания", "lokacja"),
    "modifier": ("модификатор", "modyfikator"),
    "moment": ("момент", "moment"),
    "option": ("настройка", "ustawienie"),
    "part": ("часть тела", "część ciała"),
    "quality": ("качество", "cecha broni"),
    "rank": ("ранг", "stopień"),
    "reason": ("причина отказа", "powód odmowy"),
    "resource": ("ресурс", "zasób"),
    "sample": ("образец", "wzorzec"),
    "skill": ("навык", "umiejętność"),
    "stage": ("этап", "etap"),
    "stat": ("показатель", "wartość"),
    "table": ("таблица", "tabela"),
    "talent": ("талант", "talent"),
    "trait": ("талант", "talent"),
    "weapon": ("оружие", "broń"),
}
"""Words of ours that stand as figures in a message: Russian, Polish."""
_AT: Mapping[str, int] = {"ru": 0, "pl": 1}
_PATTERNS: tuple[tuple[re.Pattern[str], tuple[str, str]], ...] = (
    (re.compile(r"at least (.+)"), ("не меньше {0}", "co najmniej {0}")),
    (re.compile(r"at most (.+)"), ("не больше {0}", "najwyżej {0}")),
    (re.compile(r"a list of (\d+)"), ("список из {0}", "lista {0} wartości")),
    (re.compile(r"(-?[\d.]+) to (-?[\d.]+)"), ("от {0} до {1}", "od {0} do {1}")),
    (re.compile(r"(.+) or (.+)"), ("{0} или {1}", "{0} albo {1}")),
)
_HINT = re.compile(r"; did you mean (.+)\?")
_HINTS = ("; может быть, {0}?", "; może {0}?")


def message(finding: Finding, language: str) -> str:
    """The finding as a sentence in that language."""
    template = TRANSLATED.get(language, {}).get(finding.code)
    if template is None:
        return finding.message
    told = {"got": "", "need": "", "hint": "", "names": "", **dict(finding.figures)}
    figures = {name: _hint(text, language) if name == "hint" else _word(text, language) for name, text in told.items()}
    return template.format(**figures)


def _hint(text: str, language: str) -> str:
    found = _HINT.fullmatch(text)
    return _HINTS[_AT[language]].format(found[1]) if found else text


def _word(text: str, language: str) -> str:
    if text in _WORDS:
        return _WORDS[text][_AT[language]]
    for pattern, templates in _PATTERNS:
        found = pattern.fullmatch(text)
        if found:
            return templates[_AT[language]].format(*(_word(group, language) for group in found.groups()))
    return text


def untranslated() -> set[str]:
    """Codes without a sentence in some language, beside those that only reading YAML can give."""
    return {code for code in MESSAGES if any(code not in words for words in TRANSLATED.values())}
