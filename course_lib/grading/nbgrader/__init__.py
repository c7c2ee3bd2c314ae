"""What is nbgrader's: the course folder, submissions as notebooks, the gradebook."""
