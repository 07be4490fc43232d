"""How far a model can stand in for people."""
