"""What the tests in Python share: a check that notes what does not hold and goes on, and the report at the end."""


class Checks:
    """`check(holds, message)` notes; `check.report()` prints what failed and gives the exit status."""

    def __init__(self):
        self.passed, self.failures = 0, []

    def __call__(self, holds, message):
        if holds:
            self.passed += 1
        else:
            self.failures.append(str(message)[:3000])
        return bool(holds)

    def report(self):
        for failure in self.failures[:40]:
            print("FAILED:", failure)
        if len(self.failures) > 40:
            print(f"... and {len(self.failures) - 40} more")
        print(f"{self.passed} passed, {len(self.failures)} failed")
        return 1 if self.failures else 0
