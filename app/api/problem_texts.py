# ruff: noqa: E501 -- a sentence stands on one line, as a translator reads it
"""The words of every problem in three languages: what a person reads, while clients switch on the code.

A problem has a status, a title and a sentence that says what to do. What is wrong at one place of a body has a message,
in which `{need}` stands for what would have been right.
"""

import re
from enum import StrEnum
from typing import NamedTuple


class Code(StrEnum):
    """Every problem there is. Stable: a client may switch on it."""

    INVALID_JSON = "invalid_json"
    DUPLICATE_KEY = "duplicate_key"
    INVALID_HEADER = "invalid_header"
    TOKEN_MISSING = "token_missing"
    TOKEN_INVALID = "token_invalid"
    TICKET_INVALID = "ticket_invalid"
    SIGNATURE_INVALID = "signature_invalid"
    NOT_PERMITTED = "not_permitted"
    NOT_FOUND = "not_found"
    CODE_INVALID = "code_invalid"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    BODY_TIMEOUT = "body_timeout"
    ILLEGAL_ACTION = "illegal_action"
    ANSWER_AWAITED = "answer_awaited"
    ALREADY_ANSWERED = "already_answered"
    CONFLICT = "conflict"
    LIMIT_REACHED = "limit_reached"
    RULES_CHANGED = "rules_changed"
    CURSOR_GONE = "cursor_gone"
    STALE_VERSION = "stale_version"
    BODY_TOO_LARGE = "body_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    INVALID_REQUEST = "invalid_request"
    BAD_ANSWER = "bad_answer"
    WEBHOOK_URL_FORBIDDEN = "webhook_url_forbidden"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    RATE_LIMITED = "rate_limited"
    TOO_MANY_STREAMS = "too_many_streams"
    INTERNAL_ERROR = "internal_error"
    UNAVAILABLE = "unavailable"
    STORAGE_FULL = "storage_full"


class Words(NamedTuple):
    """A title and the sentence below it."""

    title: str
    detail: str


class Entry(NamedTuple):
    """One problem: its status and its words by language."""

    status: int
    en: Words
    ru: Words
    pl: Words

    def words(self, language: str) -> Words:
        """Its words in that language, else in English."""
        found: Words = getattr(self, language, self.en)
        return found


