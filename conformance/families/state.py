"""Ops that change variables: the recorded outcome is the value of every variable after each of two runs."""
from case import *  # noqa: F403

# op: the slots (values before), then the scalars and the gradient in the order of the op's arguments.
# G stands for the gradient, a number for a scalar of the variable's dtype, an int in a tuple for an int64 scalar.
G = "gradient"
APPLY = {
    "GradientDescent": ([], [0.1, G]),
    "Momentum": ([0.2], [0.1, G, 0.9]),
    "Adagrad": ([0.3], [0.1, G]),
    "AdagradV2": ([0.3], [0.1, 1e-3, G]),
    "Adadelta": ([0.2, 0.1], [1.0, 0.95, 1e-3, G]),
    "Adam": ([0.1, 0.2], [0.81, 0.95, 0.01, 0.9, 0.999, 1e-8, G]),
    "AdaMax": ([0.1, 0.2], [0.81, 0.01, 0.9, 0.999, 1e-8, G]),
    "RMSProp": ([0.5, 0.1], [0.01, 0.9, 0.8, 1e-6, G]),
    "CenteredRMSProp": ([0.1, 0.9, 0.1], [0.01, 0.9, 0.8, 1e-6, G]),
    "Ftrl": ([0.3, 0.1], [G, 0.1, 0.01, 0.02, -0.5]),
    "FtrlV2": ([0.3, 0.1], [G, 0.1, 0.01, 0.02, 0.03, -0.5]),
    "ProximalGradientDescent": ([], [0.1, 0.05, 0.02, G]),
    "ProximalAdagrad": ([0.3], [0.1, 0.05, 0.02, G]),
    "AdagradDA": ([0.0, 0.4], [G, 0.1, 0.01, 0.02, (3,)]),
    "AddSign": ([0.1], [0.1, 1.0, 0.9, 0.9, G]),
    "PowerSign": ([0.1], [0.1, 1.5, 0.9, 0.9, G]),
}
SPARSE = {
    "Adagrad": ([0.3], [0.1, G]),
    "Momentum": ([0.2], [0.1, G, "indices", 0.9]),
    "Adadelta": ([0.2, 0.1], [1.0, 0.95, 1e-3, G]),
    "RMSProp": ([0.5, 0.1], [0.01, 0.9, 0.8, 1e-6, G]),
    "CenteredRMSProp": ([0.1, 0.9, 0.1], [0.01, 0.9, 0.8, 1e-6, G]),
    "Ftrl": ([0.3, 0.1], [G, "indices", 0.1, 0.01, 0.02, -0.5]),
    "ProximalGradientDescent": ([], [0.1, 0.05, 0.02, G]),
    "ProximalAdagrad": ([0.3], [0.1, 0.05, 0.02, G]),
}
EXTRA = {"Momentum": [{"use_nesterov": True}], "Adam": [{"use_nesterov": True}], "Adagrad": [{"update_slots": False}],
         "Ftrl": [{"multiply_linear_by_lr": True}], "RMSProp": [{"use_locking": True}]}


def apply_case(op, spec, t, shape, indices=None, grad_shape=None, **attrs):
    slots, rest = spec
    args = [sample(t, shape, 1)]
    args += [(abs(sample(t, shape, 2 + k)) * 0.1 + s).astype(NUMPY[t]) for k, s in enumerate(slots)]
    rows = shape if indices is None else (len(indices),) + tuple(shape[1:])
    grad = sample(t, rows if grad_shape is None else grad_shape, 9, -1, 1)
    placed = indices is None
    for r in rest:
        if r is G:
            args.append(grad)
        elif r == "indices":
            args.append(i32(indices))
            placed = True
        elif isinstance(r, tuple):
            args.append(i64(r[0]))
        else:
            args.append(arr(t, r))
    if not placed:
        args.append(i32(indices))
    return Case(op, *args, runs=2, **attrs)


