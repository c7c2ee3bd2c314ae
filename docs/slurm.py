"""Grade a lesson on a Slurm cluster: python docs/slurm.py 02_attention --isolation required [...]

Run it on a login node, in the course's folder, with its .venv, which compute nodes must see under the same
path; takes all options of `course grade`. Needs dask-jobqueue beside the extra `cluster`.
"""

import sys

from dask_jobqueue import SLURMCluster

from course_lib.command import main, parse

JOBS, CORES = 8, 16  # Slurm jobs, and workers of each: one a core
NODE = {
    "queue": "cpu",  # sbatch --partition
    "account": "teaching",
    "walltime": "01:00:00",
    "memory": f"{2 * CORES} GB",  # 2 GB a worker; more where the lesson's notebooks need more
}

if __name__ == "__main__":
    parse(["grade", *sys.argv[1:]])  # wrong usage ends here, before any job is submitted
    with SLURMCluster(
        cores=CORES,
        processes=CORES,  # so that each has one thread
        worker_extra_args=["--memory-limit", "0"],  # the grader has limits of its own
        local_directory="/tmp",
        job_script_prologue=["export OMP_NUM_THREADS=1"],
        **NODE,
    ) as cluster:
        cluster.scale(jobs=JOBS)
        sys.exit(main(["grade", *sys.argv[1:], "--scheduler", cluster.scheduler_address]))
