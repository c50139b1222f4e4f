"""A page in headless Chromium, through the DevTools protocol over a pipe: what it shows, asks for and complains of."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

SECONDS = 60
"""After this long, whatever the browser is waiting for, it is stopped."""


class Browser:
    """A tab. `events` are all that the browser has told of it."""

    def __init__(self, to: Any, back: Any) -> None:
        self.to, self.back, self.sent, self.session = to, back, 0, None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        self.to.flush()
        while (answer := self._next()).get("id") != self.sent:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, path: Path, width: int, *, dark: bool = False, scripts: bool = True, media: str = "") -> None:
        """Show a file in a window of a width, and wait until it is there."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=path.as_uri())
        while not self.told("Page.loadEventFired"):
            self._next()

    def eval(self, expression: str) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def told(self, method: str) -> list[dict[str, Any]]:
        return [event["params"] for event in self.events if event.get("method") == method]

    def requested(self) -> list[str]:
        return [event["request"]["url"] for event in self.told("Network.requestWillBeSent")]

    def complaints(self) -> list[dict[str, Any]]:
        return (
            self.told("Log.entryAdded") + self.told("Runtime.exceptionThrown") + self.told("Runtime.consoleAPICalled")
        )

    def screenshot(self, path: Path, top: int = 0, height: int = 0) -> bytes:
        """A picture of the page, or of a part of it, as PNG; written to a file."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "height": height or size["height"], "scale": 1}
        taken = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        data = base64.b64decode(taken["data"])
        path.write_bytes(data)
        return data

    def _next(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self.back.read(1)) != b"\0":
            assert byte, "the browser has stopped"
            data += byte
        message = json.loads(data)
        self.events.append(message)
        return message


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser whose profile is in a folder of its own; it ends with the block, or after `SECONDS`."""
    assert CHROMIUM
    (read, to), (back, write) = os.pipe(), os.pipe()
    command = [
        "timeout", str(SECONDS), CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--hide-scrollbars", "--no-first-run", f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe",
    ]  # fmt: skip
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    ends = [(os.POSIX_SPAWN_DUP2, read, 3), (os.POSIX_SPAWN_DUP2, write, 4)]  # where the browser looks for the pipe
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=[*silent, *ends])
    os.close(read)
    os.close(write)
    with os.fdopen(to, "wb") as sending, os.fdopen(back, "rb") as receiving:
        try:
            yield Browser(sending, receiving)
        finally:
            os.kill(process, signal.SIGTERM)
            os.waitpid(process, 0)
