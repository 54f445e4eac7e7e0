"""One reader of a Voila page, without a browser: the page, its kernel's socket, its widgets, its sliders' moves.

Speaks the subprotocol v1.kernel.websocket.jupyter.org; Voila's server is lost to everybody when a client without it
meets a binary message.
"""

import asyncio
import json
import random
import re
import uuid
from datetime import UTC, datetime
from itertools import cycle

from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

PROTOCOL = "v1.kernel.websocket.jupyter.org"
STATES_LIMIT = 60  # seconds
_MODEL = "IPY_MODEL_"


class KernelReader:
    """A reader of the page at an address."""

    def __init__(self, address: str):
        self.address = address
        self.session = uuid.uuid4().hex
        self.idle: dict[str, asyncio.Future] = {}

    async def arrive(self) -> None:
        """Loads the page, joins its kernel and learns its sliders."""
        page = await AsyncHTTPClient().fetch(self.address, request_timeout=250)
        kernel = re.search(r'"kernelId":\s*"([0-9a-f-]{36})"', page.body.decode())
        if not kernel:
            raise RuntimeError("the page names no kernel")
        root = re.match(r"http(://[^/]+)", self.address)[1]
        request = HTTPRequest(f"ws{root}/api/kernels/{kernel[1]}/channels?session_id={self.session}")
        self.socket = await websocket_connect(request, subprotocols=[PROTOCOL], max_message_size=2**28)
        if self.socket.selected_subprotocol != PROTOCOL:
            raise RuntimeError(f"the server does not speak {PROTOCOL}")
        self.states = asyncio.get_running_loop().create_future()
        self.listener = asyncio.create_task(self._listen())
        states = await asyncio.wait_for(self._ask_states(), STATES_LIMIT)
        self.moves = cycle(random.sample(found := _sliders(states), len(found)))

    async def move(self) -> None:
        """One step of one slider, and of what is linked to it in the front end; ends when the kernel is idle again."""
        slider = next(self.moves)
        value = slider.step()
        told = [
            await self._send(
                "comm_msg",
                {"comm_id": model, "data": {"method": "update", "state": {trait: value}, "buffer_paths": []}},
            )
            for model, trait in slider.traits
        ]
        await asyncio.gather(*told)

    async def _ask_states(self) -> dict:
        control = uuid.uuid4().hex
        opening = {"comm_id": control, "target_name": "jupyter.widget.control", "data": {}}
        await self._send("comm_open", opening, {"version": "1.0.0"})
        await self._send("comm_msg", {"comm_id": control, "data": {"method": "request_states"}})
        return await self.states

    async def _send(self, kind: str, content: dict, metadata: dict | None = None) -> asyncio.Future:
        """Sends a message; the future it gives is done when the kernel has dealt with it."""
        identity = uuid.uuid4().hex
        now = datetime.now(UTC).isoformat()
        header = {
            "msg_id": identity,
            "msg_type": kind,
            "username": "",
            "session": self.session,
            "date": now,
            "version": "5.3",
        }
        message = {"header": header, "parent_header": {}, "metadata": metadata or {}, "content": content}
        done = self.idle[identity] = asyncio.get_running_loop().create_future()
        await self.socket.write_message(
            serialize_msg_to_ws_v1(message, "shell", lambda part: json.dumps(part).encode()), binary=True
        )
        return done

    async def _listen(self) -> None:
        while (message := await self.socket.read_message()) is not None:
            _, (header, parent, _, content, *_) = deserialize_msg_from_ws_v1(message)
            kind = json.loads(header)["msg_type"]
            if kind == "status" and json.loads(content)["execution_state"] == "idle":
                done = self.idle.pop(json.loads(parent).get("msg_id"), None)
                if done and not done.done():
                    done.set_result(None)
            elif kind == "comm_msg" and not self.states.done():
                data = json.loads(content)["data"]
                if data.get("method") == "update_states":
                    self.states.set_result(data["states"])
        for waiting in [*self.idle.values(), self.states]:
            if not waiting.done():
                waiting.set_exception(ConnectionError("the server closed the socket"))


class _Slider:
    """A slider's model, the traits that follow it (its own value first), and where it stands."""

    def __init__(self, model: str, state: dict, linked: list[list[str]]):
        self.traits = [(model, "value"), *((target.removeprefix(_MODEL), trait) for target, trait in linked)]
        self.value, self.low, self.high = state["value"], state["min"], state["max"]
        self.by = state["step"]

    def step(self) -> float:
        """The next value: a step on, turning at the ends."""
        if not self.low <= self.value + self.by <= self.high:
            self.by = -self.by
        self.value += self.by
        return self.value


def _sliders(states: dict) -> list[_Slider]:
    links = [each["state"] for each in states.values() if each["model_name"] == "LinkModel"]
    return [
        _Slider(model, each["state"], [link["target"] for link in links if link["source"] == [_MODEL + model, "value"]])
        for model, each in states.items()
        if each["model_name"] in ("FloatSliderModel", "IntSliderModel")
    ]
