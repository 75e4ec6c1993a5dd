"""What a function does about floating-point errors, it does where it is explored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.programs_with_escapes import Loss, raising, raising_overflow, recorded, warned

from autolab import Variable
from autolab.views.graph.page_program import motion


@pytest.mark.parametrize("loss", [raising, raising_overflow, warned, recorded])
def test_what_is_explored_goes_the_way_that_python_goes(loss: Loss, explorer: Any) -> None:
    with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):  # as in a new process
        for point in ([3.0, 4.0], [0.5, 3.0], [40.0, 1.0]):
            view = explorer(loss, x=np.array(point))
            expected = float(loss(Variable(np.array(point))).data)
            assert float(view.recording.steps[-1].value.values) == pytest.approx(expected)
            assert "why" in motion(view._session, view.recording)
