"""Calls of the services without TensorFlow's client, to send what that client never would.

The messages of the services are not among TensorFlow's Python modules, so the few fields needed here are written and
read by number: a message is a dict {field number: value}, where a value is an int, bytes, a str, a protobuf message, a
dict (a message again) or a list of these.
"""
import grpc

MASTER, WORKER = "/tensorflow.MasterService/", "/tensorflow.WorkerService/"


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def encode(fields):
    """The bytes of a message."""
    out = b""
    for number, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, int):
                out += varint(number << 3) + varint(value)
                continue
            if isinstance(value, dict):
                value = encode(value)
            elif isinstance(value, str):
                value = value.encode()
            elif not isinstance(value, bytes):
                value = value.SerializeToString()
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def decode(data):
    """{field number: [values]} of a message whose fields are numbers, strings and messages."""
    fields, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            value = number()
        else:
            size = {1: 8, 5: 4}.get(tag & 7) or number()
            value, at = data[at:at + size], at + size
        fields.setdefault(tag >> 3, []).append(value)
    return fields


class Wire:
    """A channel to one task."""

    def __init__(self, target):
        self.channel = grpc.insecure_channel(target.replace("grpc://", ""), options=[
            ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()

    def call(self, service, method, request, timeout=15):
        """request: the fields of a message, or bytes to send as they are."""
        data = request if isinstance(request, bytes) else encode(request)
        return decode(self.channel.unary_unary(service + method)(data, timeout=timeout))

    # Requests of the master service, as far as the tests send them.

    def create_session(self, graph):
        """The handle of a new session of this GraphDef."""
        return self.call(MASTER, "CreateSession", {1: graph, 2: b""})[1][0]

    def run_step(self, handle, fetch=(), target=()):
        return self.call(MASTER, "RunStep", {1: handle, 3: list(fetch), 4: list(target)})

    def close_session(self, handle):
        return self.call(MASTER, "CloseSession", {1: handle})

    def make_callable(self, handle, target):
        """The number of a callable that runs this target."""
        return self.call(MASTER, "MakeCallable", {1: handle, 2: {3: target}}).get(1, [0])[0]

    def run_callable(self, handle, number):
        return self.call(MASTER, "RunCallable", {1: handle, 2: number})

    def release_callable(self, handle, number):
        return self.call(MASTER, "ReleaseCallable", {1: handle, 2: number})


def refused(call):
    """(code number, message) of a call that must fail."""
    try:
        answer = call()
    except grpc.RpcError as e:
        return e.code().value[0], e.details()
    raise AssertionError("accepted: %r" % answer)
