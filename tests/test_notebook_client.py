import asyncio
import time
from types import SimpleNamespace

import nbformat
import pytest
import zmq
import zmq.asyncio
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.session import Session
from nbclient.output_widget import OutputWidget

from course_lib.authoring.build import KERNEL
from course_lib.authoring.notebook_client import NotebookClient, WakingOutputWidget


async def reply_that_comes_while_a_widget_sends(kind):
    """What comes to a client that awaits a reply on the socket on which the widget sends, or None."""
    session, context = Session(key=b""), zmq.asyncio.Context()
    with zmq.Context() as own, own.socket(zmq.ROUTER) as kernel, context.socket(zmq.DEALER) as socket:
        socket.connect(f"tcp://127.0.0.1:{kernel.bind_to_random_port('tcp://127.0.0.1')}")
        channel = AsyncZMQSocketChannel(socket, session)
        widget = kind("1", {"outputs": []}, SimpleNamespace(session=session, shell_channel=channel), None)
        widget.parent_header = {}
        channel.send(session.msg("execute_request"))
        identity, *_ = kernel.recv_multipart()
        await asyncio.sleep(0.2)
        waiting = asyncio.ensure_future(channel.get_msg(timeout=5))
        await asyncio.sleep(0.2)
        session.send(kernel, "execute_reply", ident=identity)
        time.sleep(0.2)  # the reply has come, and the loop has not yet looked
        widget.sync_state()
        done, _ = await asyncio.wait([waiting], timeout=2)
        waiting.cancel()
        return done.pop().result()["msg_type"] if done else None


# When nbclient's own widgets get the reply, the fault is mended and notebook_client can go.
@pytest.mark.parametrize(
    ("kind", "reply"),
    [(WakingOutputWidget, "execute_reply"), (OutputWidget, None)],
    ids=["ours", "theirs"],
)
def test_a_reply_that_comes_while_a_widget_sends_is_noticed(kind, reply):
    assert asyncio.run(reply_that_comes_while_a_widget_sends(kind)) == reply


def test_the_client_uses_these_widgets():
    client = NotebookClient({"cells": []})
    assert client.widget_registry["@jupyter-widgets/output"]["OutputModel"] is WakingOutputWidget


def test_a_kernel_that_starts_says_nothing(capfd):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("1")], metadata={"kernelspec": KERNEL}
    )
    NotebookClient(notebook, timeout=None).execute()
    assert capfd.readouterr() == ("", "")
