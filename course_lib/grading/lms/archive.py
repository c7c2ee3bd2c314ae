"""The notebooks in a downloaded zip or folder, which strangers have written: read, never unpacked.

Nothing is written here, no name becomes a path, and no link is followed. What cannot be taken is refused by
its name, and the others are taken.
"""

import lzma
import os
import stat
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from course_lib.grading.nbgrader.course import CourseError
from course_lib.grading.nbgrader.reading import LARGEST_FILE, MEGABYTE, too_large

MOST_ENTRIES, MOST_BYTES, MOST_SECONDS = 20_000, 2048 * MEGABYTE, 600.0
DEEPEST, LONGEST_NAME = 12, 255  # folders in folders; bytes of a name
ARCHIVES = (".zip", ".gz", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar")
LITTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints")
CHUNK = 1 << 20
# zipfile raises all of these for what is broken, encrypted or packed in a way that it does not know
BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError)


@dataclass(frozen=True)
class Found:
    """A notebook of the download. name: with its folders, as the download has it.

    time: when it was packed, or last written. Local time, as in a zip; no time of submission.
    """

    name: str
    data: bytes
    time: datetime


@dataclass
class Download:
    """refused, and others (which are no notebooks): by name, with the reason."""

    notebooks: list[Found] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)


class RefusedError(Exception):
    """One file of a download cannot be taken; the message is the reason."""


def read_download(path: Path) -> Download:
    """All notebooks of a zip, a folder or one file. Raises CourseError for anything else, or too much."""
    if path.is_dir():
        return _collected(_in_folder(path))
    if not path.is_file():
        raise CourseError(f"expected a zip or a folder, found nothing at {path}")
    if path.suffix == ".ipynb":
        return _collected(_in_folder(path.parent, path))
    try:
        with zipfile.ZipFile(path) as archive:
            return _collected(_in_zip(archive))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise CourseError(f"expected a zip or a folder, but {path} cannot be read: {error}") from None


@dataclass(frozen=True)
class _Entry:
    """A file that may be taken; `refusal` where its kind or its name alone forbid that."""

    name: str
    size: int
    time: datetime
    read: Callable = open
    refusal: str = ""


def _collected(entries: Iterator[_Entry]) -> Download:
    download, left, end = Download(), MOST_BYTES, time.monotonic() + MOST_SECONDS
    for entry in entries:
        if _is_litter(entry.name):
            continue
        shown = entry.name
        if entry.refusal:
            download.refused[shown] = entry.refusal
        elif entry.name.lower().endswith(ARCHIVES):
            download.others[shown] = "an archive within the download: it is not opened"
        elif not entry.name.lower().endswith(".ipynb"):
            download.others[shown] = "not a notebook"
        elif entry.size > LARGEST_FILE:
            download.refused[shown] = too_large(entry.size, LARGEST_FILE)
        else:
            try:
                data = _limited(entry, min(left, LARGEST_FILE), end)
            except RefusedError as error:
                download.refused[shown] = str(error)
                continue
            left -= len(data)
            download.notebooks.append(Found(entry.name, data, entry.time))
    return download


def _limited(entry: _Entry, most: int, end: float) -> bytes:
    """The bytes of an entry, whatever size it claims to have."""
    chunks, size = [], 0
    try:
        with entry.read() as file:
            while chunk := file.read(CHUNK):
                size += len(chunk)
                if size > most:
                    raise RefusedError(_too_much(most))
                if time.monotonic() > end:
                    raise RefusedError(f"reading the download took more than {MOST_SECONDS:.0f} s")
                chunks.append(chunk)
    except BROKEN as error:
        raise RefusedError(f"cannot be read: {str(error) or type(error).__name__}") from None
    return b"".join(chunks)


def _too_much(most: int) -> str:
    if most < LARGEST_FILE:
        return f"the download holds more than {MOST_BYTES // MEGABYTE} MB of notebooks"
    return too_large(LARGEST_FILE + MEGABYTE, LARGEST_FILE)


def _in_zip(archive: zipfile.ZipFile) -> Iterator[_Entry]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    _require_few(len(archive.infolist()))
    times = Counter(info.filename for info in infos)
    for info in infos:
        refusal = _refusal_of_kind(info) or refusal_of_name(info.orig_filename)
        if times[info.filename] > 1:
            refusal = refusal or f"the archive holds this name {times[info.filename]} times"
        yield _Entry(
            info.filename, info.file_size, _packed(info), lambda info=info: archive.open(info), refusal
        )


def _packed(info: zipfile.ZipInfo) -> datetime:
    try:
        return datetime(*info.date_time)
    except ValueError:  # a zip may say 0000-00-00
        return datetime.fromtimestamp(0)


def _refusal_of_kind(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "a link" if stat.S_ISLNK(mode) else "a device or a pipe"
    return "encrypted" if info.flag_bits & 0x1 else ""


def refusal_of_name(name: str) -> str:
    """Why no download of an honest system holds this name; "" for an ordinary one."""
    parts = PurePosixPath(name).parts
    if not name.isprintable():
        return "its name holds characters that cannot be printed"
    if "\\" in name or name.startswith("/") or name[1:2] == ":":
        return "an absolute path, or one of Windows"
    if ".." in parts:
        return "its path leads out of the download"
    if len(parts) > DEEPEST:
        return f"more than {DEEPEST} folders deep"
    if any(len(part.encode("utf-8", "replace")) > LONGEST_NAME for part in parts):
        return f"a name of more than {LONGEST_NAME} bytes"
    return ""


def _in_folder(folder: Path, only: Path | None = None) -> Iterator[_Entry]:
    paths = [only] if only else list(_files(folder))
    _require_few(len(paths))
    for path in paths:
        name = path.relative_to(folder).as_posix()
        try:
            status = path.lstat()
        except OSError as error:
            yield _Entry(name, 0, datetime.fromtimestamp(0), refusal=error.strerror or "cannot be read")
            continue
        refusal = refusal_of_name(name)
        if not stat.S_ISREG(status.st_mode):
            refusal = "a link" if stat.S_ISLNK(status.st_mode) else "not a regular file"
        written = datetime.fromtimestamp(int(status.st_mtime))
        yield _Entry(name, status.st_size, written, lambda path=path: open(path, "rb"), refusal)  # noqa: SIM115


def _files(folder: Path) -> Iterator[Path]:
    """Links to folders are yielded as files: what is a link is refused."""
    waiting = [(folder, 0)]
    while waiting:
        where, depth = waiting.pop()
        try:
            found = sorted(os.scandir(where), key=lambda entry: entry.name)
        except OSError:
            yield where
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
                waiting.append((Path(entry), depth + 1))
            else:
                yield Path(entry)


def _require_few(count: int) -> None:
    if count > MOST_ENTRIES:
        raise CourseError(f"the download holds {count:,} files, at most {MOST_ENTRIES:,} are read")


def _is_litter(name: str) -> bool:
    """What Mac, Windows and Jupyter leave beside files."""
    parts = PurePosixPath(name).parts
    return any(part in LITTER or part.startswith("._") for part in parts)
