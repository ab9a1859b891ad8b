#include "repo/patch_message.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/strings.h"
#include "repo/message.h"

namespace lockstep::repo {
namespace {

constexpr std::size_t kMaxMessageBytes = 1u << 20;  // Longer texts are cut: nobody reads them.

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

// "From <40 hex digits> Mon Sep 17 00:00:00 2001", or another mailbox's "From someone@… <date>".
bool is_mailbox_line(std::string_view line) {
  if (!line.starts_with("From ")) return false;
  const std::string_view rest = line.substr(5);
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view who = rest.substr(0, space);
  return (who.size() == 40 && is_hex(who)) || (contains(who, "@") && contains(rest, ":"));
}

// "commit <40 hex digits>", with decorations after it.
bool is_show_line(std::string_view line) {
  return line.starts_with("commit ") && line.size() >= 47 && is_hex(line.substr(7, 40)) &&
         (line.size() == 47 || line[47] == ' ');
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decode_q(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '=' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      bytes += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      bytes += text[i] == '_' ? ' ' : text[i];
    }
  }
  return bytes;
}

std::string decode_b(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;  // '=' ends it.
    buffer = (buffer << 6 | static_cast<unsigned>(digit)) & 0xffffffu;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((buffer >> bits) & 0xffu);
  }
  return bytes;
}

// RFC 2047: "=?UTF-8?q?J=C3=B6rg?=" in header values; white space between two encoded words does not count.
std::string decode_header(std::string_view text) {
  std::string decoded;
  bool after_encoded = false;
  while (!text.empty()) {
    const std::size_t start = text.find("=?");
    const std::string_view plain = text.substr(0, start);
    const std::size_t charset_end = start == std::string_view::npos ? start : text.find('?', start + 2);
    const std::size_t end = charset_end == std::string_view::npos ? charset_end : text.find("?=", charset_end + 3);
    if (end == std::string_view::npos || text[charset_end + 2] != '?') {
      decoded += text;
      break;
    }
    if (!after_encoded || !trim(plain).empty()) decoded += plain;
    const std::string charset = to_lower(text.substr(start + 2, charset_end - start - 2));
    const char encoding = text[charset_end + 1];
    const std::string_view payload = text.substr(charset_end + 3, end - charset_end - 3);
    const std::string bytes = encoding == 'b' || encoding == 'B' ? decode_b(payload) : decode_q(payload);
    decoded += charset == "iso-8859-1" ? latin1_to_utf8(bytes) : bytes;
    after_encoded = true;
    text.remove_prefix(end + 2);
  }
  return to_utf8(decoded);
}

// "[PATCH v2 1/3] [fix] Say it" → "[fix] Say it": groups that speak of the mail go, the author's own stay.
std::string_view without_patch_tags(std::string_view subject) {
  while (true) {
    subject = trim(subject);
    if (subject.starts_with("Re: ")) {
      subject.remove_prefix(4);
      continue;
    }
    const std::size_t close = subject.find(']');
    if (!subject.starts_with('[') || close == std::string_view::npos) return subject;
    const std::string tag = to_lower(subject.substr(1, close - 1));
    if (!contains(tag, "patch") && !contains(tag, "rfc")) return subject;
    subject.remove_prefix(close + 1);
  }
}

struct MailHeader {
  std::string subject, author, date, encoding;
};

// Up to the blank line that ends it.
MailHeader read_mail_header(PatchLines& lines) {
  MailHeader header;
  std::string* current = nullptr;
  for (; !lines.at_end() && !lines.line().empty(); lines.advance()) {
    const std::string_view line = lines.line();
    if (line.starts_with(' ') || line.starts_with('\t')) {  // Goes on with the field above.
      if (current != nullptr && current->size() < kMaxMessageBytes) current->append(" ").append(trim(line));
      continue;
    }
    current = nullptr;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name = to_lower(line.substr(0, colon));
    if (name == "subject") current = &header.subject;
    if (name == "from") current = &header.author;
    if (name == "date") current = &header.date;
    if (name == "content-transfer-encoding") current = &header.encoding;
    if (current != nullptr) *current = trim(line.substr(colon + 1)).substr(0, kMaxMessageBytes);
  }
  return header;
}

