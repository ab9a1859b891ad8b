// English to Chinese: edits that a function follows elsewhere, and what stood under which condition before. See
// language.h for the holes.
#include "report/language/language.h"

namespace lockstep::report {

namespace {

constexpr Sentence kSentences[] = {
    {"{} is set through it now by {l}, which set {} itself before", "现由 {2} 通过它设置 {1}，此前它们直接设置 {3}"},
    {"formerly when {c}", "此前条件：{1}"},
    {"formerly only when {c}", "此前仅当 {1}"},
    {"formerly always", "此前无条件"},
    {"sets {l} by {} at {n} places, where it set these attributes of {} itself",
     "在 {3} 处通过 {2} 设置 {1}，此前直接设置 {4} 的这些属性"},
    {"sets {} by {} at {n} places, where it set this attribute of {} itself",
     "在 {3} 处通过 {2} 设置 {1}，此前直接设置 {4} 的该属性"},
    {"The setter of {}, through which it goes now, raises {} when {c}", "现经由 {1} 的 setter，当 {3} 时抛出 {2}"},
};

}  // namespace

std::span<const Sentence> catalogue_zh_edits() { return kSentences; }

}  // namespace lockstep::report
