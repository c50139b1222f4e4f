from harness.workloads.text import bound, literal


def test_a_literal_reads_back_exactly():
    assert literal([[0.1, -2.0, 1e-5], [-1e9, 0.0, 0.75]]) == "[[0.1, -2.0, 1e-05], [-1000000000.0, 0.0, 0.75]]"


def test_matrices_are_bound_one_a_line_in_order():
    assert bound({"b": [[1]], "a": [[2, 3]]}) == "let b = [[1.0]]\nlet a = [[2.0, 3.0]]"
