"""A person at the client's terminal: a pseudo-terminal that is read, and keys that answer what it shows.

The rules are a scenario's `person`: {"sees": text, "types": keys}, each used once and in order, as a
person answers one question after the other.  A permission question that no rule is for is allowed.
"""

import os
import pty
import threading
import time

ALLOW = {"sees": "[Enter denies]", "types": "y"}
# Seconds between a question and the key that answers it.
THINKS = 0.3


class Person:
    """Reads and types; `side` is what the client gets as standard input and error."""

    def __init__(self, rules):
        self.rules = [dict(rule) for rule in rules]
        self.keyboard, self.side = pty.openpty()
        self.seen, self.reader = "", None

    def begin(self, log):
        """The client has its end; what it shows is also written to the log."""
        os.close(self.side)
        self.reader = threading.Thread(target=self.read, args=(log,), daemon=True)
        self.reader.start()

    def read(self, log):
        with open(log, "ab") as file:
            while True:
                try:
                    shown = os.read(self.keyboard, 4096)
                except OSError:  # the other end is closed
                    return
                if not shown:
                    return
                file.write(shown)
                file.flush()
                self.seen += shown.decode(errors="replace")
                self.answer()

    def answer(self):
        """Types what the next rule says, once its text has come."""
        for rule in [*self.rules[:1], ALLOW]:
            at = self.seen.find(rule["sees"])
            if at < 0:
                continue
            self.seen = self.seen[at + len(rule["sees"]) :]
            if self.rules and rule is self.rules[0]:
                self.rules.pop(0)
            time.sleep(THINKS)
            os.write(self.keyboard, rule["types"].encode())
            return

    def end(self):
        self.reader.join(2)
        os.close(self.keyboard)
