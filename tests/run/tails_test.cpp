// Heavy tails: how far they are followed while exploring, and how chains are helped out of them.
#include <gtest/gtest.h>

#include <cmath>

#include "hunch/run/explore.hpp"
#include "hunch/run/inner_kernel.hpp"
#include "hunch/run/run.hpp"

namespace hunch {
namespace {

// Three groups, not centred: the fewer they are, the heavier is the tail of what is between them.
double log_likelihood(const Vector& theta) {
  const Vector effects{{6, -3, 2}};
  return -0.5 * ((effects - theta[0] * theta.tail(3)) / 4).squaredNorm();
}

struct Exploration {
  Parameters parameters;
  std::vector<Vector> thetas = {};  // paid for
  Explorer explorer{parameters, prior_box(parameters, starts()), 11,
                    [this](const std::vector<Vector>& positions) { return pay(positions); }};

  std::vector<Vector> starts() const {
    return fill_prior(parameters, prior_box(parameters, {Vector::Zero(4)}), 10, 11);
  }
  std::vector<Lesson> pay(const std::vector<Vector>& positions) {
    std::vector<Lesson> lessons;
    for (const Vector& x : positions) {
      thetas.push_back(parameters.theta(x));
      lessons.push_back({x, log_likelihood(thetas.back()), std::nullopt, parameters.log_prior(x)});
    }
    return lessons;
  }
  void learn(std::int64_t evaluations) {
    explorer.find(starts());
    explorer.learn({0.2, 0.15, evaluations, About::moments});
  }
  double largest(std::size_t from) const {
    double most = 0;
    for (std::size_t i = from; i < thetas.size(); ++i) most = std::max(most, thetas[i][0]);
    return most;
  }
};

Parameters with_spread(const Prior& spread) {
  const Prior standard{Normal{0, 1}};
  return Parameters({{"spread", spread}, {"e1", standard}, {"e2", standard}, {"e3", standard}});
}

double sds_out(const Survey& survey, double value) {
  const Vector values = survey.cloud.quantities.row(0).transpose();
  const double mean = values.dot(survey.cloud.weights);
  return (value - mean) / std::sqrt((values.array() - mean).square().matrix().dot(survey.cloud.weights));
}

TEST(Tails, HeavyOneIsFollowedBeyondWhereDrawsCome) {
  Exploration run{with_spread({HalfCauchy{3}})};
  run.learn(100);
  const Survey before = run.explorer.survey();
  const std::size_t paid = run.thetas.size();
  run.explorer.follow_tails(40);
  EXPECT_GT(run.thetas.size(), paid);
  EXPECT_LE(run.thetas.size(), paid + 40 + 2);
  EXPECT_GT(sds_out(before, run.largest(paid)), 9);
  EXPECT_LT(sds_out(before, before.cloud.quantities.row(0).head(before.bulk).maxCoeff()), 9);
}

// Far out, yet likely: neither first points from the prior nor the few draws that are kept come there.
TEST(Tails, AutoFollowsThemWithFewParametersToo) {
  const Parameters parameters = with_spread({HalfCauchy{3}});
  int far_out = 0;
  FunctionModel model(
      [&](const Vector& theta, Want) {
        const double value = log_likelihood(theta);
        if (theta[0] > 15 && value > -5) ++far_out;
        return Exact{value, std::nullopt};
      },
      {.gradient = false});
  Evaluator evaluator(model, 1);
  const RunSettings settings{.method = Method::automatic, .draws = 10, .seed = 3};
  const std::vector<Vector> starts = Exploration{parameters}.starts();
  run(parameters, evaluator, {starts.begin(), starts.begin() + 4}, RandomWalk{Vector::Ones(4)}, settings);
  EXPECT_GE(far_out, 5);
}

TEST(Tails, EvaluationsAreNoMoreThanAllowed) {
  Exploration run{with_spread({HalfCauchy{3}})};
  run.learn(100);
  const std::size_t paid = run.thetas.size();
  run.explorer.follow_tails(4);
  EXPECT_GT(run.thetas.size(), paid);
  EXPECT_LE(run.thetas.size(), paid + 4 + 2);  // three at a time
}

TEST(Tails, LightOnesCostNothing) {
  Exploration run{with_spread({Uniform{0, 4}})};
  run.learn(80);
  const std::size_t paid = run.thetas.size();
  run.explorer.follow_tails(40);
  EXPECT_EQ(run.thetas.size(), paid);
}

// The support may end where a level would be.
TEST(Tails, NoneIsFollowedOutOfItsSupport) {
  Exploration run{with_spread({HalfCauchy{3}, 0, 20})};
  run.learn(100);
  const Survey before = run.explorer.survey();
  ASSERT_FALSE(heavy_tails(before.cloud).empty());
  ASSERT_LT(sds_out(before, 20), 9);
  const std::size_t paid = run.thetas.size();
  run.explorer.follow_tails(40);
  EXPECT_GT(run.thetas.size(), paid);
  EXPECT_LT(run.largest(0), 20);
}

TEST(Tails, LiftBeginsThreeSdsOutAndIsPartOfTheDensity) {
  Exploration run{with_spread({HalfCauchy{3}})};
  run.learn(100);
  const TailLifts lifts = lifts_of(run.explorer.survey().cloud, run.parameters);
  ASSERT_EQ(lifts.size(), 1u);
  EXPECT_EQ(lifts[0].parameter, 0);
  EXPECT_NEAR(sds_out(run.explorer.survey(), lifts[0].from), 3, 1e-9);
  const Landscape& landscape = run.explorer.landscape();
  const SurrogateDensity plain = density_of(landscape, run.parameters);
  const SurrogateDensity lifted = density_of(landscape, run.parameters, lifts);
  const auto raised = [&](double sds) {
    Vector theta = Vector::Zero(4);
    theta[0] = lifts[0].from + sds * lifts[0].sd;
    const Vector x = run.parameters.position(theta);
    Vector gradient(4);
    EXPECT_EQ(lifted.log_density(x), lifted.log_density_and_gradient(x, gradient));
    return lifted.log_density(x) - plain.log_density(x);
  };
  EXPECT_EQ(raised(-0.5), 0);
  EXPECT_GT(raised(1), 0);
  EXPECT_NEAR(raised(2), 2 * raised(1), 1e-9);
  EXPECT_EQ(raised(1000), raised(2000));
}

}  // namespace
}  // namespace hunch