PROBLEMS: dict[Code, Entry] = {
    Code.INVALID_JSON: Entry(
        400,
        Words("The body is not JSON that we read", "Send one JSON document in UTF-8, without NaN, Infinity or a byte-order mark, nested at most 32 levels deep."),
        Words("Тело запроса не читается как JSON", "Отправьте один документ JSON в UTF-8, без NaN, Infinity и метки порядка байтов, с вложенностью не глубже 32 уровней."),
        Words("Treść żądania nie jest czytelnym JSON-em", "Wyślij jeden dokument JSON w UTF-8, bez NaN, Infinity i znacznika BOM, zagnieżdżony najwyżej na 32 poziomy."),
    ),
    Code.DUPLICATE_KEY: Entry(
        400,
        Words("A key stands twice in one object", "Each key may stand once in an object: with two of them nobody knows which is meant."),
        Words("Ключ повторяется в одном объекте", "Каждый ключ может стоять в объекте один раз: иначе неясно, какое значение имелось в виду."),
        Words("Klucz powtarza się w jednym obiekcie", "Każdy klucz może wystąpić w obiekcie tylko raz, inaczej nie wiadomo, która wartość jest właściwa."),
    ),
    Code.INVALID_HEADER: Entry(
        400,
        Words("A header cannot be read", "`Idempotency-Key` takes 1 to 255 visible ASCII characters; `If-Match` takes entity tags as we gave them out, and `If-None-Match` of a change only `*`."),
        Words("Заголовок не читается", "`Idempotency-Key` содержит от 1 до 255 видимых символов ASCII; `If-Match` содержит метки в том виде, в каком мы их выдали, а `If-None-Match` при изменении — только `*`."),
        Words("Nagłówka nie da się odczytać", "`Idempotency-Key` ma od 1 do 255 widocznych znaków ASCII; `If-Match` zawiera znaczniki w postaci, w jakiej je wydaliśmy, a `If-None-Match` przy zmianie tylko `*`."),
    ),
    Code.TOKEN_MISSING: Entry(
        401,
        Words("A token is needed", "Send `Authorization: Bearer tw_...` with a token that your GM or the operator gave you."),
        Words("Нужен токен", "Отправьте `Authorization: Bearer tw_...` с токеном, который выдал ведущий или владелец сервера."),
        Words("Potrzebny jest token", "Wyślij `Authorization: Bearer tw_...` z tokenem otrzymanym od MG albo od właściciela serwera."),
    ),
    Code.TOKEN_INVALID: Entry(
        401,
        Words("This token is not good", "It is unknown, revoked or expired. Ask your GM or the operator for a new one."),
        Words("Этот токен не действует", "Он неизвестен, отозван или просрочен. Попросите новый у ведущего или владельца сервера."),
        Words("Ten token jest nieważny", "Jest nieznany, odwołany albo wygasł. Poproś o nowy MG albo właściciela serwera."),
    ),
    Code.TICKET_INVALID: Entry(
        401,
        Words("This ticket opens nothing", "A ticket is good for one stream of one encounter, once, for a minute, as long as the token behind it is. Get a new one."),
        Words("Этот билет ничего не открывает", "Билет действует для одного потока одного боя, один раз, в течение минуты и пока действует его токен. Получите новый."),
        Words("Ten bilet niczego nie otwiera", "Bilet działa dla jednego strumienia jednego starcia, raz, przez minutę i dopóki działa jego token. Pobierz nowy."),
    ),
    Code.SIGNATURE_INVALID: Entry(
        401,
        Words("This signature is not Discord's", "Signed must be the time and the body as they were sent, by the application whose public key the operator has set, within the last five minutes."),
        Words("Эта подпись не принадлежит Discord", "Подписаны должны быть время и тело запроса в том виде, в каком они отправлены, приложением, чей открытый ключ указал владелец сервера, не раньше пяти минут назад."),
        Words("To nie jest podpis Discorda", "Podpisane muszą być czas i treść żądania w postaci, w jakiej je wysłano, przez aplikację, której klucz publiczny ustawił właściciel serwera, w ciągu ostatnich pięciu minut."),
    ),
    Code.NOT_PERMITTED: Entry(
        403,
        Words("This token may not do that", "Another role, or another combatant's token, is needed for it."),
        Words("Этому токену это не разрешено", "Для этого нужна другая роль или токен другого участника."),
        Words("Ten token nie ma do tego prawa", "Potrzebna jest inna rola albo token innego uczestnika."),
    ),
    Code.NOT_FOUND: Entry(
        404,
        Words("There is no such thing here", "It does not exist, or you may not know of it."),
        Words("Здесь такого нет", "Этого не существует, или вам нельзя об этом знать."),
        Words("Nie ma tu niczego takiego", "To nie istnieje albo nie możesz o tym wiedzieć."),
    ),
    Code.CODE_INVALID: Entry(
        404,
        Words("Nobody is let in by this code", "It is mistyped, used up, too old, or was taken back. Ask your GM for a new one."),
        Words("По этому коду войти нельзя", "В нём опечатка, он использован, устарел или отозван. Попросите у ведущего новый."),
        Words("Ten kod nikogo nie wpuszcza", "Jest w nim literówka, został zużyty, wygasł albo go wycofano. Poproś MG o nowy."),
    ),
    Code.METHOD_NOT_ALLOWED: Entry(
        405,
        Words("This method is not for this address", "The `Allow` header names the methods that are."),
        Words("Этот метод здесь не применим", "Допустимые методы перечислены в заголовке `Allow`."),
        Words("Ta metoda nie pasuje do tego adresu", "Dozwolone metody podaje nagłówek `Allow`."),
    ),
    Code.BODY_TIMEOUT: Entry(
        408,
        Words("The body did not arrive in time", "Send the request again over a better line."),
        Words("Тело запроса не пришло вовремя", "Отправьте запрос ещё раз по более надёжному соединению."),
        Words("Treść żądania nie dotarła na czas", "Wyślij żądanie ponownie przez lepsze łącze."),
    ),
    Code.ILLEGAL_ACTION: Entry(
        409,
        Words(
            "The rules do not allow this now",
            "`reasons` has everything that speaks against it, each with its clause (read it at"
            " `/v1/rulesets/{ruleset}/rules/{clause}`) and the field it is about (`at`). Nothing has changed.",
        ),
        Words(
            "Правила сейчас этого не допускают",
            "В `reasons` есть всё, что этому мешает: с пунктом правил (его текст —"
            " `/v1/rulesets/{ruleset}/rules/{clause}`) и с полем, о котором речь (`at`). Ничего не изменилось.",
        ),
        Words(
            "Zasady teraz na to nie pozwalają",
            "W `reasons` jest wszystko, co stoi na przeszkodzie: z punktem zasad (jego treść:"
            " `/v1/rulesets/{ruleset}/rules/{clause}`) i z polem, którego dotyczy (`at`). Nic się nie zmieniło.",
        ),
    ),
    Code.ANSWER_AWAITED: Entry(
        409,
        Words("Somebody must answer first", "A decision or a roll is open; see `reasons` and the list of decisions."),
        Words("Сначала кто-то должен ответить", "Открыто решение или бросок; смотрите `reasons` и список решений."),
        Words("Najpierw ktoś musi odpowiedzieć", "Otwarta jest decyzja albo rzut; zobacz `reasons` i listę decyzji."),
    ),
    Code.ALREADY_ANSWERED: Entry(
        409,
        Words("This is not asked any more", "It was answered, ran out of time, or was called off. Nothing has changed."),
        Words("Этот вопрос уже закрыт", "На него ответили, время вышло или он снят. Ничего не изменилось."),
        Words("To pytanie jest już zamknięte", "Udzielono odpowiedzi, minął czas albo je wycofano. Nic się nie zmieniło."),
    ),
    Code.CONFLICT: Entry(
        409,
        Words("That does not fit with what is there", "Look at the present state and try again."),
        Words("Это не согласуется с тем, что уже есть", "Посмотрите на текущее состояние и попробуйте ещё раз."),
        Words("To nie pasuje do obecnego stanu", "Sprawdź aktualny stan i spróbuj ponownie."),
    ),
    Code.LIMIT_REACHED: Entry(
        409,
        Words("There can be no more of these", "A limit of the service is reached. Remove something first, or begin anew."),
        Words("Больше добавить нельзя", "Достигнут предел сервиса. Сначала удалите что-нибудь или начните заново."),
        Words("Więcej już być nie może", "Osiągnięto limit serwisu. Najpierw coś usuń albo zacznij od nowa."),
    ),
    Code.RULES_CHANGED: Entry(
        409,
        Words("What waits was begun under other rules", "The service was changed while this was waiting. The GM can cancel it by a ruling, or rewind."),
        Words("Ожидающее действие начато по другим правилам", "Пока оно ожидало, сервис обновили. Ведущий может отменить его решением или отмотать бой назад."),
        Words("Oczekująca akcja zaczęła się według innych zasad", "Serwis zmieniono, gdy czekała. MG może ją anulować orzeczeniem albo cofnąć walkę."),
    ),
    Code.CURSOR_GONE: Entry(
        410,
        Words("There is nothing after this cursor", "It lies beyond the log, for instance after a restored backup. Read the encounter anew and follow from there."),
        Words("После этого курсора ничего нет", "Он указывает за конец журнала, например после восстановления из копии. Прочитайте бой заново и продолжайте оттуда."),
        Words("Za tym kursorem nic nie ma", "Wskazuje poza koniec dziennika, na przykład po odtworzeniu kopii. Odczytaj starcie od nowa i śledź je dalej."),
    ),
    Code.STALE_VERSION: Entry(
        412,
        Words("Another version is current", "`If-Match` names another version than the current one, or `If-None-Match: *` is sent where one is. Nothing has changed."),
        Words("Текущая версия уже другая", "`If-Match` называет не текущую версию, или отправлено `If-None-Match: *`, а версия уже есть. Ничего не изменилось."),
        Words("Bieżąca wersja jest już inna", "`If-Match` wskazuje inną wersję niż bieżąca albo wysłano `If-None-Match: *`, a wersja już jest. Nic się nie zmieniło."),
    ),
    Code.BODY_TOO_LARGE: Entry(
        413,
        Words("The body is too large", "Send less at once."),
        Words("Тело запроса слишком велико", "Отправляйте меньше за один раз."),
        Words("Treść żądania jest za duża", "Wysyłaj mniej naraz."),
    ),
    Code.UNSUPPORTED_MEDIA_TYPE: Entry(
        415,
        Words("Bodies must be application/json", "Send `Content-Type: application/json` and no `Content-Encoding`."),
        Words("Тело запроса должно быть application/json", "Отправьте `Content-Type: application/json` без `Content-Encoding`."),
        Words("Treść musi być typu application/json", "Wyślij `Content-Type: application/json` bez `Content-Encoding`."),
    ),
    Code.INVALID_REQUEST: Entry(
        422,
        Words("The request cannot mean anything", "Every place that does not fit is listed."),
        Words("Запрос не имеет смысла", "Все неподходящие места перечислены."),
        Words("Żądanie nie ma sensu", "Wszystkie niepasujące miejsca są wymienione."),
    ),
    Code.BAD_ANSWER: Entry(
        422,
        Words("This cannot be an answer to that question", "The question lists its options, and the dice it asks for."),
        Words("Это не может быть ответом на вопрос", "Варианты ответа и нужные кости указаны в самом вопросе."),
        Words("To nie może być odpowiedź na to pytanie", "Opcje i potrzebne kości podaje samo pytanie."),
    ),
    Code.WEBHOOK_URL_FORBIDDEN: Entry(
        422,
        Words("Nothing is sent to this address", "A webhook takes an https address with a name that leads to public addresses only, on a usual port, without user or fragment. The operator may allow more."),
        Words("На этот адрес ничего не отправляется", "Вебхуку нужен адрес https с именем, которое ведёт только на общедоступные адреса, с обычным портом, без имени пользователя и фрагмента. Владелец сервера может разрешить больше."),
        Words("Pod ten adres nic nie jest wysyłane", "Webhook przyjmuje adres https z nazwą prowadzącą wyłącznie do adresów publicznych, na zwykłym porcie, bez użytkownika i fragmentu. Właściciel serwera może zezwolić na więcej."),
    ),
    Code.IDEMPOTENCY_KEY_REUSED: Entry(
        422,
        Words("This key belongs to another request", "Use a new `Idempotency-Key` for every new request."),
        Words("Этот ключ принадлежит другому запросу", "Для каждого нового запроса нужен новый `Idempotency-Key`."),
        Words("Ten klucz należy do innego żądania", "Do każdego nowego żądania użyj nowego `Idempotency-Key`."),
    ),
    Code.RATE_LIMITED: Entry(
        429,
        Words("Too many requests", "Wait as long as `Retry-After` says."),
        Words("Слишком много запросов", "Подождите, сколько указано в `Retry-After`."),
        Words("Za dużo żądań", "Odczekaj tyle, ile podaje `Retry-After`."),
    ),
    Code.TOO_MANY_STREAMS: Entry(
        429,
        Words("Too many streams are open for this token", "Close one before you open another."),
        Words("Для этого токена открыто слишком много потоков", "Закройте один, прежде чем открывать другой."),
        Words("Dla tego tokenu otwarto za dużo strumieni", "Zamknij jeden, zanim otworzysz następny."),
    ),
    Code.INTERNAL_ERROR: Entry(
        500,
        Words("Something broke on our side", "It is in the log under this request id. What you asked for was not carried out."),
        Words("На нашей стороне что-то сломалось", "Ошибка записана в журнал под этим номером запроса. Запрос не выполнен."),
        Words("Coś się zepsuło po naszej stronie", "Błąd zapisano w dzienniku pod tym numerem żądania. Żądania nie wykonano."),
    ),
    Code.UNAVAILABLE: Entry(
        503,
        Words("Not just now", "The database does not answer, or the server is stopping. Send the request again with the same `Idempotency-Key`."),
        Words("Сейчас недоступно", "База данных не отвечает или сервер останавливается. Повторите запрос с тем же `Idempotency-Key`."),
        Words("Chwilowo niedostępne", "Baza danych nie odpowiada albo serwer się zatrzymuje. Powtórz żądanie z tym samym `Idempotency-Key`."),
    ),
    Code.STORAGE_FULL: Entry(
        507,
        Words("The disk is full", "Nothing has changed, and reading goes on. The operator must make room."),
        Words("Диск заполнен", "Ничего не изменилось, чтение по-прежнему работает. Владелец сервера должен освободить место."),
        Words("Dysk jest pełny", "Nic się nie zmieniło, odczyt działa dalej. Właściciel serwera musi zwolnić miejsce."),
    ),
}  # fmt: skip

