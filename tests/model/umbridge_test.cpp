#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "hunch/core/numeric.hpp"
#include "hunch/model/umbridge_model.hpp"
#include "hunch/model/umbridge_protocol.hpp"
#include "model/fake_umbridge.hpp"

namespace hunch {
namespace {

using testing::HasSubstr;
using Gives = UmBridgeSettings::Gives;
using nlohmann::json;

UmBridgeSettings settings_for(const FakeUmBridge& server, const std::string& model) {
  UmBridgeSettings settings;
  settings.urls = {server.url()};
  settings.model_name = model;
  settings.timeout_seconds = 20;
  return settings;
}

json ask(const FakeUmBridge& server, const std::string& endpoint) {
  return ask_umbridge(HttpServer(parse_http_url(server.url())), endpoint, nullptr,
                      {10, seconds_from_now(10)});
}

const Vector somewhere({{0.7, -1.3}});

TEST(UmBridge, LogDensitiesAndGradientsPass) {
  const FakeUmBridge server;
  for (const Gives gives : {Gives::log_likelihood, Gives::log_posterior}) {
    UmBridgeSettings settings = settings_for(server, "posterior");
    settings.gives = gives;
    const auto model = open_umbridge(settings, 2);
    EXPECT_TRUE(model->capabilities().gradient);
    const Outcome value = model->evaluate(somewhere, Want::value);
    ASSERT_EQ(value.kind, OutcomeKind::value) << value.message;
    EXPECT_EQ(value.exact.log_likelihood, -0.5 * (0.7 * 0.7 + 2 * (1.3 * 1.3)));
    EXPECT_FALSE(value.exact.gradient);
    const Outcome both = model->evaluate(somewhere, Want::value_and_gradient);
    ASSERT_EQ(both.kind, OutcomeKind::value) << both.message;
    EXPECT_EQ(*both.exact.gradient, Vector({{-0.7, 2.6}}));
  }
}

TEST(UmBridge, ParametersArriveBitForBit) {
  const FakeUmBridge server;
  const auto model = open_umbridge(settings_for(server, "posterior"), 2);
  const Vector theta({{0.1 + 0.2, -4.9406564584124654e-324}});
  model->evaluate(theta, Want::value);
  const json input = ask(server, "/Last")["input"];
  EXPECT_EQ(input[0][0].get<double>(), theta[0]);
  EXPECT_EQ(input[0][1].get<double>(), theta[1]);
}

TEST(UmBridge, SeveralInputBlocksAreOneTheta) {
  const FakeUmBridge server;
  const auto model = open_umbridge(settings_for(server, "blocks"), 3);
  const Outcome both = model->evaluate(Vector({{1.0, 2.0, 3.0}}), Want::value_and_gradient);
  ASSERT_EQ(both.kind, OutcomeKind::value) << both.message;
  EXPECT_EQ(both.exact.log_likelihood, 13);
  EXPECT_EQ(*both.exact.gradient, Vector({{1.0, 6.0, 4.0}}));
}

TEST(UmBridge, OutputIndexChoosesValueAndGradient) {
  const FakeUmBridge server;
  UmBridgeSettings settings = settings_for(server, "several");
  settings.output_index = 2;
  const Outcome both = open_umbridge(settings, 2)->evaluate(somewhere, Want::value_and_gradient);
  ASSERT_EQ(both.kind, OutcomeKind::value) << both.message;
  EXPECT_DOUBLE_EQ(both.exact.log_likelihood, 0.7 - 1.69);
  EXPECT_EQ(*both.exact.gradient, Vector({{1.0, 2.6}}));
}

TEST(UmBridge, ForwardOutputBecomesAGaussianLikelihood) {
  const FakeUmBridge server;
  for (const Vector& sd : {Vector({{0.5}}), Vector({{0.5, 2.0, 0.1}})}) {
    UmBridgeSettings settings = settings_for(server, "forward");
    settings.gives = Gives::forward;
    settings.data = Vector({{0.2, -1.0, 0.3}});
    settings.noise_sd = sd;
    const auto model = open_umbridge(settings, 2);
    const auto by_hand = [&](const Vector& t) {
      const Vector output({{t[0] + t[1], t[0] * t[1], t[0] * t[0]}});
      double sum = 0;
      for (int i = 0; i < 3; ++i) {
        const double s = sd[sd.size() == 1 ? 0 : i];
        const double z = (settings.data[i] - output[i]) / s;
        sum += -0.5 * z * z - std::log(s * std::sqrt(2 * M_PI));
      }
      return sum;
    };
    const Outcome both = model->evaluate(somewhere, Want::value_and_gradient);
    ASSERT_EQ(both.kind, OutcomeKind::value) << both.message;
    EXPECT_NEAR(both.exact.log_likelihood, by_hand(somewhere), 1e-12 * std::abs(by_hand(somewhere)));
    for (int i = 0; i < 2; ++i) {
      const Vector step = 1e-5 * Vector::Unit(2, i);
      const double slope = (by_hand(somewhere + step) - by_hand(somewhere - step)) / 2e-5;
      EXPECT_NEAR((*both.exact.gradient)[i], slope, 1e-6 * (1 + std::abs(slope)));
    }
  }
}

TEST(UmBridge, ConfigReachesTheModel) {
  const FakeUmBridge server;
  UmBridgeSettings settings = settings_for(server, "posterior");
  settings.config_json = R"({"shift": 100, "note": {"deep": [1, "\u00e9"]}})";
  const Outcome outcome = open_umbridge(settings, 2)->evaluate(Vector::Zero(2), Want::value);
  EXPECT_EQ(outcome.exact.log_likelihood, 100);
  EXPECT_EQ(ask(server, "/Last")["config"], json::parse(settings.config_json));
}

TEST(UmBridge, SizesAreAskedOnceAndValuesCostOneRequest) {
  const FakeUmBridge server;
  const auto model = open_umbridge(settings_for(server, "posterior"), 2);
  for (int i = 0; i < 3; ++i) model->evaluate(somewhere, Want::value);
  model->evaluate(somewhere, Want::value_and_gradient);
  const json count = ask(server, "/Count");
  for (const char* endpoint : {"Info", "ModelInfo", "InputSizes", "OutputSizes", "Gradient"})
    EXPECT_EQ(count[endpoint], 1) << endpoint;
  EXPECT_EQ(count["Evaluate"], 4);
}

TEST(UmBridge, GradientIsUsedOnlyAsAllowed) {
  const FakeUmBridge server;
  UmBridgeSettings settings = settings_for(server, "posterior");
  settings.gradient = UmBridgeSettings::UseGradient::never;
  EXPECT_FALSE(open_umbridge(settings, 2)->capabilities().gradient);
  settings = settings_for(server, "valueonly");
  EXPECT_FALSE(open_umbridge(settings, 2)->capabilities().gradient);
  EXPECT_EQ(open_umbridge(settings, 2)->evaluate(somewhere, Want::value_and_gradient).kind,
            OutcomeKind::protocol);
  settings.gradient = UmBridgeSettings::UseGradient::required;
  EXPECT_THROW(open_umbridge(settings, 2), InputError);
}

void evaluate_from_threads(Model& model, int threads, int each) {
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&model, i, each] {
      for (int j = 0; j < each; ++j) {
        const Vector theta({{static_cast<double>(i), static_cast<double>(j)}});
        const Outcome outcome = model.evaluate(theta, Want::value);
        EXPECT_EQ(outcome.exact.log_likelihood, -0.5 * (i * i + 2 * j * j)) << outcome.message;
      }
    });
}

