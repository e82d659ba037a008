"""Data-parallel training in several processes of one machine.

One process with several threads would do where the machine is idle. Where other work takes a core
now and then, its threads wait for each other at every operation; processes wait once a step.
"""

from dataclasses import dataclass

import torch
from torch import distributed, nn


@dataclass(frozen=True)
class Peers:
    """This process's place among `count` trainers."""

    rank: int
    count: int

    @staticmethod
    def join(rank: int, count: int, rendezvous: str) -> "Peers":
        """Connects to the others through a file that does not exist yet; returns when all are there."""
        if count > 1:
            distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=count)
        return Peers(rank, count)

    @property
    def leads(self) -> bool:
        """Whether this process writes logs and checkpoints."""
        return self.rank == 0

    def average_gradients(self, model: nn.Module) -> None:
        """Replaces gradients by their mean over all trainers."""
        if self.count == 1:
            return
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        flat = torch.cat([g.reshape(-1) for g in gradients])
        distributed.all_reduce(flat)
        flat /= self.count
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def leader_says(self, value: bool) -> bool:
        """The leader's value, in every process."""
        if self.count == 1:
            return value
        flag = torch.tensor([int(value)])
        distributed.broadcast(flag, 0)
        return bool(flag.item())
