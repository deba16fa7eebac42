#include "hunch/problems/eight_schools.hpp"

#include "hunch/problems/answer_with.hpp"

namespace hunch {

Vector school_effects() {
  return Vector{{28, 8, -3, 7, -1, 1, 18, 12}};
}

Vector school_errors() {
  return Vector{{15, 10, 16, 11, 9, 11, 10, 18}};
}

Exact eight_schools_log_likelihood(const Vector& theta, Want want) {
  static const Vector effects = school_effects();
  static const Vector errors = school_errors();
  static const double constant = -errors.array().log().sum() - 0.5 * school_count * log_two_pi;
  const double mu = theta[0];
  const double tau = theta[1];
  const auto eta = theta.tail(school_count);
  const Vector scaled = (effects.array() - mu - tau * eta.array()) / errors.array();
  return answer_with(constant - 0.5 * scaled.squaredNorm(), want, [&] {
    const Vector pull = scaled.cwiseQuotient(errors);
    Vector gradient(school_count + 2);
    gradient << pull.sum(), pull.dot(eta), tau * pull;
    return gradient;
  });
}

}  // namespace hunch
