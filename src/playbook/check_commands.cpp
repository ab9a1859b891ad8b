// Commands: the programs, scripts, targets, extras, groups, hooks and options that a line of shell names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/strings.h"
#include "playbook/check_commands.h"

namespace lockstep::playbook {

namespace {

using rules::Severity;

constexpr std::string_view kWhyFails = "An agent that runs this line gets an error";

bool is_python(std::string_view program) {
  const std::string_view name = name_of(program);
  return name == "python" || name == "python3" || name.starts_with("python3.");
}

// Programs whose commands are held, or through which one is reached.
bool is_known_program(std::string_view program) {
  static const std::set<std::string_view> kKnown = {
      "pytest", "torchrun", "pip",  "pip3", "uv", "make", "npm", "pre-commit", "tox",  "black",  "isort",  "ruff",
      "flake8", "pylint",   "mypy", "bash", "sh", "cat",  "cd",  "poetry",     "yarn", "source", "pyright"};
  return is_python(program) || kKnown.contains(name_of(program)) || program.starts_with("./");
}

/// Walks one command's words.
class Holder {
 public:
  Holder(const Facts& facts, const Page& page, Ledger& ledger, Session& session)
      : facts_(facts), page_(page), ledger_(ledger), session_(session) {}

  void command(const Command& command) {
    for (const Word& output : command.outputs) session_.made.insert(output.text);
    run(command.words, 0);
  }

 private:
  using Words = std::vector<Word>;

  void run(const Words& words, std::size_t at) {
    if (at >= words.size()) return;
    const std::string& program = words[at].text;
    const std::string_view name = name_of(program);
    if (name == "sudo" || name == "time" || name == "nohup" || name == "exec") return run(words, at + 1);
    if (name == "env") return run(words, after_assignments(words, at + 1));
    if (name == "uv") return uv(words, at);
    if (name == "poetry" && at + 1 < words.size() && words[at + 1].text == "run") return run(words, at + 2);
    if (is_python(program)) return python(words, at + 1);
    if (name == "torchrun" || name == "accelerate") return launcher(words, at + 1);
    if (name == "pytest" || name == "py.test")
      return hold_pytest(facts_, page_, session_, {words.begin() + at + 1, words.end()}, ledger_);
    if (name == "pip" || name == "pip3") return pip(words, at + 1);
    if (name == "make") return make(words, at + 1);
    if (name == "npm" || name == "yarn" || name == "pnpm") return npm(words, at + 1);
    if (name == "pre-commit") return pre_commit(words, at + 1);
    if (name == "tox") return tox(words, at + 1);
    if (name == "bash" || name == "sh" || name == "source" || name == ".") return shell_script(words, at + 1);
    if (name == "cd") return change_folder(words, at + 1);
    if (name == "cat" || name == "black" || name == "isort" || name == "ruff" || name == "flake8" || name == "pylint" ||
        name == "mypy")
      return paths_of(words, at + 1);
    if (name == "mkdir" || name == "touch" || name == "cp" || name == "mv") return made_by(words, at + 1);
    if (program.starts_with("./") && !words[at].expands) return local_program(words, at);
    if (const auto script = console_script(program)) ledger_.hold();
  }

  static std::size_t after_assignments(const Words& words, std::size_t at) {
    while (at < words.size() && (contains(words[at].text, "=") || words[at].text.starts_with('-'))) ++at;
    return at;
  }

  [[nodiscard]] std::optional<Place> console_script(std::string_view name) const {
    for (const Project& project : facts_.tools.projects) {
      if (const auto found = project.scripts.find(name); found != project.scripts.end()) return found->second;
    }
    return std::nullopt;
  }

  // A file that a command needs.
  bool need(const Word& word) {
    if (word.expands || !session_.folder || word.text.starts_with('/') || word.text.starts_with('~')) return false;
    if (session_.made.contains(word.text)) return false;
    hold_path(facts_, page_, word.line, word.text, PathUse::kCommand, *session_.folder, ledger_);
    return true;
  }

