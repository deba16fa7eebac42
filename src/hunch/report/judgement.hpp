// Judgement: whether a run's draws can be used, in words, why, and what to do.
#pragma once

#include <string>
#include <vector>

#include "hunch/report/findings.hpp"

namespace hunch {

struct Judgement {
  enum class Tone { good, caution, bad, waiting };
  Tone tone;
  std::string headline;
  std::vector<std::string> reasons;
  std::vector<std::string> advice;
};

Judgement judge(const ReportData& data, const Findings& findings);

// What was sampled and how, as a sentence for a paper. Empty without draws.
std::string sentence_for_paper(const ReportData& data, const Findings& findings);

}  // namespace hunch
