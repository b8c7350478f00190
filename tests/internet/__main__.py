"""`python -m tests.internet --port 0 --print-env`: serve the loopback web until told to stop."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from tests.internet.serve import Internet, real_latency
from tests.internet.world import World


def main() -> None:
    options = _options()
    world = World(latency=real_latency if options.latency == "real" else None)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with Internet(world, port=options.port) as internet:
        lines = internet.env() if options.print_env else {"URL": internet.url}
        for name, value in lines.items():
            sys.stdout.write(f"{name}={value}\n")
        sys.stdout.write("\n")  # a blank line: everything was said, requests are welcome
        sys.stdout.flush()
        stopped.wait()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.internet", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 lets the system choose")
    parser.add_argument("--print-env", action="store_true", help="print settings for citewell")
    parser.add_argument("--latency", choices=("none", "real"), default="none")
    return parser.parse_args()


if __name__ == "__main__":
    main()
