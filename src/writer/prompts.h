// What a model is told (src/writer/prompts/*.md), in our own words and versioned: each file begins with "version: N".
// `lockstep prompts` shows them; documents say which ones they were written with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::writer {

/// A file of src/writer/prompts/ by its name without the extension, first line and all; empty where there is none.
std::string_view prompt_text(std::string_view name);

struct Prompt {
  std::string_view name;
  int version = 0;
  std::string_view text;  ///< Without the line that says the version; holes read "{{name}}".
};

/// In the order in which a document uses them.
std::span<const std::string_view> prompt_names();
/// `name` must be one of them.
Prompt find_prompt(std::string_view name);
/// The text with its holes filled; every hole must be given.
std::string filled_prompt(std::string_view name,
                          const std::vector<std::pair<std::string_view, std::string>>& holes = {});

/// "system v1": what a document says that it was written with.
std::string prompt_id(std::string_view name);

/// "system   v1  You write one section of …", one line each.
std::string prompt_list();

}  // namespace lockstep::writer
