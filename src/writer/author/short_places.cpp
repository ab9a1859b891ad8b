#include "writer/author/short_places.h"

#include "base/strings.h"
#include "report/file_name.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

/// Each text in single back-quotes goes through `change`.
template <class Change>
std::string with_spans(std::string_view text, Change change) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open + 1);
    out += change(text.substr(open + 1, close - open - 1));
    out += '`';
    text.remove_prefix(close + 1);
  }
  return out + std::string(text);
}

}  // namespace

std::string ShortPlaces::operator()(std::string_view sentence) {
  return with_spans(sentence, [&](std::string_view span) { return shortened(span); });
}

std::string ShortPlaces::shortened(std::string_view span) {
  const auto place = place_of_text(span);
  if (!place || place->first == 0 || !contains(place->path, "/") || !span.starts_with(place->path))
    return std::string(span);
  if (place->path == own_) return std::string(span);
  if (named_.insert(place->path).second) return std::string(span);
  const std::string name = report::file_name(place->path);
  return sides_.files_named(name).size() == 1 ? name + std::string(span.substr(place->path.size())) : std::string(span);
}

}  // namespace lockstep::writer
