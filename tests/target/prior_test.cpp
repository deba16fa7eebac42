#include "hunch/target/prior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <numbers>

#include "hunch/core/numeric.hpp"
#include "hunch/core/types.hpp"
#include "target/examples.hpp"

namespace hunch {
namespace {

namespace bm = boost::math;

// The density of each family by another hand: Boost's distributions, folded or shifted where it lacks one.
struct BoostDensity {
  double x;
  double operator()(const Normal& f) const { return pdf(bm::normal(f.mean, f.sd), x); }
  double operator()(const Lognormal& f) const { return pdf(bm::lognormal(f.mu, f.sigma), x); }
  double operator()(const Uniform& f) const { return pdf(bm::uniform(f.low, f.high), x); }
  double operator()(const HalfNormal& f) const { return 2 * pdf(bm::normal(0, f.scale), x); }
  double operator()(const HalfCauchy& f) const { return 2 * pdf(bm::cauchy(0, f.scale), x); }
  double operator()(const Cauchy& f) const { return pdf(bm::cauchy(f.location, f.scale), x); }
  double operator()(const StudentT& f) const {
    return pdf(bm::students_t(f.dof), (x - f.location) / f.scale) / f.scale;
  }
  double operator()(const Exponential& f) const { return pdf(bm::exponential(f.rate), x); }
  double operator()(const Gamma& f) const { return pdf(bm::gamma_distribution<>(f.shape, 1 / f.rate), x); }
  double operator()(const InverseGamma& f) const {
    return pdf(bm::inverse_gamma_distribution<>(f.shape, f.scale), x);
  }
  double operator()(const Beta& f) const { return pdf(bm::beta_distribution<>(f.a, f.b), x); }
  double operator()(const Flat&) const { return 1; }
};

// The probability below theta, by quadrature in two pieces: one rule steps over the bulk of a heavy tail.
double integral_up_to(const PriorDensity& density, double theta) {
  bm::quadrature::tanh_sinh<double> rule;
  const auto piece = [&](double from, double to) {
    if (!(from < to)) return 0.0;
    const auto f = [&](double x) { return std::exp(density.log_density(x)); };
    if (std::isinf(from) || std::isinf(to)) return rule.integrate(f, from, to, 1e-12);
    // Over (-1, 1): the rule's own nodes may round onto the end of a narrow interval, which it forbids.
    const double middle = from + (to - from) / 2;
    const double half = (to - from) / 2;
    return half * rule.integrate([&](double z) { return f(middle + half * z); }, -1.0, 1.0, 1e-12);
  };
  const double split = std::min(theta, density.quantile(0.6));
  return piece(density.support().lower, split) + piece(split, theta);
}

TEST(Prior, EveryFamilyAgreesWithBoost) {
  for (const std::string& text : plain_priors) {
    const Prior prior = parse_prior(text);
    for (const double u : {0.001, 0.1, 0.4, 0.5, 0.9, 0.999}) {
      const double theta = quantile(prior, u);
      const double expected = std::visit(BoostDensity{theta}, prior.family);
      EXPECT_NEAR(std::exp(log_density(prior, theta)) / expected, 1, 1e-12) << text << " at " << theta;
    }
  }
}

TEST(Prior, TruncationOnlyRescalesTheFamily) {
  for (const std::string& text : truncated_priors) {
    const Prior prior = parse_prior(text);
    const PriorDensity density(prior);
    const double middle = density.quantile(0.5);
    for (const double u : {0.01, 0.3, 0.95}) {
      const double theta = density.quantile(u);
      const double expected =
          std::visit(BoostDensity{theta}, prior.family) / std::visit(BoostDensity{middle}, prior.family);
      EXPECT_NEAR(density.log_density(theta) - density.log_density(middle), std::log(expected), 1e-11)
          << text;
    }
  }
}

TEST(Prior, TruncatedFormIntegratesToOne) {
  for (const std::string& text : proper_priors) {
    const PriorDensity density(parse_prior(text));
    EXPECT_NEAR(integral_up_to(density, density.support().upper), 1, 2e-8) << text;
  }
}

TEST(Prior, NarrowSliceKeepsItsNormalisation) {
  // So narrow that the density is constant across it to 1e-12.
  const PriorDensity density(Prior{Normal{0, 1e6}, 1.0, 1.0 + 1.0 / 1024});
  EXPECT_NEAR(density.log_density(1.0005), std::log(1024.0), 1e-12);
}

TEST(Prior, FlatWithBothBoundsIsUniformAndOtherwiseImproper) {
  EXPECT_EQ(log_density(parse_prior("flat(lower=-1, upper=3)"), 0.5), -std::log(4.0));
  EXPECT_EQ(log_density(parse_prior("flat(lower=-1)"), 1e9), 0);
  EXPECT_EQ(log_density(parse_prior("flat"), -1e9), 0);
  EXPECT_TRUE(is_proper(parse_prior("flat(lower=-1, upper=3)")));
  for (const std::string& text : improper_priors) {
    EXPECT_FALSE(is_proper(parse_prior(text))) << text;
    EXPECT_THROW(quantile(parse_prior(text), 0.5), InputError) << text;
  }
}

TEST(Prior, NothingIsLikelyOutsideTheSupport) {
  for (const std::string& text : all_priors) {
    const PriorDensity density(parse_prior(text));
    const auto [lower, upper] = density.support();
    for (const double theta : {lower, lower - 1, upper, upper + 1, std::nan("")}) {
      EXPECT_EQ(density.log_density(theta), -infinity) << text << " at " << theta;
      EXPECT_EQ(density.log_density_derivative(theta), 0) << text << " at " << theta;
    }
  }
}

TEST(Prior, SupportIsTheFamilysCutByTheBounds) {
  EXPECT_EQ(support(parse_prior("normal(2, 3, lower=1)")), (Support{1, infinity}));
  EXPECT_EQ(support(parse_prior("lognormal(0, 1, lower=-4, upper=2)")), (Support{0, 2}));
  EXPECT_EQ(support(parse_prior("beta(2, 2, upper=7)")), (Support{0, 1}));
  EXPECT_EQ(support(parse_prior("uniform(-1, 3, lower=0)")), (Support{0, 3}));
  EXPECT_EQ(support(parse_prior("cauchy(0, 1)")), (Support{-infinity, infinity}));
}

TEST(Prior, QuantileInvertsTheDistributionFunction) {
  for (const std::string& text : proper_priors) {
    const PriorDensity density(parse_prior(text));
    for (const double u : {1e-4, 0.02, 0.3, 0.5, 0.8, 0.999}) {
      const double theta = density.quantile(u);
      EXPECT_NEAR(integral_up_to(density, theta), u, 2e-8) << text;
    }
  }
}

TEST(Prior, QuantileStaysStrictlyInside) {
  for (const std::string& text : proper_priors) {
    const PriorDensity density(parse_prior(text));
    for (const double u : {1e-300, 1 - 0x1p-53})
      EXPECT_TRUE(density.support().contains(density.quantile(u))) << text << " at " << u;
  }
}

TEST(Prior, QuantileRefusesWhatIsNoProbability) {
  for (const double u : {0.0, 1.0, -0.1, 1.1, std::nan("")})
    EXPECT_THROW(quantile(Prior{Normal{0, 1}}, u), InputError) << u;
}

TEST(Prior, DerivativeIsThatOfTheLogDensity) {
  for (const std::string& text : proper_priors) {
    const PriorDensity density(parse_prior(text));
    for (const double u : {0.02, 0.3, 0.5, 0.8, 0.98}) {
      const double x = density.quantile(u);
      const double h = 1e-3 * std::min({1.0, x - density.support().lower, density.support().upper - x});
      const auto f = [&](double step) { return density.log_density(x + step * h); };
      const double slope = (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * h);
      const double rounding = 4e-16 * (1 + std::abs(f(0))) * 10 / h;
      EXPECT_NEAR(density.log_density_derivative(x), slope, 1e-9 * (1 + std::abs(slope)) + rounding) << text;
    }
  }
}

TEST(Prior, HugeArgumentsKeepTheirDigits) {
  // With 1e12 degrees of freedom a t differs from the normal by about 1e-12.
  EXPECT_NEAR(log_density(Prior{StudentT{1e12, 0, 1}}, 0.5), log_density(Prior{Normal{0, 1}}, 0.5), 1e-11);
  // beta(a, a) at 1/2: log density tends to log(4 a / pi) / 2 - 1 / (8 a).
  EXPECT_NEAR(log_density(Prior{Beta{2000, 2000}}, 0.5), std::log(8000 / std::numbers::pi) / 2 - 1 / 16000.0,
              1e-10);
}

}  // namespace
}  // namespace hunch
