#include "change/signature.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "change/node_hash.h"

namespace lockstep::change {

using namespace python;  // NOLINT: this file is about python's nodes.

namespace {

using Kind = DifferenceKind;

/// A part of one side: what to name, quote and compare. `node` may be null: the part is absent.
struct Part {
  const Node* node = nullptr;
  Span span;
  std::string name;
  std::uint64_t hash = 0;
};

class SignatureComparer {
 public:
  SignatureComparer(const CodeContext& before, const CodeContext& after, std::vector<Difference>& out)
      : contexts_{&before, &after}, hashers_{NodeHasher(*before.source), NodeHasher(*after.source)}, out_(out) {}

  void compare_functions(const FunctionDef& before, const FunctionDef& after) {
    compare_parameters(*before.parameters, *after.parameters);
    compare_optional(before.returns, after.returns, "return", {}, {}, Kind::kReturnAnnotationChanged);
    compare_decorators(before.decorators, after.decorators);
    compare_type_params(before.type_params, after.type_params);
    if (before.is_async == after.is_async) return;
    const Part parts[2] = {{&before, before.name.span, std::string(before.name.text), 0},
                           {&after, after.name.span, std::string(after.name.text), 0}};
    add(Kind::kAsyncChanged, {}, &parts[0], &parts[1]);
    out_.back().before = before.is_async ? "async def" : "def";
    out_.back().after = after.is_async ? "async def" : "def";
  }

  void compare_classes(const ClassDef& before, const ClassDef& after) {
    compare_decorators(before.decorators, after.decorators);
    compare_type_params(before.type_params, after.type_params);
    const ClassDef* defs[2] = {&before, &after};
    std::vector<Part> parts[2];
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Expr* base : defs[side]->bases) {
        parts[side].push_back({base, base->span, dotted_name(*contexts_[side], *base), hashers_[side].hash(base)});
      }
      for (const Keyword* keyword : defs[side]->keywords) {
        const std::string name(keyword->name.text);
        parts[side].push_back({keyword, keyword->span, name, hashers_[side].hash(keyword)});
      }
    }
    const bool same_order = std::ranges::equal(parts[0], parts[1], {}, &Part::hash, &Part::hash);
    const std::size_t count = out_.size();
    compare_multisets(parts[0], parts[1], Kind::kBaseAdded, Kind::kBaseRemoved);
    // Another order of bases is another method resolution order.
    if (same_order || out_.size() != count) return;
    add(Kind::kBodyChanged, "order of bases", &parts[0].front(), &parts[1].front());
    out_.back().before = joined(0, parts[0]);
    out_.back().after = joined(1, parts[1]);
  }

  void compare_variables(const Entity& before, const Entity& after) {
    const std::string name(after.name);
    compare_optional(before.annotation, after.annotation, name, {}, {}, Kind::kAnnotationChanged);
    if (compare_elements(before.value, after.value, name)) return;
    compare_optional(before.value, after.value, name, {}, {}, Kind::kValueChanged);
  }

 private:
  [[nodiscard]] std::string text(std::size_t side, Span span) const { return quote(*contexts_[side]->source, span); }
  [[nodiscard]] std::string joined(std::size_t side, const std::vector<Part>& parts) const {
    return text(side, Span{parts.front().span.begin, parts.back().span.end});
  }

  void add(Kind kind, std::string name, const Part* before, const Part* after) {
    Difference difference{kind, std::move(name), {}, {}, {}, {}};
    if (before != nullptr) {
      difference.before = text(0, before->span);
      difference.before_line = contexts_[0]->source->line_of(before->span.begin);
    }
    if (after != nullptr) {
      difference.after = text(1, after->span);
      difference.after_line = contexts_[1]->source->line_of(after->span.begin);
    }
    out_.push_back(std::move(difference));
  }

