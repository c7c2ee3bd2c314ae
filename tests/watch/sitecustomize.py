"""Python imports this first, in the browser test: it notes other machines that server and kernels turn to."""

import os
import sys


def watch(event: str, arguments: tuple) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host and host not in ("localhost", "::1", "0.0.0.0", "::") and not host.startswith("127."):
        with open(os.environ["WATCHED"], "a") as file:
            file.write(f"{sys.argv[0]} turns to {host}\n")


sys.addaudithook(watch)
