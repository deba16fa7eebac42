#include "hunch/problems/posteriordb_problems.hpp"

#include <cmath>

#include "hunch/core/numeric.hpp"
#include "hunch/problems/posterior_data.hpp"

namespace hunch {
namespace {

double squared(double x) {
  return x * x;
}
// Of a Cauchy density, up to a constant.
double log_cauchy(double x, double scale) {
  return -std::log1p(squared(x / scale));
}
double log_logistic(double x) {
  return -log1p_exp(-x);
}
double log_sum(double a, double b) {
  const double top = std::max(a, b);
  return top > -infinity ? top + std::log(std::exp(a - top) + std::exp(b - top)) : -infinity;
}

// mu, phi, theta, log sigma.
FreePriorProblem arma() {
  return {"arma-arma11", 4, [y = PosteriorData("arma").column("y")](const Vector& u) {
            const double mu = u[0], phi = u[1], theta = u[2], log_sigma = u[3];
            double error = y[0] - (mu + phi * mu), squares = error * error;
            for (Index t = 1; t < y.size(); ++t) {
              error = y[t] - (mu + phi * y[t - 1] + theta * error);
              squares += error * error;
            }
            const auto count = static_cast<double>(y.size());
            return -0.5 * squares * std::exp(-2 * log_sigma) - (count - 1) * log_sigma -
                   0.5 * (squared(mu / 10) + squared(phi / 2) + squared(theta / 2)) +
                   log_cauchy(std::exp(log_sigma), 2.5);
          }};
}

// Eight standardised effects, mu, log tau.
FreePriorProblem eight_schools() {
  const PosteriorData data("eight_schools");
  return {"eight_schools-eight_schools_noncentered", 10,
          [y = data.column("y"), sigma = data.column("sigma")](const Vector& u) {
            const double mu = u[8], tau = std::exp(u[9]);
            const Eigen::ArrayXd residuals = (y.array() - mu - tau * u.head(8).array()) / sigma.array();
            return -0.5 * (residuals.square().sum() + u.head(8).squaredNorm() + squared(mu / 5)) +
                   log_cauchy(tau, 5) + u[9];
          }};
}

Matrix squared_distances(const Vector& x) {
  return (x.replicate(1, x.size()) - x.transpose().replicate(x.size(), 1)).array().square();
}

Eigen::LLT<Matrix> covariance_factor(const Matrix& distances, double length, double scale, double nugget) {
  Matrix covariance = scale * scale * (-0.5 / (length * length) * distances.array()).exp();
  covariance.diagonal().array() += nugget;
  return covariance.llt();
}

// The priors that both Gaussian processes have: gamma(25, 4) for the length, a half-normal of sd 2 for the
// scale; on the scale of logs.
double log_prior_of_process(double log_length, double log_scale) {
  return 25 * log_length - 4 * std::exp(log_length) + log_scale - 0.5 * squared(std::exp(log_scale) / 2);
}

// log length, log scale, log noise variance.
FreePriorProblem gp_regression() {
  const PosteriorData data("gp_pois_regr");
  return {"gp_pois_regr-gp_regr", 3,
          [distances = squared_distances(data.column("x")), y = data.column("y")](const Vector& u) {
            const double noise = std::exp(u[2]);
            const auto factor = covariance_factor(distances, std::exp(u[0]), std::exp(u[1]), noise);
            if (factor.info() != Eigen::Success) return -infinity;
            const Vector white = factor.matrixL().solve(y);
            const double log_determinant = Vector(factor.matrixLLT().diagonal()).array().log().sum();
            return -0.5 * white.squaredNorm() - log_determinant + log_prior_of_process(u[0], u[1]) -
                   0.5 * noise * noise + u[2];
          }};
}

// log length, log scale, eleven standard normals that the factor of the covariance turns into log rates.
FreePriorProblem gp_poisson() {
  const PosteriorData data("gp_pois_regr");
  return {"gp_pois_regr-gp_pois_regr", 13,
          [distances = squared_distances(data.column("x")), counts = data.column("k")](const Vector& u) {
            const auto factor = covariance_factor(distances, std::exp(u[0]), std::exp(u[1]), 1e-10);
            if (factor.info() != Eigen::Success) return -infinity;
            const Vector white = u.tail(11);
            const Vector log_rates = factor.matrixL() * white;
            return log_prior_of_process(u[0], u[1]) - 0.5 * white.squaredNorm() + counts.dot(log_rates) -
                   log_rates.array().exp().sum();
          }};
}

// The first mean, the log of its distance to the second, two log sds, the logit of the first weight.
FreePriorProblem normal_mixture() {
  return {"low_dim_gauss_mix-low_dim_gauss_mix", 5,
          [y = PosteriorData("low_dim_gauss_mix").column("y")](const Vector& u) {
            const double mean_1 = u[0], mean_2 = mean_1 + std::exp(u[1]);
            const double sd_1 = std::exp(u[2]), sd_2 = std::exp(u[3]);
            const double log_weight_1 = log_logistic(u[4]), log_weight_2 = log_logistic(-u[4]);
            double value = 0;
            for (const double one : y)
              value += log_sum(log_weight_1 - 0.5 * squared((one - mean_1) / sd_1) - u[2],
                               log_weight_2 - 0.5 * squared((one - mean_2) / sd_2) - u[3]);
            // Normal priors of sd 2, beta(5, 5) for the weight, and the logarithms' Jacobians.
            return value - (squared(sd_1) + squared(sd_2) + squared(mean_1) + squared(mean_2)) / 8 +
                   5 * (log_weight_1 + log_weight_2) + u[1] + u[2] + u[3];
          }};
}

// Logits of staying in the first state and of going there from the second, the log of the first mean, and of
// its distance to the second. The chain is summed out by the forward algorithm.
FreePriorProblem hidden_markov() {
  return {"hmm_example-hmm_example", 4, [y = PosteriorData("hmm_example").column("y")](const Vector& u) {
            const double stay_1 = log_logistic(u[0]), leave_1 = log_logistic(-u[0]);
            const double leave_2 = log_logistic(u[1]), stay_2 = log_logistic(-u[1]);
            const double mean_1 = std::exp(u[2]), mean_2 = mean_1 + std::exp(u[3]);
            double in_1 = -0.5 * squared(y[0] - mean_1), in_2 = -0.5 * squared(y[0] - mean_2);
            for (Index t = 1; t < y.size(); ++t) {
              const double next_1 = log_sum(in_1 + stay_1, in_2 + leave_2) - 0.5 * squared(y[t] - mean_1);
              in_2 = log_sum(in_1 + leave_1, in_2 + stay_2) - 0.5 * squared(y[t] - mean_2);
              in_1 = next_1;
            }
            return log_sum(in_1, in_2) - 0.5 * (squared(mean_1 - 3) + squared(mean_2 - 10)) + stay_1 +
                   leave_1 + stay_2 + leave_2 + u[2] + u[3];
          }};
}

}  // namespace

std::vector<FreePriorProblem> posteriordb_problems() {
  return {arma(), eight_schools(), gp_regression(), gp_poisson(), normal_mixture(), hidden_markov()};
}

}  // namespace hunch