  /// Two expressions either of which may be absent. Without `added` / `removed`, coming and going counts as `changed`.
  void compare_optional(const Expr* before, const Expr* after, const std::string& name, std::optional<Kind> added,
                        std::optional<Kind> removed, Kind changed) {
    if (hashers_[0].hash(before) == hashers_[1].hash(after)) return;
    const Part left{before, before == nullptr ? Span{} : before->span, {}, 0};
    const Part right{after, after == nullptr ? Span{} : after->span, {}, 0};
    Kind kind = changed;
    if (before == nullptr) kind = added.value_or(changed);
    if (after == nullptr) kind = removed.value_or(changed);
    add(kind, name, before == nullptr ? nullptr : &left, after == nullptr ? nullptr : &right);
  }

  /// Values longer than this are compared element by element where they are lists or dictionaries.
  static constexpr std::uint32_t kLongValue = 80;

  /// The parts of a long list, tuple, set or dictionary: elements, or values under their constant keys. Empty where the
  /// value is no such thing.
  [[nodiscard]] std::vector<Part> elements_of(std::size_t side, const Expr* value, const std::string& name) const {
    std::vector<Part> parts;
    const auto add_all = [&](Seq<Expr> elements) {
      for (const Expr* element : elements)
        parts.push_back({element, element->span, name, hashers_[side].hash(element)});
    };
    if (const auto* list = as<List>(value)) add_all(list->elements);
    if (const auto* tuple = as<Tuple>(value)) add_all(tuple->elements);
    if (const auto* set = as<Set>(value)) add_all(set->elements);
    if (const auto* dict = as<Dict>(value)) {
      for (std::size_t i = 0; i < dict->keys.size(); ++i) {
        if (!is<Constant>(dict->keys[i])) return {};
        const std::string key = name + "[" + text(side, dict->keys[i]->span) + "]";
        parts.push_back({dict->values[i], dict->values[i]->span, key,
                         mix(hashers_[side].hash(dict->keys[i]), hashers_[side].hash(dict->values[i]))});
      }
    }
    return parts;
  }

  /// Says which elements of a long value differ; false where it is not long, no collection, or only its order differs.
  bool compare_elements(const Expr* before, const Expr* after, const std::string& name) {
    if (before == nullptr || after == nullptr || before->kind != after->kind) return false;
    if (std::max(before->span.size(), after->span.size()) <= kLongValue) return false;
    const std::vector<Part> left = elements_of(0, before, name), right = elements_of(1, after, name);
    if (left.empty() || right.empty()) return false;
    const std::size_t count = out_.size();
    compare_multisets(left, right, Kind::kValueChanged, Kind::kValueChanged);
    if (is<Dict>(before)) join_same_keys(count);
    return out_.size() != count;
  }

  /// A key whose old value went and whose new one came is one difference.
  void join_same_keys(std::size_t first) {
    std::map<std::string, std::size_t> gone;
    std::vector<Difference> joined;
    for (std::size_t i = first; i < out_.size(); ++i) {
      const bool is_removal = out_[i].before_line.has_value();
      const auto found = is_removal ? gone.end() : gone.find(out_[i].name);
      if (found == gone.end()) {
        if (is_removal) gone.emplace(out_[i].name, joined.size());
        joined.push_back(std::move(out_[i]));
        continue;
      }
      joined[found->second].after = std::move(out_[i].after);
      joined[found->second].after_line = out_[i].after_line;
      gone.erase(found);
    }
    out_.resize(first);
    std::ranges::move(joined, std::back_inserter(out_));
  }

  void compare_multisets(const std::vector<Part>& before, const std::vector<Part>& after, Kind added, Kind removed) {
    std::map<std::uint64_t, std::size_t> counts[2];
    for (const Part& part : before) ++counts[0][part.hash];
    for (const Part& part : after) ++counts[1][part.hash];
    std::map<std::uint64_t, std::size_t> shared[2];
    for (const auto& [hash, count] : counts[0]) {
      const auto found = counts[1].find(hash);
      shared[0][hash] = shared[1][hash] = found == counts[1].end() ? 0 : std::min(count, found->second);
    }
    const auto is_shared = [&](std::size_t side, const Part& part) {
      std::size_t& left = shared[side][part.hash];
      return left > 0 && left-- > 0;
    };
    for (const Part& part : before) {
      if (!is_shared(0, part)) add(removed, part.name, &part, nullptr);
    }
    for (const Part& part : after) {
      if (!is_shared(1, part)) add(added, part.name, nullptr, &part);
    }
  }

