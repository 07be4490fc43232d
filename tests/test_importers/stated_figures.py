"""What files of a folder state, for tests of many importers."""


def figures(found):
    """Return (system, dataset, metric) -> value of all that was read."""
    return {
        (one.system, bundle.datasets[one.dataset].name, bundle.metrics[one.metric].name): one.value
        for bundle in found.bundles
        for one in bundle.reported_scores
    }
