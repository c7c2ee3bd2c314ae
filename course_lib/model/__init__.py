"""The Transformer: its configuration, layers, stacks and positions, and a copy in PyTorch's own classes."""