  void python(const Words& words, std::size_t at) {
    while (at < words.size()) {
      const std::string& text = words[at].text;
      if (text == "-c" || text == "-") return;
      if (text == "-m") return at + 1 < words.size() ? module(words, at + 1) : void();
      if (text.starts_with('-')) {
        at += text == "-W" || text == "-X" ? 2u : 1u;
        continue;
      }
      return script(words, at);
    }
  }

  void module(const Words& words, std::size_t at) {
    const Word& word = words[at];
    if (word.expands) return;
    const std::string& name = word.text;
    if (name == "pytest") return hold_pytest(facts_, page_, session_, {words.begin() + at + 1, words.end()}, ledger_);
    if (name == "torch.distributed.run" || name == "torch.distributed.launch") return launcher(words, at + 1);
    if (name == "pip") return pip(words, at + 1);
    const program::ModuleId found = facts_.program.find_module(name);
    if (found.valid()) {
      ledger_.hold();
      return script_flags(words, at + 1, found);
    }
    const std::string root = name.substr(0, name.find('.'));
    const std::string path = replace_all(name, ".", "/");
    if (!facts_.names.is_own_root(root) || !contains(name, ".") || facts_.paths.has_folder(path) ||
        is_placeholder(name))
      return;
    const std::string sentence = sentence_at(page_, word.line, name);
    if (speaks_of_absence(sentence)) return;
    MissingPath missing;
    missing.finding = finding_at(page_, word.line, "playbook-command", Severity::kP1,
                                 fmt::format("there is no module `{}`", name), std::string(kWhyFails), "");
    missing.page = &page_;
    missing.path = path + ".py";
    missing.written = name;
    ledger_.accuse(std::move(missing));
  }

  // torchrun: options until the script; "-m" names a module.
  void launcher(const Words& words, std::size_t at) {
    static const std::set<std::string_view> kSwitches = {"--standalone", "--no-python", "--no_python",
                                                         "--run-path",   "--run_path",  "--virtual-local-rank"};
    while (at < words.size()) {
      const std::string& text = words[at].text;
      if (text == "-m" || text == "--module") return at + 1 < words.size() ? module(words, at + 1) : void();
      if (!text.starts_with('-')) {
        if (words[at].expands) {
          ++at;  // ${DISTRIBUTED_ARGS[@]}
          continue;
        }
        return script(words, at);
      }
      at += contains(text, "=") || kSwitches.contains(text) ? 1u : 2u;
    }
  }

  void script(const Words& words, std::size_t at) {
    const Word& word = words[at];
    if (!word.text.ends_with(".py") || !need(word)) return;
    const auto path = join_path(*session_.folder, word.text);
    program::ModuleId found = path ? facts_.program.find_path(*path) : program::ModuleId();
    if (!found.valid()) {
      const auto beside = join_path(folder_of(page_.path), word.text);
      if (beside) found = facts_.program.find_path(*beside);
    }
    if (found.valid()) script_flags(words, at + 1, found);
  }

  void script_flags(const Words& words, std::size_t at, program::ModuleId module) {
    const ScriptFlags known = facts_.options->of(module);
    for (; at < words.size(); ++at) {
      const Word& word = words[at];
      if (!word.text.starts_with("--") || word.text.size() < 3 || word.expands) continue;
      const std::string flag = word.text.substr(0, word.text.find('='));
      std::string name = flag.substr(2);
      std::replace(name.begin(), name.end(), '-', '_');
      // argparse takes an unambiguous beginning.
      const bool begins = std::any_of(known.flags.begin(), known.flags.end(),
                                      [&](const std::string& one) { return one.starts_with(flag); });
      const auto is_known = [&](std::string_view lead) {
        return name.starts_with(lead) && known.names.contains(name.substr(lead.size()));
      };
      const auto made = known.names.lower_bound(name);
      const bool begins_made = made != known.names.end() && made->starts_with(name);
      if (begins || begins_made || is_known("") || is_known("no_") || is_known("disable_")) {
        ledger_.hold();
      } else if (known.closed || (known.refuses && !contains(name, ".") && !stands(known, name))) {
        accuse_flag(word, flag, facts_.program.modules()[module].path, known);
      } else {
        hold_flag(facts_, page_, word.line, word.text, true, ledger_);
      }
    }
  }

