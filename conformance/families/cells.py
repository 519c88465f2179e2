"""Blocks of recurrent networks."""
from case import *  # noqa: F403


def lstm_inputs(t, lead, inputs=3, size=2):
    """x, cs_prev, h_prev, w, wci, wcf, wco and b."""
    shapes = (lead + (inputs,), lead[-1:] + (size,), lead[-1:] + (size,), (inputs + size, 4 * size), (size,), (size,), (size,), (4 * size,))
    return [sample(t, s, i, -1, 1) for i, s in enumerate(shapes)]


def cells():
    for t in ("float", "half"):
        for peephole in (False, True):
            given = lstm_inputs(t, (2,))
            yield Case("LSTMBlockCell", *given, use_peephole=peephole)
            yield Case("LSTMBlockCell", *given, forget_bias=0.0, cell_clip=0.3, use_peephole=peephole)
            yield Case("LSTMBlockCell", *given, cell_clip=-1.0, use_peephole=peephole)
            made = [sample(t, (2, 2), 20 + i, 0.1, 0.9) for i in range(8)]
            yield Case("LSTMBlockCellGrad", *given, *made, use_peephole=peephole)
            steps = lstm_inputs(t, (3, 2))
            for n in (3, 0) if t == "float" else (3,):
                made = [sample(t, (3, 2, 2), 30 + i, 0.1, 0.9) for i in range(9)]
                for v in ("", "V2"):
                    if n == 3:  # What was not run is left as the memory was.
                        yield Case("BlockLSTM" + v, i64(n), *steps, use_peephole=peephole)
                        yield Case("BlockLSTM" + v, i64(n), *steps, cell_clip=0.3, use_peephole=peephole)
                        yield Case("BlockLSTMGrad" + v, i64(n), *steps, *made, use_peephole=peephole)
    given, made = lstm_inputs("float", (2,)), [sample("float", (2, 2), i) for i in range(8)]
    steps, all_made = lstm_inputs("float", (3, 2)), [sample("float", (3, 2, 2), i) for i in range(9)]
    # Only ranks that are right: TensorFlow dies of others.
    for i, wrong in ((1, (3, 2)), (1, (2, 3)), (2, (2, 3)), (3, (4, 8)), (3, (5, 7)), (7, (7,))):
        yield Case("LSTMBlockCell", *given[:i], sample("float", wrong), *given[i + 1:], use_peephole=True)
        yield Case("LSTMBlockCellGrad", *given[:i], sample("float", wrong), *given[i + 1:], *made, use_peephole=True)
    for i in range(8):
        yield Case("LSTMBlockCellGrad", *given, *made[:i], sample("float", (2, 3)), *made[i + 1:], use_peephole=True)
    yield Case("BlockLSTM", i64([3]), *steps, use_peephole=True)
    gru = [sample("float", s, i, -1, 1) for i, s in enumerate(((2, 3), (2, 2), (5, 4), (5, 2), (4,), (2,)))]
    yield Case("GRUBlockCell", *gru)
    made = [sample("float", (2, 2), 10 + i, 0.1, 0.9) for i in range(4)]
    yield Case("GRUBlockCellGrad", *gru, *made)
    for i, wrong in ((0, (3, 3)), (1, (2, 3)), (2, (5, 3)), (2, (4, 4)), (3, (5, 3)), (4, (3,)), (5, (3,))):
        yield Case("GRUBlockCell", *gru[:i], sample("float", wrong), *gru[i + 1:])
        yield Case("GRUBlockCellGrad", *gru[:i], sample("float", wrong), *gru[i + 1:], *made)
    for i in range(4):
        yield Case("GRUBlockCellGrad", *gru, *made[:i], sample("float", (2, 3)), *made[i + 1:])


def cases():
    yield from cells()
