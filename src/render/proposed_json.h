// Code that a model proposes with a finding -> JSON. Private to this folder.
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.h"

namespace lockstep::render {

inline nlohmann::ordered_json proposed_json(const report::ReportedFinding& reported) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const report::ProposedCode& one : reported.proposed)
    list.push_back({{"path", one.path}, {"line", one.line}, {"replaces", one.replaced}, {"code", one.code}});
  return list;
}

}  // namespace lockstep::render
