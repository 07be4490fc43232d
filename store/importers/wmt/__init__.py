"""Files of WMT: direct assessment, the metrics task, news systems."""
