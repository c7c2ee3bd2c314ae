"""An IPython shell without a kernel: runs cells, and emits what they show as a notebook's outputs."""

import base64
import builtins
import io
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import InteractiveShell

Emit = Callable[[dict], None]


def drop(output: dict) -> None:
    """Where outputs go while no cell is run for anybody."""


class Publisher(DisplayPublisher):
    """display(...), figures, and clear_output."""

    emit: Emit = staticmethod(drop)

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
        output = {"output_type": "display_data", "data": _plain(data), "metadata": _plain(metadata or {})}
        name = (transient or {}).get("display_id")
        self.emit(output | ({"display_id": name, "update": update} if name else {}))

    def clear_output(self, wait=False):
        self.emit({"output_type": "clear", "wait": bool(wait)})


class ResultHook(DisplayHook):
    """The value of a cell's last line."""

    emit: Emit = staticmethod(drop)

    def write_output_prompt(self):
        self.result = {"output_type": "execute_result", "execution_count": self.prompt_count}

    def write_format_data(self, format_dict, md_dict=None):
        self.result |= {"data": _plain(format_dict), "metadata": _plain(md_dict or {})}

    def finish_displayhook(self):
        sys.stdout.flush()
        sys.stderr.flush()
        self.emit(self.result)


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr: collects, and sends when something else is shown or much has come."""

    encoding = "utf-8"
    MUCH = 1 << 16

    def __init__(self, name: str, emit: Emit, descriptor: int):
        self.label, self._emit, self._descriptor, self._parts, self._size = name, emit, descriptor, [], 0

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        # Joined only when it is sent: a loop that prints would else copy all its text each time.
        self._parts.append(text)
        self._size += len(text)
        if self._size > self.MUCH:
            self.flush()
        return len(text)

    def flush(self) -> None:
        # Emptied before it is sent: sending may flush again.
        text, self._parts, self._size = "".join(self._parts), [], 0
        if text:
            self._emit({"output_type": "stream", "name": self.label, "text": text})

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor


class Shell(InteractiveShell):
    """IPython as a notebook's kernel has it, but for history, readline and kernel messages."""

    def __init__(self, **options):
        super().__init__(display_pub_class=Publisher, displayhook_class=ResultHook, **options)
        self.colors = "neutral"
        self.emit: Emit = drop
        self.db = {}  # where %cd keeps the folders; IPython's is a file
        for name in ("exit", "quit"):  # IPython's hold the shell, which the audit follows by its own name
            self.user_ns[name] = _stay

    def enable_gui(self, gui=None):
        self.active_eventloop = gui

    def system_piped(self, cmd):
        """!command. IPython would open a terminal for it, and where work is graded there is none."""
        if cmd.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")  # as IPython does
        process = subprocess.Popen(
            self.var_expand(cmd, depth=1),
            shell=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        with process:
            try:
                while text := process.stdout.read(Stream.MUCH) if process.stdout else "":
                    sys.stdout.write(text)
            except BaseException:
                process.kill()
                raise
        self.user_ns["_exit_code"] = process.returncode

    system = system_piped

    def _showtraceback(self, etype, evalue, stb):
        """Called by IPython with the formatted lines: a cell's error is an output, nothing is printed."""
        self.emit(
            {"output_type": "error", "ename": etype.__name__, "evalue": str(evalue), "traceback": list(stb)}
        )

    def open(self, emit: Emit) -> None:
        """From now on what cells show goes to `emit`."""

        # What was printed before a figure is shown before it: every output flushes both streams.
        def send(output: dict) -> None:
            for stream in streams:
                stream.flush()
            emit(output)

        streams = Stream("stdout", emit, 1), Stream("stderr", emit, 2)
        sys.stdout, sys.stderr = streams
        publisher, hook = self.display_pub, self.displayhook
        assert isinstance(publisher, Publisher) and isinstance(hook, ResultHook)
        self.emit = publisher.emit = hook.emit = send
        builtins.input = _no_input

    def transform_ast(self, node):
        """What the audit has read runs, and not what a transformer makes of it."""
        return node

    def run(self, source: str) -> None:
        self.run_cell(source, store_history=True)
        sys.stdout.flush()
        sys.stderr.flush()


def new_shell() -> Shell:
    """With figures inline, as in a notebook. History is not kept."""
    from traitlets.config import Config

    shell = Shell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.enable_matplotlib("inline")
    return shell


def _stay(*_):
    """exit() ends a kernel; here the cells that follow run."""


def _no_input(*_):
    raise StdinNotImplementedError("input() cannot be used while work is graded")


def _plain(value: Any) -> Any:
    """What JSON can hold; bytes as a notebook has them."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
