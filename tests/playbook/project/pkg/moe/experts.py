class GroupedExperts:
    pass
