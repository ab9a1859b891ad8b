// A review -> one HTML page that opens from disk, offline: findings by severity or by file with their code and the
// evidence step by step, filters, the change's summary and its pictures. Everything is in the page's own elements: its
// script only shows, hides and orders them, and the policy allows no script and no style but ours, by their hashes, and
// no network. What comes from the repository is escaped.
#pragma once

#include <string>

#include "render/findings.h"
#include "report/document.h"
#include "report/report.h"

namespace lockstep::render {

struct ReviewPage {
  const report::Report& report;
  const ReportSubject& subject;
  const report::Document& summary;   ///< Title and section 1 of the review.
  const report::Document& pictures;  ///< May be empty.
  report::SourceAccess sources;
};

std::string render_review_page(const ReviewPage& page);

}  // namespace lockstep::render
