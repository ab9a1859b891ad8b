// YAML by libyaml's events, which costs no recursion in the parser and does not expand aliases.
#include <yaml.h>

#include <string>

#include "playbook/value.h"

namespace lockstep::playbook {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxNodes = 200'000;

/// A collection that is still open, and the key that waits for its value.
struct Open {
  Value value;
  std::string key;
  bool has_key = false;
};

class Loader {
 public:
  explicit Loader(std::string_view text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  ~Loader() { yaml_parser_delete(&parser_); }

  Value load() {
    for (;;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0) return {};
      const bool more = take(event);
      yaml_event_delete(&event);
      if (!more) return done_ ? std::move(root_) : Value{};
    }
  }

 private:
  // False at the end, or where a bound is reached.
  bool take(const yaml_event_t& event) {
    const auto line = static_cast<std::uint32_t>(event.start_mark.line);
    if (++nodes_ > kMaxNodes) return false;
    switch (event.type) {
      case YAML_SCALAR_EVENT: {
        Value value;
        value.kind = Value::Kind::kScalar;
        value.scalar.assign(reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length);
        value.line = line;
        return put(std::move(value));
      }
      case YAML_ALIAS_EVENT:
        return put({});
      case YAML_SEQUENCE_START_EVENT:
      case YAML_MAPPING_START_EVENT: {
        if (stack_.size() >= kMaxDepth) return false;
        Open open;
        open.value.kind = event.type == YAML_MAPPING_START_EVENT ? Value::Kind::kMap : Value::Kind::kList;
        open.value.line = line;
        stack_.push_back(std::move(open));
        return true;
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: {
        Value value = std::move(stack_.back().value);
        stack_.pop_back();
        return put(std::move(value));
      }
      case YAML_DOCUMENT_END_EVENT:
      case YAML_STREAM_END_EVENT:
        done_ = true;
        return false;
      default:
        return true;
    }
  }

  bool put(Value value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Open& open = stack_.back();
    if (open.value.kind == Value::Kind::kList) {
      open.value.items.push_back(std::move(value));
    } else if (!open.has_key) {
      open.key = value.scalar;
      open.has_key = true;
    } else {
      open.value.members.push_back({std::move(open.key), std::move(value)});
      open.has_key = false;
    }
    return true;
  }

  yaml_parser_t parser_{};
  std::vector<Open> stack_;
  Value root_;
  std::size_t nodes_ = 0;
  bool done_ = false;
};

}  // namespace

Value parse_yaml(std::string_view text) {
  if (text.size() > kMaxConfigBytes) return {};
  return Loader(text).load();
}

}  // namespace lockstep::playbook
