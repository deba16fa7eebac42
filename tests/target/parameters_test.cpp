#include "hunch/target/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "hunch/core/numeric.hpp"
#include "target/examples.hpp"

namespace hunch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Parameters one(const std::string& prior) {
  return Parameters({{"x", parse_prior(prior)}});
}

Vector at(double value) {
  return Vector::Constant(1, value);
}

Parameters three() {
  return Parameters({{"a", parse_prior("normal(0, 2)")},
                     {"R0", parse_prior("normal(2, 3, lower=1)"), 1.5},
                     {"share", parse_prior("beta(2, 3)"), 0.25}});
}

std::string complaint(std::vector<Parameter> parameters) {
  try {
    Parameters{std::move(parameters)};
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Parameters, MissingJacobianWouldNotIntegrateToOneOverPositions) {
  for (const std::string& text : proper_priors) {
    const Parameters parameters = one(text);
    boost::math::quadrature::tanh_sinh<double> rule;
    const auto density = [&](double p) { return std::exp(parameters.log_prior(at(p))); };
    // In two halves about the middle, so that the rule does not step over a narrow bulk.
    const double middle = parameters.position(at(quantile(parse_prior(text), 0.5)))[0];
    const double total =
        rule.integrate(density, -infinity, middle) + rule.integrate(density, middle, infinity);
    EXPECT_NEAR(total, 1, 1e-9) << text;
  }
}

TEST(Parameters, LogPriorIsDensityAtThetaPlusJacobian) {
  for (const std::string& text : all_priors) {
    const Parameters parameters = one(text);
    const Transform transform = transform_onto(support(parse_prior(text)));
    for (const double p : {-2.0, -0.3, 1.2}) {
      const double expected =
          log_density(parse_prior(text), parameters.theta(at(p))[0]) + log_jacobian(transform, p);
      EXPECT_NEAR(parameters.log_prior(at(p)), expected, 1e-12 * (1 + std::abs(expected))) << text;
    }
  }
}

TEST(Parameters, GradientIsThatOfTheLogPriorWithItsJacobian) {
  for (const std::string& text : all_priors) {
    const Parameters parameters = one(text);
    for (const double p : {-3.0, -1.0, -0.2, 0.5, 2.0, 4.0}) {
      const double h = 1e-3;
      const auto f = [&](double step) { return parameters.log_prior(at(p + step * h)); };
      const double slope = (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * h);
      EXPECT_NEAR(parameters.log_prior_gradient(at(p))[0], slope, 1e-9 * (1 + std::abs(f(0))))
          << text << " at " << p;
    }
  }
}

TEST(Parameters, FarPositionsNeverGiveNaNOrPlusInfinity) {
  for (const std::string& text : all_priors) {
    const Parameters parameters = one(text);
    const Support inside = support(parse_prior(text));
    const auto check = [&](double p) {
      const double value = parameters.log_prior(at(p));
      EXPECT_TRUE(std::isfinite(value) || value == -infinity) << text << " at " << p << ": " << value;
      EXPECT_TRUE(std::isfinite(parameters.log_prior_gradient(at(p))[0])) << text << " at " << p;
      EXPECT_TRUE(inside.contains(parameters.theta(at(p))[0])) << text << " at " << p;
    };
    for (double p = -700; p <= 700; p += 1.75) check(p);
    for (const double size : {710.0, 745.0, 800.0, 1e6, 1e300, std::numeric_limits<double>::max()}) {
      check(-size);
      check(size);
    }
  }
}

TEST(Parameters, NaNPositionHasNoDensity) {
  for (const char* text : {"normal(0, 1)", "gamma(2, 1)", "beta(2, 3)"})
    EXPECT_EQ(one(text).log_prior(at(std::nan(""))), -infinity) << text;
}

TEST(Parameters, TailsDecayAtTheirTrueRateBeyondTheRoundingOfTheta) {
  // theta equals a bound to all its digits at these positions.
  EXPECT_NEAR(one("beta(0.5, 0.5)").log_prior(at(600)), -300 - std::log(std::numbers::pi), 1e-10);
  EXPECT_NEAR(one("beta(0.5, 0.5)").log_prior_gradient(at(600))[0], -0.5, 1e-10);
  EXPECT_NEAR(one("beta(0.5, 0.5)").log_prior(at(-2000)), -1000 - std::log(std::numbers::pi), 1e-9);
  EXPECT_NEAR(one("halfcauchy(1)").log_prior(at(2000)), std::log(2 / std::numbers::pi) - 2000, 1e-9);
  EXPECT_NEAR(one("halfcauchy(1)").log_prior_gradient(at(2000))[0], -1, 1e-12);
  EXPECT_NEAR(one("gamma(0.5, 2)").log_prior(at(-2000)), 0.5 * std::log(2 / std::numbers::pi) - 1000, 1e-9);
  EXPECT_NEAR(one("gamma(0.5, 2)").log_prior_gradient(at(-2000))[0], 0.5, 1e-12);
  EXPECT_NEAR(one("student_t(3, 0, 1, lower=0)").log_prior_gradient(at(500))[0], -3, 1e-12);
}

TEST(Parameters, CoordinatesDoNotMix) {
  const Parameters parameters = three();
  const Vector p = (Vector(3) << 0.3, -1.2, 0.8).finished();
  EXPECT_EQ(parameters.dimension(), 3);
  EXPECT_EQ(parameters.list()[1].name, "R0");
  EXPECT_EQ(parameters.list()[2].start, 0.25);
  double sum = 0;
  for (Index i = 0; i < 3; ++i) {
    const Parameters alone = one(to_text(parameters.list()[i].prior));
    EXPECT_EQ(parameters.theta(p)[i], alone.theta(at(p[i]))[0]);
    EXPECT_EQ(parameters.log_prior_gradient(p)[i], alone.log_prior_gradient(at(p[i]))[0]);
    sum += alone.log_prior(at(p[i]));
  }
  EXPECT_NEAR(parameters.log_prior(p), sum, 1e-14);
  EXPECT_LT((parameters.position(parameters.theta(p)) - p).norm(), 1e-14);
}

TEST(Parameters, ChainRuleTurnsThetaGradientsIntoPositionGradients) {
  const Parameters parameters = three();
  const Vector p = (Vector(3) << 0.3, -1.2, 0.8).finished();
  const auto f = [](const Vector& t) { return std::sin(t[0]) * t[1] + t[1] * t[2] * t[2]; };
  const Vector t = parameters.theta(p);
  const Vector gradient =
      (Vector(3) << std::cos(t[0]) * t[1], std::sin(t[0]) + t[2] * t[2], 2 * t[1] * t[2]).finished();
  const Vector transformed = parameters.to_position_gradient(p, gradient);
  for (Index i = 0; i < 3; ++i) {
    const Vector step = 1e-5 * Vector::Unit(3, i);
    const double slope = (f(parameters.theta(p + step)) - f(parameters.theta(p - step))) / 2e-5;
    EXPECT_NEAR(transformed[i], slope, 1e-9);
  }
}

TEST(Parameters, ThetaOutsideTheSupportIsRefusedByName) {
  const Parameters parameters = three();
  try {
    parameters.position((Vector(3) << 0, 1, 0.5).finished());
    FAIL() << "theta on the bound was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("\"R0\""), HasSubstr("(1, inf)"), HasSubstr("got 1")));
  }
  EXPECT_THROW(parameters.position((Vector(3) << std::nan(""), 2, 0.5).finished()), InputError);
}

