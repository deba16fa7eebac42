// R's posterior as oracle: the stored cases are written by scripts/regenerate-diagnostics-cases.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "hunch/core/numeric.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/pooled.hpp"

namespace hunch {
namespace {

using Json = nlohmann::json;
using Maybe = std::optional<double>;

double number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "Inf") return infinity;
  if (text == "-Inf") return -infinity;
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  throw std::runtime_error("not a number: " + text);
}

Maybe expectation(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return number(value);
}

Matrix draws_of(const Json& chains) {
  Matrix x(static_cast<Index>(chains.at(0).size()), static_cast<Index>(chains.size()));
  for (Index c = 0; c < x.cols(); ++c)
    for (Index i = 0; i < x.rows(); ++i)
      x(i, c) = number(chains.at(static_cast<std::size_t>(c)).at(static_cast<std::size_t>(i)));
  return x;
}

const std::map<std::string, std::function<Maybe(const Matrix&)>> quantities = {
    {"mean", mean},
    {"sd", sd},
    {"median", median},
    {"mad", mad},
    {"quantile_05", [](const Matrix& x) { return quantile(x, 0.05); }},
    {"quantile_95", [](const Matrix& x) { return quantile(x, 0.95); }},
    {"rhat", rhat},
    {"rhat_basic", rhat_basic},
    {"ess_bulk", ess_bulk},
    {"ess_tail", ess_tail},
    {"ess_mean", ess_mean},
    {"ess_sd", ess_sd},
    {"ess_squares", ess_squares},
    {"ess_quantile_10", [](const Matrix& x) { return ess_quantile(x, 0.1); }},
    {"ess_quantile_100", [](const Matrix& x) { return ess_quantile(x, 1); }},
    {"mcse_mean", mcse_mean},
    {"mcse_sd", mcse_sd},
    {"mcse_quantile_05", [](const Matrix& x) { return mcse_quantile(x, 0.05); }},
    {"mcse_quantile_50", [](const Matrix& x) { return mcse_quantile(x, 0.5); }},
};

Json cases() {
  std::ifstream file(HUNCH_TESTS_FOLDER "/diagnostics/data/posterior_cases.json");
  return Json::parse(file);
}

std::string shown(Maybe value) {
  return value ? testing::PrintToString(*value) : "NA";
}

bool agree(Maybe ours, Maybe theirs) {
  if (ours.has_value() != theirs.has_value()) return false;
  if (!ours || *ours == *theirs) return true;
  return std::abs(*ours - *theirs) <= 1e-8 * std::abs(*theirs);
}

TEST(Posterior, EveryQuantityOfEveryCaseEqualsPosterior) {
  const Json all = cases();
  ASSERT_GE(all.size(), 20u);
  for (const Json& one : all) {
    const Matrix x = draws_of(one.at("chains"));
    ASSERT_EQ(one.at("expected").size(), quantities.size());
    for (const auto& [name, quantity] : quantities) {
      const Maybe ours = quantity(x);
      const Maybe theirs = expectation(one.at("expected").at(name));
      EXPECT_TRUE(agree(ours, theirs))
          << one.at("name") << ", " << name << ": " << shown(ours) << ", posterior: " << shown(theirs);
    }
  }
}

TEST(Posterior, CasesHoldBothNumbersAndNAForEveryDiagnostic) {
  std::map<std::string, int> known, unknown;
  for (const Json& one : cases())
    for (const auto& [name, value] : one.at("expected").items()) ++(value.is_null() ? unknown : known)[name];
  for (const auto& [name, quantity] : quantities) {
    EXPECT_GE(known[name], 15) << name;
    EXPECT_GE(unknown[name], 1) << name;
  }
}

}  // namespace
}  // namespace hunch
