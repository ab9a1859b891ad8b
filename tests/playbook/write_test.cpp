// What `playbook write` says of a small project, and that nothing it says is false: its own output, held by the check.
#include "playbook/write.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/strings.h"
#include "playbook/check.h"
#include "program/link.h"

namespace lockstep::playbook {
namespace {

namespace fs = std::filesystem;

/// A folder of files, linked.
struct Tree {
  repo::Snapshot snapshot;
  program::Program program;
};

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".pyc") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    files[fs::relative(entry.path(), folder).string()] = text.str();
  }
  return files;
}

std::map<std::string, std::string> project() {
  return files_below(fs::path(LOCKSTEP_SOURCE_DIR) / "tests/playbook/project");
}

Tree tree_of(const std::map<std::string, std::string>& files) {
  std::vector<program::SourceFile> sources;
  for (const auto& [path, bytes] : files) {
    if (path.ends_with(".py")) sources.push_back({path, python::extract_facts(bytes)});
  }
  return {repo::memory_snapshot(files), program::link(std::move(sources), {})};
}

std::string write(const Tree& tree, std::size_t tokens = 1500, bool sources = false) {
  return write_playbook({tree.snapshot, tree.program, nullptr, "", tokens, sources, 1});
}

std::vector<std::string> findings_in(std::map<std::string, std::string> files, const std::string& text) {
  files["AGENTS.md"] = text;
  const Tree tree = tree_of(files);
  std::vector<std::string> messages;
  for (const rules::Finding& finding : check_playbooks({tree.snapshot, tree.program, nullptr, "", {}, 1}).findings)
    messages.push_back(fmt::format("{}: {}", finding.start_line + 1, finding.message));
  return messages;
}

TEST(PlaybookWrite, SaysWhatAProjectIs) {
  EXPECT_EQ(write(tree_of(project())), R"(# Working on small-project

## Environment

- Python: `3.11` (`.python-version`), `>=3.10` (`pyproject.toml`).
- Install: `pip install -r requirements.txt`, then `pip install -e ".[dev]"`.
- Extras: `dev`, `docs`; dependency groups `lint`.

## Commands

- One test: `python -m pytest tests/test_router.py::TestRouter::test_topk`
- Markers: `gpu`, `slow`; own options of pytest: `--with-gpu`.
- Lint: `pre-commit run -a` (`black`, `isort`).
- Line length: black 100, isort 100.
- Make targets: `make lint`, `make test`.
- CI, `Continuous integration`: `pytest` (`.github/workflows/ci.yml`).

## Where things are

- Programs: `small-train`.

## Conventions of `pkg/`, measured over 5 files

- Import order: isort, profile black (`pyproject.toml`).
)");
}

std::map<std::string, std::string> project_with_habits() {
  std::map<std::string, std::string> files = {
      {"pyproject.toml",
       "[project]\nname = \"p\"\n[project.optional-dependencies]\ndev = [\"x\"]\nlts = []\nte = [\"y\"]\n"},
      {".flake8", "[flake8]\nmax-line-length = 120\nignore = E501\n"},
      {".pre-commit-config.yaml",
       "repos:\n- repo: a\n  rev: v1\n  hooks:\n  - id: codespell\n  - id: flake8\n  - id: ufmt\n  - id: "
       "link-checker\n"},
      {".github/workflows/a.yml",
       "name: Links\non: pull_request\njobs:\n  lint:\n    steps:\n    - run: pre-commit run link-checker\n"},
      {".github/workflows/b.yml",
       "name: All\non: pull_request\njobs:\n  parse-unit-tests:\n    steps: []\n  lint:\n    steps: []\n  "
       "test-install:\n    steps: []\n"
       "  integration-tests:\n    steps: []\n  unit-tests:\n    steps: []\n"},
      {"main.py", "import pkg.a\n\nif __name__ == \"__main__\":\n    pkg.a.run()\n"},
      {"old.py",
       "\"\"\"Deprecated. Use main.py.\"\"\"\nimport runpy\n\nif __name__ == \"__main__\":\n    "
       "runpy.run_path(\"main.py\")\n"},
      {"run.sh",
       "NGPU=${NGPU:-\"8\"}\nexport CONFIG=${CONFIG:-tiny}\nOUT=${OUT:?where}\nHERE=$(pwd)\ntorchrun main.py \"$@\"\n"},
      {"pkg/__init__.py", ""},
      {"pkg/log.py", "import logging\n\nlogger = logging.getLogger(\"pkg\")\n"},
      {"pkg/tables.py",
       "_models = {}\n_pools = {}\n\n\ndef register_model(name, cls):\n    _models[name] = cls\n\n\ndef model(name):\n "
       "   return "
       "_models[name]\n\n\ndef register_pool(group):\n    _pools[group.id] = group\n\n\ndef pool(name):\n    return "
       "_pools[name]\n"}};
  for (const std::string name : {"a", "b", "c"})
    files["pkg/" + name + ".py"] = fmt::format(
        "from pkg.log import logger\nfrom pkg.tables import register_model, register_pool\n\n\ndef run(group):\n"
        "    register_model(\"{}\", run)\n    register_pool(group)\n    logger.info(\"x\")\n",
        name);
  return files;
}

