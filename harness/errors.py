"""The named errors of this package."""

from __future__ import annotations

from transforms.errors import AdjudgeError


class ToolMissing(AdjudgeError):
    """A program that is needed and not found, or broken: `reason` says which, `fix` is the command that installs it."""

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(f"{reason}; to install: {fix}")
        self.reason, self.fix = reason, fix


class CompileFailed(AdjudgeError):
    """A C program that the compiler refuses."""


class RunFailed(AdjudgeError):
    """A compiled program that crashed, was killed, or ended with another status than 0."""


class RunTimedOut(RunFailed):
    """A compiled program, or its profile, that took longer than it may."""


class Incomplete(RunFailed):
    """A compiled program whose output is not whole, though its exit status says nothing."""


class CountFailed(AdjudgeError):
    """A profile that cannot be made or trusted: the profiler failed, its file is cut off, or the count is 0."""


class CacheUnusable(AdjudgeError):
    """A cache folder that cannot be written to."""


class CacheDamaged(UserWarning):
    """A cache entry that is not what was stored; it is made again."""


class ProcessLost(AdjudgeError):
    """A process, here or on a cluster, that did a part of a run and will not give its result."""


class WrongAddress(AdjudgeError):
    """What cannot be the address of a scheduler."""


class Unreachable(AdjudgeError):
    """An address where no scheduler answers, or one that has no workers, or none that can do the work."""


class OtherCode(AdjudgeError):
    """A worker on another machine that has other code than the run that it is to do a part of."""


class WrongGradient(AdjudgeError, AssertionError):
    """A gradient that is not what differences of the function say, or has another shape than the point."""


class NoVerdict(AdjudgeError):
    """A function whose differences do not settle at the point: it has a kink, noise, or an infinite slope there."""
