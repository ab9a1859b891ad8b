from pkg.moe.router import TopKRouter


class TestRouter:
    def test_topk(self):
        scores = [1, 2]
        assert TopKRouter().route(scores) is scores

    def test_dropped_tokens(self):
        pass


def test_load_balancing():
    pass
