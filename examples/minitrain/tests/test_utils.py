import pytest

from minitrain.utils import current_device, divide, pad_to_multiple


def test_divide():
    assert divide(12, 4) == 3
    with pytest.raises(ValueError, match="not divisible"):
        divide(12, 5)


def test_pad_to_multiple():
    assert [pad_to_multiple(n, 4) for n in (0, 1, 4, 5)] == [0, 4, 4, 8]


def test_current_device():
    assert current_device().type in ("cpu", "cuda")
