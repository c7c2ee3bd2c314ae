"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""
