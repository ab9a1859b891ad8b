// English to Chinese: questions on what a change may break. See language.h for the holes.
#include "report/language/language.h"

namespace lockstep::report {

namespace {

constexpr Sentence kSentences[] = {
    {"{} now calls {l} before {} ({})", "{1} 现在在 {3}（{4}）之前调用 {2}"},
    {"{l} makes that without", "{1} 作此调用时没有先这样做"},
    {"{l} make that without", "{1} 作此调用时没有先这样做"},
    {"Is it not needed there", "那里不需要吗"},
    {"{} goes on to {} ({}) and can be {} now ({})", "{1} 接着传给 {2}（{3}），现在可能是 {4}（{5}）"},
    {"{l} gives it a value of its own", "{1} 传给它自己的值"},
    {"{l} give it values of their own", "{1} 各自传给它自己的值"},
    {"Which test runs what {} switches on in {}", "哪个测试会运行 {1} 在 {2} 中启用的代码"},
    {"Which test runs what {} switches off in {}", "哪个测试会运行 {1} 在 {2} 中关闭的代码"},
    {"the tests that the change edits set it to {}, and none was found that sets it otherwise",
     "本次改动所编辑的测试将其设为 {1}，未发现有测试将其设为其他值"},
    {"the test code that the change edits sets it to {}, and none was found that sets it otherwise",
     "本次改动所编辑的测试代码将其设为 {1}，未发现有测试将其设为其他值"},
    {"Is the change meant for it, too", "这次改动是否也应当用于那里"},
    {"Is the change meant for them, too", "这次改动是否也应当用于这些地方"},
    {"Is the change meant for that, too", "这次改动是否也应当用于那里"},
    {"{} over {g} in {} ({}) runs only where {c} now", "{2}上的 {1}（在 {3} 中，{4}）现在只在以下条件下执行：{5}"},
    {"{} ({}) over {g} in {} ({}) runs only where {c} now",
     "{3}上的 {1}（{2}，在 {4} 中，{5}）现在只在以下条件下执行：{6}"},
    {"before, it did without that condition", "此前没有该条件"},
    {"Do all ranks of its group decide alike", "其组的所有 rank 都会作出同样的决定吗"},
    {"In {} a rank whose {} is empty takes part in what {} ({}) comes to, but not in {} below the new {} ({})",
     "在 {1} 中，{2} 为空的 rank 会参与 {3}（{4}）所到达的通信，但不参与新的 {6}（{7}）之下的 {5}"},
    {"Can it be empty on some ranks of the group alone", "它会不会只在该组的某些 rank 上为空"},
    {"The others would wait", "其余的 rank 会一直等待"},
    {"If some skip it, the others wait", "若有的跳过，其余的会一直等待"},
    {"Fewer exchanges", "交换次数更少"},
    {"{} calls {l} of {} now ({c}), which {l} has", "{1} 现在调用 {3} 的 {2}（{4}），{5} 有该方法"},
    {"{} calls {l} of {} now ({c}), which {l} have", "{1} 现在调用 {3} 的 {2}（{4}），{5} 有该方法"},
    {"by the value flow {} may also be one of {l}, without it", "按值流分析 {1} 也可能是 {2} 之一，而它没有该方法"},
    {"by the value flow {} may also be one of {l}, without them", "按值流分析 {1} 也可能是 {2} 之一，而它没有这些方法"},
    {"Can it be one there", "在那里可能是它吗"},
    {"{} reads {} ({}) after {} ({}) frees what {} gave ({})",
     "{1} 在 {4}（{5}）释放 {6} 给出的内容（{7}）之后读取 {2}（{3}）"},
    {"{} reads {} ({}) after {} ({}) empties its storage", "{1} 在 {4}（{5}）清空其存储之后读取 {2}（{3}）"},
    {"it has the value from {}", "其值来自 {1}"},
    {"Is its memory there still", "它的内存还在吗"},
    {"{} keeps what it works out as {} ({}) and gives it again for the same {}",
     "{1} 把算出的结果存为 {2}（{3}），对同样的 {4} 再次给出"},
    {"it is built from {l}, too", "它还取决于 {1}"},
    {"it is built from {l} and {n} more, too", "它还取决于 {1} 以及另外 {2} 项"},
    {"Are these always the same for one {}", "对同一个 {1}，这些总是相同的吗"},
    {"Is that always the same for one {}", "对同一个 {1}，它总是相同的吗"},
    {"{} no longer catches {} around {}", "{1} 不再在 {3} 外捕获 {2}"},
    {"{} raises it still ({})", "{1} 仍会抛出它（{2}）"},
    {"{} raises it still ({}, if {c})", "{1} 仍会抛出它（{2}，若 {3}）"},
    {"Is it meant to leave {} now", "让它现在离开 {1} 是有意的吗"},
    {"What ended in the error before goes on now", "此前以该错误结束的情况现在会继续执行"},
    {"{} no longer raises {} at {}, when {c}: it {c}", "当 {4} 时，{1} 不再在 {3} 处抛出 {2}：它{5}"},
    {"The change takes back {} {}, line for line", "本次改动逐行撤销了 {1} {2}"},
    {"The change takes back {} {}", "本次改动撤销了 {1} {2}"},
    {"Until {} {}, {} was {}", "在 {1} {2} 之前，{3} 是 {4}"},
    {"Until {} {}, {} was {}, which the change puts back", "在 {1} {2} 之前，{3} 是 {4}，本次改动又恢复了它"},
    {"Until {} {}, {} asked {}", "在 {1} {2} 之前，{3} 判断的是 {4}"},
    {"Until {} {}, {} asked {}, which the change puts back", "在 {1} {2} 之前，{3} 判断的是 {4}，本次改动又恢复了它"},
    {"Until {} {}, {} returned {}", "在 {1} {2} 之前，{3} 返回 {4}"},
    {"Until {} {}, {} returned {}, which the change puts back", "在 {1} {2} 之前，{3} 返回 {4}，本次改动又恢复了它"},
    {"Does what that commit was for still hold?", "那次提交要解决的问题现在还解决着吗？"},
    {"What it replaces in {} was written by {} {}", "{1} 中被替换的代码出自 {2} {3}"},
    {"What it replaces in {} came with the file, in {} {}", "{1} 中被替换的代码随该文件一起出自 {2} {3}"},
    {"The change brings again {} {}", "本次改动重新引入了 {1} {2}"},
    {"The change brings again {} {}, line for line", "本次改动逐行重新引入了 {1} {2}"},
    {"lines differ in {l}", "{1} 中的行有所不同"},
    {"lines differ in {l} and {n} more files", "{1} 以及另外 {2} 个文件中的行有所不同"},
};

}  // namespace

std::span<const Sentence> catalogue_zh_questions() { return kSentences; }

}  // namespace lockstep::report