TEST(UmBridge, SeveralUrlsShareTheWorkOneAtATimeEach) {
  const FakeUmBridge first({"--delay", "0.02"});
  const FakeUmBridge second({"--delay", "0.02"});
  UmBridgeSettings settings = settings_for(first, "posterior");
  settings.urls.push_back(second.url() + "/");
  const auto model = open_umbridge(settings, 2);
  evaluate_from_threads(*model, 6, 4);
  int total = 0;
  for (const FakeUmBridge* server : {&first, &second}) {
    const json count = ask(*server, "/Count");
    EXPECT_EQ(count["most_at_once"], 1);
    EXPECT_GE(count["Evaluate"], 1);
    total += count["Evaluate"].get<int>();
  }
  EXPECT_EQ(total, 24);
}

TEST(UmBridge, BalancerTakesSeveralAtOnce) {
  const FakeUmBridge server({"--delay", "0.5"});
  UmBridgeSettings settings = settings_for(server, "posterior");
  settings.concurrent_per_url = 3;
  const auto model = open_umbridge(settings, 2);
  evaluate_from_threads(*model, 6, 1);
  EXPECT_EQ(ask(server, "/Count")["most_at_once"], 3);
}

TEST(UmBridge, DeadServerDoesNotTakeTheWorkOfTheLiving) {
  const FakeUmBridge dead({"--mode", "leave"});
  const FakeUmBridge alive;
  UmBridgeSettings settings = settings_for(dead, "posterior");
  settings.urls.push_back(alive.url());
  const auto model = open_umbridge(settings, 2);
  int lost = 0;
  for (int i = 0; i < 10; ++i) lost += model->evaluate(somewhere, Want::value).kind == OutcomeKind::lost;
  EXPECT_EQ(lost, 1);
  EXPECT_EQ(ask(alive, "/Count")["Evaluate"], 9);
}

