#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hunch/core/numeric.hpp"
#include "hunch/model/library_model.hpp"

namespace hunch {
namespace {

using testing::HasSubstr;

std::string library(const std::string& name) {
  return std::string(HUNCH_LIBRARY_MODELS) + "/library_" + name + ".so";
}

std::string complaint(const std::string& path, Index dimension) {
  try {
    open_library(path, dimension);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

Outcome misbehave(double wish, Want want = Want::value) {
  return open_library(library("misbehaving"), 2)->evaluate(Vector({{wish, 0.0}}), want);
}

TEST(Library, ValueAndGradientPass) {
  const auto model = open_library(library("good"), 2);
  EXPECT_TRUE(model->capabilities().gradient);
  const Vector theta({{0.5, -2.0}});
  const Outcome value = model->evaluate(theta, Want::value);
  ASSERT_EQ(value.kind, OutcomeKind::value) << value.message;
  EXPECT_EQ(value.exact.log_likelihood, -0.5 * (0.25 + 8));
  EXPECT_FALSE(value.exact.gradient);
  const Outcome both = model->evaluate(theta, Want::value_and_gradient);
  ASSERT_EQ(both.kind, OutcomeKind::value) << both.message;
  EXPECT_EQ(*both.exact.gradient, Vector({{-0.5, 4.0}}));
}

TEST(Library, WhatDoesNotFitIsNamedAtTheDoor) {
  EXPECT_THAT(complaint(library("absent"), 2), HasSubstr("library_absent.so: cannot be loaded"));
  EXPECT_THAT(complaint(__FILE__, 2), HasSubstr("cannot be loaded"));
  EXPECT_THAT(complaint(library("newer"), 2), HasSubstr("interface version 2, expected 1"));
  EXPECT_THAT(complaint(library("incomplete"), 2), HasSubstr("hunch_model_log_likelihood is missing"));
  EXPECT_THAT(complaint(library("good"), 3), HasSubstr("hunch_model_dimension says 2, there are 3"));
  EXPECT_EQ(complaint(library("misbehaving"), 17), "no complaint");
}

TEST(Library, BareFileNameMeansTheFileHere) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(HUNCH_LIBRARY_MODELS);
  EXPECT_EQ(complaint("library_good.so", 2), "no complaint");
  std::filesystem::current_path(before);
}

TEST(Library, EveryFailureIsADefinedOutcome) {
  EXPECT_EQ(misbehave(0).kind, OutcomeKind::value);
  EXPECT_EQ(misbehave(1).kind, OutcomeKind::nan);
  EXPECT_EQ(misbehave(2).kind, OutcomeKind::nan);
  EXPECT_EQ(misbehave(3).kind, OutcomeKind::zero);
  EXPECT_EQ(misbehave(6).kind, OutcomeKind::nan);
  EXPECT_EQ(misbehave(7).kind, OutcomeKind::value);
  EXPECT_EQ(misbehave(7, Want::value_and_gradient).kind, OutcomeKind::nan);
  for (const double wish : {4.0, 5.0, 8.0}) EXPECT_EQ(misbehave(wish).kind, OutcomeKind::crash) << wish;
  EXPECT_THAT(misbehave(4).message, HasSubstr("returned 7: \"no solution\\nbelow 4\""));
  EXPECT_LT(misbehave(5).message.size(), 200u);
}

TEST(Library, ExceptionThatLeavesItIsACrash) {
  const auto model = open_library(library("throwing"), 1);
  EXPECT_FALSE(model->capabilities().gradient);
  const Outcome known = model->evaluate(Vector({{2.0}}), Want::value);
  EXPECT_EQ(known.kind, OutcomeKind::crash);
  EXPECT_THAT(known.message, HasSubstr("above one"));
  EXPECT_EQ(model->evaluate(Vector({{0.5}}), Want::value).kind, OutcomeKind::crash);
  EXPECT_EQ(model->evaluate(Vector({{-0.5}}), Want::value).kind, OutcomeKind::value);
  EXPECT_EQ(model->evaluate(Vector({{-0.5}}), Want::value_and_gradient).kind, OutcomeKind::protocol);
}

TEST(Library, CallsComeOneAtATimeUnlessItSaysOtherwise) {
  const auto model = open_library(library("misbehaving"), 2);
  std::mutex mutex;
  double most = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      const double inside = model->evaluate(Vector({{9.0, 0.0}}), Want::value).exact.log_likelihood;
      const std::lock_guard lock(mutex);
      most = std::max(most, inside);
    });
  threads.clear();
  EXPECT_EQ(most, 1);
}

TEST(Library, IsUnloadedWithItsModel) {
  const auto loaded = [] {
    void* handle = dlopen(library("good").c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle != nullptr) dlclose(handle);
    return handle != nullptr;
  };
  {
    const auto model = open_library(library("good"), 2);
    EXPECT_TRUE(loaded());
  }
  EXPECT_FALSE(loaded());
  complaint(library("good"), 3);
  EXPECT_FALSE(loaded());
}

}  // namespace
}  // namespace hunch
