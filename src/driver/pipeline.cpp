#include "driver/pipeline.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <numeric>
#include <tuple>

#include "base/worker_pool.h"
#include "change/changed_functions.h"
#include "driver/configuration.h"
#include "playbook/changed.h"
#include "rules/rule.h"

namespace lockstep::driver {

namespace {

mesh::MeshOptions mesh_options(const rules::Settings& settings, std::size_t jobs) {
  mesh::MeshOptions options;
  options.jobs = jobs;
  for (const auto& [getter, dimensions] : settings.group_getters)
    options.group_getters.emplace_back(getter, dimensions);
  return options;
}

Result<void> begin_phase(const PipelineOptions& options, std::string_view phase) {
  if (options.before_phase && !options.before_phase(phase)) return fail("cancelled");
  return {};
}

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Work that rules do not wait for.
struct Aside {
  std::string name;
  std::function<void()> work;
};

// Each rule fills a list of its own, so that neither their order nor the number of threads shows in the result.
// `asides` run beside them, first of all; rules that need the mesh wait for them.
std::vector<rules::Finding> run_rules(const rules::RuleContext& context, std::size_t jobs, Timings& timings,
                                      const std::vector<Aside>& asides) {
  const std::span<const rules::Rule> all = rules::all_rules();
  std::vector<std::vector<rules::Finding>> by_rule(all.size());
  std::vector<double> milliseconds(all.size(), 0);
  std::vector<double> milliseconds_aside(asides.size(), 0);
  const auto run_rule = [&](std::size_t i) {
    const rules::Rule& rule = all[i];
    if (rule.run == nullptr || (rule.needs_change && context.change == nullptr)) return;
    milliseconds[i] = milliseconds_of([&] { rule.run(context, by_rule[i]); });
  };
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  const auto with_mesh =
      std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return !all[i].needs_mesh; });
  const std::vector<std::size_t> last(with_mesh, order.end());
  order.erase(with_mesh, order.end());
  // Those that look through the whole program first: no thread waits for one of them in the end.
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return !all[i].needs_change; });
  parallel_for(asides.size() + order.size(), jobs, [&](std::size_t at) {
    if (at >= asides.size()) return run_rule(order[at - asides.size()]);
    milliseconds_aside[at] = milliseconds_of(asides[at].work);
  });
  parallel_for(last.size(), jobs, [&](std::size_t at) { run_rule(last[at]); });
  for (std::size_t i = 0; i < asides.size(); ++i) timings.add("  " + asides[i].name, milliseconds_aside[i]);
  std::vector<rules::Finding> findings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    timings.add("  " + std::string(all[i].id), milliseconds[i]);
    for (rules::Finding& finding : by_rule[i]) findings.push_back(std::move(finding));
  }
  return findings;
}

// The analysis of the before side as far as the change is told by it.
mesh::MeshAnalysis mesh_before_change(const AnalysedChange& analysed) {
  const std::vector<program::FunctionId> changed = change::changed_functions(analysed.change, analysed.before, false);
  mesh::MeshOptions options = mesh_options(analysed.settings, 1);
  options.roots = &changed;
  options.told = &changed;
  return mesh::analyse_mesh(analysed.before, options);
}

mesh::MeshAnalysis mesh_after_change(const AnalysedChange& analysed, std::size_t jobs) {
  const std::vector<program::FunctionId> changed = change::changed_functions(analysed.change, analysed.after, true);
  mesh::MeshOptions options = mesh_options(analysed.settings, jobs);
  options.told = &changed;
  return mesh::analyse_mesh(analysed.after, options);
}

}  // namespace

