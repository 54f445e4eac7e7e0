"""A class of readers without browsers: each loads a page, then does once a second what a reader's browser would do.

python -m benchmarks.readers kernel COUNT PAGE       loads the Voila page, holds its kernel's socket, moves its sliders
python -m benchmarks.readers files COUNT FILE ...    fetches a static page's files

Prints {"arrived": n} once the readers are there, lets them move after a line of input, and prints {"moves": ...,
"median_ms": ..., "failed": ..., "first": [...]} after the end of the input.
"""

import asyncio
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tornado.httpclient import AsyncHTTPClient, HTTPError
from tornado.websocket import WebSocketClosedError

ARRIVAL_LIMIT = 300  # seconds for all of them
AT_ONCE = 4  # arriving readers: more only queue for the same cores, and Voila gives up on kernels that start too slowly


class FileReader:
    """Fetches the same files again and again."""

    def __init__(self, addresses: list[str]):
        self.addresses = addresses

    async def arrive(self) -> None:
        await self.move()

    async def move(self) -> None:
        for address in self.addresses:
            await AsyncHTTPClient().fetch(address, request_timeout=60)


@dataclass
class Class:
    """The readers together: who has arrived, how long their moves took (s), what went wrong."""

    readers: list
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    async def arrive(self) -> list:
        """Those who are there within the limit."""
        room = asyncio.Semaphore(AT_ONCE)

        async def enter(reader):
            async with room:
                await reader.arrive()
            return reader

        tasks = [asyncio.create_task(enter(reader)) for reader in self.readers]
        done, late = await asyncio.wait(tasks, timeout=ARRIVAL_LIMIT)
        for task in late:
            task.cancel()
        self.failures += [f"{type(task.exception()).__name__}: {task.exception()}" for task in done if task.exception()]
        return [task.result() for task in done if not task.exception()]

    async def move(self, reader) -> None:
        """A move a second, for ever; one that takes longer delays the next, as ipywidgets' own throttle does."""
        await asyncio.sleep(random.random())
        while True:
            began = time.perf_counter()
            try:
                await reader.move()
            except (OSError, HTTPError, WebSocketClosedError) as error:
                self.failures.append(f"{type(error).__name__}: {error}")
                return
            took = time.perf_counter() - began
            self.seconds.append(took)
            await asyncio.sleep(max(0, 1 - took))


async def attend(readers: list) -> None:
    """Lets the readers arrive, and move from the first line of our input to its end."""
    group = Class(readers)
    present = await group.arrive()
    print(json.dumps({"arrived": len(present)}), flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.readline)
    tasks = [asyncio.create_task(group.move(reader)) for reader in present]
    await loop.run_in_executor(None, sys.stdin.read)
    for task in tasks:
        task.cancel()
    median = 1e3 * statistics.median(group.seconds) if group.seconds else None
    print(
        json.dumps(
            {
                "moves": len(group.seconds),
                "median_ms": median,
                "failed": len(group.failures),
                "first": group.failures[:3],
            }
        ),
        flush=True,
    )


@dataclass(frozen=True)
class Crowd:
    """Readers in a process of their own: how many are there; begin() lets them move."""

    process: subprocess.Popen
    present: int

    def begin(self) -> None:
        self.process.stdin.write("begin\n")
        self.process.stdin.flush()


@contextmanager
def crowd(kind: str, count: int, addresses: list[str]) -> Iterator[Crowd]:
    """That many readers, arrived, for as long as the block lasts."""
    command = [sys.executable, "-m", "benchmarks.readers", kind, str(count), *addresses]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        arrived = process.stdout.readline()
        if not arrived:
            raise RuntimeError("The other readers stopped before they had arrived.")
        yield Crowd(process, json.loads(arrived)["arrived"])
        with suppress(subprocess.TimeoutExpired):  # what they have to tell is not worth more
            last, _ = process.communicate(timeout=30)
            print(f"    the others: {last.strip()}", file=sys.stderr, flush=True)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def main(kind: str, count: str, *addresses: str) -> None:
    from benchmarks.kernel_reader import KernelReader

    AsyncHTTPClient.configure("tornado.simple_httpclient.SimpleAsyncHTTPClient", max_clients=1000, max_body_size=2**28)
    make = {"kernel": lambda: KernelReader(*addresses), "files": lambda: FileReader(list(addresses))}[kind]
    asyncio.run(attend([make() for _ in range(int(count))]))


if __name__ == "__main__":
    main(*sys.argv[1:])
