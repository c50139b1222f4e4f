"""Batches run apart from each other, no cell outlives its time, and what is killed from outside is done again."""

import mmap
import os
import signal
import sys
import threading
import time
from functools import partial
from itertools import repeat

import pytest

from harness import forked
from harness.errors import ProcessLost, ToolMissing


def endless():
    return sum(repeat(0))  # a loop in C, deaf to signals that Python handles


def dying():
    os.kill(os.getpid(), signal.SIGTERM)


def failing():
    raise SystemExit(3)


def by_key(*batch, timeout=10.0):
    return {done.key: done for done in forked.run(batch, timeout)}


def test_what_the_work_returns_comes_back_with_its_time():
    found = by_key(*((k, lambda k=k: k * k) for k in range(5)))
    assert {k: done.value for k, done in found.items()} == {k: k * k for k in range(5)}
    assert all(done.lost is None and 0.0 <= done.seconds < 10.0 for done in found.values())


def test_a_runaway_loop_in_c_is_killed_at_the_timeout_and_the_rest_is_done():
    began = time.perf_counter()
    found = by_key(("slow", endless), *((k, lambda: "done") for k in range(4)), timeout=0.5)
    assert time.perf_counter() - began < 5.0
    assert found["slow"].timed_out and found["slow"].seconds >= 0.5
    assert all(found[k].value == "done" for k in range(4))


def test_a_cell_that_takes_its_process_with_it_says_how():
    found = by_key(("signal", dying), ("exit", failing))
    assert found["signal"].lost == "killed by SIGTERM"
    assert found["exit"].lost == "ended with status 1"
    assert not found["signal"].timed_out


def test_the_cells_of_a_batch_share_a_process_and_keep_their_order():
    done = list(forked.run([(k, os.getpid) for k in range(4)], 10.0))
    assert [each.key for each in done] == [0, 1, 2, 3]
    assert len({each.value for each in done}) == 1


@pytest.mark.parametrize("ends", [endless, dying])
def test_a_batch_goes_on_behind_a_cell_that_is_lost(ends):
    batch = [("before", lambda: 1), ("lost", ends), ("after", lambda: 2), ("lost again", ends), ("last", lambda: 3)]
    found = by_key(*batch, timeout=0.5)
    assert list(found) == [key for key, _ in batch]
    assert [found[key].value for key in ("before", "after", "last")] == [1, 2, 3]
    assert found["lost"].lost is not None and found["lost again"].lost is not None
    assert found["lost"].timed_out == (ends is endless)


def test_what_is_killed_from_outside_is_done_again_and_nothing_comes_twice(tmp_path):
    """The cell writes its process down and waits, the first time alone, to be killed."""

    def waiting():
        first = not (tmp_path / "pid").exists()
        (tmp_path / "new").write_text(str(os.getpid()))
        (tmp_path / "new").rename(tmp_path / "pid")
        time.sleep(60.0 if first else 0.0)
        return "done"

    def kill():
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    done = list(forked.run([("before", lambda: 1), ("killed", waiting), ("after", lambda: 2)], 10.0))
    thread.join()
    assert [(each.key, each.value, each.lost) for each in done] == [
        ("before", 1, None), ("killed", "done", None), ("after", 2, None),
    ]  # fmt: skip


def test_no_batch_sees_what_another_did():
    state = []

    def work():
        state.append(1)
        return len(state)

    assert [by_key((k, work))[k].value for k in range(3)] == [1, 1, 1]
    assert not state


def test_a_cell_with_a_timeout_gets_no_more_memory_than_the_machine_can_spare():
    def greedy():
        try:
            return len(bytearray(2 * forked.MEMORY))
        except MemoryError:
            return "refused"

    assert by_key(("greedy", greedy))["greedy"].value == "refused"


def test_what_a_library_has_reserved_before_is_not_counted():
    with mmap.mmap(-1, 2 * forked.MEMORY, prot=0):
        assert by_key(("modest", lambda: len(bytearray(forked.MEMORY // 64))))["modest"].value == forked.MEMORY // 64


def test_results_larger_than_a_pipe_holds_come_back_whole():
    assert by_key(("large", lambda: "x" * 1_000_000))["large"].value == "x" * 1_000_000


def test_ending_early_leaves_no_process_behind():
    run = forked.run([("quick", lambda: 1), ("slow", endless)], 60.0)
    assert next(run).key == "quick"
    run.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_process_keeps_no_file_of_its_parent_and_not_the_limit_that_another_thread_raised(tmp_path):
    limit = sys.getrecursionlimit()
    with (tmp_path / "file").open("w") as file:
        sys.setrecursionlimit(limit + 1000)
        try:
            found = by_key(("limit", sys.getrecursionlimit), ("closed", partial(_is_closed, file.fileno())))
        finally:
            sys.setrecursionlimit(limit)
    assert found["limit"].value == forked.RECURSION
    assert found["closed"].value


def _is_closed(descriptor):
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False


def test_a_process_whose_parent_was_killed_ends_by_itself():
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        child = forked._start([("endless", endless)], 0.2)
        os.write(writing, str(child[0]).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    orphan = int(os.read(reading, 20))
    until = time.perf_counter() + 20.0
    while _runs(orphan) and time.perf_counter() < until:
        time.sleep(0.1)
    assert not _runs(orphan)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_work_alone_returns_or_raises_what_it_does():
    assert forked.alone(os.getpid) != os.getpid()
    with pytest.raises(ZeroDivisionError) as caught:
        forked.alone(lambda: 1 // 0)
    assert "in a forked process" in caught.value.__notes__[0]

    def lacking():
        raise ToolMissing("no compiler", "install one")

    with pytest.raises(Exception, match="no compiler; to install: install one"):
        forked.alone(lacking)
    with pytest.raises(ProcessLost, match="killed by SIGTERM"):
        forked.alone(dying)
