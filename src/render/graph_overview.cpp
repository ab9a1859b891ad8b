#include "render/graph_overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/paths.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/facts.h"
#include "render/graph_text.h"
#include "report/graph/graph_rank.h"
#include "report/source/code.h"

namespace lockstep::render {

namespace {

using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

constexpr std::size_t kMostPackages = 40;
constexpr std::size_t kMostEntries = 12;
constexpr std::size_t kMostUses = 5;
constexpr std::size_t kMainNames = 4;

const program::Module& module_of(const GraphModel& model, const GraphFile& file) {
  return model.program->modules()[file.module];
}

/// A folder with what is below it that is in no deeper package.
struct Package {
  std::string path;
  std::size_t files = 0;
  std::size_t lines = 0;
  std::size_t functions = 0;
  bool is_test = true;  // all its files are tests
  double importance = -1e9;
  std::string purpose;
  std::vector<std::uint32_t> main_nodes;
};

/// Folders of the shown files, cut into at most `most` packages: the largest are split first.
class Packages {
 public:
  Packages(const GraphModel& model, std::size_t most) : model_(model) {
    for (const GraphFile& file : model.files) {
      if (!file.is_shown) continue;
      if (!file.is_test) total_ += file.node_count;
      for (std::string_view folder = folder_of(module_of(model, file).path);; folder = folder_of(folder)) {
        Folder& entry = folders_[std::string(folder)];
        entry.functions += file.node_count;
        entry.is_test = entry.is_test && file.is_test;
        if (folder.empty()) break;
      }
    }
    for (auto& [path, folder] : folders_) {
      if (!path.empty()) folders_[std::string(folder_of(path))].children.push_back(path);
    }
    if (!folders_.empty()) split(most);
    assign_files();
    describe();
  }

  [[nodiscard]] const std::vector<Package>& all() const { return packages_; }
  /// By what matters first; packages of tests last.
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::size_t> order(packages_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (packages_[a].is_test != packages_[b].is_test) return packages_[b].is_test;
      return packages_[a].importance > packages_[b].importance;
    });
    return order;
  }
  /// Packages that `from` calls into, with the number of calling pairs, most first.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> uses(std::size_t from) const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const auto& [pair, count] : uses_) {
      if (pair.first == from) found.emplace_back(pair.second, count);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return found;
  }

 private:
  struct Folder {
    std::size_t functions = 0;
    bool is_test = true;
    std::vector<std::string> children;
  };

  // The largest folder is split again and again; its small folders stay with it, so that the list is short and each
  // line says something.
  void split(std::size_t most) {
    std::set<std::string> open = {""};
    std::set<std::string> done;
    while (open.size() < most) {
      const std::string* largest = nullptr;
      for (const std::string& path : open) {
        const Folder& folder = folders_.at(path);
        if (done.contains(path) || folder.children.empty() || folder.is_test) continue;
        if (largest == nullptr || folder.functions > folders_.at(*largest).functions) largest = &path;
      }
      if (largest == nullptr) break;
      const std::string path = *largest;
      done.insert(path);
      std::vector<std::string> children = folders_.at(path).children;
      std::erase_if(children, [&](const std::string& child) { return folders_.at(child).functions * 100 < total_; });
      std::stable_sort(children.begin(), children.end(), [&](const std::string& a, const std::string& b) {
        return folders_.at(a).functions > folders_.at(b).functions;
      });
      for (const std::string& child : children) {
        if (open.size() < most) open.insert(child);
      }
    }
    for (const std::string& path : open) {
      Package package;
      package.path = path;
      packages_.push_back(std::move(package));
    }
  }

  void assign_files() {
    std::map<std::string_view, std::size_t> at;
    for (std::size_t i = 0; i < packages_.size(); ++i) at.emplace(packages_[i].path, i);
    package_of_.assign(model_.files.size(), SIZE_MAX);
    for (std::size_t f = 0; f < model_.files.size(); ++f) {
      const GraphFile& file = model_.files[f];
      if (!file.is_shown) continue;
      std::string_view folder = folder_of(module_of(model_, file).path);
      while (!at.contains(folder)) folder = folder_of(folder);
      Package& package = packages_[at.at(folder)];
      package_of_[f] = at.at(folder);
      ++package.files;
      package.lines += module_of(model_, file).facts->source().line_count();
      package.functions += file.node_count;
      package.is_test = package.is_test && file.is_test;
    }
  }

  void describe() {
    for (std::uint32_t i = 0; i < model_.nodes.size(); ++i) {
      const GraphNode& node = model_.nodes[i];
      const std::size_t at = package_of_[node.file];
      if (at == SIZE_MAX) continue;
      Package& package = packages_[at];
      package.importance = std::max(package.importance, node.importance);
      if (!node.is_module_body && !node.is_lambda) keep_main(package, i);
      for (const GraphEdge& edge : node.calls) {
        if (!edge.is_internal()) continue;
        const std::size_t to = package_of_[model_.nodes[edge.to].file];
        if (to != SIZE_MAX && to != at) ++uses_[{at, to}];
      }
    }
    for (std::size_t f = 0; f < model_.files.size(); ++f) {
      if (package_of_[f] == SIZE_MAX) continue;
      Package& package = packages_[package_of_[f]];
      const program::Module& module = module_of(model_, model_.files[f]);
      if (module.is_package && folder_of(module.path) == package.path) package.purpose = file_purpose(module, 160);
    }
  }

  void keep_main(Package& package, std::uint32_t node) {
    auto& main = package.main_nodes;
    const auto heavier = [&](std::uint32_t a, std::uint32_t b) {
      return model_.nodes[a].importance > model_.nodes[b].importance;
    };
    main.insert(std::upper_bound(main.begin(), main.end(), node, heavier), node);
    if (main.size() > kMainNames * 3) main.pop_back();
  }

  const GraphModel& model_;
  std::map<std::string, Folder> folders_;
  std::size_t total_ = 0;
  std::vector<Package> packages_;
  std::vector<std::size_t> package_of_;  // by file
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> uses_;
};