FAULTS: dict[str, tuple[str, str, str]] = {
    "missing_input": ("This is needed.", "Это обязательно.", "To jest wymagane."),
    "unknown_field": ("There is no such field here.", "Такого поля здесь нет.", "Nie ma tu takiego pola."),
    "unknown_parameter": (
        "This address takes no such parameter.",
        "Этот адрес не принимает такого параметра.",
        "Ten adres nie przyjmuje takiego parametru.",
    ),
    "wrong_type": ("Expected here: {need}.", "Здесь ожидается: {need}.", "Tutaj oczekiwane: {need}."),
    "out_of_bounds": ("Must be within: {need}.", "Допустимые пределы: {need}.", "Dozwolony zakres: {need}."),
    "out_of_step": ("Must be a multiple of {need}.", "Должно быть кратно {need}.", "Musi być wielokrotnością {need}."),
    "too_short": ("Length: at least {need}.", "Длина: не меньше {need}.", "Długość: co najmniej {need}."),
    "too_long": ("Length: at most {need}.", "Длина: не больше {need}.", "Długość: najwyżej {need}."),
    "bad_id": ("This cannot be an id.", "Это не может быть идентификатором.", "To nie może być identyfikator."),
    "bad_text": (
        "Control characters, text without a visible character and broken Unicode are not taken.",
        "Управляющие символы, текст без видимых знаков и повреждённый Юникод не принимаются.",
        "Znaki sterujące, tekst bez widocznych znaków i uszkodzony Unicode nie są przyjmowane.",
    ),
    "unknown_choice": ("Known here: {need}.", "Допустимо: {need}.", "Dozwolone: {need}."),
    "unknown_option": ("Known here: {need}.", "Допустимо: {need}.", "Dozwolone: {need}."),
    "named_twice": ("Somebody else must be named here.", "Здесь нужно указать кого-то другого.", "Trzeba tu podać kogoś innego."),
    "given_twice": ("This is named twice.", "Это указано дважды.", "To podano dwa razy."),
    "wrong_total": ("The sum must be {need}.", "Сумма должна быть {need}.", "Suma musi wynosić {need}."),
    "dice_wanted": (
        "This decision wants dice: {need}.",
        "Здесь нужны кости: {need}.",
        "Ta decyzja wymaga kości: {need}.",
    ),
    "option_wanted": (
        "This decision wants an option, not dice: {need}.",
        "Здесь нужен вариант ответа, а не кости: {need}.",
        "Ta decyzja wymaga opcji, nie kości: {need}.",
    ),
    "wrong_number_of_dice": ("Needed: dice {need}.", "Нужно костей: {need}.", "Potrzebne kości: {need}."),
    "die_out_of_range": (
        "This die shows {need}.",
        "На этой кости может выпасть {need}.",
        "Na tej kości może wypaść {need}.",
    ),
    "bad_dice": ("This is no dice notation.", "Это не запись броска.", "To nie jest zapis rzutu."),
    "whole_campaign": (
        "A `gm` has the whole campaign; for one encounter there is the role `{need}`.",
        "Роль `gm` действует во всей кампании; для одного боя есть роль `{need}`.",
        "Rola `gm` obejmuje całą kampanię; dla jednego starcia jest rola `{need}`.",
    ),
    "two_tokens": (
        "A request carries a ticket or a token, not both.",
        "В запросе либо билет, либо токен, но не оба сразу.",
        "Żądanie niesie bilet albo token, nie oba naraz.",
    ),
    "short_key": (
        "Here a key has at least {need} characters.",
        "Здесь ключ должен содержать не менее {need} символов.",
        "Tutaj klucz ma co najmniej {need} znaków.",
    ),
    "bad_cursor": ("This cursor is none of ours.", "Это не наш курсор.", "To nie jest nasz kursor."),
    "bad_shape": ("This is no usable shape.", "Это непригодная фигура.", "Ten kształt jest nieprzydatny."),
    "external_ref_taken": ("Somebody here has this reference already.", "Эта ссылка здесь уже занята.", "Ktoś tutaj ma już to odniesienie."),
    "map_measures": ("The map says this; it is not stated.", "Это определяет карта; указывать это не нужно.", "Określa to mapa; nie podaje się tego."),
    "not_taken": ("This effect takes no such thing.", "Этот эффект такого не принимает.", "Ten efekt tego nie przyjmuje."),
    "no_map": ("This encounter has no map.", "У этого боя нет карты.", "To starcie nie ma mapy."),
    "not_for_several": ("This goes with one combatant alone, not with `count`.", "Это указывается для одного участника, без `count`.", "To podaje się dla jednego uczestnika, bez `count`."),
    "one_change_each": ("Exactly one thing is changed by each entry.", "Каждая запись меняет ровно одно.", "Każdy wpis zmienia dokładnie jedną rzecz."),
    "hand_full": ("This hand holds something else: {need}.", "Эта рука уже занята: {need}.", "Ta ręka jest już zajęta: {need}."),
    "below_present": ("There is more than this now: {need}. Lower it by a ruling first.", "Сейчас больше: {need}. Сначала уменьшите это решением ведущего.", "Teraz jest więcej: {need}. Najpierw zmniejsz to orzeczeniem."),
    "unknown_item": ("He has no such item.", "У него нет такого предмета.", "Nie ma takiego przedmiotu."),
    "only_by_the_rules": (
        "The rules alone begin this effect.",
        "Этот эффект начинают только сами правила.",
        "Ten efekt rozpoczynają tylko same zasady.",
    ),
    "no_such_effect": ("He has no such effect.", "Такого эффекта на нём нет.", "Nie podlega takiemu efektowi."),
    "unknown_combatant": ("There is no such combatant here.", "Здесь нет такого участника.", "Nie ma tu takiego uczestnika."),
    "unknown_decision": ("There is no such open decision.", "Такого открытого решения нет.", "Nie ma takiej otwartej decyzji."),
    "unknown_house_rules": ("There are no such house rules.", "Таких домашних правил нет.", "Nie ma takich zasad domowych."),
    "other_ruleset": ("These are house rules of another ruleset: {need}.", "Это домашние правила другого набора правил: {need}.", "To zasady domowe innego zestawu zasad: {need}."),
    "more_findings": ("And {need} more.", "И ещё {need}.", "I jeszcze {need}."),
    "bad_line": ("This line is none of an export, or not JSON that we read.", "Эта строка не из экспорта или не читается как JSON.", "Ten wiersz nie pochodzi z eksportu albo nie jest czytelnym JSON-em."),
    "line_too_long": ("A line may have at most {need} bytes.", "Строка может занимать не больше {need} байт.", "Wiersz może mieć najwyżej {need} bajtów."),
    "line_out_of_order": ("This line does not belong here, or stands here a second time.", "Этой строке здесь не место, или она повторяется.", "Ten wiersz nie powinien tu stać albo się powtarza."),
    "line_missing": ("The export ends too early: its last line is missing.", "Экспорт обрывается: нет последней строки.", "Eksport urywa się za wcześnie: brakuje ostatniego wiersza."),
    "log_broken": ("Up to this line the export does not fit together: {need}.", "До этой строки экспорт не сходится: {need}.", "Do tego wiersza eksport nie jest spójny: {need}."),
    "not_playable": ("Nobody could play on with this here.", "С этим здесь нельзя играть дальше.", "Nie da się z tym tutaj grać dalej."),
    "unknown_ruleset": ("There is no such ruleset; there are: {need}.", "Такого набора правил нет, есть: {need}.", "Nie ma takiego zestawu zasad; są: {need}."),
    "extends_missing": (
        "`extends` is missing: it names the ruleset that is changed, one of {need}.",
        "Не хватает `extends`: это набор правил, который изменяется, один из: {need}.",
        "Brakuje `extends`: to zestaw zasad, który jest zmieniany, jeden z: {need}.",
    ),
    "unknown_sample": ("The ruleset has no such sample; it has: {need}.", "В наборе правил нет такого образца, а есть: {need}.", "Zestaw zasad nie ma takiego wzorca, ma za to: {need}."),
    "unknown_version": ("The encounter never stood at this version.", "У боя не было такой версии.", "Starcie nigdy nie miało takiej wersji."),
    "wrong_length": ("As many are needed as there are combatants: {need}.", "Нужно столько же, сколько участников: {need}.", "Potrzeba tylu, ilu jest uczestników: {need}."),
    "missing": ("This is needed.", "Это обязательно.", "To jest wymagane."),
    "invalid": ("This value cannot be used.", "Это значение непригодно.", "Tej wartości nie można użyć."),
    "contradiction": ("This contradicts something else that is given.", "Это противоречит другому указанному.", "To przeczy czemuś innemu, co podano."),
    "armour_layers": ("Armour is a name, a list of names, or points by location.", "Броня указывается названием, списком названий или очками по зонам.", "Pancerz to nazwa, lista nazw albo punkty według lokacji."),
    "choices_repeat": ("Something stands twice in the list.", "В списке есть повтор.", "Coś powtarza się na liście."),
    "not_hundredths": ("Lengths have at most two decimals.", "У длин не больше двух знаков после запятой.", "Długości mają najwyżej dwa miejsca po przecinku."),
    "quality_figure": ("This quality takes: {need}.", "Этому качеству нужно: {need}.", "Ta cecha przyjmuje: {need}."),
    "talent_figure": ("This talent takes: {need}.", "Этому таланту нужно: {need}.", "Ten talent przyjmuje: {need}."),
    "too_few": ("Needs at least {need}.", "Нужно не меньше {need}.", "Potrzeba co najmniej {need}."),
    "too_many": ("May have at most {need}.", "Допустимо не больше {need}.", "Dozwolone najwyżej {need}."),
    "unknown_kind": ("Known here: {need}.", "Допустимо: {need}.", "Dozwolone: {need}."),
    "unknown_word": ("Known here: {need}.", "Допустимо: {need}.", "Dozwolone: {need}."),
    "unknown_name": ("The ruleset knows nothing of this name.", "Набор правил не знает такого названия.", "Zestaw zasad nie zna takiej nazwy."),
    "code_refused": ("The ruleset refuses this value.", "Набор правил не принимает это значение.", "Zestaw zasad nie przyjmuje tej wartości."),
    "default_not_offered": ("This is none of the choices: {need}.", "Этого нет среди вариантов: {need}.", "Tego nie ma wśród opcji: {need}."),
    "not_settable": ("This is told and not set: play changes it.", "Это сообщается, но не задаётся: меняется в игре.", "To się podaje, ale nie ustawia: zmienia się w grze."),
    "not_on_grid": ("This is not the centre of a cell.", "Это не центр клетки.", "To nie jest środek pola."),
    "cell_out_of_bounds": ("Cells cannot be of this size.", "Клетки не могут быть такого размера.", "Pola nie mogą mieć takiego rozmiaru."),
    "coordinate_out_of_bounds": ("This lies too far out.", "Это слишком далеко.", "To leży za daleko."),
    "grid_not_fit_for_ruleset": ("The ruleset cannot be played on this grid.", "На такой сетке по этим правилам играть нельзя.", "Na takiej siatce nie da się grać według tych zasad."),
    "size_out_of_bounds": ("The map cannot be of this size.", "Карта не может быть такого размера.", "Mapa nie może mieć takiego rozmiaru."),
    "length_out_of_bounds": ("This length cannot be.", "Такой длины быть не может.", "Taka długość jest niemożliwa."),
    "too_many_walls": ("There can be no more walls.", "Стен больше быть не может.", "Więcej ścian być nie może."),
    "too_many_regions": ("There can be no more regions.", "Областей больше быть не может.", "Więcej obszarów być nie może."),
    "too_many_combatants": ("There can be at most {need} combatants.", "Бойцов может быть не больше {need}.", "Walczących może być najwyżej {need}."),
    "too_many_effects": ("A combatant bears at most {need} conditions.", "Боец может нести не больше {need} состояний.", "Walczący może mieć najwyżej {need} stanów."),
    "too_many_events": ("An encounter has at most {need} events; go on in a new one.", "В бою не больше {need} событий; продолжите в новом.", "Starcie ma najwyżej {need} zdarzeń; graj dalej w nowym."),
    "too_many_events_at_once": ("One command can bring at most {need} events.", "Одна команда может вызвать не больше {need} событий.", "Jedno polecenie może wywołać najwyżej {need} zdarzeń."),
    "too_deep": ("Reactions to reactions go at most {need} deep.", "Реакции на реакции могут идти не глубже {need}.", "Reakcje na reakcje sięgają najwyżej {need} w głąb."),
    "too_many_encounters": ("A campaign holds at most {need} encounters; delete one.", "В кампании не больше {need} боёв; удалите один.", "Kampania ma najwyżej {need} starć; usuń któreś."),
    "too_many_tokens": ("A campaign has at most {need} tokens; revoke one.", "В кампании не больше {need} токенов; отзовите один.", "Kampania ma najwyżej {need} tokenów; unieważnij któryś."),
    "too_many_invites": ("A campaign has at most {need} open invites; revoke one.", "В кампании не больше {need} открытых приглашений; отзовите одно.", "Kampania ma najwyżej {need} otwartych zaproszeń; unieważnij któreś."),
    "too_many_tickets": ("A token has at most {need} open tickets.", "У токена не больше {need} открытых билетов.", "Token ma najwyżej {need} otwartych biletów."),
    "too_many_webhooks": ("A campaign has at most {need} webhooks; delete one.", "В кампании не больше {need} вебхуков; удалите один.", "Kampania ma najwyżej {need} webhooków; usuń któryś."),
    "too_many_house_rules": ("A campaign has at most {need} house rules; delete some.", "В кампании не больше {need} домашних правил; удалите какие-нибудь.", "Kampania ma najwyżej {need} zasad domowych; usuń któreś."),
    "too_many_versions": ("House rules of a campaign have at most {need} versions.", "У домашних правил кампании не больше {need} версий.", "Zasady domowe kampanii mają najwyżej {need} wersji."),
    "wall_without_length": ("A wall has two different ends.", "У стены два разных конца.", "Ściana ma dwa różne końce."),
    "id_taken": ("This id is used already.", "Этот идентификатор уже занят.", "Ten identyfikator jest już zajęty."),
    "region_corners_out_of_bounds": ("A region has at least three corners, and not too many.", "У области не меньше трёх углов, и не слишком много.", "Obszar ma co najmniej trzy wierzchołki i nie za wiele."),
    "region_not_simple": ("The border of a region must not cross itself.", "Граница области не должна пересекать себя.", "Granica obszaru nie może się przecinać."),
    "outside_map": ("This lies outside the map.", "Это за пределами карты.", "To leży poza mapą."),
    "bad_value": ("This value cannot be used.", "Это значение непригодно.", "Tej wartości nie można użyć."),
}  # fmt: skip
"""What can be wrong at one place of a body, by code: the message in English, Russian and Polish."""
_PLACE = {"en": 0, "ru": 1, "pl": 2}
KINDS = {
    "whole": ("a whole number", "целое число", "liczba całkowita"),
    "number": ("a number", "число", "liczba"),
    "text": ("text", "текст", "tekst"),
    "list": ("a list", "список", "lista"),
    "object": ("an object", "объект", "obiekt"),
    "bool": ("true or false", "true или false", "true albo false"),
    "length": ("a length", "длина", "długość"),
    "point": ("a point [x, y]", "точка [x, y]", "punkt [x, y]"),
    "null": ("null", "null", "null"),
    "dice": ("whole numbers", "целые числа", "liczby całkowite"),
}
"""Names of JSON types for the messages."""


