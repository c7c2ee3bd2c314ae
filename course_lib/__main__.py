"""`python -m course_lib` is the command `course`, where that is not on the path."""

import sys

from course_lib.command import main

if __name__ == "__main__":
    sys.exit(main())
