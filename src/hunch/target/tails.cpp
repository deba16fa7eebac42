#include "hunch/target/tails.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/inverse_gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <type_traits>

#include "hunch/target/boost_policy.hpp"

namespace hunch {
namespace {

namespace bm = boost::math;

// Each family's four functions, taken from Boost where it has the family.
template <class Distribution>
struct Library {
  Distribution distribution;

  double below(double theta) const { return cdf(distribution, theta); }
  double above(double theta) const { return cdf(complement(distribution, theta)); }
  double point_below(double mass) const { return quantile(distribution, mass); }
  double point_above(double mass) const { return quantile(complement(distribution, mass)); }
};

struct StudentTails {
  StudentT family;
  bm::students_t_distribution<double, BoostPolicy> standard{family.dof};

  double z(double theta) const { return (theta - family.location) / family.scale; }
  double below(double theta) const { return cdf(standard, z(theta)); }
  double above(double theta) const { return cdf(complement(standard, z(theta))); }
  double point_below(double mass) const { return family.location + family.scale * quantile(standard, mass); }
  double point_above(double mass) const {
    return family.location + family.scale * quantile(complement(standard, mass));
  }
};

struct HalfNormalTails {
  double unit;  // sqrt(2) * scale

  double below(double theta) const { return std::erf(theta / unit); }
  double above(double theta) const { return std::erfc(theta / unit); }
  double point_below(double mass) const { return unit * bm::erf_inv(mass, BoostPolicy{}); }
  double point_above(double mass) const { return unit * bm::erfc_inv(mass, BoostPolicy{}); }
};

struct HalfCauchyTails {
  double scale;
  static constexpr double half_pi = std::numbers::pi / 2;

  double below(double theta) const { return std::atan(theta / scale) / half_pi; }
  double above(double theta) const { return std::atan(scale / theta) / half_pi; }
  double point_below(double mass) const { return scale * std::tan(half_pi * mass); }
  double point_above(double mass) const { return scale / std::tan(half_pi * mass); }
};

auto tails(const Normal& f) {
  return Library<bm::normal_distribution<double, BoostPolicy>>{{f.mean, f.sd}};
}
auto tails(const Lognormal& f) {
  return Library<bm::lognormal_distribution<double, BoostPolicy>>{{f.mu, f.sigma}};
}
auto tails(const Uniform& f) {
  return Library<bm::uniform_distribution<double, BoostPolicy>>{{f.low, f.high}};
}
auto tails(const HalfNormal& f) {
  return HalfNormalTails{std::numbers::sqrt2 * f.scale};
}
auto tails(const HalfCauchy& f) {
  return HalfCauchyTails{f.scale};
}
auto tails(const Cauchy& f) {
  return Library<bm::cauchy_distribution<double, BoostPolicy>>{{f.location, f.scale}};
}
auto tails(const StudentT& f) {
  return StudentTails{f};
}
auto tails(const Exponential& f) {
  return Library<bm::exponential_distribution<double, BoostPolicy>>{{f.rate}};
}
auto tails(const Gamma& f) {
  return Library<bm::gamma_distribution<double, BoostPolicy>>{{f.shape, 1 / f.rate}};
}
auto tails(const InverseGamma& f) {
  return Library<bm::inverse_gamma_distribution<double, BoostPolicy>>{{f.shape, f.scale}};
}
auto tails(const Beta& f) {
  return Library<bm::beta_distribution<double, BoostPolicy>>{{f.a, f.b}};
}

// Visits the tails of a proper family.
template <class Question>
double ask(const Family& family, Question question) {
  return std::visit(
      [&](const auto& f) -> double {
        if constexpr (std::is_same_v<std::decay_t<decltype(f)>, Flat>) {
          throw std::logic_error("a flat family has no tails");
        } else {
          return question(tails(f));
        }
      },
      family);
}

}  // namespace

double mass_below(const Family& family, double theta) {
  return ask(family, [theta](const auto& t) { return t.below(theta); });
}

double mass_above(const Family& family, double theta) {
  return ask(family, [theta](const auto& t) { return t.above(theta); });
}

double point_with_mass_below(const Family& family, double mass) {
  return ask(family, [mass](const auto& t) { return t.point_below(mass); });
}

double point_with_mass_above(const Family& family, double mass) {
  return ask(family, [mass](const auto& t) { return t.point_above(mass); });
}

}  // namespace hunch
