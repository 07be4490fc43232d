"""Small pieces that pages are made of; one idea per module, plain values in."""
