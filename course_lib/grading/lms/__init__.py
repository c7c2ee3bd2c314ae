"""Reads what a learning management system, Canvas or Moodle, lets an instructor download."""
