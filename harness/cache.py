"""The cache: files under the hash of all that they follow from.

It lies in the folder that ADJUDGE_CACHE names, else in `adjudge` of the user's cache folder. Entries are written
atomically, so that an interrupt leaves none, and end in a checksum of what comes before and of the key that it is for;
one that does not fit is reported, removed and made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import warnings
from pathlib import Path

from harness.errors import CacheDamaged, CacheUnusable

LENGTH = hashlib.sha256().digest_size
FORMAT = b"2"
"""Of the entries: those of another one are under other keys, so that no version takes them for its own."""


def folder() -> Path:
    """Where the cache lies."""
    chosen = os.environ.get("ADJUDGE_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adjudge"


def key(*parts: str | bytes) -> str:
    """The hash of several texts, in their order."""
    whole = hashlib.sha256(FORMAT)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(b"%d:" % len(data) + data)
    return whole.hexdigest()


def fetch(kind: str, key: str) -> Path | None:
    """The file of an entry, if there is one; `content` is what it holds. Warns with CacheDamaged.

    What is no file, such as a pipe, is no entry.
    """
    path = folder() / kind / key
    try:
        if not path.is_file():  # a pipe would be waited for, and a device may have no end
            return None
        data = path.read_bytes()
    except OSError:
        return None
    if data[-LENGTH:] == _checksum(kind, key, data[:-LENGTH]):
        return path
    discard(path)
    return None


def discard(path: Path) -> None:
    """Remove an entry that is not what was stored. Warns with CacheDamaged."""
    warnings.warn(f"{path} is damaged and is made again", CacheDamaged, stacklevel=3)
    with contextlib.suppress(OSError):  # whoever may not remove it may not replace it either, which is said then
        path.unlink()


def store(kind: str, key: str, content: bytes, mode: int = 0o644) -> Path:
    """Write an entry, in place of whatever is there; its file. Raises CacheUnusable.

    An executable with a checksum behind it is one still.
    """
    path = folder() / kind / key
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with open(handle, "wb") as file:
                file.write(content + _checksum(kind, key, content))
            os.chmod(scratch, mode)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            os.replace(scratch, path)
        except BaseException:
            os.unlink(scratch)
            raise
    except OSError as error:
        problem = f"{error.strerror} ({path.parent}); ADJUDGE_CACHE can name another folder"
        raise CacheUnusable(f"the cache cannot be written: {problem}") from None
    return path


def content(path: Path) -> bytes:
    """What an entry holds."""
    return path.read_bytes()[:-LENGTH]


def _checksum(kind: str, key: str, content: bytes) -> bytes:
    return hashlib.sha256(f"{kind}/{key}/".encode() + content).digest()
