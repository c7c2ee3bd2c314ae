"""A Jupyter server on a folder, whose settings are its own."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen


@dataclass
class Served:
    """A server that answers; `address` has no slash at its end."""

    process: subprocess.Popen
    address: str
    token: str


def start(app: str, course: Path, state: Path, *options: str, env: Mapping[str, str] | None = None) -> Served:
    """The app, `jupyterlab` or `jupyter_server`, on `course`; it keeps its files and its log in `state`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, log = secrets.token_hex(8), state / "server.log"
    own = {f"JUPYTER_{name}_DIR": str(state / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-m", app, "--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={course}", *options]
    with log.open("w") as file:
        process = subprocess.Popen(
            command, cwd=course, env=os.environ | own | dict(env or {}), stdout=file, stderr=file
        )
    served = Served(process, f"http://127.0.0.1:{port}", token)
    _wait(served, log)
    return served


def _wait(served: Served, log: Path) -> None:
    deadline = time.monotonic() + 300
    while True:
        try:
            urlopen(f"{served.address}/api/status?token={served.token}").close()
            return
        except OSError:
            if time.monotonic() > deadline or served.process.poll() is not None:
                served.process.kill()
                raise RuntimeError(log.read_text()) from None
            time.sleep(0.2)
