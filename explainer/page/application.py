"""Voila as this project serves it: with a front door, and kernels that live as long as their readers need them."""

from datetime import UTC, datetime

from tornado.web import RedirectHandler
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler


class Page(TornadoVoilaHandler):
    """A live page. It carries the cookie without which the server would not believe it that its reader has left."""

    async def prepare(self):
        await super().prepare()
        self.xsrf_token  # noqa: B018  (reading it sets the cookie)


class Explainer(Voila):
    """Voila whose front door is the contents of the notebooks, where its own list of files would stand."""

    def init_settings(self) -> dict:
        settings = super().init_settings()
        hand_out = getattr(self.kernel_manager, "get_rendered_notebook", None)  # absent without warm kernels

        async def from_now_on(*words, **named):
            """A warm kernel may have stood idle for hours: what counts for the culler is since when it has a reader."""
            task, cells, kernel = await hand_out(*words, **named)
            self.kernel_manager.get_kernel(kernel).last_activity = datetime.now(UTC)
            return task, cells, kernel

        if hand_out:
            self.kernel_manager.get_rendered_notebook = from_now_on
        return settings

    def init_handlers(self) -> list:
        contents = f"{self.base_url}voila/render/index.ipynb"
        handlers = [
            (path, Page, *rest) if handler is TornadoVoilaHandler else (path, handler, *rest)
            for path, handler, *rest in super().init_handlers()
        ]
        return [(self.server_url, RedirectHandler, {"url": contents, "permanent": False}), *handlers]
