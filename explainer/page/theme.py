"""The one place for colours and type: a meaning, its word, its colour in light and in dark.

The hues are Okabe and Ito's, which colour-blind readers tell apart, darkened on paper and lightened on slate until text in them reaches a
contrast of 4.5 to 1. Charts name a meaning as a CSS variable, so that one picture is light or dark as the page is.
"""

MEANINGS = {  # meaning: (light, dark)
    "a": ("#b24400", "#f0915c"),
    "b": ("#00659e", "#62b8ee"),
    "waiting": ("#8a5a00", "#e0a83c"),
    "streaming": ("#00704f", "#3fbf95"),
    "prefill": ("#94447a", "#dc94c2"),
    "decode": ("#00659e", "#62b8ee"),
    "limit": ("#5a5f69", "#a6abb5"),
    "good": ("#00704f", "#3fbf95"),
    "missed": ("#b24400", "#f0915c"),
    "ink": ("#1b1d21", "#e9e6e0"),
    "quiet": ("#5b606b", "#a3a8b2"),
    "rule": ("#e2ded5", "#343841"),
    "paper": ("#fefdfa", "#15171b"),
    "tint": ("#f5f1ea", "#1f2329"),
    "link": ("#00659e", "#62b8ee"),
}
SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif'
SERIF = 'Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", Cambria, Georgia, "Noto Serif", "DejaVu Serif", serif'


def colour(meaning: str) -> str:
    """The CSS variable of a meaning, for charts and markup."""
    return f"var(--x-{_known(meaning)})"


def _known(meaning: str) -> str:
    if meaning not in MEANINGS:
        raise ValueError(f"No colour for {meaning!r}; the meanings are {', '.join(MEANINGS)}.")
    return meaning


def variables() -> str:
    """The style sheet's variables: light, dark where the system asks for it, and light again on paper."""

    def block(index: int) -> str:
        return "".join(f"--x-{meaning}:{shades[index]};" for meaning, shades in MEANINGS.items())

    fonts = f"--x-sans:{SANS};--x-serif:{SERIF};"
    dark = f"{block(1)}color-scheme:dark;"
    return (
        f":root{{{block(0)}{fonts}color-scheme:light;}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f'@media screen{{body[data-jp-theme-light="false"]{{{dark}}}body[data-jp-theme-light="true"]{{{block(0)}color-scheme:light;}}}}\n'
    )


def chart_config() -> dict:
    """Vega-Lite's configuration for every chart: quiet axes, no frame, one type."""
    return {
        "font": SANS,
        "background": "transparent",
        "view": {"stroke": None},
        "axis": {
            "labelColor": colour("quiet"),
            "titleColor": colour("quiet"),
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": colour("rule"),
            "domainColor": colour("rule"),
            "tickColor": colour("rule"),
            "ticks": False,
            "labelPadding": 6,
        },
        "axisX": {"grid": False, "titleAnchor": "end", "titleAlign": "right"},
        "axisY": {
            "domain": False,
            "titleAngle": 0,
            "titleAnchor": "end",
            "titleAlign": "left",
            "titleBaseline": "bottom",
            "titleY": -12,
            "titleX": 0,
        },
        "text": {"color": colour("ink"), "fontSize": 13},
    }
