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
    {"No longer passed, it is {}, the default; {} goes into {} now", "不再传入，它取默认值 {1}；现在 {2} 计入 {3}"},
    {"Of what calls {}, {} gives it as {}; where it is left out, {} goes on, as before",
     "在 {1} 的调用处中，{2} 传入 {3}；未传入时与以前一样为 {4}"},
    {"Of what calls {}, {} gives it as {} and {} gives it as {}; where it is left out, {} goes on, as before",
     "在 {1} 的调用处中，{2} 传入 {3}，{4} 传入 {5}；未传入时与以前一样为 {6}"},
    {"Of what calls {}, {} gives it as {}, {} gives it as {} and {n} more calls give it; where it is left out, {} goes "
     "on, as before",
     "在 {1} 的调用处中，{2} 传入 {3}，{4} 传入 {5}，另有 {6} 处传入；未传入时与以前一样为 {7}"},
    {"Of what calls {}, {} gives it as {}, {} gives it as {} and {n} more call gives it; where it is left out, {} goes "
     "on, as before",
     "在 {1} 的调用处中，{2} 传入 {3}，{4} 传入 {5}，另有 {6} 处传入；未传入时与以前一样为 {7}"},
    {"It goes into what they set {l} to", "它计入 {1} 的取值"},
    {"What changes in {} counts only when {c}", "{1} 中的改动只在以下条件下起作用：{2}"},
    {"The argument {} has no {} any more, which was {}", "参数 {1} 不再有 {2}（此前为 {3}）"},
    {"The argument {} gets {} as its {}", "参数 {1} 的 {3} 设为 {2}"},
    {"The {} of the argument {} changes from {} to {}", "参数 {2} 的 {1} 由 {3} 变为 {4}"},
    {"Existing command lines are parsed by it", "现有命令行按它解析"},
    {"the documentation of {} of {} ({})", "{2} 对 {1} 的文档说明（{3}）"},
    {"its file imports no code of the repository", "该文件不导入仓库中的任何代码"},
    {"its file imports no code of the repository and defines {} ({}) itself",
     "该文件不导入仓库中的任何代码，{1}（{2}）由它自己定义"},
    {"replaces the masked values by {}", "将被掩码的值替换为 {1}"},
    {"which replaces the masked values by {}", "将被掩码的值替换为 {1}"},
    {"replaces the masked values by {} in place", "就地将被掩码的值替换为 {1}"},
    {"which replaces the masked values by {} in place", "就地将被掩码的值替换为 {1}"},
    {"sets {} without the entry {}", "设置 {1}，不含条目 {2}"},
    {"sets {} without the entries {l}", "设置 {1}，不含条目 {2}"},
    {"sets {} without {l}", "设置 {1}，不含 {2}"},
    {"calls {} without {l}", "调用 {1}，不传 {2}"},
    {"{} newly checks what it is given", "{1} 新检查输入"},
    {"refused when {c}", "以下情形被拒绝：{1}"},
    {"{} newly checks what it is given: {c}", "{1} 新检查输入：{2}"},
    {"deletes the local name {}, right before the return, which lets go of it anyway",
     "删除局部名 {1}，紧挨在返回之前，返回时本来就会释放它们"},
    {"deletes the local names {l}, right before the return, which lets go of them anyway",
     "删除局部名 {1}，紧挨在返回之前，返回时本来就会释放它们"},
    {"Callers before what they call, as far as the call graph shows it", "按调用图所示先调用者后被调用者"},
    {"The setter of {}, through which it goes now, raises {} when {c}", "现经由 {1} 的 setter，当 {3} 时抛出 {2}"},
};

}  // namespace

std::span<const Sentence> catalogue_zh_edits() { return kSentences; }

}  // namespace lockstep::report
