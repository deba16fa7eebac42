#include "hunch/surrogate/landscape.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"

namespace hunch {
namespace {

constexpr Index d = 3;

// A bent log-likelihood of positions that are two units wide around 1.
double log_likelihood(const Vector& x) {
  const Vector z = (x.array() - 1) / 2;
  return -50 - 0.5 * z.squaredNorm() - 0.2 * z[0] * z[1] + 0.4 * std::sin(z[2] + 0.5 * z[0]);
}

Vector gradient(const Vector& x) {
  const Vector z = (x.array() - 1) / 2;
  const double bend = 0.4 * std::cos(z[2] + 0.5 * z[0]);
  return Vector{{-z[0] - 0.2 * z[1] + 0.5 * bend, -z[1] - 0.2 * z[0], -z[2] + bend}} / 2;
}

enum class Told { values, gradients };

Vector somewhere(Rng& rng) {
  return (1 + 2 * rng.normal(d).array()).matrix();
}

std::vector<Lesson> lessons(Index n, Told told) {
  Rng rng({91, 0, 0, Purpose::test});
  std::vector<Lesson> result;
  for (Index i = 0; i < n; ++i) {
    const Vector x = somewhere(rng);
    result.push_back({x, log_likelihood(x), std::nullopt, 0});
    if (told == Told::gradients) result.back().gradient = gradient(x);
  }
  return result;
}

Landscape learned(const std::vector<Lesson>& from, LandscapeOptions options = {}) {
  Landscape landscape(Frame::of(Vector::Ones(d), 4 * Matrix::Identity(d, d)), options);
  landscape.add(from);
  landscape.refit(20);
  return landscape;
}

double error(const Landscape& landscape) {
  Rng rng({92, 0, 0, Purpose::test});
  GaussianProcess::Workspace room;
  double squares = 0;
  for (int i = 0; i < 100; ++i) {
    const Vector x = somewhere(rng);
    squares += std::pow(landscape.value(x, room) - log_likelihood(x), 2) / 100;
  }
  return std::sqrt(squares);
}

TEST(Landscape, GradientsAtTheSamePointsMakeItMoreAccurate) {
  const double by_values = error(learned(lessons(15, Told::values)));
  const double by_both = error(learned(lessons(15, Told::gradients)));
  EXPECT_LT(by_both, 0.3 * by_values);
}

// And through a lens that bends, whose gradients are other than those of positions.
TEST(Landscape, GradientsAreSeenThroughTheLens) {
  Landscape landscape = learned(lessons(15, Told::gradients));
  Rng rng({93, 0, 0, Purpose::test});
  Matrix xs(d, 200);
  for (Index i = 0; i < 200; ++i) xs.col(i) = somewhere(rng);
  landscape.choose_scales({Scale::position, Scale::between, Scale::position}, xs,
                          Vector::Constant(200, 1.0 / 200), 20);
  EXPECT_LT(error(landscape), 0.2);
}

TEST(Landscape, SurrogateHasTheGradientsItWasTold) {
  const std::vector<Lesson> from = lessons(12, Told::gradients);
  const Landscape landscape = learned(from);
  GaussianProcess::Workspace room;
  Vector slope;
  for (const Lesson& lesson : from) {
    landscape.value_and_gradient(lesson.position, slope, room);
    EXPECT_LT((slope - *lesson.gradient).norm(), 0.01);
  }
}

// Far below the top a gradient is as huge as it is useless.
TEST(Landscape, GradientsBeyondTheReachAreNotUsed) {
  std::vector<Lesson> from = lessons(15, Told::gradients);
  Vector deep = Vector::Constant(d, 25.0);
  from.push_back({deep, log_likelihood(deep), gradient(deep), 0});
  const Landscape honest = learned(from);
  from.back().gradient = Vector::Constant(d, 1e6);
  const Landscape misled = learned(from);
  EXPECT_GT(honest.depth(from.back()), honest.reach());
  EXPECT_EQ(honest.values(Matrix(Vector::Zero(d))), misled.values(Matrix(Vector::Zero(d))));
}

// With hundreds of gradients the factor would be of thousands.
TEST(Landscape, GradientsAreBoundedInNumberAndTheValuesAllCount) {
  LandscapeOptions few;
  few.most_gradient_numbers = 3 * d;
  few.most_fitted_numbers = 60;
  const std::vector<Lesson> from = lessons(50, Told::gradients);
  const Landscape landscape = learned(from, few);
  EXPECT_EQ(landscape.size(), 50);
  few.most_gradient_numbers = 0;
  const Landscape blind = learned(from, few);
  EXPECT_NE(landscape.values(Matrix(Vector::Zero(d))), blind.values(Matrix(Vector::Zero(d))));
  EXPECT_EQ(blind.values(Matrix(Vector::Zero(d))),
            learned(lessons(50, Told::values)).values(Matrix(Vector::Zero(d))));
}

// By the same deviations that it claims, though it asks for them only where some of the points do not
// suffice.
TEST(Landscape, KnowsPlacesWhoseDeviationIsSmall) {
  const Landscape landscape = learned(lessons(200, Told::values));
  Rng rng({94, 0, 0, Purpose::test});
  GaussianProcess::Workspace room;
  int known = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector x = (1 + 6 * rng.normal(d).array()).matrix();
    const bool here = landscape.knows(x, 0.1, room);
    EXPECT_EQ(here, landscape.deviations(x)[0] <= 0.1);
    known += here;
  }
  EXPECT_GT(known, 30);
  EXPECT_LT(known, 270);
}

TEST(Landscape, PointWithoutLikelihoodAndWithoutGradientDoesNoHarm) {
  std::vector<Lesson> from = lessons(15, Told::gradients);
  from.push_back({Vector::Constant(d, 9.0), -infinity, std::nullopt, 0});
  from[3].gradient.reset();
  EXPECT_LT(error(learned(from)), 0.2);
}

// Ten normal numbers with an unknown log sd, x[2], and two coefficients.
double log_likelihood_with_noise(const Vector& x) {
  return -10 * x[2] - 0.5 * std::exp(-2 * x[2]) * (10 + 8 * x[0] * x[0] + 5 * std::pow(x[1] - 0.5 * x[0], 2));
}

TEST(Landscape, NoticesThatAParameterIsTheLogarithmOfAScale) {
  const Vector sds{{0.35, 0.5, 0.22}};
  Rng rng({93, 0, 0, Purpose::test});
  const auto somewhere_wide = [&] { return Vector(1.5 * sds.cwiseProduct(rng.normal(d))); };
  std::vector<Lesson> known;
  for (int i = 0; i < 30; ++i) {
    const Vector x = somewhere_wide();
    known.push_back({x, log_likelihood_with_noise(x), std::nullopt, 0});
  }
  Landscape landscape(Frame::of(Vector::Zero(d), Matrix(sds.cwiseAbs2().asDiagonal())));
  landscape.add(known);
  const auto error_now = [&] {
    Rng fresh({94, 0, 0, Purpose::test});
    GaussianProcess::Workspace room;
    double squares = 0;
    for (int i = 0; i < 200; ++i) {
      const Vector x = sds.cwiseProduct(fresh.normal(d));
      squares += std::pow(landscape.value(x, room) - log_likelihood_with_noise(x), 2) / 200;
    }
    return std::sqrt(squares);
  };
  landscape.refit(20);
  const double plain = error_now();
  Matrix draws(d, 100);
  for (Index i = 0; i < draws.cols(); ++i) draws.col(i) = sds.cwiseProduct(rng.normal(d));
  landscape.choose_scales(std::vector<Scale>(d, Scale::position), draws, Vector::Constant(100, 0.01), 20);
  ASSERT_TRUE(landscape.covariance().is_tilted());
  EXPECT_LT(error_now(), 0.02);
  EXPECT_GT(plain, 5 * error_now());
  // Another frame sees the same scale.
  landscape.reframe(Frame::of(Vector{{0.1, -0.2, 0.1}}, Matrix((2 * sds).cwiseAbs2().asDiagonal())));
  landscape.rebuild();
  EXPECT_LT(error_now(), 0.02);
}

TEST(Landscape, DoesNotTakeAnythingForTheLogarithmOfAScale) {
  Landscape landscape = learned(lessons(60, Told::values));
  Matrix draws(d, 100);
  Rng rng({95, 0, 0, Purpose::test});
  for (Index i = 0; i < draws.cols(); ++i) draws.col(i) = somewhere(rng);
  landscape.choose_scales(std::vector<Scale>(d, Scale::position), draws, Vector::Constant(100, 0.01), 20);
  EXPECT_FALSE(landscape.covariance().is_tilted());
}

}  // namespace
}  // namespace hunch
