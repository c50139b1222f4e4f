"""Programs, checks and measurements. `harness.check` judges a plain function and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.plain import check

__all__ = ["check"]


def __getattr__(name: str) -> Any:
    """`check`, when it is asked for: short commands import this package too, and shall not wait for NumPy."""
    if name == "check":
        from harness.plain import check

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
