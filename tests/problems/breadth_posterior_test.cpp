#include "hunch/problems/breadth_posterior.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "hunch/core/numeric.hpp"
#include "hunch/core/rng.hpp"
#include "hunch/problems/prior_start.hpp"
#include "hunch/problems/runge_kutta.hpp"

namespace hunch {
namespace {

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

double log_prior(const BreadthPosterior& posterior, const Vector& theta) {
  double sum = 0;
  for (Index i = 0; i < theta.size(); ++i) {
    const Prior& prior = posterior.parameters.list()[static_cast<std::size_t>(i)].prior;
    sum += log_density(prior, theta[i]);
  }
  return sum;
}

TEST(BreadthPosteriors, AreManyWithNamesOfTheirOwnInTwoHalves) {
  std::set<std::string> names;
  std::set<std::pair<std::string, Half>> places;
  for (const BreadthPosterior& posterior : breadth_posteriors()) {
    names.insert(posterior.name);
    places.insert({posterior.group, posterior.half});
    EXPECT_EQ(breadth_posterior(posterior.name).name, posterior.name);
  }
  EXPECT_GE(names.size(), 60U);
  EXPECT_EQ(names.size(), breadth_posteriors().size());
  EXPECT_EQ(places.size(), 8U);  // every group is in both halves
  EXPECT_THROW(breadth_posterior("no-such"), InputError);
}

TEST(BreadthPosteriors, BothPriorsOfAProblemAreInTheSameHalf) {
  for (const BreadthPosterior& a : breadth_posteriors())
    for (const BreadthPosterior& b : breadth_posteriors())
      EXPECT_TRUE(a.problem != b.problem || a.half == b.half) << a.problem;
}

TEST(BreadthPosteriors, HaveReferencesOfTheirDimensionThatAPriorReaches) {
  for (const BreadthPosterior& posterior : breadth_posteriors()) {
    const BreadthReference& reference = breadth_reference(posterior.problem);
    const auto d = static_cast<std::size_t>(posterior.parameters.dimension());
    ASSERT_EQ(reference.mean.size(), d) << posterior.name;
    ASSERT_EQ(reference.sd.size(), d) << posterior.name;
    ASSERT_EQ(reference.kurtosis.size(), d) << posterior.name;
    EXPECT_GE(reference.draws, 9000) << posterior.name;
    EXPECT_GT(log_prior(posterior, as_vector(reference.mean)), -infinity) << posterior.name;
    EXPECT_TRUE(reference.best_log_posterior || posterior.name.starts_with("funnel")) << posterior.name;
  }
}

TEST(BreadthPosteriors, EasyPriorsAreTenPosteriorSdsWide) {
  const BreadthPosterior& posterior = breadth_posterior("nes1972-nes-easy");
  const BreadthReference& reference = breadth_reference("nes1972-nes");
  for (std::size_t i = 0; i < reference.sd.size(); ++i) {
    const auto prior = std::get<Normal>(posterior.parameters.list()[i].prior.family);
    EXPECT_DOUBLE_EQ(prior.sd, 10 * reference.sd[i]);
    EXPECT_NEAR(std::abs(prior.mean - reference.mean[i]), 5 * reference.sd[i], 1e-9);
  }
}

TEST(BreadthPosteriors, LikelihoodTimesPriorIsThePosteriorWhateverThePrior) {
  for (const BreadthPosterior& posterior : breadth_posteriors()) {
    const BreadthReference& reference = breadth_reference(posterior.problem);
    std::vector<double> constants;
    for (const double moved : {0.0, 0.1}) {
      const Vector theta = posterior.middle + moved * as_vector(reference.sd);
      constants.push_back(posterior.log_likelihood(theta) + log_prior(posterior, theta) -
                          posterior.log_posterior(theta));
    }
    EXPECT_NEAR(constants[0], constants[1], 1e-8 * (1 + std::abs(posterior.log_posterior(posterior.middle))))
        << posterior.name;
  }
}

TEST(BreadthPosteriors, AnswerEveryDrawOfThePriorWithAFiniteNumberOrMinusInfinity) {
  for (const BreadthPosterior& posterior : breadth_posteriors()) {
    int finite = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
      Rng rng({3, 0, i, Purpose::test});
      const double value =
          posterior.log_likelihood(posterior.parameters.theta(prior_start(posterior.parameters, rng)));
      EXPECT_TRUE(std::isfinite(value) || value == -infinity) << posterior.name << ": " << value;
      finite += std::isfinite(value) ? 1 : 0;
    }
    EXPECT_GT(finite, 0) << posterior.name;
  }
}

TEST(BreadthPosteriors, NothingNearTheMiddleIsHigherThanTheHighestKnown) {
  for (const BreadthPosterior& posterior : breadth_posteriors()) {
    const BreadthReference& reference = breadth_reference(posterior.problem);
    if (!reference.best_log_posterior) continue;
    const Vector sd = as_vector(reference.sd);
    EXPECT_GT(posterior.log_posterior(posterior.middle),
              *reference.best_log_posterior - static_cast<double>(sd.size()) - 10)
        << posterior.name;
    for (std::uint64_t i = 0; i < 200; ++i) {
      Rng rng({4, 0, i, Purpose::test});
      const Vector theta = posterior.middle + 0.3 * rng.uniform() * sd.cwiseProduct(rng.normal(sd.size()));
      EXPECT_LT(posterior.log_posterior(theta), *reference.best_log_posterior + 0.05) << posterior.name;
    }
  }
}

TEST(BreadthPosteriors, HalfOfThePriorIsImpossibleWhereTheNameSaysSo) {
  const BreadthPosterior& posterior = breadth_posterior("half-impossible-3");
  EXPECT_EQ(posterior.log_likelihood(Vector{{-1e-9, 1, 1}}), -infinity);
  EXPECT_TRUE(std::isfinite(posterior.log_likelihood(Vector{{1e-9, 1, 1}})));
}

// Log posteriors at mean + sd and at mean -+ 3 sd (minus for odd parameters), less that at the mean; from
// numpy densities that share no code with ours.
struct Difference {
  const char* problem;
  double at_plus_one;
  double at_three_alternating;
};

constexpr Difference differences[] = {
    {"arK-arK", -152.274277, -70.8259397},
    {"arma-arma11", -2.32133476, -16.1360786},
    {"eight_schools-eight_schools_noncentered", -5.65763618, -1435.94925},
    {"gp_pois_regr-gp_regr", -1.386042, -9.3111282},
    {"gp_pois_regr-gp_pois_regr", -568659.984, -12848.6755},
    {"hmm_example-hmm_example", -10.6662927, -16.4206519},
    {"kilpisjarvi_mod-kilpisjarvi", -72658.7054, -11.680286},
    {"low_dim_gauss_mix-low_dim_gauss_mix", -4.02179091, -18.1619722},
    {"sblrc-blr", -1.44042035, -61.7364361},
    {"earnings-earn_height", -599.502785, -9.65365402},
    {"earnings-log10earn_height", -583.528391, -9.5699727},
    {"earnings-logearn_height", -592.459355, -9.69223429},
    {"earnings-logearn_height_male", -1148.65935, -9.77215563},
    {"earnings-logearn_logheight_male", -20092.1904, -9.79358206},
    {"earnings-logearn_interaction", -7073.1252, -85.5652832},
    {"earnings-logearn_interaction_z", -18.5179854, -64.3211409},
    {"kidiq-kidscore_momhs", -8.64684731, -10.2224592},
    {"kidiq-kidscore_momiq", -86.3475723, -10.1042415},
    {"kidiq-kidscore_momhsiq", -116.830521, -511.050575},
    {"kidiq-kidscore_interaction", -1917.58026, -1242.4632},
    {"mesquite-logmesquite", -107.146819, -45.3941354},
    {"mesquite-logmesquite_logvolume", -3.38556905, -15.3002132},
    {"nes1972-nes", -345.48812, -572.189546},
};

TEST(BreadthPosteriors, DensitiesOfPosteriordbAgreeWithIndependentOnes) {
  EXPECT_EQ(std::size(differences), 23U);
  for (const Difference& known : differences) {
    const BreadthPosterior& posterior = breadth_posterior(std::string(known.problem) + "-wide");
    const BreadthReference& reference = breadth_reference(known.problem);
    const Vector mean = as_vector(reference.mean), sd = as_vector(reference.sd);
    Vector alternating = sd;
    for (Index i = 0; i < sd.size(); ++i) alternating[i] *= i % 2 == 0 ? -3 : 3;
    const double at_mean = posterior.log_posterior(mean);
    const double tolerance = 1e-7 * (1 + std::abs(at_mean));
    EXPECT_NEAR(posterior.log_posterior(mean + sd) - at_mean, known.at_plus_one,
                tolerance + 1e-7 * std::abs(known.at_plus_one))
        << known.problem;
    EXPECT_NEAR(posterior.log_posterior(mean + alternating) - at_mean, known.at_three_alternating,
                tolerance + 1e-7 * std::abs(known.at_three_alternating))
        << known.problem;
  }
}

TEST(RungeKutta, FollowsARotationToFourthOrder) {
  const auto turn = [](const State<2>& y) { return State<2>(-y[1], y[0]); };
  const auto error = [&](int steps) {
    const State<2> end = advance<2>({1, 0}, 1.0 / steps, steps, turn);
    return std::hypot(end[0] - std::cos(1.0), end[1] - std::sin(1.0));
  };
  EXPECT_LT(error(20), 1e-6);
  EXPECT_NEAR(error(20) / error(40), 16, 1);
}

}  // namespace
}  // namespace hunch
