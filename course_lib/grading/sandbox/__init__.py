"""Where learners' code runs: one isolated child a submission, and the judge outside of it."""