_NEEDS = {
    "a whole number": "whole",
    "true or false": "bool",
    "text": "text",
    "a list": "list",
    "a length": "length",
    "a mapping of ids to whole numbers": "object",
}
"""What the engine's forms ask for, in its own words."""

CONFLICTS = {
    "no_proposal": (
        "This is no proposal: it is answered, not taken back.",
        "Это не предложение: на него отвечают, взять его назад нельзя.",
        "To nie jest propozycja: na to się odpowiada, nie można tego wycofać.",
    ),
    "nobodys_turn": ("It is nobody's turn.", "Сейчас ничей ход.", "Teraz nie jest niczyja tura."),
    "webhook_disabled": (
        "The webhook is disabled: enable it first.",
        "Вебхук отключён: сначала включите его.",
        "Webhook jest wyłączony: najpierw go włącz.",
    ),
    "not_running": ("The fight is not running.", "Бой не идёт.", "Walka nie trwa."),
}
"""What exactly does not fit, by the use case's own word."""


def conflict_detail(word: str, language: str) -> str | None:
    """The sentence for it; None for one that has none."""
    found = CONFLICTS.get(word)
    return None if found is None else found[_PLACE.get(language, 0)]


_RANGE = re.compile(r"(-?[\d.]+) to (-?[\d.]+)")
_BETWEEN = ("{0} to {1}", "от {0} до {1}", "od {0} do {1}")


def fault_message(code: str, language: str, need: str = "") -> str:
    """What is wrong at one place, in that language."""
    template = FAULTS.get(code, FAULTS["bad_value"])[_PLACE.get(language, 0)]
    place = _PLACE.get(language, 0)
    names = KINDS.get(_NEEDS.get(need, need))
    told = names[place] if names else need
    if (bounds := _RANGE.fullmatch(need)) is not None:
        told = _BETWEEN[place].format(*bounds.groups())
    return template.replace("{need}", told)
