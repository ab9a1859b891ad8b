class TopKRouter:
    def route(self, scores):
        return scores


class HashRouter:
    pass


def load_balancing_loss(scores):
    return scores.sum()
