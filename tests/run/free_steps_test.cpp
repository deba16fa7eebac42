// Free steps are made by the thousand: none of them may allocate. This program is linked so that every call
// of malloc and of operator new from our own code, Eigen's templates within it, comes by here first.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "hunch/core/rng.hpp"
#include "hunch/explore/excursion_kernel.hpp"
#include "hunch/target/prior.hpp"

namespace {
thread_local long allocations = 0;
}

extern "C" {
void* __real_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size) {
  ++allocations;
  return __real_malloc(size);
}
void* __real__Znwm(std::size_t size);
void* __wrap__Znwm(std::size_t size) {
  ++allocations;
  return __real__Znwm(size);
}
}

namespace hunch {
namespace {

constexpr Index d = 4;

Parameters one_of_each_kind() {
  return Parameters(
      {{"a", {Normal{0, 10}}}, {"b", {HalfCauchy{5}}}, {"c", {Uniform{-1, 3}}}, {"d", {StudentT{3, 0, 4}}}});
}

double log_likelihood(const Vector& x) {
  return -0.5 * x.squaredNorm() + 0.3 * std::sin(2 * x[0]) * x[1];
}

enum class Told { values, gradients };

// With coordinates on bent scales.
Landscape landscape_of(Told told) {
  Landscape landscape(Frame::of(Vector::Zero(d), Matrix::Identity(d, d)));
  Rng rng({1, 0, 0, Purpose::test});
  std::vector<Lesson> lessons;
  Matrix draws(d, 60);
  for (Index i = 0; i < draws.cols(); ++i) {
    const Vector x = rng.normal(d);
    draws.col(i) = x;
    lessons.push_back({x, log_likelihood(x), std::nullopt, 0});
    if (told == Told::gradients) lessons.back().gradient = -x;
  }
  landscape.add(lessons);
  landscape.refit(10);
  landscape.choose_scales({Scale::position, Scale::above, Scale::between, Scale::position}, draws,
                          Vector::Constant(60, 1.0 / 60), 10);
  return landscape;
}

Matrix archive() {
  Rng rng({2, 0, 0, Purpose::test});
  Matrix draws(d, 50);
  for (Index i = 0; i < draws.cols(); ++i) draws.col(i) = rng.normal(d);
  return draws;
}

struct Case {
  const char* name;
  InnerKernel kernel;
  Told told;
};

class FreeSteps : public testing::TestWithParam<Case> {};

std::vector<Case> cases() {
  const InnerKernel walk = InnerWalk{Matrix::Identity(d, d), 1.2, archive()};
  const InnerKernel flight = InnerHamiltonian{Matrix::Identity(d, d), 0.5, 3};
  return {{"walk", walk, Told::values},
          {"walkWithGradients", walk, Told::gradients},
          {"flight", flight, Told::values},
          {"flightWithGradients", flight, Told::gradients}};
}

INSTANTIATE_TEST_SUITE_P(Every, FreeSteps, testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// An excursion allocates, but a longer one no more.
TEST_P(FreeSteps, AllocateNothing) {
  const Parameters parameters = one_of_each_kind();
  const Landscape landscape = landscape_of(GetParam().told);
  const SurrogateDensity surrogate = density_of(landscape, parameters, 0.5);
  const auto allocated = [&](Index steps) {
    Rng rng({3, 0, 0, Purpose::test});
    const long before = allocations;
    const Excursion away = excursion(Vector::Zero(d), GetParam().kernel, steps, surrogate, rng);
    EXPECT_GT(away.accepted, 0);
    return allocations - before;
  };
  allocated(500);  // makes room
  const long few = allocated(10);
  EXPECT_GT(few, 0);
  EXPECT_EQ(allocated(500), few);
}

// Else the test above would not have met what a place that is hardly known costs.
TEST(FreeSteps, SomePlacesAreTrustedAndSomeAreNot) {
  const Parameters parameters = one_of_each_kind();
  const Landscape landscape = landscape_of(Told::values);
  const SurrogateDensity surrogate = density_of(landscape, parameters, 0.5);
  Rng rng({4, 0, 0, Purpose::test});
  int trusted = 0;
  for (int i = 0; i < 200; ++i) trusted += surrogate.trusted(3 * rng.normal(d));
  EXPECT_GT(trusted, 20);
  EXPECT_LT(trusted, 180);
}

}  // namespace
}  // namespace hunch
