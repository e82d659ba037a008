"""Training pipeline of the bundled Veil detectors: render, train, evaluate, export."""
