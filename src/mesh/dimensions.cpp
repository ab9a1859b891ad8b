#include "mesh/dimensions.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/strings.h"

namespace lockstep::mesh {
namespace {

enum WellKnown : int { kTp, kPp, kDp, kCp, kEp, kEtp, kEdp, kSp, kGtp, kWellKnownCount };

constexpr Bits bit(int dimension) { return Bits{1} << dimension; }

struct DimensionName {
  std::string_view name;
  std::string_view pretty;
};
constexpr std::array<DimensionName, kWellKnownCount> kWellKnown = {{{"tp", "tensor-parallel"},
                                                                    {"pp", "pipeline-parallel"},
                                                                    {"dp", "data-parallel"},
                                                                    {"cp", "context-parallel"},
                                                                    {"ep", "expert-parallel"},
                                                                    {"etp", "expert-tensor-parallel"},
                                                                    {"edp", "expert-data-parallel"},
                                                                    {"sp", "sequence-parallel"},
                                                                    {"gtp", "weight-rematerialisation"}}};

/// Words that stand for one dimension wherever they are. "expert", "model" and "tensor" depend on their neighbours.
struct DimensionWord {
  std::string_view word;
  int dimension;
};
constexpr DimensionWord kWords[] = {
    {"tensor", kTp},  {"tp", kTp},   {"pipeline", kPp}, {"pp", kPp},      {"pipe", kPp},     {"data", kDp},
    {"dp", kDp},      {"ddp", kDp},  {"fsdp", kDp},     {"context", kCp}, {"cp", kCp},       {"hcp", kCp},
    {"expert", kEp},  {"expt", kEp}, {"ep", kEp},       {"etp", kEtp},    {"edp", kEdp},     {"efsdp", kEdp},
    {"ulysses", kSp}, {"sp", kSp},   {"gtp", kGtp},     {"egtp", kGtp},   {"sequence", kSp},
};

int dimension_of_word(std::string_view word) {
  for (const DimensionWord& entry : kWords) {
    if (entry.word == word) return entry.dimension;
  }
  return -1;
}

bool one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_word(std::span<const std::string> words, std::span<const std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return one_of(word, wanted); });
}

constexpr std::string_view kGroupWords[] = {"group", "pg"};
/// A name with one of these is not the group itself but something about it.
constexpr std::string_view kNotGroupWords[] = {
    "size",   "rank",   "ranks",   "name", "names",  "num",    "idx",   "index",   "ids",      "id",
    "list",   "desc",   "timeout", "src",  "key",    "map",    "param", "options", "dict",     "count",
    "offset", "param",  "start",   "end",  "bucket", "params", "root",  "dst",     "is",       "has",
    "use",    "create", "destroy", "init", "set",    "update", "from",  "in",      "quantile", "query"};
/// A group with one of these is one of the two that a dimension is split into: `outer_fsdp_group`.
constexpr std::string_view kPartWords[] = {"inner", "inter", "intra", "outer", "partial", "replicate", "shard"};
constexpr std::string_view kRankContextWords[] = {
    "get",   "local", "global",      "my",    "cur",   "current", "this",    "model",  "parallel", "rank",
    "torch", "dist",  "distributed", "and",   "group", "self",    "process", "node",   "device",   "in",
    "world", "the",   "weight",      "remat", "safe",  "default", "own",     "worker", "with"};

}  // namespace

std::vector<std::string> words_of(std::string_view identifier) {
  std::vector<std::string> words;
  std::string word;
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    const char c = identifier[i];
    if (c == '_') {
      flush();
      continue;
    }
    if (is_upper(c) && i > 0 && !is_upper(identifier[i - 1])) flush();
    word.push_back(is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c);
  }
  flush();
  return words;
}

DimensionTable::DimensionTable() {
  for (const DimensionName& dimension : kWellKnown) names_.emplace_back(dimension.name);
}

