"""The search of guided_tours.py, with a network of PyTorch that is trained on mini-batches.

    python examples/guided_torch.py [--train 60] [--test 40] [--playouts 1000] [--more 1]

It needs the package torch. What the search asks for goes through NumPy arrays, without a copy.
"""

from typing import Any

import torch
from guided_tours import Network, compare, options, rows, tour
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

import nestor


class TorchNetwork(Network):
    """Two hidden layers; its output is the logarithm of a probability, but for a constant."""

    def __init__(self, inputs: int, hidden: int = 32) -> None:
        super().__init__(rows, inputs)
        torch.manual_seed(1)
        torch.set_num_threads(1)  # a batch is small, and threads would wait for each other
        layers = nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh()
        self.layers = nn.Sequential(*layers, nn.Linear(hidden, 1, bias=False)).double()

    def __call__(self, batch: nestor.Batch) -> Any:
        """Return the bias of each move."""
        with torch.no_grad():
            return self.layers(torch.from_numpy(self.rows(batch)))[:, 0].numpy()

    def train(self, x: Any, picked: Any, starts: Any, counts: Any, steps: int = 20) -> None:
        """Make the moves picked likelier: `steps` times through all states, with Adam."""
        states, chosen = (torch.from_numpy(each).split(counts.tolist()) for each in (x, picked))
        answers = torch.stack([each.int().argmax() for each in chosen])
        adam = torch.optim.Adam(self.layers.parameters(), lr=0.003)
        for some in torch.cat([torch.randperm(len(states)) for _ in range(steps)]).split(64):
            values = [self.layers(states[i])[:, 0] for i in some]
            logits = pad_sequence(values, batch_first=True, padding_value=-torch.inf)
            loss = cross_entropy(logits, answers[some])
            adam.zero_grad()
            loss.backward()
            adam.step()


if __name__ == "__main__":
    asked, network = options(__doc__), TorchNetwork(inputs=9)
    lessons = [tour(seed).unpruned for seed in range(asked.train)]
    network.study(lessons, lambda batch, city: batch["city"] == city, playouts=3000)
    tests = [tour(seed) for seed in range(10_000, 10_000 + asked.test)]
    compare(network, tests, ("distance", "waiting", "lateness"), asked)
