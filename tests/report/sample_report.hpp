// Sample reports: made-up runs of every kind that a page must be good for.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "hunch/core/rng.hpp"
#include "hunch/report/report_data.hpp"

namespace hunch::sample_report {

struct Size {
  Index parameters = 4, chains = 4, length = 500;
  std::int64_t evaluations = 400;
};

inline std::vector<std::string> plain_names(Index count) {
  std::vector<std::string> names;
  for (Index p = 0; p < count; ++p) names.push_back("theta" + std::to_string(p + 1));
  return names;
}

// Chains of an autoregression, in agreement, so that diagnostics have something to say.
inline Draws draws_of(const std::vector<std::string>& names, const Size& size) {
  std::vector<Matrix> chains;
  for (Index c = 0; c < size.chains; ++c) {
    Rng rng({7, static_cast<std::uint32_t>(c), 0, Purpose::step});
    Matrix chain(size.length, size.parameters);
    Vector at = rng.normal(size.parameters);
    for (Index i = 0; i < size.length; ++i) {
      at = 0.3 * at + std::sqrt(1 - 0.09) * rng.normal(size.parameters);
      chain.row(i) = at.transpose();
      for (Index p = 1; p < size.parameters; ++p) chain(i, p) = 0.6 * chain(i, p - 1) + 0.8 * chain(i, p);
    }
    chains.push_back(std::move(chain));
  }
  return Draws(names, std::move(chains));
}

inline std::vector<ReportEvaluation> evaluations_of(const Size& size) {
  using Use = ReportEvaluation::Use;
  std::vector<ReportEvaluation> made;
  Rng rng({8, 0, 0, Purpose::step});
  for (std::int64_t i = 0; i < size.evaluations; ++i) {
    const Vector theta = (i < 40 ? 3 : 1) * rng.normal(size.parameters);
    const double exact = -0.5 * theta.squaredNorm();
    const Use use = i < 40 ? Use::learning : rng.uniform() < 0.7 ? Use::accepted : Use::rejected;
    ReportEvaluation& one = made.emplace_back(ReportEvaluation{theta, exact, use, i < 40 ? 0 : (i - 39) * 2});
    const double deviation = 0.1 + 0.2 * theta.norm();
    if (i >= 12) one.said = {exact + deviation * rng.normal(1)[0], deviation};
  }
  return made;
}

inline std::vector<ReportAttempt> attempts_of(const std::vector<ReportEvaluation>& evaluations) {
  std::vector<ReportAttempt> made;
  Rng rng({9, 0, 0, Purpose::step});
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    made.push_back({evaluations[i].theta, 0.05 * std::exp(0.5 * rng.normal(1)[0]), static_cast<int>(i % 2)});
  return made;
}

inline ReportData run_of(const std::vector<std::string>& names, const Size& size) {
  ReportData data;
  data.name = "sample";
  data.problem = "the program simulator.py";
  data.method = "auto";
  data.seed = 1;
  data.draws = draws_of(names, size);
  for (Index p = 0; p < size.parameters; ++p)
    data.parameters.push_back({"normal(0, 2)", [](double x) { return std::exp(-x * x / 8) / 5.0133; }});
  data.burn_in = {200, 60, 140, 100};
  data.kept = {size.chains * size.length, size.chains * size.length / 2, size.chains * size.length / 2,
               size.chains * size.length / 3};
  data.evaluations = evaluations_of(size);
  data.attempts = attempts_of(data.evaluations);
  data.seconds = 30;
  data.version = "0.1.0";
  data.created_at = "2030-01-31T12:00:00Z";
  data.settings = {{"method", "auto"}, {"seed", "1"}};
  data.config = "[sampler]\nmethod = \"auto\"\n";
  data.reproduce = {"hunch run run.toml --out again"};
  data.go_on = "hunch resume sample";
  data.go_on_exactly = "hunch run copy.toml --out exact --reuse sample";
  data.go_on_with_more = "hunch run run.toml --out longer --reuse sample";
  return data;
}

inline ReportData ordinary() {
  return run_of(plain_names(4), {});
}

inline ReportData no_draws_yet() {
  ReportData data = ordinary();
  data.draws = Draws(plain_names(4), static_cast<Index>(0));
  data.kept = {};
  data.standing = RunStanding::evaluations_spent;
  return data;
}

inline ReportData nothing_at_all() {
  ReportData data = no_draws_yet();
  data.evaluations.clear();
  data.attempts.clear();
  data.burn_in = {};
  data.standing = RunStanding::interrupted;
  return data;
}

inline ReportData in_progress() {
  ReportData data = ordinary();
  data.standing = RunStanding::in_progress;
  return data;
}

inline ReportData one_of_each() {
  return run_of(plain_names(1), {.parameters = 1, .chains = 1, .length = 300, .evaluations = 80});
}

inline ReportData many_parameters() {
  return run_of(plain_names(20), {.parameters = 20, .chains = 4, .length = 300, .evaluations = 500});
}

// One parameter that never moves, one with draws that are no numbers, one chain far from the others.
inline ReportData troubled() {
  ReportData data = ordinary();
  std::vector<Matrix> chains;
  for (Index c = 0; c < 4; ++c) {
    Matrix chain = data.draws.chain(c);
    chain.col(0).setConstant(2);
    chain(3, 1) = INFINITY;
    chain(4, 1) = NAN;
    if (c == 2) chain.col(2).array() += 8;
    chains.push_back(std::move(chain));
  }
  data.draws = Draws(data.draws.names(), std::move(chains));
  return data;
}

inline ReportData with_failures(const std::string& message, const Size& size = {}) {
  ReportData data = run_of(plain_names(size.parameters), size);
  for (std::size_t i = 0; i < data.evaluations.size(); ++i) {
    ReportEvaluation& one = data.evaluations[i];
    if (one.theta[1] < 1) continue;
    one.use = ReportEvaluation::Use::failed;
    one.log_likelihood = NAN;
    data.attempts[i].failure = "crash";
    data.attempts[i].message = message;
  }
  return data;
}

inline ReportData audited_and_passed() {
  ReportData data = ordinary();
  data.draw = ReportData::Draw::audited;
  data.certificate = ReportCertificate{
      ReportCertificate::Verdict::passed, 24, 0.04, 0.05, {0.02, 0.03, 0.01, 0.02}, {0.01, 0.02, 0.02, 0.01}};
  return data;
}

inline ReportData audited_and_refused() {
  ReportData data = no_draws_yet();
  data.draw = ReportData::Draw::audited;
  data.standing = RunStanding::complete;
  data.certificate =
      ReportCertificate{ReportCertificate::Verdict::refused, 0, 0, 0, {}, {}, "the surrogate does not know"};
  return data;
}

inline ReportData fallen_back() {
  ReportData data = ordinary();
  data.remarks = {"the surrogate did not learn this posterior well enough for long moves"};
  return data;
}

// 10^5 draws of 10 parameters.
inline ReportData large() {
  return run_of(plain_names(10), {.parameters = 10, .chains = 4, .length = 25000, .evaluations = 20000});
}

}  // namespace hunch::sample_report