NamedDimensions DimensionTable::dimensions_in(std::string_view identifier) const {
  NamedDimensions result;
  bool expert_context = false;
  bool previous_is_dimension = false;
  std::string previous;
  for (const std::string& word : words_of(identifier)) {
    int dimension = dimension_of_word(word);
    if (word == "expert" || word == "expt") {
      expert_context = true;
      previous = word;
      previous_is_dimension = false;
      result.bits |= bit(kEp);
      continue;
    }
    if (word == "embedding" || word == "embd") {
      dimension = kPp;
      result.subset_only = true;
    } else if (word == "model" || word == "mp") {
      const bool after_tensor = previous == "tensor" || previous == "and";
      if (expert_context && after_tensor) {
        dimension = kEp;  // expert_tensor_and_model_parallel, expert_tensor_model_pipeline_parallel
      } else if (!previous_is_dimension && previous != "expert" && previous != "expt") {
        result.bits |= bit(kTp) | bit(kPp);
      }
    } else if (expert_context && (dimension == kTp || dimension == kDp)) {
      if (previous == "expert" || previous == "expt") result.bits &= ~bit(kEp);
      dimension = dimension == kTp ? kEtp : kEdp;
    } else if (word == "gtp" && expert_context) {
      if (previous == "expert" || previous == "expt") result.bits &= ~bit(kEp);
    } else if (word == "world") {
      result.bits = kEveryRank;
    }
    if (dimension >= 0) result.bits |= bit(dimension);
    previous_is_dimension = dimension >= 0;
    previous = word;
  }
  // "tp_ep": the tensor axis of the expert layers.
  if (!expert_context && result.bits != kEveryRank && (result.bits & bit(kTp)) && (result.bits & bit(kEp))) {
    result.bits = (result.bits & ~bit(kTp)) | bit(kEtp);
  }
  return result;
}

std::optional<NamedDimensions> DimensionTable::group_named(std::string_view identifier) const {
  const std::vector<std::string> words = words_of(identifier);
  if (!has_word(words, kGroupWords) || has_word(words, kNotGroupWords)) return std::nullopt;
  NamedDimensions named = dimensions_in(identifier);
  if (named.bits == 0) return std::nullopt;
  if (named.bits != kEveryRank && has_word(words, kPartWords)) named.subset_only = true;
  return named;
}

std::optional<Bits> DimensionTable::rank_named(std::string_view identifier) const {
  if (identifier.size() < 4) return std::nullopt;
  const std::vector<std::string> words = words_of(identifier);
  if (words.empty() || words.back() != "rank") return std::nullopt;
  for (const std::string& word : words) {
    if (!one_of(word, kRankContextWords) && dimension_of_word(word) < 0 && word != "mp") return std::nullopt;
  }
  const bool is_virtual = has_word(words, std::array<std::string_view, 1>{"virtual"});
  if (is_virtual) return std::nullopt;
  if (words.size() == 2 && words[0] == "world") return kEveryRank;
  if (has_word(words, std::array<std::string_view, 1>{"node"})) return kSomeRanks;
  const NamedDimensions named = dimensions_in(identifier);
  return named.bits == 0 ? kEveryRank : named.bits;
}

std::optional<Bits> DimensionTable::role_named(std::string_view identifier) const {
  constexpr std::string_view kMainRoles[] = {"is_main_process",
                                             "is_local_main_process",
                                             "is_global_zero",
                                             "is_world_process_zero",
                                             "is_local_process_zero",
                                             "is_rank0",
                                             "is_rank_0",
                                             "is_last_rank",
                                             "is_global_rank_zero",
                                             "is_rank_zero",
                                             "is_master",
                                             "is_main_rank"};
  if (one_of(identifier, kMainRoles)) return kEveryRank;
  constexpr std::string_view kStageRoles[] = {"is_first_stage",   "is_last_stage",           "is_pp_first_stage",
                                              "is_pp_last_stage", "is_pipeline_first_stage", "is_pipeline_last_stage",
                                              "is_pp_first_rank", "is_pp_last_rank"};
  if (one_of(identifier, kStageRoles)) return bit(kPp);
  return std::nullopt;
}

