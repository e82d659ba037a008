"""Synthetic scenes whose labels are known because the pipeline draws them."""
