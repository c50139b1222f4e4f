"""Which checks have a reason to stay: all of them, since any may have no unique kill at some seed."""

from harness.checks.battery import BATTERY
from mutants.stays import STAYS


def test_every_check_has_a_reason_of_its_own():
    assert list(STAYS) == [check.id for check in BATTERY]
    assert all(STAYS.values())