  // "--no-x" and "--disable-x" may be made of x.
  [[nodiscard]] bool stands(const ScriptFlags& script, std::string_view name) {
    for (const std::string_view lead : {"no_", "disable_"}) {
      if (name.starts_with(lead) && stands_itself(script, name.substr(lead.size()))) return true;
    }
    return stands_itself(script, name);
  }

  // What stands nowhere in the repository stands nowhere in reach.
  [[nodiscard]] bool stands_itself(const ScriptFlags& script, std::string_view name) {
    if (!facts_.words.has(name)) return false;
    const std::string question = fmt::format("reach {} {}", script.reach.front().index(), name);
    return ledger_.answer(question, true, [&] { return facts_.options->stands_in_reach(script, name); });
  }

  void accuse_flag(const Word& word, const std::string& flag, const std::string& script, const ScriptFlags& known) {
    if (is_placeholder(flag) || facts_.introduced.contains(flag.substr(2))) return;
    if (speaks_of_absence(sentence_at(page_, word.line, flag))) return;
    const std::string nearest = ScriptOptions::nearest(flag, known.flags);
    // Flags that are made of fields are known by their names only.
    std::set<std::string> made;
    for (const std::string& name : known.names) made.insert("--" + replace_all(name, "_", "-"));
    const std::string made_nearest = nearest.empty() ? ScriptOptions::nearest(flag, made) : std::string();
    rules::Finding finding =
        finding_at(page_, word.line, "playbook-option", Severity::kP1, fmt::format("`{}` takes no `{}`", script, flag),
                   std::string(kWhyFails),
                   !nearest.empty()        ? fmt::format("the nearest flag is `{}`", nearest)
                   : !made_nearest.empty() ? fmt::format("the nearest name is that of `{}`", made_nearest)
                                           : "name a flag that its parser declares");
    finding.evidence.push_back(
        {known.parser.path, known.parser.line,
         known.closed ? "this parser declares all its flags itself and refuses others"
                      : "this parser refuses unknown flags, and nothing that the script imports holds the name"});
    if (!nearest.empty()) suggest(finding, page_, flag, nearest);
    ledger_.accuse(std::move(finding));
  }

  void local_program(const Words& words, std::size_t at) {
    if (!need(words[at])) return;
    // A wrapper's flags go on to some program of the repository.
    for (std::size_t i = at + 1; i < words.size(); ++i) {
      if (words[i].text.starts_with("--") && !words[i].expands)
        hold_flag(facts_, page_, words[i].line, words[i].text, true, ledger_);
    }
  }

  void shell_script(const Words& words, std::size_t at) {
    if (at < words.size() && words[at].text == "-c") return;
    while (at < words.size() && words[at].text.starts_with('-')) ++at;
    if (at < words.size() && contains(words[at].text, ".sh")) need(words[at]);
  }

  void change_folder(const Words& words, std::size_t at) {
    session_.folder.reset();
    if (at >= words.size() || words[at].expands) return;
    const std::string& text = words[at].text;
    const auto next = join_path("", text);
    if (next && !text.starts_with('/') && facts_.paths.has_folder(*next)) session_.folder = *next;
  }

  void made_by(const Words& words, std::size_t at) {
    for (; at < words.size(); ++at) session_.made.insert(words[at].text);
  }

  void paths_of(const Words& words, std::size_t at) {
    for (; at < words.size(); ++at) {
      if (words[at].text.starts_with('-') || !contains(words[at].text, "/")) continue;
      need(words[at]);
    }
  }

