"""Checks of lesson 05_layer_norm."""

from course_lib.checks.layer_norm import (  # noqa: F401  (declare them)
    mistakes_in_feed_forward,
    mistakes_in_function,
    mistakes_in_module,
    mistakes_in_wrappers,
)
from course_lib.checks.layer_norm.feed_forward import FeedForward
from course_lib.checks.layer_norm.function import layer_norm
from course_lib.checks.layer_norm.module import LayerNorm
from course_lib.checks.layer_norm.wrappers import PostNorm, PreNorm
from course_lib.checks.lesson import Lesson

lesson = Lesson("05_layer_norm", layer_norm, LayerNorm, FeedForward, PostNorm, PreNorm)
check, hint, progress = lesson.check, lesson.hint, lesson.progress