def optimizers():
    for kind in ("Apply", "ResourceApply"):
        for name, spec in APPLY.items():
            op = kind + name
            for t in FLOATS:
                yield apply_case(op, spec, t, (2, 3))
            for shape in [(), (0,), (7, 5)]:
                yield apply_case(op, spec, "float", shape)
            for attrs in EXTRA.get(name, []):
                yield apply_case(op, spec, "float", (2, 3), **attrs)
            yield apply_case(op, spec, "float", (2, 3), grad_shape=(3, 2))
            yield apply_case(op, spec, "float", (3,), grad_shape=())
    for kind in ("SparseApply", "ResourceSparseApply"):
        for name, spec in SPARSE.items():
            op = kind + name
            for indices in ([2, 0], [], [1, 1], [3], [-1]):
                yield apply_case(op, spec, "float", (3, 2), indices=indices)
            yield apply_case(op, spec, "double", (4, 2), indices=[3, 1])


def variables():
    x, y = sample("float", (2, 3), 1), sample("float", (2, 3), 2)
    for t in NUMBERS:
        for op in ("AssignAdd", "AssignSub"):
            yield Case(op, sample(t, (2, 3), 1), sample(t, (2, 3), 2), runs=2)
    for t in NUMBERS + ["bool", "string"]:
        yield Case("Assign", sample(t, (2, 3), 1), sample(t, (2, 3), 2))
        yield Case("AssignVariableOp", sample(t, (2, 3), 1), sample(t, (2, 3), 2))
    yield Case("Assign", x, sample("float", (3,)))
    yield Case("Assign", x, sample("float", (3,)), validate_shape=False)
    yield Case("AssignVariableOp", x, sample("float", (3,)))
    for op in ("AssignAddVariableOp", "AssignSubVariableOp"):
        for t in ("float", "double", "int32", "int64"):
            yield Case(op, sample(t, (2, 3), 1), sample(t, (2, 3), 2), runs=2)
        yield Case(op, x, f32([1, 2]))
    yield Case("AssignAdd", x, f32([1, 2]))
    for op in ("ReadVariableOp",):
        for t in ("float", "int64", "bool", "string"):
            yield Case(op, sample(t, (2, 3)), dtype=Type(t))
    yield Case("VariableShape", x)
    yield Case("IsVariableInitialized", x)
    yield Case("VarIsInitializedOp", x)
    yield Case("CountUpTo", i64(3), limit=5, runs=2)
    yield Case("CountUpTo", i32(5), limit=5)
    for name in ("Add", "Sub", "Update", "Mul", "Div", "Min", "Max"):
        for kind in ("Scatter", "ResourceScatter"):
            op = kind + name
            value = abs(sample("float", (3, 2), 1)) + 1
            for indices, shape in [([2, 0], (2, 2)), ([1, 1], (2, 2)), ([], (0, 2)), ([[0, 1], [2, 2]], (2, 2, 2)), (1, (2,)), ([2, 0], ()),
                                   ([3], (1, 2)), ([-1], (1, 2)), ([0, 1], (1, 2))]:
                yield Case(op, value, i32(indices), abs(sample("float", shape, 3)) + 0.5)
            if name in ("Add", "Sub", "Update"):
                yield Case(op, i32([[1, 2], [3, 4]]), i64([1]), i32([[10, 20]]))
    for op in ("ScatterNdUpdate", "ScatterNdAdd", "ResourceScatterNdUpdate", "ResourceScatterNdAdd"):
        yield Case(op, f32([1, 2, 3]), i32([[2], [0]]), f32([8, 9]))
        yield Case(op, f32([1, 2, 3]), i32([[3]]), f32([8]))
    for indices in ([2, 0], [[1], [1]], [], 1, [3], [-1]):
        yield Case("ResourceGather", sample("float", (3, 2)), i32(indices), dtype=Type("float"))


def cases():
    yield from variables()
    yield from optimizers()
