"""What a measurement found, and whether it is enough."""

from dataclasses import dataclass


@dataclass
class Row:
    """A figure of ours, beside that of a yardstick or beside a limit."""

    name: str
    unit: str
    value: float
    yardstick: float | None
    #: The least ratio to the yardstick; without a yardstick, the most that the figure may be.
    goal: float

    @property
    def ratio(self):
        return self.value / self.yardstick if self.yardstick else None

    @property
    def is_met(self):
        return self.ratio >= self.goal if self.yardstick else self.value <= self.goal

    @property
    def goal_text(self):
        return f"≥ {self.goal:g} × {self.unit}" if self.yardstick else f"≤ {self.goal:g} {self.unit}"

    @property
    def json(self):
        return {
            "name": self.name, "value": self.value, "yardstick": self.yardstick, "ratio": self.ratio,
            "goal": self.goal, "met": self.is_met, "unit": self.unit}