TEST(UmBridge, KilledServerIsLostEveryTime) {
  FakeUmBridge server;
  const auto model = open_umbridge(settings_for(server, "posterior"), 2);
  server.kill_now();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(model->evaluate(somewhere, Want::value).kind, OutcomeKind::lost);
}

std::string complaint(const UmBridgeSettings& settings, Index dimension) {
  try {
    open_umbridge(settings, dimension);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(UmBridge, WhatDoesNotFitIsNamedAtTheDoor) {
  const FakeUmBridge server;
  const UmBridgeSettings good = settings_for(server, "posterior");
  EXPECT_EQ(complaint(good, 2), "no complaint");
  EXPECT_THAT(complaint(good, 3), HasSubstr("takes 2 numbers (2), there are 3 parameters"));
  EXPECT_THAT(complaint(settings_for(server, "posterier"), 2),
              HasSubstr("\"posterier\" is not served here, only: posterior, several, blocks"));
  EXPECT_THAT(complaint(settings_for(server, "\xff"), 2), HasSubstr("\"?\" is not served"));
  auto bad = good;
  bad.output_index = 1;
  EXPECT_THAT(complaint(bad, 2), HasSubstr("output index 1"));
  bad = good;
  bad.config_json = "[1]";
  EXPECT_THAT(complaint(bad, 2), HasSubstr("not a JSON object"));
  bad = settings_for(server, "forward");
  bad.gives = Gives::forward;
  EXPECT_THAT(complaint(bad, 2), HasSubstr("needs data"));
  bad.data = Vector::Zero(2);
  bad.noise_sd = Vector::Ones(1);
  EXPECT_THAT(complaint(bad, 2), HasSubstr("has 3 numbers, there are 2 data"));
  bad.noise_sd = Vector::Zero(2);
  EXPECT_THAT(complaint(bad, 2), HasSubstr("sd must be positive"));
  bad = good;
  bad.timeout_seconds = std::nan("");
  EXPECT_THAT(complaint(bad, 2), HasSubstr("timeout"));
  bad = good;
  bad.urls = {};
  EXPECT_THAT(complaint(bad, 2), HasSubstr("no url"));
}

TEST(UmBridge, ServersThatDifferAreRefused) {
  const FakeUmBridge first;
  const FakeUmBridge second({"--on", "InputSizes", "--mode", "no_output"});
  UmBridgeSettings settings = settings_for(first, "posterior");
  settings.urls.push_back(second.url());
  EXPECT_THAT(complaint(settings, 2), HasSubstr(second.url() + ": inputSizes is not a list"));
}

TEST(UmBridge, UnavailableServerIsToldFromAWrongOne) {
  const auto open = [](const char* mode) {
    const FakeUmBridge server({"--on", "Info", "--mode", mode});
    UmBridgeSettings settings = settings_for(server, "posterior");
    if (mode == std::string("hang")) settings.timeout_seconds = 1;
    settings.connect_timeout_seconds = 1;
    open_umbridge(settings, 2);
  };
  for (const char* mode : {"close", "reset", "hang", "page_503", "exception_text", "die", "full"})
    EXPECT_THROW(open(mode), ModelUnavailable) << mode;
  for (const char* mode : {"not_http", "web_page", "old_version", "not_found", "bare_number"})
    EXPECT_THROW(open(mode), InputError) << mode;
}

TEST(UmBridge, UnavailableServerIsNamed) {
  UmBridgeSettings settings;
  settings.model_name = "posterior";
  settings.urls = {"http://127.0.0.1:1"};
  try {
    open_umbridge(settings, 2);
    FAIL() << "nobody listens there";
  } catch (const ModelUnavailable& error) {
    EXPECT_EQ(error.url(), "http://127.0.0.1:1");
    EXPECT_THAT(error.what(), HasSubstr("Connection refused"));
  }
  settings.urls = {"http://nowhere.invalid:4242"};
  EXPECT_THROW(open_umbridge(settings, 2), ModelUnavailable);
}

}  // namespace
}  // namespace hunch
