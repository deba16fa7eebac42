#include "hunch/cli/summary_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "hunch/cli/report_source.hpp"
#include "hunch/run/digest.hpp"

namespace hunch::cli {

namespace {

std::string cell(const std::optional<double>& value, int digits) {
  if (!value) return fmt::format("{:>10}", "NA");
  return fmt::format("{:>10.{}f}", *value, digits);
}

// Five significant digits, wherever the point is.
std::string number_cell(const std::optional<double>& value) {
  if (!value) return fmt::format("{:>11}", "NA");
  return fmt::format("{:>11.5g}", *value);
}

nlohmann::ordered_json number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

void print_summary(const std::vector<ParameterSummary>& summary) {
  std::size_t widest = 8;
  for (const ParameterSummary& p : summary) widest = std::max(widest, p.name.size());
  fmt::print("{:<{}}", "variable", widest);
  for (const char* column : {"mean", "median", "sd", "mad", "q5", "q95"}) fmt::print("{:>11}", column);
  for (const char* column : {"rhat", "ess_bulk", "ess_tail"}) fmt::print("{:>10}", column);
  fmt::print("{:>11}\n", "mcse_mean");
  for (const ParameterSummary& p : summary) {
    fmt::print("{:<{}}", p.name, widest);
    for (const auto& value : {p.mean, p.median, p.sd, p.mad, p.q5, p.q95})
      fmt::print("{}", number_cell(value));
    fmt::print("{}{}{}{}\n", cell(p.rhat, 3), cell(p.ess_bulk, 0), cell(p.ess_tail, 0),
               number_cell(p.mcse_mean));
  }
}

namespace {

// What the audits allow to be said, and what they cannot see.
void print_certificate(const Certificate& certificate, const Draws& draws) {
  if (certificate.verdict == Certificate::Verdict::refused) {
    fmt::print(
        "\nNO CERTIFICATE: {}.\nNo audited draws are given, and no bound. What was paid for is kept: "
        "a run with exactness = \"exact\" and --reuse goes on from it.\n",
        certificate.reason);
    return;
  }
  fmt::print("\nCERTIFICATE: PASS after {} audits at random draws of the bulk and the tails\n",
             certificate.audits);
  fmt::print("  error found {:.3f} nats, claimed {:.3f}\n", certificate.error_found,
             certificate.error_claimed);
  for (std::size_t p = 0; p < certificate.mean_bounds.size(); ++p)
    fmt::print("  {}: mean within {:.3f} sd, sd within {:.1f} %\n", draws.names()[p],
               certificate.mean_bounds[p], 100 * std::expm1(certificate.sd_bounds[p]));
  fmt::print(
      "  (of unconstrained positions, beside the draws' own Monte Carlo error.) The audits look where the "
      "surrogate\n  sees mass: they cannot see a mode or a spike outside the region that was reached.\n");
}

}  // namespace

void print_bill(const RunResult& result) {
  for (const std::string& doubt : result.doubts) fmt::print("\nnot to be trusted: {}\n", doubt);
  for (const std::string& remark : remarks_of(result)) fmt::print("\nnote: {}\n", remark);
  if (result.certificate) {
    print_certificate(*result.certificate, result.draws);
    fmt::print("{} likelihood evaluations in all\n", result.evaluations);
    return;
  }
  const StageCounts all = all_counts(result);
  if (all.iterations == 0) return;
  if (result.milestones.found) {
    // Long free moves: one evaluation for each draw, and some before the first.
    fmt::print(
        "\n{} likelihood evaluations, {} of them to explore; long moves were accepted {:.1f} % of the "
        "time\n",
        result.evaluations, result.evaluations - all.evaluated, 100 * all.stage2_rate());
    return;
  }
  const std::int64_t saved = all.iterations - result.evaluations;
  fmt::print(
      "\n{} iterations, {} likelihood evaluations: {} saved against one evaluation an iteration ({:.0f} %)\n",
      all.iterations, result.evaluations, saved,
      100.0 * static_cast<double>(saved) / static_cast<double>(all.iterations));
  fmt::print("stage 1 let {:.1f} % through, stage 2 accepted {:.1f} % of those\n", 100 * all.stage1_rate(),
             100 * all.stage2_rate());
}

nlohmann::ordered_json to_json(const std::vector<ParameterSummary>& summary, const RunResult& result,
                               const Times& times) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const ParameterSummary& p : summary)
    parameters[p.name] = {{"mean", number(p.mean)},
                          {"sd", number(p.sd)},
                          {"q5", number(p.q5)},
                          {"median", number(p.median)},
                          {"q95", number(p.q95)},
                          {"rhat", number(p.rhat)},
                          {"ess_bulk", number(p.ess_bulk)},
                          {"ess_tail", number(p.ess_tail)},
                          {"mcse_mean", number(p.mcse_mean)}};
  const Index chains = result.draws.chains();
  nlohmann::ordered_json out = {{"parameters", parameters},
                                {"run",
                                 {{"evaluations", result.evaluations},
                                  {"iterations", all_counts(result).iterations},
                                  {"draws", chains > 0 ? chains * result.draws.length(0) : 0},
                                  {"seconds", number(times.seconds)},
                                  {"model_seconds", number(times.model_seconds)},
                                  {"draws_sha256", sha256_of_draws(result.draws)}}}};
  out["run"]["remarks"] = remarks_of(result);
  out["run"]["doubts"] = result.doubts;
  if (result.certificate) {
    const Certificate& certificate = *result.certificate;
    out["certificate"] = {
        {"verdict", certificate.verdict == Certificate::Verdict::passed ? "passed" : "refused"},
        {"audits", certificate.audits},
        {"error_found", certificate.error_found},
        {"error_claimed", certificate.error_claimed},
        {"mean_bounds", certificate.mean_bounds},
        {"sd_bounds", certificate.sd_bounds},
        {"reason", certificate.reason}};
  }
  return out;
}

}  // namespace hunch::cli
