// What a run refuses, and what becomes of a model that fails: nothing is made up in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "hunch/core/numeric.hpp"
#include "run/watched.hpp"

namespace hunch::watched {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename Error, typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string refusal_of(const RunSettings& settings) {
  return message_of<InputError>([&] { validate(settings); });
}

TEST(Settings, DefaultsAreValid) {
  EXPECT_NO_THROW(validate(RunSettings{}));
}

TEST(Settings, AreRefusedWithWhatWasGivenAndWhatIsAllowed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal_of({.warmup = -1}), "warmup: got -1, expected 0 or more");
  EXPECT_EQ(refusal_of({.draws = 0}), "draws: got 0, expected 1 or more");
  EXPECT_EQ(refusal_of({.initial_evaluations = 0}), "initial_evaluations: got 0, expected 1 or more");
  for (double floor : {-0.1, 1.0, nan})
    EXPECT_THAT(refusal_of({.screen_floor = floor}),
                AllOf(HasSubstr("screen_floor: got "), HasSubstr(", expected 0 or more, below 1")));
  for (double rate : {0.0, 1.0, -1.0, nan})
    EXPECT_THAT(
        refusal_of({.target_acceptance = rate}),
        AllOf(HasSubstr("target_acceptance: got "), HasSubstr(", expected a number between 0 and 1")));
}

TEST(Settings, AtTheEdgesAreAllowed) {
  EXPECT_NO_THROW(validate({.screen_floor = 0, .warmup = 0, .draws = 1, .initial_evaluations = 1}));
}

// A run of a 2-D model from given starts.
RunResult run_plane(WatchedModel& model, const std::vector<Vector>& starts, const RunSettings& settings,
                    int workers = 1) {
  Evaluator evaluator(model, workers);
  const Vector scales = Vector::Constant(2, 0.9);
  const Proposal proposal =
      uses_gradient(settings.method) ? Proposal(Langevin{0.5, scales}) : Proposal(RandomWalk{scales});
  return run(flat_parameters(2), evaluator, starts, proposal, settings);
}

TEST(Settings, AreCheckedBeforeAnythingIsPaidFor) {
  WatchedModel model(normal_log_density);
  EXPECT_EQ(message_of<InputError>([&] { run_plane(model, {Vector::Zero(2)}, {.draws = 0}); }),
            "draws: got 0, expected 1 or more");
  EXPECT_THAT(message_of<InputError>([&] { run_plane(model, {}, {}); }), HasSubstr("starts: got none"));
  EXPECT_EQ(model.calls(), 0);
}

TEST(Proposal, ThatDoesNotSuitTheMethodIsRefused) {
  WatchedModel model(normal_log_density);
  Evaluator evaluator(model, 1);
  const Vector scales = Vector::Ones(2);
  for (Method method : {Method::mh, Method::gp_mh, Method::mala, Method::gp_mala}) {
    const Proposal wrong =
        uses_gradient(method) ? Proposal(RandomWalk{scales}) : Proposal(Langevin{1, scales});
    const auto attempt = [&] {
      run(flat_parameters(2), evaluator, {Vector::Zero(2)}, wrong, {.method = method});
    };
    EXPECT_THAT(message_of<InputError>(attempt), HasSubstr("the proposal does not suit the method"));
  }
  EXPECT_EQ(model.calls(), 0);
}

TEST(Start, OfZeroLikelihoodIsRefusedByItsChain) {
  WatchedModel model([](const Vector& theta, Want want) {
    return theta[0] > 0 ? normal_log_density(theta, want) : Exact{-infinity, std::nullopt};
  });
  const Vector inside{{1.0, 0.0}}, outside{{-1.0, 0.0}};
  for (Method method : {Method::mh, Method::gp_mh, Method::mala, Method::gp_mala})
    EXPECT_THAT(message_of<InputError>([&] {
                  run_plane(model, {inside, inside, outside}, {.method = method});
                }),
                HasSubstr("chain 3 starts where the posterior density is zero"));
}

