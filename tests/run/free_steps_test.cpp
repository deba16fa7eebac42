// Free steps are made by the thousand: none of them may allocate. This program is linked so that every call
// of malloc and of operator new from our own code, Eigen's templates within it, comes by here first.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "hunch/core/rng.hpp"
#include "hunch/run/inner_kernel.hpp"
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

enum class Texture { smooth, rough };
enum class Told { values, gradients };

// With coordinates on bent scales, and outposts so few that walks are often beyond them, where the guard asks
// for a variance.
Landscape landscape_of(Texture texture, Told told) {
  Landscape landscape(Frame::of(Vector::Zero(d), Matrix::Identity(d, d)));
  Rng rng({1, 0, 0, Purpose::test});
  std::vector<Lesson> lessons;
  Matrix draws(d, 60);
  for (Index i = 0; i < draws.cols(); ++i) {
    const Vector x = rng.normal(d);
    draws.col(i) = x;
    const double rough = texture == Texture::rough ? 3 * std::abs(x[0] - 0.2) : 0;
    lessons.push_back({x, log_likelihood(x) + rough, std::nullopt, 0});
    if (told == Told::gradients) lessons.back().gradient = -x;
  }
  landscape.add(lessons);
  landscape.refit(10);
  landscape.choose_scales({Scale::position, Scale::above, Scale::between, Scale::position}, draws,
                          Vector::Constant(60, 1.0 / 60), 10);
  if (texture == Texture::rough) landscape.choose_texture(10);
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
  Texture texture;
  Told told;
};

class FreeSteps : public testing::TestWithParam<Case> {};

std::vector<Case> cases() {
  const InnerKernel walk = InnerWalk{Matrix::Identity(d, d), 1.2, archive()};
  const InnerKernel flight = InnerHamiltonian{Matrix::Identity(d, d), 0.5, 3};
  return {{"walk", walk, Texture::smooth, Told::values},
          {"walkOnRough", walk, Texture::rough, Told::values},
          {"walkWithGradients", walk, Texture::smooth, Told::gradients},
          {"flight", flight, Texture::smooth, Told::values},
          {"flightOnRough", flight, Texture::rough, Told::values},
          {"flightWithGradients", flight, Texture::smooth, Told::gradients}};
}

INSTANTIATE_TEST_SUITE_P(Every, FreeSteps, testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// An excursion allocates, but a longer one no more.
TEST_P(FreeSteps, AllocateNothing) {
  const Parameters parameters = one_of_each_kind();
  const Landscape landscape = landscape_of(GetParam().texture, GetParam().told);
  const TailLift lift{1, transform_onto(support(Prior{HalfCauchy{5}})), 1, 1.5, 1};
  const SurrogateDensity surrogate = density_of(landscape, parameters, {lift});
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

// Else the test above would not have met the guard.
TEST(FreeSteps, WalksAreOftenBeyondTheOutposts) {
  const Landscape landscape = landscape_of(Texture::smooth, Told::values);
  Rng rng({4, 0, 0, Purpose::test});
  Matrix far(d, 200);
  for (Index i = 0; i < far.cols(); ++i) far.col(i) = 2 * rng.normal(d);
  EXPECT_GT((landscape.guards(far).array() > 0).count(), 20);
}

}  // namespace
}  // namespace hunch
