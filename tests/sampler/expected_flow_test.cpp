#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/sampler/proposal.hpp"

namespace hunch {
namespace {

double normal_density(double x, double mean, double variance) {
  return std::exp(-0.5 * (x - mean) * (x - mean) / variance) / std::sqrt(2 * M_PI * variance);
}

// E[e^h q(to | from + (delta/2) lambda (g + prior), delta lambda)] by brute force over the bivariate normal
// (h, g): the trapezoidal rule converges faster than any power of the spacing on such integrands.
double by_quadrature(double mean_h, double var_h, double mean_g, double cov, double var_g, double delta,
                     double lambda, double from, double prior_gradient, double to) {
  const double sd_h = std::sqrt(var_h), slope = cov / sd_h, rest = std::sqrt(var_g - slope * slope);
  double sum = 0;
  const double spacing = 0.05;
  for (double a = -12; a <= 12; a += spacing)
    for (double b = -12; b <= 12; b += spacing) {
      const double h = mean_h + sd_h * a, g = mean_g + slope * a + rest * b;
      sum += std::exp(h - 0.5 * (a * a + b * b)) / (2 * M_PI) *
             normal_density(to, from + 0.5 * delta * lambda * (g + prior_gradient), delta * lambda);
    }
  return std::log(sum * spacing * spacing);
}

struct Case {
  double mean_h, var_h, mean_g, cov, var_g, delta, lambda, from, prior_gradient, to;
};

TEST(ExpectedFlow, IsTheExpectationItClaimsToBe) {
  const Case cases[] = {{-1.0, 0.5, 0.7, 0.3, 0.9, 0.8, 1.3, 0.2, -0.4, 0.9},
                        {0.3, 2.0, -1.5, -1.1, 1.2, 1.5, 0.4, -1.0, 0.2, 0.5},
                        {2.0, 0.01, 3.0, 0.0, 4.0, 0.3, 2.0, 0.0, 1.0, -1.0}};
  for (const Case& c : cases) {
    const JointGaussian belief{c.mean_h, c.var_h, Vector{{c.mean_g}}, Vector{{c.cov}}, Matrix{{c.var_g}}};
    const double ours = log_expected_flow({c.delta, Vector{{c.lambda}}}, belief, Vector{{c.from}},
                                          Vector{{c.prior_gradient}}, Vector{{c.to}});
    EXPECT_NEAR(ours,
                by_quadrature(c.mean_h, c.var_h, c.mean_g, c.cov, c.var_g, c.delta, c.lambda, c.from,
                              c.prior_gradient, c.to),
                1e-9);
  }
}

TEST(ExpectedFlow, FactorisesOverIndependentDirections) {
  const JointGaussian two{-0.5, 1.3, Vector{{0.4, -0.9}}, Vector{{0.6, 0.0}}, Matrix{{0.8, 0.0}, {0.0, 1.7}}};
  const Langevin langevin{0.7, Vector{{1.1, 0.5}}};
  const double joint =
      log_expected_flow(langevin, two, Vector{{0.1, 0.2}}, Vector{{0.3, -0.3}}, Vector{{0.5, -0.6}});
  const JointGaussian first{-0.5, 1.3, Vector{{0.4}}, Vector{{0.6}}, Matrix{{0.8}}};
  const JointGaussian second{0.0, 0.0, Vector{{-0.9}}, Vector{{0.0}}, Matrix{{1.7}}};
  const double split =
      log_expected_flow({0.7, Vector{{1.1}}}, first, Vector{{0.1}}, Vector{{0.3}}, Vector{{0.5}}) +
      log_expected_flow({0.7, Vector{{0.5}}}, second, Vector{{0.2}}, Vector{{-0.3}}, Vector{{-0.6}});
  EXPECT_NEAR(joint, split, 1e-13);
}

TEST(ExpectedFlow, WithoutUncertaintyIsTheProposalDensity) {
  const State from{Vector{{0.3, -0.2}}, {-1.0, Vector{{0.1, 0.4}}}, {-2.0, Vector{{1.0, -0.5}}}};
  const Langevin langevin{0.6, Vector{{0.9, 1.4}}};
  const Vector to{{0.8, 0.1}};
  const JointGaussian certain{-2.0, 0.0, *from.exact.gradient, Vector::Zero(2), Matrix::Zero(2, 2)};
  EXPECT_NEAR(log_expected_flow(langevin, certain, from.position, from.prior.gradient, to),
              from.exact.log_likelihood + log_proposal(langevin, from, to), 1e-13);
}

// Proposition 5 as printed in the paper, in one dimension, with its V and K; kept here to show that it is not
// the expectation.
TEST(ExpectedFlow, DiffersFromThePrintedProposition) {
  const Case c{-1.0, 0.5, 0.7, 0.3, 0.9, 0.8, 1.3, 0.2, -0.4, 0.9};
  const double miss = c.to - c.from - 0.5 * c.delta * c.lambda * c.prior_gradient;
  const double v = (miss - 0.25 * c.delta * c.lambda * c.mean_g) / c.lambda * 0.5 * c.delta;
  const double printed = c.mean_h + v * c.lambda * c.mean_g +
                         0.5 * (c.var_h + 2 * v * c.cov + v * v * c.var_g) +
                         0.125 * c.delta * c.delta * c.mean_g * c.lambda * c.mean_g +
                         std::log(normal_density(miss, 0, c.delta * c.lambda));
  const double exact = by_quadrature(c.mean_h, c.var_h, c.mean_g, c.cov, c.var_g, c.delta, c.lambda, c.from,
                                     c.prior_gradient, c.to);
  EXPECT_GT(std::abs(printed - exact), 0.05);
}

}  // namespace
}  // namespace hunch
