#include "hunch/problems/saturation.hpp"

#include "hunch/core/numeric.hpp"
#include "problems/finite_difference.hpp"

namespace hunch {
namespace {

SaturationData some_data() {
  Rng rng(Address{12, 0, 2, Purpose::data});
  return draw_saturation_data(rng);
}

TEST(Saturation, LogLikelihoodIsTheSumOfNormalLogDensities) {
  const SaturationData data = some_data();
  Rng rng(Address{12, 0, 0, Purpose::test});
  for (int k = 0; k < 20; ++k) {
    const Vector theta = Eigen::Vector3d(rng.normal(), 40 + 20 * rng.normal(), -2 + rng.normal());
    if (theta[1] < -27) continue;
    double plain = 0;
    for (Index i = 0; i < 7; ++i) {
      const double sigma = std::exp(theta[2]);
      const double z = (data.y[i] - theta[0] * data.x[i] / (data.x[i] + theta[1])) / sigma;
      plain += std::log(std::exp(-0.5 * z * z / 8) / std::pow(2 * M_PI * sigma * sigma, 1.0 / 16)) * 8;
    }
    const double value = saturation_log_likelihood(data, theta, Want::value).log_likelihood;
    EXPECT_NEAR(value, plain, 1e-12 * (1 + std::abs(plain)));
  }
}

TEST(Saturation, GradientIsThatOfTheValue) {
  const SaturationData data = some_data();
  Rng rng(Address{12, 1, 0, Purpose::test});
  for (int k = 0; k < 40; ++k) {
    const double far = k < 20 ? 1 : 4;
    const Vector theta =
        Eigen::Vector3d(far * rng.normal(), 100 * rng.uniform() - 20, -2 + 0.5 * far * rng.normal());
    const auto value = [&](const Vector& t) {
      return saturation_log_likelihood(data, t, Want::value).log_likelihood;
    };
    const Exact exact = saturation_log_likelihood(data, theta, Want::value_and_gradient);
    const Vector difference = finite_difference(value, theta, 1e-3);
    EXPECT_LT((*exact.gradient - difference).norm(), 1e-8 * (1 + std::abs(exact.log_likelihood))) << theta;
  }
}

TEST(Saturation, CurveThroughItsPoleIsOutsideTheSupport) {
  const SaturationData data = some_data();
  for (const double b : {-28.0, -28.1, -400.0, -infinity, std::nan("")}) {
    const Exact exact =
        saturation_log_likelihood(data, Eigen::Vector3d(0.1, b, -2), Want::value_and_gradient);
    EXPECT_EQ(exact.log_likelihood, -infinity) << b;
    EXPECT_FALSE(exact.gradient);
  }
  EXPECT_GT(saturation_log_likelihood(data, Eigen::Vector3d(0.1, -27.9, -2), Want::value).log_likelihood,
            -infinity);
}

TEST(Saturation, DataScatterByTheTrueSigma) {
  // 700 residuals: chi-squared(700) is outside these bounds (5 sd) with probability below 1e-6.
  double squares = 0;
  for (std::uint32_t simulation = 0; simulation < 100; ++simulation) {
    Rng rng(Address{12, simulation, 2, Purpose::data});
    const SaturationData data = draw_saturation_data(rng);
    const Vector curve = 0.14 * data.x.array() / (data.x.array() + 50);
    squares += (data.y - curve).squaredNorm() / 0.01;
  }
  EXPECT_NEAR(squares, 700, 5 * std::sqrt(2 * 700.0));
}

}  // namespace
}  // namespace hunch
