#include "hunch/problems/ode_problems.hpp"

#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/problems/runge_kutta.hpp"

namespace hunch {
namespace {

using Solution = Eigen::ArrayXXd;  // observed quantities x times

struct Box {
  double low, high;
};

struct OdeFit {
  std::string name;
  std::vector<Box> box;
  std::vector<double> truth;
  std::vector<double> noise_sd;  // of each observed quantity
  std::function<Solution(const Vector& theta)> solve;
};

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

FixedPriorProblem problem_from(OdeFit fit, std::uint64_t number) {
  const Vector truth = as_vector(fit.truth);
  const Eigen::ArrayXd noise = as_vector(fit.noise_sd).array();
  Solution data = fit.solve(truth);
  Rng rng({1, 0, number, Purpose::data});
  for (Index time = 0; time < data.cols(); ++time) data.col(time) += noise * rng.normal(data.rows()).array();
  std::vector<Prior> priors;
  for (const Box& side : fit.box) priors.push_back({Uniform{side.low, side.high}});
  return {std::move(fit.name), std::move(priors),
          [data = std::move(data), noise, solve = std::move(fit.solve)](const Vector& theta) {
            const Solution residual = (data - solve(theta)).colwise() / noise;
            const double value = -0.5 * residual.square().sum();
            return std::isfinite(value) ? value : -infinity;
          },
          truth};
}

// `observe` picks what is measured of the state at each of `count` equidistant times, the first after one
// interval.
template <int states, typename Derivative, typename Observe>
Solution solve_at(State<states> y, int count, int steps_between, double step, const Derivative& derivative,
                  const Observe& observe) {
  Solution solution(observe(y).size(), count);
  for (int time = 0; time < count; ++time) {
    y = advance<states>(y, step, steps_between, derivative);
    const auto observed = observe(y);
    for (Index i = 0; i < observed.size(); ++i) solution(i, time) = observed[i];
  }
  return solution;
}

// Infected fraction of a population; transmission, recovery and the fraction infected at first.
OdeFit sir() {
  return {"ode-sir", {{0, 3}, {0, 2}, {0, 0.2}}, {0.8, 0.25, 0.01}, {0.02}, [](const Vector& theta) {
            const double transmission = theta[0], recovery = theta[1];
            return solve_at<2>(
                {1 - theta[2], theta[2]}, 20, 10, 0.2,
                [&](const State<2>& y) {
                  const double infections = transmission * y[0] * y[1];
                  return State<2>(-infections, infections - recovery * y[1]);
                },
                [](const State<2>& y) { return Eigen::Array<double, 1, 1>(y[1]); });
          }};
}

// Voltage and recovery current of a spiking neuron: a, b, c.
OdeFit fitzhugh_nagumo() {
  return {
      "ode-fitzhugh-nagumo", {{0, 5}, {0, 5}, {0.1, 10}}, {0.2, 0.2, 3}, {0.5, 0.5}, [](const Vector& theta) {
        const double a = theta[0], b = theta[1], c = theta[2];
        return solve_at<2>(
            {-1, 1}, 40, 10, 0.05,
            [&](const State<2>& y) {
              return State<2>(c * (y[0] - y[0] * y[0] * y[0] / 3 + y[1]), -(y[0] - a + b * y[1]) / c);
            },
            [](const State<2>& y) { return y; });
      }};
}

// An oscillating gene circuit with one feedback of Hill coefficient 10: two production and three decay rates.
OdeFit goodwin() {
  return {"ode-goodwin",
          {{0, 10}, {0, 10}, {0, 1}, {0, 1}, {0, 1}},
          {2, 4, 0.12, 0.08, 0.1},
          {0.002, 0.02, 0.2},
          [](const Vector& theta) {
            return solve_at<3>(
                {0.0054, 0.053, 1.93}, 40, 10, 0.2,
                [&](const State<3>& y) {
                  const double square = y[2] * y[2];
                  const double fourth = square * square;
                  const double repressed = 1 / (1 + fourth * fourth * square);
                  return State<3>(repressed - theta[2] * y[0], theta[0] * y[0] - theta[3] * y[1],
                                  theta[1] * y[1] - theta[4] * y[2]);
                },
                [](const State<3>& y) { return y; });
          }};
}

// Three genes that repress each other in a ring, messengers observed: strength, leak, Hill coefficient, ratio
// of decay rates.
OdeFit repressilator() {
  State<6> first;
  first << 0, 0, 0, 2, 1, 3;
  return {"ode-repressilator",
          {{0, 60}, {0, 5}, {1, 5}, {0, 10}},
          {20, 0.5, 2.5, 2},
          {0.5, 0.5, 0.5},
          [first](const Vector& theta) {
            const double strength = theta[0], leak = theta[1], hill = theta[2], ratio = theta[3];
            return solve_at<6>(
                first, 30, 10, 0.1,
                [&](const State<6>& y) {
                  State<6> slope;
                  for (int gene = 0; gene < 3; ++gene) {
                    const double repressor = y[3 + (gene + 2) % 3];
                    slope[gene] = strength / (1 + std::pow(repressor, hill)) + leak - y[gene];
                    slope[3 + gene] = ratio * (y[gene] - y[3 + gene]);
                  }
                  return slope;
                },
                [](const State<6>& y) { return State<3>(y.head<3>()); });
          }};
}

// Prey and predators: growth, predation, death, reproduction.
OdeFit lotka_volterra() {
  return {"ode-lotka-volterra",
          {{0, 3}, {0, 3}, {0, 3}, {0, 3}},
          {0.6, 0.2, 0.9, 0.25},
          {0.5, 0.5},
          [](const Vector& theta) {
            return solve_at<2>(
                {3, 1.5}, 20, 20, 0.05,
                [&](const State<2>& y) {
                  const double met = y[0] * y[1];
                  return State<2>(theta[0] * y[0] - theta[1] * met, theta[3] * met - theta[2] * y[1]);
                },
                [](const State<2>& y) { return y; });
          }};
}

// Log concentration in plasma after a dose of 100: elimination, exchange out and back, volume.
OdeFit two_compartments() {
  return {"ode-two-compartments",
          {{0, 2}, {0, 2}, {0, 2}, {1, 50}},
          {0.3, 0.5, 0.25, 10},
          {0.1},
          [](const Vector& theta) {
            return solve_at<2>(
                {100 / theta[3], 0}, 24, 10, 0.05,
                [&](const State<2>& y) {
                  const double exchange = theta[1] * y[0] - theta[2] * y[1];
                  return State<2>(-theta[0] * y[0] - exchange, exchange);
                },
                [](const State<2>& y) { return Eigen::Array<double, 1, 1>(std::log(y[0])); });
          }};
}

}  // namespace

std::vector<FixedPriorProblem> ode_problems() {
  std::vector<FixedPriorProblem> problems;
  for (OdeFit fit :
       {sir(), fitzhugh_nagumo(), goodwin(), repressilator(), lotka_volterra(), two_compartments()})
    problems.push_back(problem_from(std::move(fit), 101 + problems.size()));
  return problems;
}

}  // namespace hunch
