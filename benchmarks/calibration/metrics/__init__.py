"""How often is one of two equally good metrics found better than the other?"""
