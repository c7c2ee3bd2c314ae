"""Translation with a trained model: decoding, metrics, and experiments that take a piece away."""
