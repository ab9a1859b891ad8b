// Small text helpers without a domain.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

std::vector<std::string_view> split(std::string_view text, char separator);
/// Lines without their terminators ("\n", "\r\n"); no empty last line for a final terminator.
std::vector<std::string_view> split_lines(std::string_view text);
std::string_view trim(std::string_view text);
/// The first `max_bytes` bytes of UTF-8 text at most, never ending inside a character; the whole text where it fits.
std::string_view cut_at_character(std::string_view text, std::size_t max_bytes);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
std::string to_lower(std::string_view text);
bool contains(std::string_view text, std::string_view part);
/// Glob match of a whole path: `*` within one component, `**` across components, `?` one character.
bool glob_match(std::string_view pattern, std::string_view path);
/// Levenshtein distance, giving up above `limit` (returns limit + 1).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);
/// "1 file", "2 files".
std::string count_of(std::size_t count, std::string_view singular, std::string_view plural = {});

}  // namespace lockstep