Result<std::unique_ptr<Tree>> link_tree(repo::Snapshot snapshot, const PipelineOptions& options, FactsByContent& facts,
                                        Timings& timings) {
  auto tree = std::make_unique<Tree>();
  tree->jobs = options.jobs;
  tree->snapshot = std::move(snapshot);
  Result<rules::Settings> settings =
      options.settings ? Result<rules::Settings>(*options.settings) : settings_of(tree->snapshot);
  if (!settings) return tl::unexpected<Error>(settings.error());
  tree->settings = std::move(*settings);
  if (const auto go = begin_phase(options, "read and parse"); !go) return tl::unexpected<Error>(go.error());
  {
    const auto scope = timings.time("read and parse");
    read_facts(tree->snapshot, options.jobs, facts, tree->coverage);
  }
  if (const auto go = begin_phase(options, "link"); !go) return tl::unexpected<Error>(go.error());
  {
    const auto scope = timings.time("link");
    program::LinkOptions link;
    link.jobs = options.jobs;
    link.models = tree->settings.call_models;
    link.beside_calls = [&](const program::Program& program) {
      tree->groundwork = mesh::lay_groundwork(program);
      if (options.for_graph) tree->graph_groundwork = report::lay_graph_groundwork(program);
    };
    tree->program = link_snapshot(tree->snapshot, facts, std::move(link));
    cover(tree->program, tree->coverage);
  }
  return tree;
}

Result<void> analyse_mesh_of(Tree& tree, const PipelineOptions& options, Timings& timings) {
  if (const auto go = begin_phase(options, "mesh"); !go) return go;
  const auto scope = timings.time("mesh");
  mesh::MeshOptions mesh_settings = mesh_options(tree.settings, options.jobs);
  mesh_settings.extent = options.mesh_extent;
  mesh_settings.groundwork = tree.groundwork ? &*tree.groundwork : nullptr;
  tree.mesh = mesh::analyse_mesh(tree.program, mesh_settings);
  tree.groundwork.reset();
  return {};
}

void find_step_path(Tree& tree) { tree.step_path = program::step_path(tree.program, tree.settings.hot_entry_points); }

Result<void> complete_tree(Tree& tree, const PipelineOptions& options, Timings& timings) {
  if (const auto done = analyse_mesh_of(tree, options, timings); !done) return done;
  const auto scope = timings.time("step path");
  find_step_path(tree);
  return {};
}

Result<std::unique_ptr<Tree>> analyse_tree(repo::Snapshot snapshot, const PipelineOptions& options, Timings& timings) {
  FactsByContent facts;
  Result<std::unique_ptr<Tree>> tree = link_tree(std::move(snapshot), options, facts, timings);
  if (!tree) return tree;
  if (const auto done = complete_tree(**tree, options, timings); !done) return tl::unexpected<Error>(done.error());
  return tree;
}

Result<std::unique_ptr<AnalysedChange>> analyse_change(repo::ChangeSides sides, const PipelineOptions& options,
                                                       FactsByContent& facts, Timings& timings) {
  auto result = std::make_unique<AnalysedChange>();
  AnalysedChange& analysed = *result;
  analysed.jobs = options.jobs;
  analysed.sides = std::move(sides);
  Result<rules::Settings> settings =
      options.settings ? Result<rules::Settings>(*options.settings) : settings_of(analysed.sides.before);
  if (!settings) return tl::unexpected<Error>(settings.error());
  analysed.settings = std::move(*settings);
  if (const auto go = begin_phase(options, "read and parse"); !go) return tl::unexpected<Error>(go.error());
  {
    const auto scope = timings.time("read and parse");
    report::Coverage ignored;  // the coverage speaks of the after side
    read_facts(analysed.sides.after, options.jobs, facts, analysed.coverage);
    read_facts(analysed.sides.before, options.jobs, facts, ignored);
  }
  if (const auto go = begin_phase(options, "link"); !go) return tl::unexpected<Error>(go.error());
  {
    const auto scope = timings.time("link");
    program::LinkOptions link;
    link.models = analysed.settings.call_models;
    program::LinkOptions link_before = link;
    link_before.with_calls_of_tests = options.with_calls_of_tests_before;
    // The after side, which has more to do then, may have its tests read beside it.
    if (!options.with_calls_of_tests_before) link.jobs = options.jobs;
    std::tie(analysed.after, analysed.before) =
        program::link_sides(link_input(analysed.sides.after, facts, link),
                            link_input(analysed.sides.before, facts, link_before), options.jobs);
    cover(analysed.after, analysed.coverage);
  }
  {
    const auto scope = timings.time("diff");
    repo::DiffOptions diff_options;
    diff_options.jobs = options.jobs;
    analysed.diff = repo::diff_snapshots(analysed.sides.before, analysed.sides.after, diff_options);
    for (const repo::SnapshotProblem& problem : analysed.diff.problems) {
      analysed.coverage.problems.push_back({problem.path, 0, problem.message});
    }
  }
  if (const auto go = begin_phase(options, "compare"); !go) return tl::unexpected<Error>(go.error());
  {
    const auto scope = timings.time("compare");
    analysed.change = change::compare(analysed.before, analysed.after, analysed.diff,
                                      {&analysed.sides.before, &analysed.sides.after});
  }
  {
    const auto scope = timings.time("step path");
    analysed.step_path = program::step_path(analysed.after, analysed.settings.hot_entry_points);
  }
  return result;
}

