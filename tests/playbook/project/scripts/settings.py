from dataclasses import dataclass, field
from typing import Any

import tyro


@dataclass
class Compile:
    enable: bool = False
    backend: str = "inductor"


@dataclass
class Parallelism:
    tensor_degree: int = 1
    async_tensor: bool = False


@dataclass
class Checkpoint:
    @dataclass
    class Config:
        interval: int = 500

    folder: Config = field(default_factory=Config)


@dataclass
class Run:
    steps: int = 10
    compile: Compile = field(default_factory=Compile)
    parallel: "Parallelism" = field(default_factory=Parallelism)
    checkpoint: Checkpoint | None = None
    extra: dict[str, Any] = field(default_factory=dict)


if __name__ == "__main__":
    print(tyro.cli(Run))
