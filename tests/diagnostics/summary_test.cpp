#include "hunch/diagnostics/summary.hpp"

#include <gtest/gtest.h>

#include "hunch/core/rng.hpp"
#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/pooled.hpp"

namespace hunch {
namespace {

Matrix noise(Index draws, Index parameters, std::uint32_t chain) {
  return Rng({7, chain, 0, Purpose::test}).normal(draws * parameters).reshaped(draws, parameters);
}

TEST(Summary, EachColumnIsItsOwnQuantityOfItsOwnParameter) {
  const Draws draws({"alpha", "beta"}, std::vector<Matrix>{noise(60, 2, 0), noise(60, 2, 1)});
  const auto lines = summarise(draws);
  ASSERT_EQ(lines.size(), 2u);
  for (Index p = 0; p < 2; ++p) {
    const ParameterSummary& line = lines[static_cast<std::size_t>(p)];
    const Matrix x = draws.parameter(p);
    EXPECT_EQ(line.name, draws.names()[static_cast<std::size_t>(p)]);
    EXPECT_EQ(line.mean, mean(x));
    EXPECT_EQ(line.sd, sd(x));
    EXPECT_EQ(line.mad, mad(x));
    EXPECT_EQ(line.q5, quantile(x, 0.05));
    EXPECT_EQ(line.median, median(x));
    EXPECT_EQ(line.q95, quantile(x, 0.95));
    EXPECT_EQ(line.rhat, rhat(x));
    EXPECT_EQ(line.ess_bulk, ess_bulk(x));
    EXPECT_EQ(line.ess_tail, ess_tail(x));
    EXPECT_EQ(line.mcse_mean, mcse_mean(x));
    EXPECT_EQ(line.mcse_sd, mcse_sd(x));
  }
}

TEST(Summary, ConstantParameterKeepsItsMomentsAndHasNoDiagnostics) {
  const auto lines = summarise(Draws({"fixed"}, std::vector<Matrix>(4, Matrix::Constant(50, 1, 3.2))));
  EXPECT_EQ(lines[0].mean, 3.2);
  EXPECT_EQ(lines[0].sd, 0.0);
  EXPECT_EQ(lines[0].q95, 3.2);
  EXPECT_FALSE(lines[0].rhat.has_value());
  EXPECT_FALSE(lines[0].ess_bulk.has_value());
  EXPECT_FALSE(lines[0].mcse_sd.has_value());
}

// Large enough that a quadratic autocovariance would run for minutes, into the test's time limit.
TEST(Summary, FourHundredThousandDrawsAreSummarisedWithoutQuadraticCost) {
  std::vector<Matrix> chains;
  for (std::uint32_t chain = 0; chain < 4; ++chain) chains.push_back(noise(100000, 5, chain));
  for (const ParameterSummary& line : summarise(Draws({"a", "b", "c", "d", "e"}, std::move(chains)))) {
    EXPECT_NEAR(line.ess_bulk.value(), 400000, 20000);  // independent draws; the sd of this ESS is about 2000
    EXPECT_LT(line.rhat.value(), 1.001);
  }
}

}  // namespace
}  // namespace hunch