// Of a half plane only: draws stay there, and the density inside is that of the whole plane's half.
TEST(ZeroLikelihood, HoldsNoDraw) {
  for (Method method : {Method::mh, Method::gp_mh, Method::mala, Method::gp_mala}) {
    WatchedModel model([](const Vector& theta, Want want) {
      return theta[0] > 0 ? normal_log_density(theta, want) : Exact{-infinity, std::nullopt};
    });
    const RunResult result = run_plane(model, {Vector{{1.0, 0.0}}, Vector{{0.5, 1.0}}},
                                       {.method = method, .warmup = 150, .draws = 300});
    EXPECT_GT(model.zeros(), 20);
    for (const ChainResult& chain : result.chains) {
      EXPECT_GT(chain.positions.col(0).minCoeff(), 0);
      EXPECT_GT(chain.kept.accepted, 30);
    }
  }
}

TEST(ZeroLikelihood, IsPaidForButTeachesNothing) {
  WatchedModel model([](const Vector& theta, Want want) {
    return theta[0] > 0 ? normal_log_density(theta, want) : Exact{-infinity, std::nullopt};
  });
  const RunResult result = run_plane(model, {Vector{{1.0, 0.0}}}, {.warmup = 150, .draws = 150});
  EXPECT_EQ(result.evaluations, model.calls());
  EXPECT_GT(model.zeros(), 0);
  EXPECT_EQ(result.emulator.lessons(), model.calls() - model.zeros());
}

// A normal density that answers `trouble` once the walk goes beyond one.
std::string failure_of(const FunctionModel::Function& trouble, Method method, int workers) {
  WatchedModel model([&](const Vector& theta, Want want) {
    return theta[0] < 1 ? normal_log_density(theta, want) : trouble(theta, want);
  });
  const std::vector<Vector> starts(3, Vector{{0.5, 0.0}});
  return message_of<ModelFailure>([&] { run_plane(model, starts, {.method = method}, workers); });
}

TEST(FailedModel, StopsTheRunAndSaysWhereAndWhy) {
  const auto not_a_number = [](const Vector& theta, Want) { return Exact{std::nan(""), Vector(theta)}; };
  const auto infinite = [](const Vector& theta, Want) { return Exact{infinity, Vector(theta)}; };
  const auto throwing = [](const Vector&, Want) -> Exact { throw std::runtime_error("mesh is tangled"); };
  for (Method method : {Method::mh, Method::gp_mh, Method::mala, Method::gp_mala})
    for (int workers : {1, 3}) {
      const auto where = AllOf(HasSubstr("the model failed at u = "), HasSubstr(", v = "));
      EXPECT_THAT(failure_of(not_a_number, method, workers), AllOf(where, HasSubstr("is not a number")));
      EXPECT_THAT(failure_of(infinite, method, workers), AllOf(where, HasSubstr("is plus infinity")));
      EXPECT_THAT(failure_of(throwing, method, workers), AllOf(where, HasSubstr(": mesh is tangled")));
    }
}

TEST(FailedModel, IsNamedByTheValuesItWasGiven) {
  WatchedModel model([](const Vector&, Want) { return Exact{std::nan(""), std::nullopt}; });
  EXPECT_EQ(message_of<ModelFailure>([&] {
              run_plane(model, {Vector{{0.25, -3.0}}}, {.method = Method::mh});
            }),
            "the model failed at u = 0.250000, v = -3.000000: the log-likelihood is not a number");
}

TEST(MissingGradient, IsAFailureOnlyOfMethodsThatUseIt) {
  const auto value_alone = [](const Vector& theta, Want) {
    return Exact{-0.5 * theta.squaredNorm(), std::nullopt};
  };
  WatchedModel model(value_alone);
  const std::vector<Vector> start{Vector{{0.5, 0.0}}};
  for (Method method : {Method::mala, Method::gp_mala})
    EXPECT_THAT(message_of<ModelFailure>([&] { run_plane(model, start, {.method = method}); }),
                HasSubstr("a gradient was asked for and none was given"));
  for (Method method : {Method::mh, Method::gp_mh})
    EXPECT_NO_THROW(run_plane(model, start, {.method = method, .warmup = 5, .draws = 5}));
}

// A failure must be the same one for any number of workers: that of the first chain that met it.
TEST(FailedModel, IsTheSameFailureForAnyNumberOfWorkers) {
  const auto throwing = [](const Vector&, Want) -> Exact { throw std::runtime_error("mesh is tangled"); };
  EXPECT_EQ(failure_of(throwing, Method::gp_mh, 1), failure_of(throwing, Method::gp_mh, 3));
}

}  // namespace
}  // namespace hunch::watched
