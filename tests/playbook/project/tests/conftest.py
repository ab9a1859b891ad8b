def pytest_addoption(parser):
    parser.addoption("--with-gpu", action="store_true")


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a device")
