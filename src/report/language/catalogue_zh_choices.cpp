// English to Chinese: alternatives that a change puts before others. See language.h for the holes.
#include "report/language/language.h"

namespace lockstep::report {

namespace {

constexpr Sentence kSentences[] = {
    {"calls {} in place of {} (where {c}, too) or {}", "调用 {1}，取代 {2}（若同时 {3}）或{4}"},
    {"calls {} in place of {} (where {c}, too), {} (where {c}, too) or {}",
     "调用 {1}，取代 {2}（若同时 {3}）、{4}（若同时 {5}）或{6}"},
    {"calls {} in place of {} (where {c}, too)", "调用 {1}，取代 {2}（若同时 {3}）"},
    {"calls {} in place of {} (where {c}, too) or {} (where {c}, too)",
     "调用 {1}，取代 {2}（若同时 {3}）或{4}（若同时 {5}）"},
    {"calls {} in place of {} (where {c}, too), {} (where {c}, too) or {} (where {c}, too)",
     "调用 {1}，取代 {2}（若同时 {3}）、{4}（若同时 {5}）或{6}（若同时 {7}）"},
    {"calls {} instead of raising {}", "调用 {1}，取代 抛出 {2}"},
    {"calls {} instead of {} (where {c}, too) or raising {}", "调用 {1}，取代 {2}（若同时 {3}）或抛出 {4}"},
    {"calls {} instead of {} (where {c}, too), {} (where {c}, too) or raising {}",
     "调用 {1}，取代 {2}（若同时 {3}）、{4}（若同时 {5}）或抛出 {6}"},
    {"sets {} to {} in place of {} (where {c}, too) or {}", "把 {1} 设为 {2}，取代 {3}（若同时 {4}）或{5}"},
    {"sets {} to {} in place of {} (where {c}, too), {} (where {c}, too) or {}",
     "把 {1} 设为 {2}，取代 {3}（若同时 {4}）、{5}（若同时 {6}）或{7}"},
    {"sets {} to {} in place of {} (where {c}, too)", "把 {1} 设为 {2}，取代 {3}（若同时 {4}）"},
    {"sets {} to {} in place of {} (where {c}, too) or {} (where {c}, too)",
     "把 {1} 设为 {2}，取代 {3}（若同时 {4}）或{5}（若同时 {6}）"},
    {"sets {} to {} in place of {} (where {c}, too), {} (where {c}, too) or {} (where {c}, too)",
     "把 {1} 设为 {2}，取代 {3}（若同时 {4}）、{5}（若同时 {6}）或{7}（若同时 {8}）"},
    {"sets {} to {} instead of raising {}", "把 {1} 设为 {2}，取代 抛出 {3}"},
    {"sets {} to {} instead of {} (where {c}, too) or raising {}", "把 {1} 设为 {2}，取代 {3}（若同时 {4}）或抛出 {5}"},
    {"sets {} to {} instead of {} (where {c}, too), {} (where {c}, too) or raising {}",
     "把 {1} 设为 {2}，取代 {3}（若同时 {4}）、{5}（若同时 {6}）或抛出 {7}"},
    {"returns {} in place of {}", "返回 {1}，取代 {2}"},
    {"returns {} in place of {} (where {c}, too) or {}", "返回 {1}，取代 {2}（若同时 {3}）或{4}"},
    {"returns {} in place of {} (where {c}, too), {} (where {c}, too) or {}",
     "返回 {1}，取代 {2}（若同时 {3}）、{4}（若同时 {5}）或{6}"},
    {"returns {} in place of {} (where {c}, too)", "返回 {1}，取代 {2}（若同时 {3}）"},
    {"returns {} in place of {} (where {c}, too) or {} (where {c}, too)",
     "返回 {1}，取代 {2}（若同时 {3}）或{4}（若同时 {5}）"},
    {"returns {} in place of {} (where {c}, too), {} (where {c}, too) or {} (where {c}, too)",
     "返回 {1}，取代 {2}（若同时 {3}）、{4}（若同时 {5}）或{6}（若同时 {7}）"},
    {"returns {} instead of raising {}", "返回 {1}，取代 抛出 {2}"},
    {"returns {} instead of {} (where {c}, too) or raising {}", "返回 {1}，取代 {2}（若同时 {3}）或抛出 {4}"},
    {"returns {} instead of {} (where {c}, too), {} (where {c}, too) or raising {}",
     "返回 {1}，取代 {2}（若同时 {3}）、{4}（若同时 {5}）或抛出 {6}"},
    {"Condition, in the order asked", "条件（按检查顺序）"},
    {"not asked", "此前不检查"},
    {"as before", "与以前相同"},
    {"the same, other steps beside it differ", "相同，旁边的其他步骤不同"},
    {"The first alternative of which the condition holds is taken ({})", "取第一个条件成立的分支（{1}）"},
    {"Where {c}, the first alternative of which the condition holds is taken ({})",
     "当 {1} 时，取第一个条件成立的分支（{2}）"},
    {"calls {} ({})", "调用 {1}（{2}）"},
    {"{} gets {}, where {l} gets {}", "{1} 得到 {2}，而 {3} 得到 {4}"},
    {"{} gets {}, where {l} get {}", "{1} 得到 {2}，而 {3} 得到 {4}"},
    {"{} is called only where {c} (an assertion, {})", "仅当 {2} 时才调用 {1}（断言，{3}）"},
    {"{}, which is taken before it now, is called in either case", "现在先于它被选用的 {1} 在两种情况下都会调用"},
    {"Is that right", "这样对吗"},
    {"also accepts that {c}, where it insisted that {c}", "也接受 {1}，此前断言 {2}"},
    {"an assertion accepts more", "一处断言接受的情况更多"},
    {"No public signature, declared default, setting or state_dict function changes; an assertion accepts more",
     "公开签名、默认值、设置与 state_dict 函数均无变化；一处断言接受的情况更多"},
    {"{} where {l} can be imported, else {}", "若能导入 {2} 则为 {1}，否则为 {3}"},
};

}  // namespace

std::span<const Sentence> catalogue_zh_choices() { return kSentences; }

}  // namespace lockstep::report