  void pip(const Words& words, std::size_t at) {
    if (at >= words.size() || words[at].text != "install") return;
    for (++at; at < words.size(); ++at) {
      const Word& word = words[at];
      if ((word.text == "-r" || word.text == "--requirement" || word.text == "-c") && at + 1 < words.size()) {
        requirements(words[++at]);
        continue;
      }
      if (word.text == "--group" && at + 1 < words.size()) {
        const Word& group = words[++at];
        const Project* project = session_.folder ? facts_.tools.project_in(*session_.folder) : nullptr;
        if (project != nullptr && !group.expands && !contains(group.text, ":"))
          member(group, group.text, project->groups, project->extras, "dependency group", "extra", false);
        continue;
      }
      extras(word);
    }
  }

  void requirements(const Word& word) {
    if (word.expands || !session_.folder || word.text.starts_with('/') || contains(word.text, ":")) return;
    const auto path = join_path(*session_.folder, word.text);
    if (path && facts_.paths.has(*path)) return ledger_.hold();
    if (session_.made.contains(word.text) || is_placeholder(word.text) || facts_.introduced.contains(word.text)) return;
    MissingPath missing;
    missing.finding = finding_at(page_, word.line, "playbook-command", Severity::kP1,
                                 fmt::format("there is no `{}`", path.value_or(word.text)), std::string(kWhyFails), "");
    missing.page = &page_;
    missing.path = path.value_or(word.text);
    missing.written = word.text;
    ledger_.accuse(std::move(missing));
  }

  // ".[dev,test]", "megatron-core[dev]"
  void extras(const Word& word) {
    const std::size_t open = word.text.find('['), close = word.text.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) return;
    const std::string target = word.text.substr(0, open);
    const Project* project = nullptr;
    if (target == "." || target.starts_with("./")) {
      const auto folder = join_path(session_.folder.value_or(""), target);
      if (folder) project = facts_.tools.project_in(*folder);
    } else {
      for (const Project& one : facts_.tools.projects) {
        if (!one.name.empty() && normalise_package(one.name) == normalise_package(target)) project = &one;
      }
    }
    if (project == nullptr) return;
    for (const std::string_view extra : split(std::string_view(word.text).substr(open + 1, close - open - 1), ','))
      member(word, trim(extra), project->extras, project->groups, "extra", "dependency group", project->open_ended);
  }

  void member(const Word& word, std::string_view name, const Named& known, const Named& other, std::string_view kind,
              std::string_view other_kind, bool open) {
    const auto same = [&](const auto& entry) { return normalise_package(entry.first) == normalise_package(name); };
    if (std::any_of(known.begin(), known.end(), same)) return ledger_.hold();
    if (open || name.empty() || is_placeholder(name) || name.find_first_of("<>{}$*") != std::string_view::npos) return;
    if (speaks_of_absence(sentence_at(page_, word.line, word.text))) return;
    std::vector<std::string> names;
    for (const auto& [one, place] : known) names.push_back(fmt::format("`{}`", one));
    rules::Finding finding =
        finding_at(page_, word.line, "playbook-command", Severity::kP1,
                   fmt::format("the project has no {} `{}`", kind, name), std::string(kWhyFails),
                   names.empty() ? fmt::format("the project declares no {}s", kind)
                                 : fmt::format("there {} {}", names.size() == 1 ? "is" : "are", join(names, ", ")));
    if (const auto found = std::find_if(other.begin(), other.end(), same); found != other.end()) {
      finding.fix = fmt::format("`{}` is an {} of the project, not a {}", name, other_kind, kind);
      if (other_kind == "dependency group")
        finding.fix = fmt::format("`{}` is a dependency group of the project, not an extra", name);
      finding.evidence.push_back({found->second.path, found->second.line, fmt::format("`{}` is declared here", name)});
    } else if (!known.empty()) {
      finding.evidence.push_back(
          {known.begin()->second.path, known.begin()->second.line, fmt::format("the {}s are declared here", kind)});
    }
    ledger_.accuse(std::move(finding));
  }

