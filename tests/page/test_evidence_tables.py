"""Tables of evidence as a page shows them: nothing dropped, nothing broken by text, a word beside every colour."""

from html.parser import HTMLParser

from explainer.evidence import STATUSES, WITHOUT, comparisons, evidence, misses
from explainer.page.evidence import evidence_tables, misses_table, model_table, without_table


class Cells(HTMLParser):
    """The tags of a table and the texts of its rows; complains of what is not closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.rows, self.tags = [], [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.rows:
            self.rows[-1] += data + " "


def rows(markup):
    return [each for each in Cells(markup._repr_html_()).rows if "Published Computed" not in each.replace("  ", " ")]


def test_every_value_has_a_row_with_its_source_and_its_status():
    found = rows(evidence_tables())
    assert len(found) == len(evidence())
    for row, text in zip(evidence(), found):
        assert (
            row.source in text
            and row.printed in text
            and row.computed_text in text
            and any(status in text for status in STATUSES)
        )


def test_the_misses_are_all_there_the_wrong_ones_first_each_with_its_reason():
    found = rows(misses_table())
    assert len(found) == len(misses())
    assert [("published wrong" in text) for text in found] == sorted(
        (("published wrong" in text) for text in found), reverse=True
    )
    assert all(row.note in " ".join(found) for row in misses())


def test_every_model_and_every_function_without_a_value_is_named():
    text = model_table()._repr_html_()
    assert all(each.name in text for each in comparisons())
    assert all(name in without_table()._repr_html_() for name in WITHOUT)


def test_tables_are_captioned_scoped_and_scrolled_by_key():
    for markup in (evidence_tables(), misses_table(), model_table(), without_table()):
        tags = Cells(markup._repr_html_()).tags
        tables = sum(tag == "table" for tag, _ in tags)
        assert sum(tag == "caption" for tag, _ in tags) == tables
        assert all(attributes.get("scope") for tag, attributes in tags if tag == "th")
        boxes = [attributes for tag, attributes in tags if attributes.get("class") == "x-scroll"]
        assert len(boxes) == tables and all(
            box["tabindex"] == "0" and box["role"] == "group" and box["aria-label"] for box in boxes
        )
