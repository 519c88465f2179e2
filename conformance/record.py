#!/usr/bin/env python3
"""Runs every case on real TensorFlow and writes what came out: cases/<Op>.jsonl (see README.md for the format).

    record.py                 record everything again
    record.py MatMul Cast     only these ops
    record.py --list          count the cases of each op, run nothing

Each case is one node in a graph of its own, fed by placeholders of unknown shape: nothing is folded, and the
kernel, not shape inference, sees the inputs.
"""
import argparse
import collections
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
OUT = os.path.join(HERE, "cases")
VERSION = "2.21.0"
MAX_BYTES = 9_000_000

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from tensorflow.core.framework import graph_pb2, node_def_pb2  # noqa: E402
from tensorflow.core.protobuf import rewriter_config_pb2  # noqa: E402
from tensorflow.python.framework import op_def_registry  # noqa: E402

from case import NAME, NUMPY, Type  # noqa: E402
from families import array, cells, decoding, images, malformed, math, matrices, nn, parsing, ragged, pictures, random, rearrange, sequences, sparse, state, text, vision  # noqa: E402

tf.disable_v2_behavior()
FAMILIES = (math, array, nn, cells, decoding, text, parsing, sequences, images, pictures, vision, matrices, ragged, random, rearrange, sparse, state, malformed)
ENUM = {name: tf.as_dtype(np_type if np_type is not object else tf.string).as_datatype_enum
        for name, np_type in NUMPY.items()}
TYPE_NAME = {v: k for k, v in ENUM.items()}


class NoKernel(Exception):
    """TensorFlow has no such kernel on the CPU, or the op does not take this dtype: there is nothing to record."""


def config():
    c = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    c.graph_options.rewrite_options.disable_meta_optimizer = True
    c.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF
    c.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    return c


def dtype_name(array_):
    return NAME[array_.dtype]


def set_attr(attr, value, kind):
    """Write a Python value as an AttrValue of the kind that the OpDef names."""
    if kind == "type":
        attr.type = ENUM[value]
    elif kind == "int":
        attr.i = int(value)
    elif kind == "float":
        attr.f = float(value)
    elif kind == "bool":
        attr.b = bool(value)
    elif kind == "string":
        attr.s = value.encode()
    elif kind == "shape":
        attr.shape.CopyFrom(tf.TensorShape(value).as_proto())
    elif kind == "list(int)":
        attr.list.SetInParent()
        attr.list.i.extend(value)
    elif kind == "list(float)":
        attr.list.SetInParent()
        attr.list.f.extend(value)
    elif kind == "list(string)":
        attr.list.SetInParent()
        attr.list.s.extend(v.encode() for v in value)
    elif kind == "list(shape)":
        attr.list.SetInParent()
        for v in value:
            # -1: a dimension that is not known.
            attr.list.shape.add().CopyFrom(tf.TensorShape([None if d < 0 else d for d in v]).as_proto())
    elif kind == "list(type)":
        attr.list.SetInParent()
        attr.list.type.extend(ENUM[v] for v in value)
    else:
        raise ValueError("attribute kind %s" % kind)


def attr_json(attr):
    """An AttrValue as an object of one key, its kind."""
    kind = attr.WhichOneof("value")
    if kind == "type":
        return {"type": TYPE_NAME[attr.type]}
    if kind == "s":
        return {"s": attr.s.decode("latin-1")}
    if kind == "shape":
        return {"shape": None if attr.shape.unknown_rank else [d.size for d in attr.shape.dim]}
    if kind == "list":
        if attr.list.type:
            return {"types": [TYPE_NAME[t] for t in attr.list.type]}
        if attr.list.s:
            return {"strings": [s.decode("latin-1") for s in attr.list.s]}
        if attr.list.shape:
            return {"shapes": [[d.size for d in s.dim] for s in attr.list.shape]}
        if attr.list.f:
            return {"floats": list(attr.list.f)}
        return {"ints": list(attr.list.i)}
    return {kind: getattr(attr, kind)}