  void uv(const Words& words, std::size_t at) {
    const Project* project = session_.folder ? facts_.tools.project_in(*session_.folder) : nullptr;
    std::size_t next = at + 1;
    if (next >= words.size()) return;
    const std::string verb = words[next].text;
    if (verb == "pip") return pip(words, next + 1);
    if (verb != "run" && verb != "sync" && verb != "export") return;
    for (++next; next < words.size(); ++next) {
      const std::string& text = words[next].text;
      if (!text.starts_with('-')) break;
      const std::size_t equals = text.find('=');
      const std::string option = text.substr(0, equals);
      static const std::set<std::string_view> kGroups = {"--group", "--only-group", "--no-group"};
      const bool is_extra = option == "--extra" || option == "--no-extra", is_group = kGroups.contains(option);
      static const std::set<std::string_view> kValued = {
          "--extra", "--group",     "--only-group", "--no-group", "--no-extra",  "--with",   "--python",
          "-p",      "--directory", "--project",    "--env-file", "--index-url", "--package"};
      if (!kValued.contains(option) || (equals == std::string::npos && next + 1 >= words.size())) continue;
      Word value = words[equals == std::string::npos ? ++next : next];
      if (equals != std::string::npos) value.text = text.substr(equals + 1);
      if (project == nullptr || value.expands) continue;
      if (is_extra)
        member(value, value.text, project->extras, project->groups, "extra", "dependency group", project->open_ended);
      if (is_group) member(value, value.text, project->groups, project->extras, "dependency group", "extra", false);
    }
    if (verb == "run") run(words, next);
  }

  void make(const Words& words, std::size_t at) {
    std::optional<std::string> folder = session_.folder;
    for (; at < words.size(); ++at) {
      const Word& word = words[at];
      if (word.text == "-C" && at + 1 < words.size()) {
        folder = join_path(folder.value_or(""), words[++at].text);
        continue;
      }
      if (word.text.starts_with('-') || contains(word.text, "=") || word.expands || !folder) continue;
      const auto targets = facts_.tools.make_targets.find(*folder);
      if (targets == facts_.tools.make_targets.end()) {
        if (folder->empty()) no_makefile(word);
        return;
      }
      const bool pattern = std::any_of(targets->second.begin(), targets->second.end(), [](const auto& entry) {
        return contains(entry.first, "%") || contains(entry.first, "$");
      });
      if (targets->second.contains(word.text)) {
        ledger_.hold();
      } else if (!pattern && !is_placeholder(word.text)) {
        accuse(word, fmt::format("the Makefile has no target `{}`", word.text), "name a target that exists");
      }
    }
  }

  // At the root. Other build tools write Makefiles, and the reader may mean one further down that has the target.
  void no_makefile(const Word& word) {
    for (const std::string_view source :
         {"CMakeLists.txt", "configure", "configure.ac", "Makefile.am", "meson.build"}) {
      if (facts_.paths.has_file(source)) return;
    }
    for (const auto& [folder, targets] : facts_.tools.make_targets) {
      if (targets.contains(word.text) || folder == folder_of(page_.path)) return;
    }
    const std::string sentence = sentence_at(page_, word.line, word.text);
    if (is_placeholder(word.text) || contains(sentence, "no makefile") || speaks_of_elsewhere(sentence)) return;
    accuse(word, fmt::format("there is no Makefile for `make {}`", word.text), "name the command that does it");
  }

  void no_package(const Word& word) {
    const bool any = !facts_.paths.ending_in("package.json").empty();
    const std::string sentence = sentence_at(page_, word.line, word.text);
    if (any || is_placeholder(word.text) || contains(sentence, "no package.json") || speaks_of_elsewhere(sentence))
      return;
    accuse(word, fmt::format("there is no package.json for `npm run {}`", word.text), "name the command that does it");
  }

