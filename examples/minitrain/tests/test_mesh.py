import pytest
import torch
import torch.distributed as dist

from minitrain import mesh
from minitrain.config import Config
from tests.distributed import groups_for, run_distributed


def test_layout_numbers_ranks_in_mesh_order():
    layout = mesh.RankLayout({"tp": 2, "cp": 1, "ep": 2, "edp": 1, "pp": 2})
    assert layout.world_size == 8
    assert layout.groups_spanning(["tp"]) == [[0, 1], [4, 5], [2, 3], [6, 7]]
    assert layout.groups_spanning(["pp"]) == [[0, 4], [2, 6], [1, 5], [3, 7]]
    assert layout.groups_spanning(["tp", "pp"]) == [[0, 1, 4, 5], [2, 3, 6, 7]]


@pytest.mark.parametrize("dimensions", [["tp"], ["cp", "ep"], ["cp", "ep", "edp"], ["edp", "pp"]])
def test_groups_hold_each_rank_once(dimensions):
    layout = mesh.RankLayout({"tp": 2, "cp": 3, "ep": 2, "edp": 2, "pp": 2})
    members = [rank for group in layout.groups_spanning(dimensions) for rank in group]
    assert sorted(members) == list(range(layout.world_size))


def test_getters_need_initialisation():
    assert not mesh.is_initialized()
    with pytest.raises(RuntimeError, match="initialize_model_parallel"):
        mesh.get_tensor_parallel_group()


def test_single_process(single_process):
    assert mesh.is_initialized()
    assert mesh.get_process_groups() is single_process
    assert mesh.is_pipeline_first_stage() and mesh.is_pipeline_last_stage()
    with pytest.raises(RuntimeError, match="already"):
        mesh.initialize_model_parallel()


def _describe_groups():
    config = Config(tensor_parallel_size=2, pipeline_parallel_size=2)
    groups_for(config)
    total = torch.tensor([dist.get_rank()])
    dist.all_reduce(total, group=mesh.get_tensor_parallel_group())
    return {
        "tp": (mesh.get_tensor_parallel_rank(), mesh.get_tensor_parallel_world_size()),
        "pp": (mesh.get_pipeline_parallel_rank(), mesh.get_pipeline_parallel_world_size()),
        "dp": (mesh.get_data_parallel_rank(), mesh.get_data_parallel_world_size()),
        "cp": (mesh.get_context_parallel_rank(), mesh.get_context_parallel_world_size()),
        "ep": (mesh.get_expert_parallel_rank(), mesh.get_expert_parallel_world_size()),
        "first": mesh.is_pipeline_first_stage(),
        "model size": mesh.get_model_parallel_group().size(),
        "expert replicas": mesh.get_expert_data_parallel_group().size(),
        "replicas": mesh.get_data_parallel_group(with_context_parallel=True).size(),
        "stages": mesh.get_pipeline_parallel_group().size(),
        "total": int(total),
    }


def test_groups_of_four_ranks():
    results = run_distributed(4, _describe_groups)
    assert [r["tp"] for r in results] == [(0, 2), (1, 2), (0, 2), (1, 2)]
    assert [r["pp"] for r in results] == [(0, 2), (0, 2), (1, 2), (1, 2)]
    assert [r["first"] for r in results] == [True, True, False, False]
    assert [r["total"] for r in results] == [1, 1, 5, 5]
    for result in results:
        assert result["dp"] == result["cp"] == result["ep"] == (0, 1)
        assert result["model size"] == 4
        assert result["replicas"] == result["expert replicas"] == 1
        assert result["stages"] == 2
