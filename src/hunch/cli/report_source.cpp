#include "hunch/cli/report_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "hunch/cli/progress_file.hpp"
#include "hunch/config/choices.hpp"
#include "hunch/config/resolved.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/report/page.hpp"
#include "hunch/run/digest.hpp"

namespace hunch::cli {

namespace {

using Use = ReportEvaluation::Use;

std::vector<ReportParameter> parameters_of(const Parameters& parameters) {
  std::vector<ReportParameter> made;
  for (const Parameter& one : parameters.list()) {
    ReportParameter& shown = made.emplace_back(ReportParameter{to_text(one.prior)});
    if (is_proper(one.prior))
      shown.prior_density = [density = PriorDensity(one.prior)](double theta) {
        return std::exp(density.log_density(theta));
      };
  }
  return made;
}

Use use_of(const Paid& paid) {
  if (std::isnan(paid.log_likelihood)) return Use::failed;
  if (!paid.step) return Use::learning;
  return paid.step->verdict == Verdict::accepted ? Use::accepted : Use::rejected;
}

std::vector<ReportEvaluation> evaluations_of(const std::vector<Paid>& ledger) {
  std::vector<ReportEvaluation> made;
  std::int64_t iterations = 0;
  for (const Paid& paid : ledger) {
    if (paid.step) iterations = paid.step->iterations;
    ReportEvaluation& one =
        made.emplace_back(ReportEvaluation{paid.theta, paid.log_likelihood, use_of(paid), iterations});
    if (paid.predicted) one.said = {paid.predicted->log_likelihood, paid.predicted->deviation};
  }
  return made;
}

// What other runs paid for was not attempted here.
std::vector<ReportAttempt> attempts_of(const Store& store) {
  std::vector<ReportAttempt> made;
  for (const Record& record : store.all()) {
    if (record.taken_over()) continue;
    ReportAttempt& one = made.emplace_back(ReportAttempt{record.theta, record.seconds, record.worker});
    if (record.outcome.answered()) continue;
    one.failure = name_of(record.outcome.kind);
    one.message = record.outcome.message;
  }
  return made;
}

RunStanding standing_of(Ending ending) {
  switch (ending) {
    case Ending::complete:
      return RunStanding::complete;
    case Ending::goal_reached:
      return RunStanding::goal_reached;
    case Ending::evaluations_spent:
      return RunStanding::evaluations_spent;
    case Ending::time_spent:
      return RunStanding::time_spent;
    case Ending::interrupted:
      return RunStanding::interrupted;
  }
  return RunStanding::interrupted;
}

ReportCertificate shown(const Certificate& certificate) {
  return {certificate.verdict == Certificate::Verdict::passed ? ReportCertificate::Verdict::passed
                                                              : ReportCertificate::Verdict::refused,
          certificate.audits,
          certificate.error_found,
          certificate.error_claimed,
          certificate.mean_bounds,
          certificate.sd_bounds,
          certificate.reason};
}

std::string words_of(const DoorConfig& door) {
  struct Words {
    std::string operator()(const ProgramConfig& program) const {
      std::string words = "the program";
      for (const std::string& word : program.command) words += " " + word;
      return words;
    }
    std::string operator()(const ServerConfig& server) const {
      return fmt::format("the UM-Bridge model {} at {}{}", server.name, server.urls.front(),
                         server.urls.size() > 1 ? fmt::format(" and {} more", server.urls.size() - 1) : "");
    }
    std::string operator()(const LibraryConfig& library) const { return "the library " + library.path; }
    std::string operator()(const ProblemConfig& problem) const {
      return "the built-in problem " + problem.name;
    }
    std::string operator()(const FunctionConfig& function) const {
      return fmt::format("the function {}{}{}", function.name, function.version.empty() ? "" : ", version ",
                         function.version);
    }
  };
  return std::visit(Words{}, door);
}

std::vector<std::pair<std::string, std::string>> settings_of(const Config& config, const std::string& model) {
  const SamplerConfig& sampler = config.sampler;
  std::vector<std::pair<std::string, std::string>> rows = {
      {"model", model},
      {"method", name_of(sampler.method)},
      {"draws are", sampler.exactness == SamplerConfig::Exactness::exact
                        ? "exact: of the posterior itself"
                        : fmt::format("audited: of a surrogate, to a tolerance of {}", sampler.tolerance)},
      {"chains", std::to_string(sampler.chains)},
      {"kept draws of each", std::to_string(sampler.draws)},
      {"burn-in of each, at most", std::to_string(sampler.warmup)},
      {"seed", std::to_string(sampler.seed)},
      {"learning", name_of(sampler.learning)},
      {"a failed point",
       config.model.on_failure == ModelConfig::OnFailure::stop
           ? fmt::format("ends the run after {} attempts", config.model.attempts)
           : fmt::format("counts as zero likelihood after {} attempts", config.model.attempts)}};
  if (config.budget.evaluations)
    rows.emplace_back("most evaluations", std::to_string(*config.budget.evaluations));
  if (config.budget.time_seconds)
    rows.emplace_back("most time", fmt::format("{} s", *config.budget.time_seconds));
  if (config.budget.goal)
    rows.emplace_back("goal",
                      fmt::format("ESS {} and R-hat {}", config.budget.goal->ess, config.budget.goal->rhat));
  return rows;
}

ReportData frame_of(const Job& job, const RunFacts& facts) {
  ReportData data;
  std::filesystem::path folder = std::filesystem::path(facts.folder).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  data.name = folder.filename().string();
  data.problem = words_of(job.config.model.door);
  data.method = name_of(job.config.sampler.method);
  if (job.settings.exactness == Exactness::audited) data.draw = ReportData::Draw::audited;
  data.seed = job.settings.seed;
  data.parameters = parameters_of(job.parameters);
  data.attempts = attempts_of(facts.store);
  data.seconds = facts.seconds;
  data.version = HUNCH_VERSION;
  data.created_at = utc_now();
  data.settings = settings_of(job.config, data.problem);
  data.config = to_toml(job.config);
  data.reproduce = {"# run.toml: the whole config below, where the model's files are",
                    "hunch run run.toml --out again"};
  data.go_on = "hunch resume " + facts.folder;
  data.go_on_exactly =
      "exactness = \"exact\" in a copy of the config, then hunch run COPY --out EXACT --reuse " +
      facts.folder + "; points that were paid for cost nothing again.";
  data.go_on_with_more = longer_run(job.config.sampler.draws, facts.folder);
  return data;
}

// What the last bits of draws depend on.
std::string compiled_by() {
  return fmt::format("{} {} with Eigen {}.{}.{} for {}",
#ifdef __clang__
                     "Clang", __clang_version__,
#else
                     "GCC", __VERSION__,
#endif
                     EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
                     Eigen::SimdInstructionSetsInUse());
}

void take_result(ReportData& data, const RunResult& result) {
  data.standing = standing_of(result.ending);
  data.draws = result.draws;
  for (const ChainResult& chain : result.chains) {
    data.burn_in += chain.warmup;
    data.kept += chain.kept;
  }
  data.evaluations = evaluations_of(result.ledger);
  if (result.certificate) data.certificate = shown(*result.certificate);
  data.remarks = result.remarks;
  data.doubts = result.doubts;
  data.settings.emplace_back("Hunch", HUNCH_VERSION);
  data.settings.emplace_back("compiled by", compiled_by());
  if (result.draws.chains() > 0)
    data.settings.emplace_back("SHA-256 of the draws", sha256_of_draws(result.draws));
}

}  // namespace

ReportData report_of(const Job& job, const RunResult& result, const RunFacts& facts) {
  ReportData data = frame_of(job, facts);
  take_result(data, result);
  return data;
}

ReportData report_of(const Job& job, const Progress& at, const RunFacts& facts) {
  ReportData data = frame_of(job, facts);
  data.standing = RunStanding::in_progress;
  std::vector<std::string> names;
  for (const Parameter& one : job.parameters.list()) names.push_back(one.name);
  data.draws = at.kept > 0 && at.draws ? at.draws() : Draws(std::move(names), static_cast<Index>(0));
  for (const ChainProgress& chain : at.chains) {
    data.kept += chain.kept;
    data.burn_in.iterations += chain.counts.iterations - chain.kept.iterations;
    data.burn_in.screened_out += chain.counts.screened_out - chain.kept.screened_out;
    data.burn_in.evaluated += chain.counts.evaluated - chain.kept.evaluated;
    data.burn_in.accepted += chain.counts.accepted - chain.kept.accepted;
  }
  if (at.ledger) data.evaluations = evaluations_of(*at.ledger);
  return data;
}

ReportData report_of(const BareRun& run, const RunResult& result) {
  ReportData data;
  data.name = run.name;
  data.problem = run.problem;
  data.method = run.method;
  data.seed = run.settings.seed;
  data.parameters = parameters_of(run.parameters);
  data.seconds = run.seconds;
  data.version = HUNCH_VERSION;
  data.created_at = utc_now();
  data.settings = {{"method", run.method},
                   {"kept draws of each chain", std::to_string(run.settings.draws)},
                   {"burn-in of each, at most", std::to_string(run.settings.warmup)},
                   {"seed", std::to_string(run.settings.seed)}};
  data.reproduce = {run.command};
  data.go_on_with_more = "the same command with a larger --draws";
  take_result(data, result);
  return data;
}

std::vector<std::string> remarks_of(const RunResult& result) {
  std::vector<std::string> remarks = result.remarks;
  const auto failed = std::count_if(result.ledger.begin(), result.ledger.end(),
                                    [](const Paid& paid) { return std::isnan(paid.log_likelihood); });
  if (failed > 0)
    remarks.push_back(
        fmt::format("the model failed at {} of {} points, which count as zero likelihood: no draw can be "
                    "there; the report "
                    "shows where and why",
                    failed, result.ledger.size()));
  return remarks;
}

std::string longer_run(Index draws, const std::string& folder) {
  return fmt::format("hunch run CONFIG --draws {} --out LONGER --reuse {}", 2 * draws, folder);
}

void write_report(const std::filesystem::path& file, const ReportData& data) {
  WholeFiles files(Overwrite::yes);
  files.write(file, report_page(data));
  files.publish();
}

}  // namespace hunch::cli
