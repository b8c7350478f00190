"""The loopback web: pages, misbehaving servers and provider APIs on 127.0.0.1, for tests and offline runs.

Pages are files under `pages/<host>/<path>.md`. Each is reachable in two ways:

- by path, `http://127.0.0.1:PORT/site/<host>/<path>`, which needs no name resolution;
- by name, `http://<host>:PORT/<path>`, when the caller's resolver maps every name to 127.0.0.1
  and its guard allows private addresses (`World(named=True)` makes search answers use this form).

Servers that misbehave live under `/odd/…` (see `odd.py`); provider APIs under the PREFIX of each
module in `apis/`. Any of them can be told to fail: `world.fail("brave", Fault(status=429), times=2)`.
"""
