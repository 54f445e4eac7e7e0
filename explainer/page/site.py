"""The static site: the same notebooks as plain files, for any web server or straight from the disk."""

import argparse
import shutil
import sys
from functools import partial
from hashlib import sha256
from html import escape
from pathlib import Path

from explainer.page.documents import compile_all
from explainer.page.publish import NOTEBOOKS, Chapter, as_json, body, chapters, footer, header, page_data, styles, title
from explainer.page.scripts import classic_script
from explainer.page.widget import STATIC

_NOTE = "This page is complete: its figures move without a server or a network."


def build(target: Path, notebooks: Path = NOTEBOOKS) -> list[Path]:
    """Writes the site into target (made if missing) and returns the pages written."""
    assets = target / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(STATIC / "vega.min.js", assets / "vega.min.js")
    shutil.copyfile(STATIC / "vega-LICENSE.txt", assets / "vega-LICENSE.txt")
    names = {"site.css": styles(), "figure.js": classic_script()}
    links = {}
    for name, text in names.items():
        (assets / name).write_text(text, encoding="utf-8")
        links[name] = (
            f"assets/{name}?{sha256(text.encode()).hexdigest()[:8]}"  # a new version is a new address, so caches may keep it for ever
        )
    compile_all(partial(print, flush=True))
    found = chapters(notebooks)
    written = []
    for chapter in found:
        path = target / f"{chapter.path.stem}.html"
        path.write_text(_page(chapter, found, links), encoding="utf-8")
        written.append(path)
    return written


def _page(chapter: Chapter, others: list[Chapter], links: dict[str, str]) -> str:
    page = body(chapter.path, live=False, suffix=".html")
    documents = "".join(
        f'<script type="application/json" id="{each["name"]}-document">{as_json({key: each[key] for key in each if key not in ("html", "sources")})}</script>'
        for each in page.documents
    )
    script = f'<script defer src="{links["figure.js"]}"></script>' if page.documents else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title(chapter))}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{links["site.css"]}">
<noscript><style>.x-controls,.x-links button{{display:none!important}}</style></noscript>
{script}
</head>
<body>
{header(chapter, others, ".html")}
<main id="content">
<p id="x-page-say" role="status"></p>
{page.html}
</main>
{footer(_NOTE)}
{page_data(page, "assets/")}{documents}
</body>
</html>
"""


def main(arguments: list[str]) -> int:
    """Build the static site; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m explainer build", description="The static site, for any web server or the disk."
    )
    parser.add_argument("folder", metavar="DIR")
    named = parser.parse_args(arguments).folder
    folder = Path(named)
    if not named or (folder.exists() and not folder.is_dir()):
        print(f"{named or 'Nothing'} is no folder; name one for the site.", file=sys.stderr)
        return 3
    try:
        pages = build(folder)
    except OSError as error:
        print(f"The site cannot be written to {folder}: {error.strerror or error}.", file=sys.stderr)
        return 3
    print(f"{len(pages)} pages are in {folder}. Open {folder / 'index.html'}.")
    return 0