def tensor_json(value):
    # As an object: numpy's own byte strings lose their trailing zeros.
    value = np.asarray(value, object) if isinstance(value, (bytes, str)) else np.asarray(value)
    if value.dtype.kind in "SU":
        value = value.astype(object)
    out = {"dtype": dtype_name(value), "shape": list(value.shape)}
    if value.dtype == object:
        out["strings"] = [(s if isinstance(s, bytes) else s.encode()).hex() for s in value.reshape(-1)]
    else:
        out["hex"] = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<")).tobytes().hex()
    return out


class Trial:
    """The graph of one case, run."""

    def __init__(self, case):
        self.case = case
        self.op_def = op_def_registry.get(case.op)
        self.attr_defs = {a.name: a for a in self.op_def.attr}
        self.graph_def = graph_pb2.GraphDef()
        self.feeds, self.states, self.inputs = {}, [], []
        self.build()

    def add(self, op, name, inputs=(), **attrs):
        node = self.graph_def.node.add()
        node.op, node.name = op, name
        node.input.extend(inputs)
        kinds = {a.name: a.type for a in op_def_registry.get(op).attr}
        for k, v in attrs.items():
            set_attr(node.attr[k], v, kinds[k])
        return node

    def placeholder(self, name, value):
        node = self.add("Placeholder", name, dtype=dtype_name(value))
        if self.case.known:
            node.attr["shape"].shape.CopyFrom(tf.TensorShape(np.shape(value)).as_proto())
        else:
            node.attr["shape"].shape.unknown_rank = True
        self.feeds[name + ":0"] = value
        return name

    def variable(self, name, value, resource):
        """A variable that starts as `value`; the name of its handle or reference."""
        dtype, fed = dtype_name(value), self.placeholder(name + "_value", value)
        if resource:
            self.add("VarHandleOp", name, dtype=dtype, shape=value.shape, shared_name=name)
            self.add("AssignVariableOp", name + "_init", [name, fed], dtype=dtype)
            self.add("ReadVariableOp", name + "_read", [name], dtype=dtype)
        else:
            self.add("VariableV2", name, dtype=dtype, shape=value.shape)
            self.add("Assign", name + "_init", [name, fed], T=dtype, validate_shape=False)
            self.add("Identity", name + "_read", [name], T=dtype)
        self.states.append(name)
        return name

    def build(self):
        if len(self.case.inputs) != len(self.op_def.input_arg):
            raise ValueError("%s takes %d inputs" % (self.case.op, len(self.op_def.input_arg)))
        attrs, names = dict(self.case.attrs), []
        for arg, given in zip(self.op_def.input_arg, self.case.inputs):
            values = given if isinstance(given, list) else [given]
            if arg.number_attr:
                attrs.setdefault(arg.number_attr, len(values))
            if arg.type_attr and values:
                attrs.setdefault(arg.type_attr, Type(dtype_name(values[0])))
            if arg.type_list_attr:
                attrs.setdefault(arg.type_list_attr, [dtype_name(v) for v in values])
            resource = arg.type == tf.resource.as_datatype_enum
            for v in values:
                name = "in%d" % len(names)
                entry = tensor_json(v)
                if arg.is_ref or resource:
                    entry["state"] = "resource" if resource else "ref"
                    if resource and "dtype" in self.attr_defs:
                        attrs.setdefault("dtype", Type(dtype_name(v)))
                    self.variable(name, v, resource)
                else:
                    self.placeholder(name, v)
                names.append(name)
                self.inputs.append(entry)
        for key, value in attrs.items():
            allowed = self.attr_defs[key].allowed_values.list.type
            if isinstance(value, Type) and allowed and ENUM[value] not in allowed:
                raise NoKernel("%s does not take %s" % (self.case.op, value))
        self.add(self.case.op, "op", names, **attrs)

    def run(self):
        """The record of the case."""
        with tf.Graph().as_default() as graph:
            try:
                tf.import_graph_def(self.graph_def, name="")
            except ValueError as e:
                # Shape inference (or the check of attributes) refused it: the server's error is the same one.
                return self.record(None, error={"code": 3, "message": clean(str(e))})
            op = graph.get_operation_by_name("op")
            attrs = {k: attr_json(a) for k, a in sorted(op.node_def.attr.items())
                     if not k.startswith("_") and k != "container"}
            fetches = list(op.outputs)
            reads = [graph.get_tensor_by_name(s + "_read:0") for s in self.states]
            inits = [graph.get_operation_by_name(s + "_init") for s in self.states]
            with tf.Session(graph=graph, config=config()) as session:
                try:
                    if inits:
                        session.run(inits, {k: v for k, v in self.feeds.items() if "_value" in k})
                    feeds = {k: v for k, v in self.feeds.items() if "_value" not in k}
                    runs = []
                    for _ in range(self.case.runs):
                        outputs = session.run(fetches, feeds) if fetches else session.run(op, feeds) or []
                        one = {"outputs": [tensor_json(o) for o in outputs]}
                        for entry, fetched in zip(one["outputs"], fetches):
                            # A session answers quantised numbers as plain integers.
                            if fetched.dtype.is_quantized:
                                entry["dtype"] = TYPE_NAME[fetched.dtype.as_datatype_enum]
                        if reads:
                            one["after"] = [tensor_json(v) for v in session.run(reads)]
                        runs.append(one)
                    return self.record(attrs, runs=runs)
                except tf.errors.OpError as e:
                    if "No OpKernel was registered" in e.message or "Could not satisfy explicit device" in e.message:
                        raise NoKernel(e.message.split("\n")[0])
                    return self.record(attrs, error={"code": e.error_code, "message": clean(e.message)})

    def record(self, attrs, **outcome):
        if attrs is None:
            attrs = {k: attr_json(a) for k, a in sorted(self.graph_def.node[-1].attr.items())}
        return dict(op=self.case.op, attrs=attrs, inputs=self.inputs, **outcome)