  void accuse(const Word& word, std::string message, std::string fix) {
    if (speaks_of_absence(sentence_at(page_, word.line, word.text))) return;
    ledger_.accuse(finding_at(page_, word.line, "playbook-command", Severity::kP1, std::move(message),
                              std::string(kWhyFails), std::move(fix)));
  }

  void npm(const Words& words, std::size_t at) {
    if (at + 1 >= words.size() || words[at].text != "run" || words[at + 1].expands || !session_.folder) return;
    const auto scripts = facts_.tools.npm_scripts.find(*session_.folder);
    if (scripts == facts_.tools.npm_scripts.end()) return no_package(words[at + 1]);
    if (scripts->second.contains(words[at + 1].text)) return ledger_.hold();
    accuse(words[at + 1], fmt::format("package.json has no script `{}`", words[at + 1].text),
           "name a script that exists");
  }

  void pre_commit(const Words& words, std::size_t at) {
    if (!facts_.tools.has_pre_commit) {
      if (at < words.size())
        accuse(words[at], "there is no `.pre-commit-config.yaml`", "drop the line, or add the configuration");
      return;
    }
    ledger_.hold();
    if (at + 1 >= words.size() || words[at].text != "run" || words[at + 1].text.starts_with('-') ||
        words[at + 1].expands)
      return;
    const std::string& hook = words[at + 1].text;
    if (facts_.tools.hooks.contains(hook)) return ledger_.hold();
    accuse(words[at + 1], fmt::format("pre-commit has no hook `{}`", hook), "name a hook of `.pre-commit-config.yaml`");
  }

  void tox(const Words& words, std::size_t at) {
    for (; at + 1 < words.size(); ++at) {
      if (words[at].text != "-e" || words[at + 1].expands) continue;
      const std::string& name = words[at + 1].text;
      if (facts_.tools.tox_environments.contains(name)) return ledger_.hold();
      if (facts_.paths.has_file("tox.ini") && !name.starts_with("py"))
        accuse(words[at + 1], fmt::format("tox.ini has no environment `{}`", name), "name one that exists");
      return;
    }
  }

  const Facts& facts_;
  const Page& page_;
  Ledger& ledger_;
  Session& session_;
};

bool is_shell(const CodeBlock& block) {
  static const std::set<std::string_view> kShells = {"bash", "sh", "shell", "console", "zsh", "shell-session"};
  if (kShells.contains(block.language)) return true;
  if (!block.language.empty()) return false;
  // Without a language: a block whose first line runs something we know.
  for (const CodeLine& line : block.lines) {
    if (trim(line.text).empty()) continue;
    return is_command(line.text);
  }
  return false;
}

}  // namespace

bool is_command(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(trim(text), ' ')) {
    if (!word.empty() && !(words.empty() && contains(word, "="))) words.push_back(word);
  }
  if (words.size() >= 2 && words[0] == "$") words.erase(words.begin());
  if (words.empty() || !is_known_program(words[0])) return false;
  return words.size() >= 2 || words[0].starts_with("./");
}

void check_commands(const Facts& facts, const Page& page, Ledger& ledger) {
  for (const CodeBlock& block : page.blocks) {
    if (!is_shell(block)) continue;
    Session session;
    session.is_block = true;
    Holder holder(facts, page, ledger, session);
    for (const Command& command : parse_shell(block.lines)) holder.command(command);
  }
  for (const CodeSpan& code : page.codes) {
    if (code.in_link) continue;
    // "`--group dev`" is said of the package manager that the repository uses.
    const bool of_uv =
        (code.text.starts_with("--group ") || code.text.starts_with("--extra ")) && facts.paths.has_file("uv.lock");
    if (code.text.find("::") != std::string::npos && !is_command(code.text)) hold_node_id(facts, page, code, ledger);
    if (!of_uv && !is_command(code.text)) continue;
    Session session;
    Holder holder(facts, page, ledger, session);
    const std::string text = of_uv ? "uv sync " + code.text : code.text;
    for (const Command& command : parse_shell({{text, code.line}})) holder.command(command);
  }
}

}  // namespace lockstep::playbook
