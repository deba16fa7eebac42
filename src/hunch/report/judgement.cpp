#include "hunch/report/judgement.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace hunch {

namespace {

constexpr double good_rhat = 1.01;
constexpr std::size_t most_named = 5;

double enough(const Findings& found) {
  return 100.0 * static_cast<double>(found.chains);
}

// "a, b and 3 more".
std::string listed(const std::vector<std::string>& names) {
  std::string words;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) words += (i ? ", " : "") + names[i];
  if (names.size() > most_named) words += fmt::format(" and {} more", names.size() - most_named);
  return words;
}

template <class Fault>
void complain(std::vector<std::string>& reasons, const Findings& found, const std::string& what,
              Fault fault) {
  std::vector<std::string> names;
  for (const ParameterSummary& p : found.summary)
    if (fault(p)) names.push_back(p.name);
  if (!names.empty()) reasons.push_back(what + ": " + listed(names) + ".");
}

std::vector<std::string> faults(const Findings& found) {
  std::vector<std::string> reasons;
  complain(reasons, found, "R-hat is not defined, the draws are constant, too few or not finite",
           [](const ParameterSummary& p) { return !p.rhat; });
  complain(reasons, found, "R-hat is above 1.01, the chains disagree",
           [](const ParameterSummary& p) { return p.rhat && *p.rhat > good_rhat; });
  complain(reasons, found, fmt::format("Bulk ESS is below {:.0f}, means are uncertain", enough(found)),
           [&](const ParameterSummary& p) { return p.ess_bulk.value_or(0) < enough(found); });
  complain(reasons, found, fmt::format("Tail ESS is below {:.0f}, quantiles are uncertain", enough(found)),
           [&](const ParameterSummary& p) { return p.ess_tail.value_or(0) < enough(found); });
  return reasons;
}

std::string numbers_in_words(const Findings& found) {
  return fmt::format(
      "R-hat is {} at most, and the effective sample size at least {} in the bulk and {} in the tails.",
      rhat_in_words(found.worst_rhat), counted(found.least_ess_bulk), counted(found.least_ess_tail));
}

void advise(std::vector<std::string>& advice, const std::string& words, const std::string& command) {
  if (!command.empty()) advice.push_back(words + ": " + command);
}

std::string capitalised(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z')
    words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

Judgement of_certificate(const ReportData& data, const ReportCertificate& certificate) {
  if (certificate.verdict == ReportCertificate::Verdict::refused)
    return {Judgement::Tone::bad,
            "No certificate, so no draws",
            {capitalised(certificate.reason) + ".",
             fmt::format("{} evaluations were made; none is lost.",
                         counted(static_cast<std::int64_t>(data.evaluations.size())))},
            data.go_on_exactly.empty() ? std::vector<std::string>{}
                                       : std::vector{"Sample exactly instead: " + data.go_on_exactly}};
  return {Judgement::Tone::good,
          "Certificate passed",
          {fmt::format("{} audits at random draws found an error of {} nats, where the surrogate claimed {}.",
                       counted(certificate.audits), in_short(certificate.error_found),
                       in_short(certificate.error_claimed)),
           "The audits look where the surrogate sees mass: they cannot see a mode or a spike outside the "
           "region that was reached."},
          {}};
}

Judgement in_progress(const Findings& found) {
  Judgement judgement{Judgement::Tone::waiting, "In progress", {}, {}};
  if (found.has_draws())
    judgement.reasons = {fmt::format("{} of each chain so far. {}", counted_things(found.length, "draw"),
                                     numbers_in_words(found))};
  else
    judgement.reasons = {"No draws are kept yet: the run explores and learns."};
  judgement.advice = {"What is shown may still change."};
  return judgement;
}

std::int64_t failed_points(const ReportData& data) {
  return std::count_if(data.evaluations.begin(), data.evaluations.end(),
                       [](const auto& one) { return one.use == ReportEvaluation::Use::failed; });
}

const char* why_it_ended(RunStanding standing) {
  switch (standing) {
    case RunStanding::evaluations_spent:
      return "The budget of evaluations is spent.";
    case RunStanding::time_spent:
      return "The budget of time is spent.";
    case RunStanding::interrupted:
      return "The run was stopped before its end.";
    case RunStanding::goal_reached:
      return "The goal that was set is reached.";
    case RunStanding::complete:
    case RunStanding::in_progress:
      break;
  }
  return "";
}

}  // namespace

