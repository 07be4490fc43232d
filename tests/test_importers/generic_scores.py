"""What tests of tables of item scores share."""

import numpy as np

LONG = "system,dataset,item,metric,score\n"


def scores(bundle):
    """Return (system, dataset, label, metric, trial) -> {item: score or components}."""
    found = {}
    for run in bundle.runs:
        dataset = bundle.datasets[run.dataset]
        for one in run.scores:
            metric = bundle.metrics[one.metric]
            values = {
                item.key: row[0] if len(row) == 1 else tuple(row)
                for item, row in zip(dataset.items, one.values.tolist(), strict=True)
                if not np.isnan(row).any()
            }
            found[run.system, dataset.name, run.label, metric.name, one.trial] = values
    return found
