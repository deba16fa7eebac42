#include "hunch/problems/sir.hpp"

#include <array>
#include <boost/numeric/odeint.hpp>

#include "hunch/core/numeric.hpp"
#include "problems/finite_difference.hpp"

namespace hunch {
namespace {

// The states themselves, by another method of another order with its own error control.
Matrix reference_states(double r0, double gamma) {
  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 2>;
  const double beta = r0 * gamma;
  const auto equations = [=](const State& x, State& rate, double) {
    rate[0] = -beta * x[0] * x[1];
    rate[1] = beta * x[0] * x[1] - gamma * x[1];
  };
  auto stepper = odeint::make_controlled<odeint::runge_kutta_dopri5<State>>(1e-15, 1e-13);
  State x{0.99, 0.01};
  Matrix states(19, 2);
  for (Index t = 0; t < 19; ++t) {
    odeint::integrate_adaptive(stepper, equations, x, 0.25 * static_cast<double>(t),
                               0.25 * static_cast<double>(t + 1), 1e-3);
    states.row(t) << x[0], x[1];
  }
  return states;
}

SirSeries some_data() {
  Rng rng(Address{14, 0, 4, Purpose::data});
  return draw_sir_data(rng);
}

TEST(Sir, StatesAgreeWithAFinerIntegrator) {
  for (const auto& [r0, gamma] : {std::pair{4.0, 1.0}, {3.2, 1.3}, {6.0, 0.7}, {1.1, 0.05}, {12.0, 2.0}}) {
    const SirSeries series = solve_sir(r0, gamma);
    const Matrix states = reference_states(r0, gamma);
    const Vector s = series.log_susceptible.array().exp() / states.col(0).array() - 1;
    const Vector i = series.log_infected.array().exp() / states.col(1).array() - 1;
    EXPECT_LT(s.lpNorm<Eigen::Infinity>(), 1e-9) << r0 << " " << gamma;
    EXPECT_LT(i.lpNorm<Eigen::Infinity>(), 1e-9) << r0 << " " << gamma;
  }
}

TEST(Sir, FirstIntegralIsConserved) {
  // I + S - log(S) / R0 does not change along a solution, at any rate.
  for (const double gamma : {0.01, 1.0, 10.0, 150.0}) {
    for (const double r0 : {0.5, 1.5, 4.0, 20.0}) {
      const SirSeries series = solve_sir(r0, gamma);
      const Vector integral = series.log_infected.array().exp() + series.log_susceptible.array().exp() -
                              series.log_susceptible.array() / r0;
      const double start = 1.0 - std::log(0.99) / r0;
      EXPECT_LT((integral.array() - start).abs().maxCoeff(), 1e-9) << r0 << " " << gamma;
    }
  }
}

TEST(Sir, ChangeInTheNumberOfStepsCannotBeSeen) {
  // (beta + gamma) 0.25 / 0.7 passes the integer 3 at gamma = 8.4 / 5 and 2 at 5.6 / 5 when R0 = 4.
  const SirSeries observed = some_data();
  for (const double edge : {5.6 / 5, 8.4 / 5}) {
    const auto value = [&](double gamma) {
      return sir_log_likelihood(observed, Eigen::Vector4d(4, gamma, 0.2, 0.3), Want::value).log_likelihood;
    };
    const double h = 1e-7;
    const double jump = value(edge + h) - value(edge - h);
    const double slope = (value(edge + 3 * h) - value(edge + h) + value(edge - h) - value(edge - 3 * h)) / 2;
    EXPECT_NEAR(jump, slope, 1e-8);
  }
}

TEST(Sir, LogLikelihoodIsTheDensityOfTheObservationsThemselves) {
  const SirSeries observed = some_data();
  const Vector theta = Eigen::Vector4d(3.5, 1.2, 0.25, 0.4);
  const Matrix states = reference_states(theta[0], theta[1]);
  double plain = 0;
  for (Index t = 0; t < 19; ++t) {
    const auto lognormal = [](double y, double median, double sigma) {
      const double z = std::log(y / median) / sigma;
      return std::exp(-0.5 * z * z) / (y * sigma * std::sqrt(2 * M_PI));
    };
    plain += std::log(lognormal(std::exp(observed.log_susceptible[t]), states(t, 0), theta[2]));
    plain += std::log(lognormal(std::exp(observed.log_infected[t]), states(t, 1), theta[3]));
  }
  EXPECT_NEAR(sir_log_likelihood(observed, theta, Want::value).log_likelihood, plain, 1e-7);
}

TEST(Sir, GradientIsThatOfTheValue) {
  const SirSeries observed = some_data();
  Rng rng(Address{14, 1, 0, Purpose::test});
  for (int k = 0; k < 30; ++k) {
    const double far = k < 15 ? 0.1 : 0.7;
    const Vector theta = sir_truth().array() * (far * rng.normal(4)).array().exp();
    const auto value = [&](const Vector& t) {
      return sir_log_likelihood(observed, t, Want::value).log_likelihood;
    };
    const Exact exact = sir_log_likelihood(observed, theta, Want::value_and_gradient);
    const Vector difference = finite_difference(value, theta, 2e-4 * theta.minCoeff());
    EXPECT_LT((*exact.gradient - difference).norm(), 1e-5 * (1 + exact.gradient->norm()))
        << theta.transpose();
  }
}

TEST(Sir, ExtremeRatesAndNoiseHaveADefinedValue) {
  const SirSeries observed = some_data();
  for (const double r0 : {1e-300, 1e-3, 1.0, 50.0, 1e6, 1e300, infinity, std::nan("")}) {
    for (const double gamma : {1e-300, 1e-9, 1.0, 700.0, std::exp(20.0), 1e308, -1.0}) {
      for (const double sigma : {0.0, 1e-40, 1.0, 1e40, infinity}) {
        const Exact exact =
            sir_log_likelihood(observed, Eigen::Vector4d(r0, gamma, sigma, 0.3), Want::value_and_gradient);
        const bool possible = std::isfinite(exact.log_likelihood);
        EXPECT_TRUE(possible || exact.log_likelihood == -infinity) << r0 << " " << gamma << " " << sigma;
        EXPECT_EQ(possible, exact.gradient.has_value());
        if (possible) {
          EXPECT_TRUE(exact.gradient->allFinite()) << r0 << " " << gamma << " " << sigma;
        }
      }
    }
  }
}

TEST(Sir, InfectedTooFewForADoubleStillHaveALogarithm) {
  // At gamma = 700 the infected fall to about e^-3000: far below the smallest double.
  const SirSeries series = solve_sir(1.2, 700);
  EXPECT_LT(series.log_infected[18], -500);
  EXPECT_TRUE(series.log_infected.allFinite());
}

}  // namespace
}  // namespace hunch