Judgement judge(const ReportData& data, const Findings& found) {
  if (data.certificate && data.standing != RunStanding::in_progress)
    return of_certificate(data, *data.certificate);
  if (data.standing == RunStanding::in_progress) return in_progress(found);
  const std::string ended = why_it_ended(data.standing);
  const bool early = !ended.empty() && data.standing != RunStanding::goal_reached;
  Judgement judgement{Judgement::Tone::good, "Converged", {}, {}};
  if (!ended.empty()) judgement.reasons.push_back(ended);
  if (!data.doubts.empty()) {
    judgement.tone = Judgement::Tone::bad;
    judgement.headline = found.has_draws() ? "Not to be trusted" : "Not at the bulk, so no draws";
    for (const std::string& doubt : data.doubts) judgement.reasons.push_back(capitalised(doubt) + ".");
    if (!found.has_draws()) return judgement;
    const std::vector<std::string> faulty = faults(found);
    judgement.reasons.insert(judgement.reasons.end(), faulty.begin(), faulty.end());
    return judgement;
  }
  if (!found.has_draws()) {
    judgement.tone = Judgement::Tone::bad;
    judgement.headline = "No draws yet";
    judgement.reasons.emplace_back("The run ended while it explored or learned, before draws were kept.");
    advise(judgement.advice, "Go on, with a larger budget if one was set", data.go_on);
    return judgement;
  }
  const std::int64_t failed = failed_points(data);
  if (failed > 0) {
    judgement.reasons.push_back(fmt::format(
        "The model failed at {} of {}, which count as zero likelihood: no draw can be there.",
        counted(failed), counted_things(static_cast<std::int64_t>(data.evaluations.size()), "point")));
    judgement.advice.emplace_back(
        "Look below at where and why the model failed. If the likelihood is not zero there, mend the model.");
  }
  const std::vector<std::string> found_faults = faults(found);
  if (found_faults.empty()) {
    judgement.reasons.push_back(numbers_in_words(found));
    if (found.chains == 1) {
      judgement.tone = Judgement::Tone::caution;
      judgement.headline = "Converged, as far as one chain can show";
      judgement.advice.emplace_back(
          "Run four chains: only chains that started apart can show that they agree.");
    }
    if (failed > 0) {
      judgement.tone = Judgement::Tone::caution;
      judgement.headline = "Converged, but the model failed at some points";
    }
    if (early) advise(judgement.advice, "More draws, if you want them", data.go_on);
    return judgement;
  }
  judgement.tone = Judgement::Tone::bad;
  judgement.headline = "Not converged";
  judgement.reasons.insert(judgement.reasons.end(), found_faults.begin(), found_faults.end());
  if (early) advise(judgement.advice, "Go on", data.go_on);
  if (!early) advise(judgement.advice, "Keep more draws; what was paid for is free", data.go_on_with_more);
  if (found.worst_rhat && *found.worst_rhat > 1.1)
    judgement.advice.emplace_back(
        "Look at the traces: chains that stay in places of their own may be in different modes.");
  return judgement;
}

std::string sentence_for_paper(const ReportData& data, const Findings& found) {
  if (!found.has_draws() || data.standing == RunStanding::in_progress) return {};
  std::string words = fmt::format(
      "We drew {} posterior samples of {} ({} of {} draws after burn-in) with Hunch {} (method {}, seed "
      "{}), ",
      counted(found.chains * found.length), counted_things(data.draws.parameters(), "parameter"),
      counted_things(found.chains, "chain"), counted(found.length), data.version, data.method, data.seed);
  words += fmt::format("using {} of the likelihood in all",
                       counted_things(static_cast<std::int64_t>(data.evaluations.size()), "evaluation"));
  if (const std::int64_t failed = failed_points(data); failed > 0)
    words += fmt::format(", of which {} failed and count as zero likelihood", counted(failed));
  if (data.certificate && data.certificate->verdict == ReportCertificate::Verdict::passed) {
    const auto most = [](const std::vector<double>& bounds) {
      return bounds.empty() ? 0.0 : *std::max_element(bounds.begin(), bounds.end());
    };
    return words + fmt::format(
                       "; the samples are of a Gaussian-process surrogate that passed {} audits, which "
                       "bound the error of every mean by {} sd and of every log sd by {}.",
                       counted(data.certificate->audits), in_short(most(data.certificate->mean_bounds)),
                       in_short(most(data.certificate->sd_bounds)));
  }
  if (!converged(found.summary, found.chains))
    return words +
           fmt::format(
               "; the chains had not converged (R-hat up to {}, effective sample size down to {} in the bulk "
               "and {} in the tails).",
               rhat_in_words(found.worst_rhat), counted(found.least_ess_bulk), counted(found.least_ess_tail));
  return words + fmt::format(
                     "; R-hat was at most {} and the effective sample size at least {} (bulk) and {} (tail) "
                     "for every parameter.",
                     rhat_in_words(found.worst_rhat), counted(found.least_ess_bulk),
                     counted(found.least_ess_tail));
}

}  // namespace hunch