Result<std::unique_ptr<AnalysedChange>> analyse_change(repo::ChangeSides sides, const PipelineOptions& options,
                                                       Timings& timings) {
  FactsByContent facts;
  return analyse_change(std::move(sides), options, facts, timings);
}

report::Report check_tree(const Tree& tree, const std::vector<std::string>& paths,
                          const std::vector<std::string>& baseline, Timings& timings) {
  const rules::RuleContext context{tree.program,  nullptr, nullptr, tree.mesh,     tree.step_path,
                                   tree.settings, paths,   nullptr, &tree.snapshot};
  std::vector<rules::Finding> findings;
  {
    const auto scope = timings.time("rules");
    findings = run_rules(context, tree.jobs, timings, {});
  }
  const auto scope = timings.time("report");
  report::ReportOptions options;
  options.paths = paths;
  options.baseline = baseline;
  return report::make_report(std::move(findings), {&tree.program, nullptr}, nullptr, tree.settings, options,
                             tree.coverage);
}

void analyse_mesh_of(AnalysedChange& analysed, Timings& timings) {
  const auto scope = timings.time("mesh");
  analysed.mesh_after = mesh_after_change(analysed, analysed.jobs);
}

report::Report review_change(AnalysedChange& analysed, Timings& timings, const std::function<void()>& after_meshes) {
  const mesh::MeshOnDemand whole_before(analysed.before, mesh_options(analysed.settings, 1));
  const rules::RuleContext context{analysed.after,
                                   &analysed.before,
                                   &analysed.change,
                                   analysed.mesh_after,
                                   analysed.step_path,
                                   analysed.settings,
                                   {},
                                   &whole_before,
                                   &analysed.sides.after,
                                   &analysed.sides.before};
  std::vector<rules::Finding> findings;
  {
    const auto scope = timings.time("mesh and rules");
    std::vector<rules::Finding> stale;
    std::promise<void> before_is_there;
    const std::vector<Aside> asides = {
        {"mesh, before",
         [&] {
           // Whoever waits for it must not wait for ever.
           try {
             analysed.mesh_before = mesh_before_change(analysed);
           } catch (...) {
             before_is_there.set_exception(std::current_exception());
             throw;
           }
           before_is_there.set_value();
         }},
        {"mesh, after",
         [&] {
           analysed.mesh_after = mesh_after_change(analysed, 1);
           // Begun earlier, by the order of this list: on one thread it is done, on others this one waits for it.
           before_is_there.get_future().get();
           if (after_meshes) after_meshes();
         }},
        {"playbooks",
         [&] {
           const playbook::ChangedInputs inputs{analysed.sides.before, analysed.sides.after, analysed.before,
                                                analysed.after,        analysed.diff,        analysed.jobs};
           stale = playbook::lines_made_false(inputs);
           for (rules::Finding& finding : playbook::documentation_made_false(inputs))
             stale.push_back(std::move(finding));
         }},
    };
    findings = run_rules(context, analysed.jobs, timings, asides);
    for (rules::Finding& finding : stale) findings.push_back(std::move(finding));
  }
  const auto scope = timings.time("report");
  return report::make_report(std::move(findings), {&analysed.after, &analysed.before}, &analysed.change,
                             analysed.settings, {}, analysed.coverage);
}

}  // namespace lockstep::driver