TEST(PlaybookWrite, TellsHabitsNotTheirRemains) {
  const std::string text = write(tree_of(project_with_habits()));
  for (const std::string_view line :
       {"- Extras: `dev`, `te`.\n", "- Lint: `pre-commit run -a` (`ufmt`, `flake8`, `codespell`, `link-checker`).\n",
        "- CI, `All`: jobs `unit-tests`, `integration-tests`, `lint`, `test-install` (`.github/workflows/b.yml`).\n"
        "- CI, `Links`: jobs `lint` (`.github/workflows/a.yml`).\n",
        "- Run with `./run.sh`: reads from the environment `NGPU=8`, `CONFIG=tiny`, `OUT`; its arguments go on to the "
        "program.\n",
        "- Programs: `main.py`, `run.sh`.\n", "- Registries: `register_model` (`pkg/tables.py:5`).\n",
        "- Logging: `from pkg.log import logger` in 3 files; `logging.getLogger` in 1, `print` is called 0 times.\n"})
    EXPECT_TRUE(contains(text, line)) << line << "\nin\n" << text;
  for (const std::string_view part : {"lts", "Line length", "old.py", "register_pool", "Families"})
    EXPECT_FALSE(contains(text, part)) << part << "\nin\n" << text;
}

TEST(PlaybookWrite, IsCleanByConstruction) {
  for (const fs::path folder : {"tests/playbook/project", "examples/minitrain"}) {
    const auto files = files_below(fs::path(LOCKSTEP_SOURCE_DIR) / folder);
    const std::string text = write(tree_of(files), 100000);
    EXPECT_GT(split_lines(text).size(), 15u) << folder;
    EXPECT_EQ(findings_in(files, text), std::vector<std::string>{}) << text;
    EXPECT_EQ(findings_in(files, write(tree_of(files), 100000, true)), std::vector<std::string>{});
  }
}

TEST(PlaybookWrite, EachLineCarriesItsSource) {
  const auto files = files_below(fs::path(LOCKSTEP_SOURCE_DIR) / "examples/minitrain");
  const std::string plain = write(tree_of(files)), sourced = write(tree_of(files), 1500, true);
  std::string without;
  for (const std::string_view line : split_lines(sourced)) {
    const std::size_t at = line.find(" <!-- ");
    without += std::string(line.substr(0, at)) + "\n";
    EXPECT_EQ(line.starts_with("- "), at != std::string_view::npos) << line;
    if (at == std::string_view::npos) continue;
    const std::string_view list = line.substr(at + 6, line.size() - at - 10);
    for (const std::string_view source : split(list, ',')) {
      const std::string_view place = trim(source);
      const auto file = files.find(std::string(place.substr(0, place.rfind(':'))));
      ASSERT_NE(file, files.end()) << line;
      const int number = std::stoi(std::string(place.substr(place.rfind(':') + 1)));
      EXPECT_GE(number, 1) << line;
      EXPECT_LE(static_cast<std::size_t>(number), std::max<std::size_t>(1, split_lines(file->second).size())) << line;
    }
  }
  EXPECT_EQ(without, plain);
}

TEST(PlaybookWrite, KeepsToItsBudget) {
  const Tree tree = tree_of(files_below(fs::path(LOCKSTEP_SOURCE_DIR) / "examples/minitrain"));
  for (const std::size_t tokens : {100u, 200u, 400u}) {
    const std::string text = write(tree, tokens);
    EXPECT_LE(token_count(text), tokens);
    EXPECT_TRUE(contains(text, "One test: ")) << text;
  }
}

TEST(PlaybookWrite, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(write(tree_of({{"README.md", "# Nothing\n"}})), "# Working here\n");
}

TEST(PlaybookUpdate, RenewsStaleLinesOnly) {
  auto files = project();
  const std::string before =
      "# Notes of ours\n\n"
      "- Install: `pip install -e \".[develop]\"`\n"
      "- Black 23.1 formats, as we like it.\n"
      "- Try `pytest tests/test_router.py -k test_top_p`, or `-k topk`.\n"
      "- Quick ones: `pytest -m 'not huge'`.\n"
      "- Nobody knows `pkg/moe/sorter.py`.\r\n"
      "- Keep functions short.";
  const Tree tree = tree_of(files);
  const Updated updated =
      update_playbook({tree.snapshot, tree.program, nullptr, "", 1500, false, 1}, "docs/NOTES.md", before);
  EXPECT_EQ(updated.text,
            "# Notes of ours\n\n"
            "- Install: `pip install -r requirements.txt`, then `pip install -e \".[dev]\"`.\n"
            "- Black 24.4 formats, as we like it.\n"
            "- Try `pytest tests/test_router.py -k test_topk`, or `-k topk`.\n"
            "- Quick ones: `pytest`.\n"
            "- Nobody knows `pkg/moe/sorter.py`.\r\n"
            "- Keep functions short.");
  EXPECT_EQ(updated.renewed, 4u);
  ASSERT_EQ(updated.left.size(), 1u);
  EXPECT_EQ(updated.left[0].line, 6u);
}

TEST(PlaybookUpdate, LeavesATruePlaybookAlone) {
  const auto files = project();
  const Tree tree = tree_of(files);
  const std::string text = write(tree) + "\nAnd be kind.\n";
  const Updated updated =
      update_playbook({tree.snapshot, tree.program, nullptr, "", 1500, false, 1}, "AGENTS.md", text);
  EXPECT_EQ(updated.text, text);
  EXPECT_EQ(updated.renewed, 0u);
}

}  // namespace
}  // namespace lockstep::playbook
