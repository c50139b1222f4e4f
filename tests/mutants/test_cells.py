"""Batches run apart from each other, and no cell outlives its time."""

import os
import signal
import time
from itertools import repeat

import pytest

from mutants import cells


def endless():
    return sum(repeat(0))  # a loop in C, deaf to signals that Python handles


def dying():
    os.kill(os.getpid(), signal.SIGTERM)


def failing():
    raise SystemExit(3)


def by_key(work, jobs=2, timeout=10.0):
    return {done.key: done for done in cells.run(([cell] for cell in work), jobs, timeout)}


def test_what_the_work_returns_comes_back_with_its_time():
    found = by_key((k, lambda k=k: k * k) for k in range(5))
    assert {k: done.value for k, done in found.items()} == {k: k * k for k in range(5)}
    assert all(done.lost is None and 0.0 <= done.seconds < 10.0 for done in found.values())


def test_a_runaway_loop_in_c_is_killed_at_the_timeout_and_the_rest_is_done():
    began = time.perf_counter()
    found = by_key([("slow", endless), *((k, lambda: "done") for k in range(4))], timeout=0.5)
    assert time.perf_counter() - began < 5.0
    assert found["slow"].timed_out and found["slow"].seconds >= 0.5
    assert all(found[k].value == "done" for k in range(4))


def test_a_cell_that_takes_its_process_with_it_says_how():
    found = by_key([("signal", dying), ("exit", failing)])
    assert found["signal"].lost == "killed by SIGTERM"
    assert found["exit"].lost == "ended with status 1"
    assert not found["signal"].timed_out


def test_the_cells_of_a_batch_share_a_process_and_keep_their_order():
    batch = [(k, os.getpid) for k in range(4)]
    done = list(cells.run([batch], 2, 10.0))
    assert [each.key for each in done] == [0, 1, 2, 3]
    assert len({each.value for each in done}) == 1


@pytest.mark.parametrize("ends", [endless, dying])
def test_a_batch_goes_on_behind_a_cell_that_is_lost(ends):
    batch = [("before", lambda: 1), ("lost", ends), ("after", lambda: 2), ("lost again", ends), ("last", lambda: 3)]
    found = {done.key: done for done in cells.run([batch], 1, 0.5)}
    assert [found[key].value for key in ("before", "after", "last")] == [1, 2, 3]
    assert found["lost"].lost is not None and found["lost again"].lost is not None
    assert found["lost"].timed_out == (ends is endless)


def test_no_batch_sees_what_another_did():
    state = []

    def work():
        state.append(1)
        return len(state)

    assert {done.value for done in cells.run(([(k, work)] for k in range(4)), 1, 10.0)} == {1}
    assert not state


def test_a_cell_gets_no_more_memory_than_the_machine_can_spare():
    def greedy():
        try:
            return len(bytearray(2 * cells.MEMORY))
        except MemoryError:
            return "refused"

    assert by_key([("greedy", greedy)])["greedy"].value == "refused"


def test_at_most_as_many_run_at_a_time_as_there_are_jobs(tmp_path):
    def work():
        (tmp_path / f"{os.getpid()}.running").touch()
        time.sleep(0.05)
        running = len(list(tmp_path.glob("*.running")))
        (tmp_path / f"{os.getpid()}.running").unlink()
        return running

    assert max(done.value for done in cells.run(([(k, work)] for k in range(8)), 2, 10.0)) <= 2


def test_results_larger_than_a_pipe_holds_come_back_whole():
    assert by_key([("large", lambda: "x" * 1_000_000)])["large"].value == "x" * 1_000_000


def test_ending_early_leaves_no_process_behind():
    run = cells.run([[("quick", lambda: 1)], [("slow", endless)]], 2, 60.0)
    assert next(run).key == "quick"
    run.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