bool DimensionTable::is_membership_name(std::string_view identifier) {
  const std::vector<std::string> words = words_of(identifier);
  constexpr std::string_view kIn[] = {"in", "member", "belongs", "part", "participates", "participating"};
  constexpr std::string_view kQuestion[] = {"is", "has", "belongs", "participates", "in", "am"};
  if (words.empty() || !one_of(words.front(), kQuestion)) return false;
  return has_word(words, kIn);
}

bool DimensionTable::is_number_name(std::string_view identifier) {
  constexpr std::string_view kNumbers[] = {"rank", "ranks",   "id",    "ids",    "idx",     "index",  "indices",
                                           "step", "steps",   "size",  "sizes",  "port",    "ports",  "num",
                                           "nums", "numbers", "layer", "layers", "offsets", "lengths"};
  return has_word(words_of(identifier), kNumbers);
}

bool DimensionTable::is_size_name(std::string_view identifier) {
  const std::vector<std::string> words = words_of(identifier);
  if (words.size() < 2) return false;
  constexpr std::string_view kSizes[] = {"world", "parallel", "group", "tp",  "dp", "pp",
                                         "cp",    "ep",       "mp",    "etp", "edp"};
  return words.back() == "size" && one_of(words[words.size() - 2], kSizes);
}

bool DimensionTable::is_group_holder(std::string_view identifier) {
  const std::vector<std::string> words = words_of(identifier);
  if (words.empty()) return false;
  if (words.back() == "pgs" || words.back() == "pg") return true;
  constexpr std::string_view kHolders[] = {"collection", "groups", "pgs"};
  constexpr std::string_view kOfGroups[] = {"pg", "group", "groups", "pgs"};
  if (identifier == "groups" || identifier == "process_groups") return true;
  return one_of(words.back(), kHolders) && has_word(words, kOfGroups) &&
         has_word(words, std::array<std::string_view, 3>{"pg", "process", "pgs"});
}

bool DimensionTable::is_mesh_name(std::string_view identifier) {
  const std::vector<std::string> words = words_of(identifier);
  return !words.empty() && words.back() == "mesh";
}

Bits DimensionTable::mesh_dimension(std::string_view name) {
  if (name == "world" || name == "default") return kEveryRank;
  if (name == "loss") return bit(kDp) | bit(kCp);
  if (name == "batch") return bit(kDp);
  const NamedDimensions known = dimensions_in(name);
  if (known.bits != 0) return known.bits;
  return named(name);
}

Bits DimensionTable::named(std::string_view name) {
  if (name.empty() || name.size() > 40) return 0;
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return bit(static_cast<int>(found - names_.begin()));
  if (names_.size() >= kNamedDimensions) return 0;
  names_.emplace_back(name);
  return bit(static_cast<int>(names_.size()) - 1);
}

std::string DimensionTable::describe(Bits bits) const {
  if ((bits & kNamedBits) == kNamedBits) return "every rank";
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (bits & bit(static_cast<int>(i))) parts.push_back(names_[i]);
  }
  if (parts.empty()) return bits == 0 ? "no dimension" : "some ranks";
  if (parts.size() == 1) return parts[0];
  const std::string last = parts.back();
  parts.pop_back();
  return join(parts, ", ") + " and " + last;
}

std::string DimensionTable::describe_group(Bits bits) const {
  if ((bits & kNamedBits) == kNamedBits) return "all ranks";
  for (int i = 0; i < kWellKnownCount; ++i) {
    if (bits == bit(i)) return std::string(kWellKnown[i].pretty) + " group (" + std::string(kWellKnown[i].name) + ")";
  }
  return "group over " + describe(bits);
}

}  // namespace lockstep::mesh
