from pkg.moe.router import TopKRouter
