class TestRouter:
    def test_topk(self):
        pass

    def test_dropped_tokens(self):
        pass


def test_load_balancing():
    pass