void append_line(std::string& text, std::string_view line) {
  if (text.size() < kMaxMessageBytes) text.append(line).append("\n");
}

std::string without_outer_blank_lines(std::string_view text) { return split_message("x\n\n" + std::string(text)).body; }

Result<PatchMessage> read_mail(PatchLines& lines) {
  if (is_mailbox_line(lines.line())) lines.advance();
  const std::size_t first_line = lines.number();
  const MailHeader header = read_mail_header(lines);
  const std::string encoding = to_lower(header.encoding);
  if (encoding == "base64" || encoding == "quoted-printable") {
    return fail(fmt::format("the mail at line {} is encoded as {}, so its patch cannot be read as it stands",
                            first_line, encoding),
                "use the file that `git format-patch` wrote, or decode the mail with `git mailinfo`");
  }
  PatchMessage message;
  message.subject = without_patch_tags(decode_header(header.subject));
  message.author = decode_header(header.author);
  message.date = iso_date_of_mail(header.date).value_or("");
  std::string body;
  bool has_text = false;
  for (; !lines.at_end() && lines.line() != "---" && !starts_diff(lines) && !is_mailbox_line(lines.line());
       lines.advance()) {
    // A first line "From: …" names the real author of a mail that somebody else sent.
    if (!has_text && lines.line().starts_with("From: ")) {
      message.author = decode_header(lines.line().substr(6));
    } else {
      append_line(body, lines.line());
    }
    has_text = has_text || !lines.line().empty();
  }
  message.body = without_outer_blank_lines(to_utf8(body));
  return message;
}

// "Fri May 31 11:30:00 2024 +0200", as `git show` prints dates, in a mail's order.
std::string show_date(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() != 6) return "";
  return iso_date_of_mail(fmt::format("{} {} {} {} {}", words[2], words[1], words[4], words[3], words[5])).value_or("");
}

PatchMessage read_show(PatchLines& lines) {
  PatchMessage message;
  for (lines.advance(); !lines.at_end() && !lines.line().empty(); lines.advance()) {
    const std::string_view line = lines.line();
    if (line.starts_with("Author:")) message.author = to_utf8(trim(line.substr(7)));
    if (line.starts_with("Date:")) message.date = show_date(trim(line.substr(5)));
  }
  std::string text;
  for (; !lines.at_end() && (lines.line().empty() || lines.line().starts_with("    ")); lines.advance()) {
    append_line(text, lines.line().substr(lines.line().empty() ? 0 : 4));
  }
  MessageParts parts = split_message(to_utf8(text));
  message.subject = std::move(parts.subject);
  message.body = std::move(parts.body);
  return message;
}

}  // namespace

bool starts_message(const PatchLines& lines) {
  const std::string_view line = lines.line();
  if (is_mailbox_line(line) || is_show_line(line)) return true;
  // A mail without a mailbox line: only at the top, so that a message's own text does not count.
  return lines.number() == 1 && (line.starts_with("From: ") || line.starts_with("Subject: "));
}

Result<PatchMessage> read_message(PatchLines& lines) {
  if (is_show_line(lines.line())) return read_show(lines);
  return read_mail(lines);
}

bool starts_diff(const PatchLines& lines) {
  const std::string_view line = lines.line();
  if (line.starts_with("diff --git ") || line.starts_with("diff --cc ") || line.starts_with("diff --combined ")) {
    return true;
  }
  return line.starts_with("--- ") && lines.ahead(1).starts_with("+++ ") && lines.ahead(2).starts_with("@@ -");
}

}  // namespace lockstep::repo
