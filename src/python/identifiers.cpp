#include "python/identifiers.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace lockstep::python {

namespace {

// Other_ID_Start and Other_ID_Continue of Unicode's PropList.txt: what identifiers kept from older versions.
constexpr std::array<utf8proc_int32_t, 6> kOtherStart = {0x1885, 0x1886, 0x2118, 0x212e, 0x309b, 0x309c};
bool is_other_continue(utf8proc_int32_t c) {
  return c == 0x00b7 || c == 0x0387 || (c >= 0x1369 && c <= 0x1371) || c == 0x19da;
}

bool is_id_start(utf8proc_int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
      return true;
    default:
      return c == '_' || std::find(kOtherStart.begin(), kOtherStart.end(), c) != kOtherStart.end();
  }
}

bool is_id_continue(utf8proc_int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return is_id_start(c) || is_other_continue(c);
  }
}

// XID_Start / XID_Continue are ID_Start / ID_Continue closed under NFKC: the normal form of the character must itself
// be an identifier, or the continuation of one.
bool is_xid(utf8proc_int32_t c, bool at_start) {
  if (c < 0x80) return is_id_continue(c) && (!at_start || is_id_start(c));
  if (at_start ? !is_id_start(c) : !is_id_continue(c)) return false;
  std::array<utf8proc_int32_t, 32> normal{};
  int boundary = 0;
  const utf8proc_ssize_t size = utf8proc_decompose_char(
      c, normal.data(), normal.size(), static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE), &boundary);
  if (size <= 0 || size > static_cast<utf8proc_ssize_t>(normal.size())) return false;
  for (utf8proc_ssize_t i = 0; i < size; ++i) {
    const utf8proc_int32_t part = normal[static_cast<std::size_t>(i)];
    if (at_start && i == 0 ? !is_id_start(part) : !is_id_continue(part)) return false;
  }
  return true;
}

}  // namespace

std::size_t identifier_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    utf8proc_int32_t c = 0;
    const utf8proc_ssize_t size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                         static_cast<utf8proc_ssize_t>(std::min<std::size_t>(text.size() - at, 4)), &c);
    if (size <= 0 || !is_xid(c, at == 0)) break;
    at += static_cast<std::size_t>(size);
  }
  return at;
}

std::string normalize_identifier(std::string_view name) {
  utf8proc_uint8_t* normal = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()), static_cast<utf8proc_ssize_t>(name.size()),
                   &normal, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT));
  if (size < 0) return std::string(name);
  std::string result(reinterpret_cast<const char*>(normal), static_cast<std::size_t>(size));
  std::free(normal);
  return result;
}

}  // namespace lockstep::python
