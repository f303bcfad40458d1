"""Long answers for streams: what an agent says piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

LONG: Final = (
    "Thank you for asking how the hall is laid out. The main door opens towards the river, and visitors come in "
    "there. Behind the door you find the reception, where somebody is always glad to help. To the left of the "
    "reception runs the long corridor with the green floor. Along the corridor stand the shelves for small parts, "
    "sorted by name. Every shelf carries a label, and every label is large enough to be read from afar. At the end "
    "of the corridor a wide door leads into the loading hall. The loading hall is noisy, so please wear the ear "
    "protection that hangs at the entrance! Trucks come in from the north side and leave on the south side. Between "
    "both doors lies the marked walkway, and only people on foot may use it. Why is the walkway yellow? Because it "
    "has to be seen from a truck, even in the rain. Next to the walkway stand the tables for returns. Jordan looks "
    "after the returns and knows the forms by heart. If a form is missing, somebody at the reception prints another "
    "one.\n"
    "The upper floor holds the offices and a small kitchen. The kitchen has a kettle, a sink and a window to the "
    "yard. Guests are welcome to sit there while a truck is loaded. From the window you see the old chimney, which "
    "has been cold for years. Storks nest on it, year after year, and we all watch them. The stairs are steep, "
    "so please hold on to the rail. There is a lift as well, on the other side of the reception. The lift is slow "
    "but it has never let anybody down. The roof is open to visitors of every kind, and from there you see the whole "
    "river with its bridges. Please do not feed the gulls, they remember faces and come back with their friends. "
    "The garden behind the house belongs to the neighbours, who kindly lend us a bench in the shade. Children like "
    "the model railway in the stairwell, which was built by an apprentice and still runs. If you come by bicycle, "
    "there is a roof for it beside the gate, and a pump that works. If you come by bus, the stop is right in front "
    "of the house. When you leave, please hand your badge back at the reception. Somebody will walk you to the "
    "gate. We look forward to showing you around!"
)
"""An answer without a figure, a date or a promise: about forty sentences and 2,000 characters."""

LEAKY: Final = (
    "The returns are looked after by Jordan. The forms lie at the reception. "
    "Other goods are kept at the Northwind depot by another customer. The kitchen is on the upper floor."
)
"""A third sentence that names what belongs to another customer."""

LEAKY_AT_A_STOP: Final = (
    "The returns are looked after by Jordan. The forms lie at the reception. "
    "They were drawn by Prof. Voss in spring. The kitchen is on the upper floor."
)
"""A guarded name with a full stop inside it: where a sentence seems to end, the name has only begun."""

LEAKY_ACROSS_LINES: Final = LEAKY.replace("Northwind depot", "Northwind\ndepot")
"""The name broken over two lines, which look like two sentences."""


async def pieces(text: str, size: int) -> AsyncIterator[str]:
    """`text` in chunks of `size` characters."""
    for start in range(0, len(text), size):
        yield text[start : start + size]