def clean(message):
    """The kernel's own words: without the node, the trace and what Python adds."""
    message = re.sub(r"^Graph execution error:.*?\nNode: 'op'\n", "", message, flags=re.S)
    message = re.split(r"\n\t \[\[|\n\nOriginal stack trace|\n\t? ?\[\[|\nErrors may have", message)[0]
    message = re.sub(r"^Node 'op': |^From /job:\S+:\n", "", message)
    message = re.sub(r"^\{\{(function_)?node[^}]*\}\} ?", "", message.strip())
    return message.strip()[:300]


def all_cases(only):
    for family in FAMILIES:
        for case in family.cases():
            if not only or case.op in only:
                yield case


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("ops", nargs="*")
    ap.add_argument("--list", action="store_true")
    args = ap.parse_args()
    if args.list:
        counts = collections.Counter(c.op for c in all_cases(args.ops))
        for op, n in sorted(counts.items()):
            print("%-36s %d" % (op, n))
        return
    if tf.__version__ != VERSION:
        sys.exit("this is TensorFlow %s, the records are of %s" % (tf.__version__, VERSION))
    records, missing, seen = collections.defaultdict(list), collections.Counter(), set()
    for case in all_cases(args.ops):
        try:
            if os.environ.get("RECORD_TRACE"):
                print(case.op, case.attrs, [np.shape(i) if not isinstance(i, list) else "list" for i in case.inputs],
                      file=sys.stderr, flush=True)
            record = Trial(case).run()
        except NoKernel:
            missing[case.op] += 1
            continue
        if case.refused_only and "error" not in record:
            continue
        line = json.dumps(record, separators=(",", ":"))
        if line not in seen:
            seen.add(line)
            records[case.op].append(line)
    os.makedirs(OUT, exist_ok=True)
    if not args.ops:
        for name in os.listdir(OUT):
            if name.endswith(".jsonl") and name[:-6] not in records:
                os.remove(os.path.join(OUT, name))
    for op, lines in records.items():
        with open(os.path.join(OUT, op + ".jsonl"), "w", newline="\n") as f:
            f.write("\n".join(lines) + "\n")
    total = sum(os.path.getsize(os.path.join(OUT, n)) for n in os.listdir(OUT))
    errors = sum('"error":{' in line for lines in records.values() for line in lines)
    print("%d cases of %d ops, %d of them errors; %.2f MB; %d left out: no such kernel"
          % (sum(map(len, records.values())), len(records), errors, total / 1e6, sum(missing.values())))
    for op in sorted(set(missing) - set(records)):
        print("nothing recorded for", op)
    if total > MAX_BYTES:
        sys.exit("more than %d bytes of records" % MAX_BYTES)


if __name__ == "__main__":
    main()
