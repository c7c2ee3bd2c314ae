"""Training: batches, losses, optimizers, the trainer, checkpoints, and pretraining on one language."""
