#include "report/documents/first_fitting.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/worker_pool.h"
#include "report/documents/shortening.h"

namespace lockstep::report {

Document first_fitting(std::size_t count, std::size_t most_words, std::size_t jobs,
                       const std::function<Document(std::size_t)>& write) {
  constexpr std::size_t kSentence = 40;  // Words.
  Document last;
  for (std::size_t begin = 0, at_once = 1; begin < count; begin += at_once, at_once = std::max<std::size_t>(jobs, 1)) {
    std::vector<Document> versions(std::min(at_once, count - begin));
    parallel_for(versions.size(), jobs, [&](std::size_t i) { versions[i] = write(begin + i); });
    for (Document& version : versions) {
      // Rather without a few details than without a drawing, or than shorter all over for a sentence too many.
      const bool is_close = !last.blocks.empty() && word_count(last, true) <= most_words + kSentence;
      if (is_close || drawings_in(last) > drawings_in(version)) {
        Document shorter = shortened(std::move(last), most_words);
        if (word_count(shorter, true) <= most_words) return shorter;
      }
      last = std::move(version);
      if (word_count(last, true) <= most_words) return last;
    }
  }
  return last;
}

}  // namespace lockstep::report
