from itertools import islice

import numpy as np

from harness.workloads.draws import draws, one_hot, weights


def test_the_first_draw_is_after_one_step_from_the_seed():
    # 1103515245 * 3 + 12345 = 3310558080, less 2^31; then 1103515245 * 1163074432 + 12345, less 597660757 times 2^31.
    assert list(islice(draws(3), 2)) == [1163074432 / 2**31, 1103515245 * 1163074432 % 2**31 / 2**31 + 12345 / 2**31]


def test_weights_are_drawn_row_by_row_within_their_scale():
    drawn = [round((x - 0.5) * 2 * 0.3, 2) for x in islice(draws(1), 6)]
    assert np.array_equal(weights(draws(1), 2, 3, 0.3), [drawn[:3], drawn[3:]])


def test_no_weight_is_negative_zero():
    assert not np.signbit(weights(iter([0.4999]), 1, 1, 1.0)).any()


def test_one_hot_has_a_row_for_each_index():
    assert one_hot([2, 0], 3).tolist() == [[0, 0, 1], [1, 0, 0]]
