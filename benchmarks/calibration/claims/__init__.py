"""How often does a claim hold that is false, over a whole history of looks at a test set?"""
