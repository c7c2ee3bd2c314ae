"""A PostgreSQL server of the tests' own: its data in a temporary folder, reached by a unix socket only."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url

PACKAGES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))  # where Debian puts what is not in PATH


def program(name: str) -> str:
    """Skips the test where the server's programs are not installed."""
    places = os.pathsep.join([*map(str, reversed(PACKAGES)), os.environ.get("PATH", "")])
    if found := shutil.which(name, path=places):
        return found
    pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")


class Server:
    """Ends with the `with` that it came from."""

    def __init__(self, folder: Path, user: str):
        self.folder, self.user, self._count = folder, user, 0
        self._who = "-h", str(folder), "-U", "course"

    def run(self, name: str, *arguments: str) -> None:
        command = [program(name), *arguments]
        done = subprocess.run(
            command, user=self.user or None, cwd=self.folder, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"

    def start(self) -> None:
        settings = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=off"
        log = str(self.folder / "log")
        self.run("pg_ctl", "start", "--wait", "-D", str(self.folder / "data"), "-o", settings, "-l", log)

    def stop(self) -> None:
        self.run("pg_ctl", "stop", "--wait", "--mode=immediate", "-D", str(self.folder / "data"))

    def new(self, template: str = "") -> str:
        """URL of a new database: an empty one, or a copy of the one with that URL."""
        self._count += 1
        original = make_url(template).database if template else "template1"
        self.run("createdb", *self._who, "--template", original, f"gradebook{self._count}")
        return f"postgresql+psycopg://course@/gradebook{self._count}?host={self.folder}"


@contextmanager
def server() -> Iterator[Server]:
    """PostgreSQL refuses to be root: root starts it as the user of Debian's package."""
    user = ""
    program("initdb")
    if os.getuid() == 0:
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as name:  # a socket's path must be short
        folder = Path(name)
        folder.chmod(0o755)
        if user:
            shutil.chown(folder, user)
        here = Server(folder, user)
        here.run("initdb", "-D", str(folder / "data"), "-U", "course", "-A", "trust", "--no-sync")
        here.start()
        try:
            yield here
        finally:
            here.stop()
