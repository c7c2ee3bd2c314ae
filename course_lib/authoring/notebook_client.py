"""nbclient's client, with a quiet kernel, and output widgets that do not make it sleep through a reply."""

from typing import Any

import zmq
from nbclient import NotebookClient as Client
from nbclient.output_widget import OutputWidget

QUIET = "--Application.log_level=ERROR"  # a kernel's warnings of its sockets are not for who runs a lesson


class WakingOutputWidget(OutputWidget):
    """After it has sent, it has the socket's events looked at again.

    It sends past asyncio, on the socket where the client awaits the kernel's reply; and a ZeroMQ socket tells
    only once that something has come, to whoever uses it first. A reply that comes just then would lie there.
    """

    def send(self, *arguments: Any, **named: Any) -> None:
        super().send(*arguments, **named)
        self.kernel_client.shell_channel.socket.get(zmq.EVENTS)


class NotebookClient(Client):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.extra_arguments = [*self.extra_arguments, QUIET]
        self.widget_registry["@jupyter-widgets/output"]["OutputModel"] = WakingOutputWidget
