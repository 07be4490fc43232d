import numpy as np

from analysis.statistics.signature import METHOD_VERSION, build_signature


def test_build_signature_keeps_the_order_and_all_digits():
    line = build_signature("holm", m=3, alpha=np.float64(0.1234567890123), seed=0)
    assert line == f"holm|m:3|alpha:0.1234567890123|seed:0|v:{METHOD_VERSION}"


def test_build_signature_without_settings():
    assert build_signature("holm") == f"holm|v:{METHOD_VERSION}"
