// What the files of a program hold under a name: a file is walked when a name that it holds is first asked for, and
// then for all of its names.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "program/queries.h"

namespace lockstep::report {

/// `Row`: what stands at one place. For `Program::derived`.
template <class Row>
class NamedRows {
 public:
  explicit NamedRows(const program::Program& program) : files_(std::make_unique<File[]>(program.modules().size())) {}

  /// The rows of the name outside tests, in the order of the files. `read(module, add)` walks one file, and calls
  /// `add(name, row)` for each row that it finds, in the order of their lines.
  template <class Read>
  [[nodiscard]] std::vector<Row> of(const program::Program& program, std::string_view name, const Read& read) const {
    std::vector<Row> out;
    for (std::size_t i = 0; i < program.modules().size(); ++i) {
      const program::ModuleId module(i);
      const program::Module& row = program.modules()[module];
      if (!row.facts->has_name(name) || program::is_test_path(row.path)) continue;
      File& file = files_[i];
      std::call_once(file.once, [&] {
        read(module, [&](std::string_view one, const Row& found) { file.rows[one].push_back(found); });
      });
      if (const auto at = file.rows.find(name); at != file.rows.end())
        out.insert(out.end(), at->second.begin(), at->second.end());
    }
    return out;
  }

 private:
  struct File {
    std::once_flag once;
    std::unordered_map<std::string_view, std::vector<Row>> rows;
  };
  std::unique_ptr<File[]> files_;
};

}  // namespace lockstep::report
