"""What the adapter itself says, in three languages; everything else comes from the game."""

from typing import Final

WORDS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "no_channel": "This works in a channel only.",
        "not_bound": "No fight is shown here yet. Its game master binds this channel: `/turnwright bind`.",
        "join_first": "You have no seat at this table yet. Ask the game master for a code: `/turnwright join`.",
        "manage": "Binding a channel needs the right to manage it.",
        "bound": "This channel now shows {name}. Players join with `/turnwright join`.",
        "joined": "Welcome, {name}. See `/turnwright order`, and act with `/turnwright act`.",
        "nobody": "There is nobody for whom you may act now.",
        "choose_who": "Who acts?",
        "choose_action": "What does {name} do?",
        "choose_weapon": "{action}: with what?",
        "choose_target": "{action}: at whom?",
        "no_target": "Without a target",
        "earlier": "◀ Earlier",
        "later": "Later ▶",
        "nothing_possible": "{name} can do nothing now.",
        "gone": "That is not possible any more. Choose anew.",
        "answer": "Answer",
        "roll": "Roll dice",
        "your_dice": "Dice ({dice}), with spaces",
        "details": "{name}: details",
        "nothing_asked": "Nobody is asked anything.",
        "more_asked": "More is asked: `/turnwright decide`.",
        "done": "Done.",
        "hidden": "Done. Nothing of it is to be seen.",
        "map": "The map of {name}",
        "more_line": "More, such as /said/path_straight=yes",
    },
    "ru": {
        "no_channel": "Это работает только в канале.",
        "not_bound": "Здесь ещё не показывают бой. Ведущий привязывает канал: `/turnwright bind`.",
        "join_first": "У вас ещё нет места за этим столом. Попросите у ведущего код: `/turnwright join`.",
        "manage": "Чтобы привязать канал, нужно право управлять им.",
        "bound": "Теперь канал показывает бой «{name}». Игроки входят командой `/turnwright join`.",
        "joined": "Добро пожаловать, {name}. Порядок хода: `/turnwright order`, действие: `/turnwright act`.",
        "nobody": "Сейчас вам не за кого действовать.",
        "choose_who": "Кто действует?",
        "choose_action": "Что делает {name}?",
        "choose_weapon": "{action}: чем?",
        "choose_target": "{action}: в кого?",
        "no_target": "Без цели",
        "earlier": "◀ Раньше",
        "later": "Дальше ▶",
        "nothing_possible": "{name} сейчас ничего не может сделать.",
        "gone": "Это больше невозможно. Выберите заново.",
        "answer": "Ответить",
        "roll": "Бросить кубики",
        "your_dice": "Кубики ({dice}), через пробел",
        "details": "{name}: подробности",
        "nothing_asked": "Никого ни о чём не спрашивают.",
        "more_asked": "Есть ещё вопросы: `/turnwright decide`.",
        "done": "Готово.",
        "hidden": "Готово. Со стороны ничего не видно.",
        "map": "Карта: {name}",
        "more_line": "Ещё: /said/path_straight=да",
    },
    "pl": {
        "no_channel": "To działa tylko na kanale.",
        "not_bound": "Nie ma tu jeszcze żadnego starcia. MG przypisuje kanał: `/turnwright bind`.",
        "join_first": "Nie masz jeszcze miejsca przy tym stole. Poproś MG o kod: `/turnwright join`.",
        "manage": "Aby przypisać kanał, trzeba mieć prawo do zarządzania nim.",
        "bound": "Kanał pokazuje teraz starcie „{name}”. Gracze dołączają przez `/turnwright join`.",
        "joined": "Witaj, {name}. Kolejność: `/turnwright order`, działanie: `/turnwright act`.",
        "nobody": "Nie masz teraz za kogo działać.",
        "choose_who": "Kto działa?",
        "choose_action": "Co robi {name}?",
        "choose_weapon": "{action}: czym?",
        "choose_target": "{action}: w kogo?",
        "no_target": "Bez celu",
        "earlier": "◀ Wcześniej",
        "later": "Dalej ▶",
        "nothing_possible": "{name} nie może teraz nic zrobić.",
        "gone": "To już niemożliwe. Wybierz od nowa.",
        "answer": "Odpowiedz",
        "roll": "Rzuć kośćmi",
        "your_dice": "Kości ({dice}), ze spacjami",
        "details": "{name}: szczegóły",
        "nothing_asked": "Nikt o nic nie jest pytany.",
        "more_asked": "Jest więcej pytań: `/turnwright decide`.",
        "done": "Gotowe.",
        "hidden": "Gotowe. Nic z tego nie widać.",
        "map": "Mapa: {name}",
        "more_line": "Więcej: /said/path_straight=tak",
    },
}


def language_of(locale: str | None) -> str:
    """Our language for one of Discord's: Russian, Polish, and English for everybody else."""
    short = (locale or "").partition("-")[0].lower()
    return short if short in WORDS else "en"


def say(language: str, word: str, **names: str) -> str:
    """A sentence. The names are put in as they are: whoever shows it with Markdown makes them plain first."""
    return WORDS[language][word].format(**names)