  /// A decorator's name in the code where that is one name: what it stands for may depend on what is installed.
  static std::string written_name(const CodeContext& context, const Expr& named) {
    const auto* name = as<Name>(&named);
    return name != nullptr ? std::string(name->id) : dotted_name(context, named);
  }

  void compare_decorators(Seq<Expr> before, Seq<Expr> after) {
    const Seq<Expr> decorators[2] = {before, after};
    std::vector<Part> parts[2];
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Expr* decorator : decorators[side]) {
        const auto* call = as<Call>(decorator);
        const Expr& named = call != nullptr ? *call->callee : *decorator;
        parts[side].push_back(
            {decorator, decorator->span, written_name(*contexts_[side], named), hashers_[side].hash(decorator)});
      }
    }
    const bool same_order = std::ranges::equal(parts[0], parts[1], {}, &Part::hash, &Part::hash);
    const std::size_t count = out_.size();
    compare_multisets(parts[0], parts[1], Kind::kDecoratorAdded, Kind::kDecoratorRemoved);
    if (same_order || out_.size() != count) return;
    add(Kind::kBodyChanged, "order of decorators", &parts[0].front(), &parts[1].front());
    out_.back().before = joined(0, parts[0]);
    out_.back().after = joined(1, parts[1]);
  }

  void compare_type_params(Seq<TypeParam> before, Seq<TypeParam> after) {
    const Seq<TypeParam> both[2] = {before, after};
    std::uint64_t hashes[2] = {0, 0};
    std::vector<Part> parts[2];
    for (std::size_t side = 0; side < 2; ++side) {
      for (const TypeParam* parameter : both[side]) {
        hashes[side] = mix(hashes[side], hashers_[side].hash(parameter));
        parts[side].push_back({parameter, parameter->span, {}, 0});
      }
    }
    if (hashes[0] == hashes[1]) return;
    add(Kind::kBodyChanged, "type parameters", parts[0].empty() ? nullptr : &parts[0].front(),
        parts[1].empty() ? nullptr : &parts[1].front());
    if (!parts[0].empty()) out_.back().before = joined(0, parts[0]);
    if (!parts[1].empty()) out_.back().after = joined(1, parts[1]);
  }

  // --- Parameters ---

  /// A parameter with its stars and default.
  [[nodiscard]] Part part_of(std::size_t side, const Parameter& parameter) const {
    Span span = parameter.span;
    if (parameter.default_value != nullptr) span.end = parameter.default_value->span.end;
    const std::string_view bytes = contexts_[side]->source->bytes();
    const bool starred = parameter.parameter_kind == Parameter::Kind::kVarArgs ||
                         parameter.parameter_kind == Parameter::Kind::kVarKeywords;
    while (starred && span.begin > 0 && bytes[span.begin - 1] == '*') --span.begin;
    return {&parameter, span, std::string(parameter.name.text), 0};
  }

  void compare_parameters(const Parameters& before, const Parameters& after) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t j = 0; j < after.all.size(); ++j) places.emplace(after.all[j]->name.text, j);
    std::vector<std::optional<std::size_t>> partner(before.all.size());
    std::vector<bool> taken(after.all.size());
    for (std::size_t i = 0; i < before.all.size(); ++i) {
      const auto found = places.find(before.all[i]->name.text);
      if (found == places.end() || taken[found->second]) continue;
      partner[i] = found->second;
      taken[found->second] = true;
    }
    pair_renamed(before, after, partner, taken);
    for (std::size_t i = 0; i < before.all.size(); ++i) {
      const Part part = part_of(0, *before.all[i]);
      if (!partner[i]) {
        add(Kind::kParameterRemoved, part.name, &part, nullptr);
      } else {
        compare_parameter(*before.all[i], *after.all[*partner[i]]);
      }
    }
    for (std::size_t j = 0; j < after.all.size(); ++j) {
      const Part part = part_of(1, *after.all[j]);
      if (!taken[j]) add(Kind::kParameterAdded, part.name, nullptr, &part);
    }
    find_moved(before, after, partner);
  }

  [[nodiscard]] bool could_be_renamed(const Parameter& before, const Parameter& after) const {
    return before.parameter_kind == after.parameter_kind &&
           hashers_[0].hash(before.annotation) == hashers_[1].hash(after.annotation) &&
           hashers_[0].hash(before.default_value) == hashers_[1].hash(after.default_value);
  }

  /// Another name between the same neighbours, with the same kind, annotation and default, and nothing else new there.
  void pair_renamed(const Parameters& before, const Parameters& after, std::vector<std::optional<std::size_t>>& partner,
                    std::vector<bool>& taken) const {
    for (std::size_t i = 0; i < before.all.size(); ++i) {
      if (partner[i]) continue;
      const bool alone = (i == 0 || partner[i - 1]) && (i + 1 == before.all.size() || partner[i + 1]);
      const std::size_t j = i == 0 ? 0 : partner[i - 1].value_or(after.all.size()) + 1;
      if (!alone || j >= after.all.size() || taken[j]) continue;
      const bool same_next = i + 1 == before.all.size() ? j + 1 == after.all.size() : *partner[i + 1] == j + 1;
      if (!same_next || !could_be_renamed(*before.all[i], *after.all[j])) continue;
      partner[i] = j;
      taken[j] = true;
    }
  }

  void compare_parameter(const Parameter& before, const Parameter& after) {
    const Part parts[2] = {part_of(0, before), part_of(1, after)};
    const std::string name(after.name.text);
    if (before.name.text != after.name.text) {
      add(Kind::kParameterRenamed, std::string(before.name.text), &parts[0], &parts[1]);
    }
    if (before.parameter_kind != after.parameter_kind) add(Kind::kParameterKindChanged, name, &parts[0], &parts[1]);
    compare_optional(before.annotation, after.annotation, name, {}, {}, Kind::kAnnotationChanged);
    compare_optional(before.default_value, after.default_value, name, Kind::kDefaultAdded, Kind::kDefaultRemoved,
                     Kind::kDefaultChanged);
  }

  /// Parameters that may be given by position and stand in another order among those that both sides have.
  void find_moved(const Parameters& before, const Parameters& after,
                  const std::vector<std::optional<std::size_t>>& partner) {
    const auto by_position = [](const Parameter& parameter) {
      return parameter.parameter_kind == Parameter::Kind::kPositionalOnly ||
             parameter.parameter_kind == Parameter::Kind::kPositionalOrKeyword;
    };
    std::vector<std::pair<std::size_t, std::size_t>> kept;
    for (std::size_t i = 0; i < before.all.size(); ++i) {
      if (!partner[i] || !by_position(*before.all[i]) || !by_position(*after.all[*partner[i]])) continue;
      kept.emplace_back(i, *partner[i]);
    }
    std::vector<std::size_t> order;
    for (const auto& [i, j] : kept) order.push_back(j);
    std::ranges::sort(order);
    for (std::size_t rank = 0; rank < kept.size(); ++rank) {
      if (order[rank] == kept[rank].second) continue;
      const Part parts[2] = {part_of(0, *before.all[kept[rank].first]), part_of(1, *after.all[kept[rank].second])};
      add(Kind::kParameterMoved, parts[1].name, &parts[0], &parts[1]);
    }
  }

  const CodeContext* contexts_[2];
  NodeHasher hashers_[2];
  std::vector<Difference>& out_;
};

}  // namespace

void compare_functions(const CodeContext& before_context, const FunctionDef& before, const CodeContext& after_context,
                       const FunctionDef& after, std::vector<Difference>& differences) {
  SignatureComparer(before_context, after_context, differences).compare_functions(before, after);
}

void compare_classes(const CodeContext& before_context, const ClassDef& before, const CodeContext& after_context,
                     const ClassDef& after, std::vector<Difference>& differences) {
  SignatureComparer(before_context, after_context, differences).compare_classes(before, after);
}

void compare_variables(const CodeContext& before_context, const Entity& before, const CodeContext& after_context,
                       const Entity& after, std::vector<Difference>& differences) {
  SignatureComparer(before_context, after_context, differences).compare_variables(before, after);
}

}  // namespace lockstep::change
