"""SVG to PNG by resvg, with letters of our own: a server has no fonts, and no browser."""

from pathlib import Path

FONT = Path(__file__).resolve().parent / "fonts" / "DejaVuSans.ttf"


def png(svg: str) -> bytes:
    """The same picture in pixels."""
    # Here, so that a server which nobody asks for a picture never loads it.
    from resvg_py import svg_to_bytes

    return bytes(
        svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=[str(FONT)], font_family="DejaVu Sans")
    )