TEST(Parameters, VectorsOfAnotherSizeAreRefused) {
  const Parameters parameters = three();
  const Vector two = Vector::Zero(2);
  EXPECT_THROW(parameters.theta(two), InputError);
  EXPECT_THROW(parameters.position(two), InputError);
  EXPECT_THROW(parameters.log_prior(two), InputError);
  EXPECT_THROW(parameters.log_prior_gradient(two), InputError);
  EXPECT_THROW(parameters.to_position_gradient(Vector::Zero(3), two), InputError);
}

TEST(Parameters, BadListsAreRefusedByName) {
  const Prior normal{Normal{0, 1}};
  EXPECT_EQ(complaint({{"a", normal}, {"b", normal}}), "accepted");
  EXPECT_THAT(complaint({}), HasSubstr("at least one"));
  EXPECT_THAT(complaint({{"a", normal}, {"", normal}}), AllOf(HasSubstr("number 2"), HasSubstr("empty")));
  EXPECT_THAT(complaint({{"a", normal}, {"a", normal}}), AllOf(HasSubstr("\"a\""), HasSubstr("twice")));
  EXPECT_THAT(complaint({{"a", Prior{Normal{0, -1}}}}),
              AllOf(HasSubstr("parameter \"a\""), HasSubstr("normal(0, -1): sd must be positive")));
}

TEST(Parameters, StartMustLieInsideTheSupport) {
  const Prior positive{HalfCauchy{1}};
  EXPECT_EQ(complaint({{"sigma", positive, 0.5}}), "accepted");
  for (const double start : {0.0, -1.0, infinity, std::nan("")})
    EXPECT_THAT(complaint({{"sigma", positive, start}}), AllOf(HasSubstr("\"sigma\""), HasSubstr("start")))
        << start;
}

}  // namespace
}  // namespace hunch
