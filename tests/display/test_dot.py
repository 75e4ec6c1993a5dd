"""Graphs for Graphviz."""

from .cases import recorded_chain, recorded_muladd


def test_the_graph_has_a_box_per_step_and_a_line_per_use():
    source = recorded_muladd().to_graphviz().source
    assert source.count(" -> ") == 4 and source.count("label=") == 6
    assert "h = x * y\nvalue 6\ngradient 1" in source


def test_a_long_program_is_drawn_in_part():
    source = recorded_chain(5000).to_graphviz().source
    assert source.count("\tstep") < 600 and "steps (number" in source
