"""Recipes for traffic: the rates, shapes and lengths they promise, seeded, with common random numbers."""

import numpy as np
import pytest

from explainer.serving.lengths import Fixed, Geometric, Lognormal
from explainer.serving.production import AZURE_CODE, AZURE_CONVERSATION, Production, derive, quantiles
from explainer.serving.traces import read_trace
from explainer.serving.workload import AllAtOnce, Bursty, Clients, Poisson, Traffic
from tests.shared import SHARED, needs_shared


@pytest.mark.parametrize("arrivals, cv", [(Poisson(8.0), 1.0), (Bursty(8.0, 0.3), 0.3), (Bursty(8.0, 3.0), 3.0)])
def test_open_arrivals_have_the_rate_and_burstiness_they_name(arrivals, cv):
    gaps = np.diff(Traffic(arrivals, Fixed(1, 1), 200_000, 1).draw().arrival)
    assert 1 / np.mean(gaps) == pytest.approx(8.0, rel=0.03)
    assert np.std(gaps) / np.mean(gaps) == pytest.approx(cv, rel=0.03)


def test_a_rate_stretches_the_same_pattern_and_leaves_the_lengths():
    slow, fast = (Traffic(Poisson(rate), Lognormal(500, 200), 500, 3).draw() for rate in (1.0, 4.0))
    assert np.allclose(slow.arrival, 4 * fast.arrival)
    assert np.array_equal(slow.input_tokens, fast.input_tokens) and np.array_equal(
        slow.output_tokens, fast.output_tokens
    )
    assert np.allclose(slow.faster(4).arrival, fast.arrival)


def test_lognormal_and_geometric_lengths_have_the_means_they_name():
    inputs, outputs = Lognormal(512, 256, 1.5).draw(400_000, np.random.default_rng(1))
    assert np.mean(inputs) == pytest.approx(512, rel=0.01) and np.mean(outputs) == pytest.approx(256, rel=0.01)
    assert np.std(inputs) / np.mean(inputs) == pytest.approx(1.5, rel=0.03)
    assert abs(np.corrcoef(inputs, outputs)[0, 1]) < 0.01
    _, answers = Geometric(7, 40).draw(400_000, np.random.default_rng(1))
    assert np.mean(answers) == pytest.approx(40, rel=0.01) and answers.min() == 1


def test_clients_and_all_at_once():
    closed = Traffic(Clients(4, 2.0, ramp=8.0), Fixed(1, 1), 10).draw()
    assert list(closed.arrival[:4]) == [0, 2, 4, 6] and np.isnan(closed.arrival[4:]).all() and closed.clients == 4
    assert np.all(Traffic(AllAtOnce(), Fixed(1, 1), 10).draw().arrival == 0)
    assert Traffic(Clients(20), Fixed(1, 1), 10).draw().timed == 10


def test_every_quantile_names_its_source_scope_and_kind():
    assert {row.trace for row in quantiles()} == {AZURE_CONVERSATION, AZURE_CODE}
    assert all(
        row.source.startswith("Azure/AzurePublicDataset") and "2023" in row.scope and row.kind == "derived"
        for row in quantiles()
    )


def test_production_traffic_has_the_published_statistics():
    """Azure 2023 conversation as FACTS 6 states it: 5.53 a second, prompts p50 1,020, mean 1,155, p99 4,142, answers
    129, 211, 601."""
    drawn = Production().draw()
    assert len(drawn) / drawn.arrival[-1] == pytest.approx(5.53, rel=0.03)
    for column, p50, mean, p99 in ((drawn.input_tokens, 1020, 1155, 4142), (drawn.output_tokens, 129, 211, 601)):
        assert np.percentile(column, 50) == pytest.approx(p50, rel=0.03)
        assert np.mean(column) == pytest.approx(mean, rel=0.03)
        assert np.percentile(column, 99) == pytest.approx(p99, rel=0.05)
    assert any("jointly" in note for note in drawn.notes)


def test_production_traffic_keeps_the_tie_between_prompt_and_answer():
    """Medians of the trace: 76 tokens after prompts of 207 to 387, 395 to 407 after 703 to 1,315, 98 and 58 after
    longer ones."""
    drawn = Production().draw()
    for shortest, longest, median in (
        (207, 387, 76),
        (703, 1020, 395),
        (1020, 1315, 404),
        (1315, 2734, 98),
        (2734, 9e9, 58),
    ):
        here = (drawn.input_tokens > shortest) & (drawn.input_tokens < longest)
        assert np.median(drawn.output_tokens[here]) == pytest.approx(median, rel=0.05)


def test_a_load_only_moves_the_arrivals_of_the_same_hour_closer():
    once, thrice = Production().draw(), Production(load=3.0).draw()
    assert len(thrice) == pytest.approx(3 * len(once), rel=0.02)
    assert once.arrival[-1] == pytest.approx(thrice.arrival[-1], rel=0.01)
    minutes = [np.histogram(run.arrival, bins=np.arange(0, 3540, 60))[0] / len(run) for run in (once, thrice)]
    assert np.corrcoef(*minutes)[0, 1] > 0.9, "busy minutes stay busy"
    assert len(Production(minutes=5).draw()) < len(once) / 5


@needs_shared
@pytest.mark.parametrize(
    "file, trace", [("azure_llm_2023_conv.csv", AZURE_CONVERSATION), ("azure_llm_2023_code.csv", AZURE_CODE)]
)
def test_the_quantiles_are_those_of_the_published_trace(file, trace):
    stored = [row for row in quantiles() if row.trace == trace]
    assert derive(read_trace(SHARED / "traces" / file), trace, stored[0].source, stored[0].scope) == stored
