"""How long `check` takes over AIPerf records, and how much memory: 25,000, 50,000 and 100,000 of about 3 kB, in a
process of their own.

`rows()` gives (label, value, unit, target); a target of None is only for reading. Run alone: python
benchmarks/results.py
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SIZES = (25_000, 50_000, 100_000)
TARGET_SECONDS = 10.0
TARGET_GIB = 1.0
# Twice the records may take twice the time, and this much more for noise on a shared machine.
TARGET_GROWTH = 2.4
_CHUNKS = 60
_PROJECT = Path(__file__).resolve().parents[1]
_WITHOUT_ORJSON = (
    "import sys; sys.modules['orjson'] = None; from explainer.__main__ import main; sys.exit(main(sys.argv[1:]))"
)


def record(place: int, randomness: random.Random) -> dict:
    """One AIPerf 0.13 record with a streamed answer of about sixty chunks: its names, units and nesting, numbers of
    our own."""
    start = 1_796_006_462_000_000_000 + place * 2_000_000
    ttft, gaps = randomness.uniform(40, 260), [randomness.uniform(2, 26) for _ in range(_CHUNKS - 1)]
    latency = ttft + sum(gaps)
    identity = f"{place:08x}-42fd-42ab-8d17-e9d103e20be2"

    def metric(value, unit):
        return {"value": value, "unit": unit}

    return {
        "metadata": {
            "session_num": place,
            "x_request_id": identity,
            "x_correlation_id": identity,
            "conversation_id": f"session_{place:06}",
            "turn_index": 0,
            "credit_issued_ns": start - 1_500_000,
            "request_start_ns": start,
            "request_ack_ns": start + 9_000_000,
            "request_end_ns": start + int(latency * 1e6),
            "worker_id": "worker_6430f30f",
            "record_processor_id": "record_processor_d9d2f2d1",
            "benchmark_phase": "profiling",
            "phase_index": 0,
            "profiling_index": 0,
            "phase_name": "profiling",
            "phase_kind": "profiling",
            "was_cancelled": False,
            "context_overflow_skip": False,
            "agent_depth": 0,
            "root_correlation_id": identity,
        },
        "metrics": {
            "time_to_first_token": metric(ttft, "ms"),
            "input_sequence_length": metric(45, "tokens"),
            **{
                f"http_req_{name}": metric(randomness.uniform(0, 60), "ms")
                for name in (
                    "sending",
                    "waiting",
                    "blocked",
                    "receiving",
                    "dns_lookup",
                    "connecting",
                    "duration",
                    "total",
                    "connection_overhead",
                )
            },
            "request_latency": metric(latency, "ms"),
            "inter_chunk_latency": metric(gaps, "ms"),
            "output_sequence_length": metric(_CHUNKS, "tokens"),
            "output_token_count": metric(_CHUNKS, "tokens"),
            "usage_prompt_tokens": metric(45, "tokens"),
            "usage_completion_tokens": metric(_CHUNKS, "tokens"),
            "http_req_chunks_received": metric(_CHUNKS, "count"),
            "time_to_second_token": metric(gaps[0], "ms"),
            "decode_duration": metric(latency - ttft, "ms"),
            "inter_token_latency": metric((latency - ttft) / (_CHUNKS - 1), "ms"),
            "good_request_count": metric(1, "requests"),
        },
    }


def write(path: Path, records: int) -> None:
    """That many records, one a line."""
    randomness = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for place in range(records):
            file.write(json.dumps(record(place, randomness), separators=(",", ":")) + "\n")


def measure(path: Path, fast: bool = True) -> tuple[float, float, float]:
    """Seconds, seconds of processor time and peak GiB of one `check`; fast: with orjson where it is installed."""
    start = ["-m", "explainer"] if fast else ["-c", _WITHOUT_ORJSON]
    command = [sys.executable, *start, "check", str(path), "--ttft", "200ms", "--tpot", "20ms", "--json"]
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=_PROJECT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 2):
        raise RuntimeError(f"check of {path.name} ended with {process.returncode}")
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


def rows() -> Iterator[tuple[str, float, str, float | None]]:
    """(label, value, unit, target): every value should stay below its target. Growth is of processor time, which other
    work on the machine does not stretch."""
    worked: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            path = Path(folder) / f"{size}.jsonl"
            write(path, size)
            label = f"check {size:,} AIPerf records ({path.stat().st_size / 1e6:.0f} MB)"
            took, worked[size], peak = measure(path)
            whole = size == SIZES[-1]
            yield label, took, "s", TARGET_SECONDS if whole else None
            yield f"{label}, processor time", worked[size], "s", None
            yield f"{label}, peak memory", peak, "GiB", TARGET_GIB if whole else None
        yield f"check {SIZES[-1]:,} over {SIZES[-2]:,}", worked[SIZES[-1]] / worked[SIZES[-2]], "times", TARGET_GROWTH
        took, _, _ = measure(path, fast=False)
        yield f"check {SIZES[-1]:,} AIPerf records without orjson", took, "s", None


if __name__ == "__main__":
    for label, value, unit, target in rows():
        print(f"{label:55} {value:8.2f} {unit:6} {'' if target is None else f'target {target:g}'}")
