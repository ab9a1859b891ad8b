#include "repo/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <vector>

#include "base/strings.h"
#include "text/source.h"

namespace lockstep::repo {
namespace {

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "+0200" → seconds east of UTC.
std::optional<int> zone_seconds(std::string_view zone) {
  if (zone == "GMT" || zone == "UTC" || zone == "Z") return 0;
  if (zone.size() != 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const auto hours = number(zone.substr(1, 2)), minutes = number(zone.substr(3, 2));
  if (!hours || !minutes || *hours > 24 || *minutes > 59) return std::nullopt;
  return (zone[0] == '-' ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

}  // namespace

std::string to_utf8(std::string_view bytes) {
  if (is_valid_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_sequence_length(bytes, at);
    text += length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

MessageParts split_message(std::string_view message) {
  const std::vector<std::string_view> lines = split_lines(message);
  MessageParts parts;
  std::size_t at = 0;
  while (at < lines.size() && trim(lines[at]).empty()) ++at;
  for (; at < lines.size() && !trim(lines[at]).empty(); ++at) {
    if (!parts.subject.empty()) parts.subject += ' ';
    parts.subject += trim(lines[at]);
  }
  while (at < lines.size() && trim(lines[at]).empty()) ++at;
  std::size_t end = lines.size();
  while (end > at && trim(lines[end - 1]).empty()) --end;
  for (; at < end; ++at) {
    if (!parts.body.empty()) parts.body += '\n';
    parts.body += lines[at];
  }
  return parts;
}

std::string iso_date(std::int64_t seconds) {
  // Years 0 to 9999; a hostile commit may claim anything.
  constexpr std::int64_t kFirst = -62'167'219'200, kLast = 253'402'300'799;
  const std::chrono::sys_seconds time{std::chrono::seconds(std::clamp(seconds, kFirst, kLast))};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::optional<std::string> iso_date_of_mail(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::vector<std::string_view> words = words_of(trim(text));
  if (!words.empty() && words[0].ends_with(',')) words.erase(words.begin());  // The day of the week.
  if (words.size() < 4) return std::nullopt;
  const auto day = number(words[0]), year = number(words[2]);
  const auto month = std::find(kMonths.begin(), kMonths.end(), words[1]);
  const std::vector<std::string_view> clock = split(words[3], ':');
  if (!day || !year || month == kMonths.end() || clock.size() != 3) return std::nullopt;
  const auto hours = number(clock[0]), minutes = number(clock[1]), seconds = number(clock[2]);
  const std::optional<int> zone = words.size() > 4 ? zone_seconds(words[4]) : 0;
  if (!hours || !minutes || !seconds || !zone) return std::nullopt;
  if (*year < 1900 || *year > 9999 || *hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  if (*hours < 0 || *minutes < 0 || *seconds < 0 || *day < 1 || *day > 31) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return iso_date(days * 86400 + *hours * 3600 + *minutes * 60 + *seconds - *zone);
}

}  // namespace lockstep::repo
