"""python -m course_lib: the command `course`, also where its script is not on the path."""

import sys

from course_lib.command import main

if __name__ == "__main__":
    sys.exit(main())
