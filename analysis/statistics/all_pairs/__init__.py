"""All pairs of systems at once, from one resampling plan that they share."""
