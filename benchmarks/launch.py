"""``launch.py OUT ERR COMMAND..``: run a command, print its seconds, CPU seconds, peak resident MiB and exit code.

A child's peak memory begins with that of the process that forked it, so whoever measures it must be small: this file
imports nothing but what Python itself has loaded, and is run with ``-I -S``.
"""

import os
import sys
import time


def main(out: str, err: str, *command: str) -> None:
    """Run ``command`` with its output in the two files."""
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        for path, stream in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        try:
            os.execvp(command[0], list(command))
        finally:
            os._exit(127)
    _, status, used = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(*sys.argv[1:])