/// The classes and functions that carry most of a package.
std::string main_names(const GraphModel& model, const Package& package) {
  std::vector<std::string> names;
  for (const std::uint32_t at : package.main_nodes) {
    const program::ClassId owner = model.program->functions()[model.nodes[at].function].owner;
    std::string name =
        owner.valid() ? report::short_name(*model.program, owner) : std::string(model.nodes[at].local_name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(safe_line(name));
    if (names.size() == kMainNames) break;
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string shown_path(const Package& package) { return package.path.empty() ? "(top)" : safe_line(package.path); }

std::string package_text(const GraphModel& model, const Packages& packages, std::size_t at) {
  const Package& package = packages.all()[at];
  std::string text =
      fmt::format("- {}: {}, {} lines", shown_path(package), count_of(package.files, "file"), package.lines);
  if (package.is_test) return text + ", tests\n";
  if (!package.purpose.empty()) text += fmt::format(". \"{}\"", package.purpose);
  const std::string names = main_names(model, package);
  if (!names.empty()) text += ". Main: " + names;
  std::vector<std::string> uses;
  for (const auto& [to, count] : packages.uses(at)) {
    if (packages.all()[to].is_test) continue;
    if (uses.size() < kMostUses) uses.push_back(fmt::format("{} {}", shown_path(packages.all()[to]), count));
  }
  if (!uses.empty()) text += fmt::format(". Uses: {}", fmt::join(uses, ", "));
  return text + "\n";
}

std::string packages_text(const GraphModel& model, std::size_t budget) {
  const Packages packages(model, std::clamp<std::size_t>(budget / 60, 4, kMostPackages));
  std::string text = "\n## Packages (with the number of calls into others)\n";
  std::size_t spent = estimate_tokens(text);
  std::size_t left_out = 0;
  for (const std::size_t at : packages.order()) {
    if (packages.all()[at].files == 0) continue;
    const std::string line = package_text(model, packages, at);
    const std::size_t cost = estimate_tokens(line);
    if (spent + cost > budget) {
      ++left_out;
      continue;
    }
    spent += cost;
    text += line;
  }
  if (left_out > 0) text += fmt::format("{} left out.\n", count_of(left_out, "package"));
  return text;
}

std::string run_line(const GraphModel& model, const report::RunLine& line, std::uint32_t parent_file) {
  const GraphNode& node = model.nodes[line.node];
  std::string text(static_cast<std::size_t>(line.depth) * 2, ' ');
  if (line.entered_by != nullptr) text += fmt::format("{}→ ", line.entered_by->lines.front() + 1);
  text += node.is_module_body ? std::string("<script>") : safe_line(node.local_name);
  if (line.entered_by != nullptr && line.entered_by->certainty != program::Certainty::kExact) text += "?";
  const std::string place = node.file == parent_file ? std::string() : safe_line(path_of(model, node));
  text += fmt::format(" {}:{}", place, node.first_line + 1);
  if (line.entered_by != nullptr && line.entered_by->in_loop) text += " LOOP";
  for (std::size_t i = 0; i < node.collectives.size() && i < 2; ++i) {
    text += fmt::format(" COLL {}({})", node.collectives[i].operation, safe_line(node.collectives[i].group, 40));
  }
  if (line.shown_before) text += " …";
  return text + "\n";
}

std::string run_text(const GraphModel& model, std::uint32_t root, std::size_t budget) {
  report::RunOptions options;
  options.lines = std::clamp<std::size_t>(budget / 18, 6, 90);
  std::vector<std::uint32_t> files;  // by depth
  std::string text;
  for (const report::RunLine& line : report::run_of(model, root, options)) {
    files.resize(static_cast<std::size_t>(line.depth));
    text += run_line(model, line, files.empty() ? GraphEdge::kExternal : files.back());
    files.push_back(model.nodes[line.node].file);
  }
  return text;
}

std::string entries_text(const GraphModel& model, std::size_t budget) {
  const std::vector<std::uint32_t> entries = report::main_entries(model, SIZE_MAX);
  if (entries.empty()) return {};
  std::string text =
      "\n## How a run goes (heaviest calls only; the number is the line of the call; … its calls stand elsewhere)\n";
  text += run_text(model, entries.front(), budget * 3 / 4);
  if (entries.size() == 1) return text;
  text += "\nOther entry points: ";
  std::size_t shown = 1;
  for (; shown < entries.size() && shown <= kMostEntries; ++shown) {
    text += fmt::format("{}{}", shown > 1 ? ", " : "", safe_line(path_of(model, model.nodes[entries[shown]])));
  }
  return text + (shown < entries.size() ? fmt::format(" and {} more.\n", entries.size() - shown) : ".\n");
}

std::string node_place(const GraphModel& model, const GraphNode& node) {
  return fmt::format("{} {}:{}-{}", safe_line(node.qualified_name), safe_line(path_of(model, node)),
                     node.first_line + 1, node.last_line + 1);
}

/// "pretrain_gpt.<module>:345 → pretrain:871 → …": the shortest way from a script, else from a test.
std::string way_text(const GraphModel& model, const GraphNode& node) {
  std::vector<program::FunctionId> scripts;
  std::vector<program::FunctionId> tests;
  for (const GraphNode& other : model.nodes) {
    if (other.is_entry) scripts.push_back(other.function);
    if (other.is_test) tests.push_back(other.function);
  }
  for (const auto* sources : {&scripts, &tests}) {
    const program::CallPath path = program::shortest_path(*model.program, *sources, node.function);
    if (path.empty()) continue;
    std::string text;
    for (const program::PathStep& step : path) {
      const program::CallSite& site = model.program->calls()[step.call];
      const GraphNode& caller = model.nodes[model.node_of[site.caller.index()]];
      const auto& source = model.program->module_of(site.caller).facts->source();
      text += fmt::format("{}:{} → ", safe_line(caller.qualified_name), source.line_of(site.node->span.begin) + 1);
    }
    return text + safe_line(node.local_name);
  }
  return "not reached from a script or test of this tree";
}

}  // namespace

std::string file_purpose(const program::Module& module, std::size_t limit) {
  const python::Constant* docstring = python::docstring_of(module.facts->tree().body);
  return docstring == nullptr ? std::string() : safe_line(report::first_sentence(docstring->text, limit), limit + 8);
}

std::string overview_text(const GraphModel& model, std::size_t budget) {
  std::size_t lines = 0;
  std::size_t test_files = 0;
  for (const GraphFile& file : model.files) {
    if (!file.is_shown) continue;
    lines += module_of(model, file).facts->source().line_count();
    test_files += file.is_test ? 1 : 0;
  }
  std::string text =
      fmt::format("\n{} ({} of tests), {} lines, {}, {} between them.\n", count_of(model.shown_files, "file"),
                  test_files, lines, count_of(model.shown_nodes, "function"), count_of(model.call_edges, "call edge"));
  if (!model.focus.empty()) return text;
  text += packages_text(model, budget == SIZE_MAX ? 4000 : budget / 2);
  return text + entries_text(model, budget == SIZE_MAX ? 3000 : budget / 2);
}

std::string focus_text(const GraphModel& model, std::size_t budget) {
  std::string text = "\n## Centred on\n";
  std::size_t spent = estimate_tokens(text);
  for (std::size_t i = 0; i < model.focus.size(); ++i) {
    const GraphNode& node = model.nodes[model.focus[i]];
    std::string part = "- " + node_place(model, node);
    const std::string doc = safe_line(report::docstring_sentence(model.program->functions()[node.function].node, 140));
    if (!doc.empty()) part += fmt::format(": \"{}\"", doc);
    part += "\n  from " + way_text(model, node) + "\n";
    spent += estimate_tokens(part);
    if (spent > budget && i > 0) return text + fmt::format("and {} more.\n", model.focus.size() - i);
    text += part;
  }
  return text;
}

}  // namespace lockstep::render
