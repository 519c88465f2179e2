"""One task of a cluster, served by real TensorFlow: the yardstick that every test here must pass too."""
import argparse
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow.compat.v1 as tf  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", required=True, help="JSON")
    parser.add_argument("--job", required=True)
    parser.add_argument("--task", type=int, required=True)
    args = parser.parse_args()
    tf.train.Server(json.loads(args.cluster), job_name=args.job, task_index=args.task).join()


if __name__ == "__main__":
    main()
